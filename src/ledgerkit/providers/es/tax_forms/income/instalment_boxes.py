"""Boxes of form 130, in its order."""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import Box

INCOME, COSTS, NET_INCOME, QUOTA, PAID_BEFORE, WITHHELD, ACTIVITIES = "01", "02", "03", "04", "05", "06", "07"
FARM_INCOME, FARM_QUOTA, FARM_WITHHELD, FARMS = "08", "09", "10", "11"
SUM, REDUCTION, DIFFERENCE, NEGATIVE_BEFORE, HOME_LOAN = "12", "13", "14", "15", "16"
TOTAL, EARLIER, RESULT = "17", "18", "19"

_ALL = (
    Box(key=INCOME, name={"es": "Ingresos computables", "en": "Income"}, summed=True),
    Box(
        key=COSTS,
        name={
            "es": "Gastos deducibles (en la simplificada, también los de difícil justificación)",
            "en": "Deductible costs (in simplified estimation also those hard to justify)",
        },
    ),
    Box(key=NET_INCOME, name={"es": "Rendimiento neto", "en": "Net income"}, signed=True),
    Box(
        key=QUOTA,
        name={
            "es": "20 % del rendimiento neto (8 % en Ceuta y Melilla)",
            "en": "20 % of the net income (8 % in Ceuta and Melilla)",
        },
    ),
    Box(key=PAID_BEFORE, name={"es": "Pagos de trimestres anteriores", "en": "Paid in earlier quarters"}),
    Box(key=WITHHELD, name={"es": "Retenciones soportadas", "en": "Withheld by clients"}, summed=True),
    Box(key=ACTIVITIES, name={"es": "Pago previo de actividades", "en": "Instalment of activities"}, signed=True),
    Box(
        key=FARM_INCOME,
        name={"es": "Ingresos agrarios del trimestre", "en": "Farming income of the quarter"},
        summed=True,
    ),
    Box(
        key=FARM_QUOTA,
        name={
            "es": "2 % de los ingresos agrarios (0,8 % en Ceuta y Melilla)",
            "en": "2 % of the farming income (0.8 % in Ceuta and Melilla)",
        },
    ),
    Box(key=FARM_WITHHELD, name={"es": "Retenciones agrarias", "en": "Withheld of farming income"}, summed=True),
    Box(key=FARMS, name={"es": "Pago previo agrario", "en": "Instalment of farming"}, signed=True),
    Box(key=SUM, name={"es": "Suma de pagos previos", "en": "Sum of instalments"}),
    Box(key=REDUCTION, name={"es": "Minoración por rendimientos bajos", "en": "Reduction for low income"}),
    Box(key=DIFFERENCE, name={"es": "Diferencia", "en": "Difference"}, signed=True),
    Box(
        key=NEGATIVE_BEFORE,
        name={"es": "Resultados negativos anteriores", "en": "Negative results of earlier quarters"},
    ),
    Box(key=HOME_LOAN, name={"es": "Préstamo de la vivienda habitual", "en": "Home loan"}),
    Box(key=TOTAL, name={"es": "Total", "en": "Total"}, signed=True),
    Box(key=EARLIER, name={"es": "Resultado de la declaración anterior", "en": "Result of the earlier filing"}),
    Box(key=RESULT, name={"es": "Resultado", "en": "Result"}, signed=True),
)

BOXES: Mapping[str, Box] = MappingProxyType({box.key: box for box in _ALL})
