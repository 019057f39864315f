"""Boxes of form 390, in its order: designs of 2024 and 2025 of the AEAT; the words are ours.

Groups of entities, joint taxation with the foral treasuries (section 8) and sectors that deduct apart (section 13) are
given by hand: no document tells them. Not here: the activities of the simplified regime, and the boxes of sections 8
and 12 that share their number with others.
"""

from itertools import chain

from ledgerkit.providers.es.tax_forms.vat import rate_boxes as rates
from ledgerkit.providers.es.tax_forms.vat.boxes import box, in_section, pair, pairs
from ledgerkit.providers.es.tax_forms.vat.sector_boxes import SECTORS_390

_OUTPUT = (
    *pairs(rates.OUTPUT_390, "Régimen ordinario", "Ordinary regime", marks="s-"),
    *pairs(rates.GROUP_390, "Operaciones intragrupo", "Operations within a group", marks="-"),
    *pairs(rates.CASH_390, "Criterio de caja", "Cash accounting", marks="s-"),
    *pairs(rates.USED_GOODS_390, "Bienes usados y arte", "Used goods and art", marks="s-"),
    *pairs(rates.TRAVEL_390, "Agencias de viajes", "Travel agencies", marks="s-"),
    *pairs(rates.INTRA_EU_GOODS_390, "Bienes intracomunitarios", "Intra-EU goods", marks="s-"),
    *pairs(rates.INTRA_EU_SERVICES_390, "Servicios intracomunitarios", "Intra-EU services", marks="s-"),
    *pair("27", "28", "Otras inversiones del sujeto pasivo", "Other reverse charge received", marks="s-"),
    *pair("29", "30", "Modificación de bases y cuotas", "Modified bases and tax", marks="s-"),
    *pair("649", "650", "Modificación intragrupo", "Modified within a group", marks="-"),
    *pair("31", "32", "Modificación por concurso de acreedores", "Modified by insolvency", marks="s-"),
    *pair("33", "34", "Total del IVA", "Total VAT", marks="-"),
)
_SURCHARGE = (
    *pairs(rates.SURCHARGE_390, "Recargo", "Surcharge", marks="s-"),
    *pair("43", "44", "Modificación del recargo", "Modified surcharge", marks="s-"),
    *pair("45", "46", "Recargo modificado por concurso", "Surcharge modified by insolvency", marks="s-"),
    box("47", "Total de cuotas de IVA y recargo", "Total VAT and surcharge due", marks="-"),
)
_INPUT = (
    *pairs(rates.DOMESTIC_390, "Interiores corrientes", "Domestic, current", marks="s-"),
    *pair("48", "49", "Total interiores corrientes", "Total domestic, current", marks="-"),
    *pairs(rates.GROUP_INPUT_390, "Intragrupo corrientes", "Within a group, current", marks="-"),
    *pair("512", "513", "Total intragrupo corrientes", "Total within a group, current", marks="-"),
    *pairs(rates.DOMESTIC_INVESTMENT_390, "Interiores, inversión", "Domestic, investment goods", marks="s-"),
    *pair("50", "51", "Total interiores, inversión", "Total domestic, investment goods", marks="-"),
    *pairs(rates.GROUP_INVESTMENT_390, "Intragrupo, inversión", "Within a group, investment goods", marks="-"),
    *pair("520", "521", "Total intragrupo, inversión", "Total within a group, investment goods", marks="-"),
    *pairs(rates.IMPORT_390, "Importaciones corrientes", "Imports, current", marks="s-"),
    *pair("52", "53", "Total importaciones corrientes", "Total imports, current", marks="-"),
    *pairs(rates.IMPORT_INVESTMENT_390, "Importaciones, inversión", "Imports, investment goods", marks="s-"),
    *pair("54", "55", "Total importaciones, inversión", "Total imports, investment goods", marks="-"),
    *pairs(rates.INTRA_EU_INPUT_390, "Intracomunitarias corrientes", "Intra-EU goods, current", marks="s-"),
    *pair("56", "57", "Total intracomunitarias corrientes", "Total intra-EU goods, current", marks="-"),
    *pairs(rates.INTRA_EU_INVESTMENT_390, "Intracomunitarias, inversión", "Intra-EU, investment goods", marks="s-"),
    *pair("58", "59", "Total intracomunitarias, inversión", "Total intra-EU, investment goods", marks="-"),
    *pairs(
        rates.SERVICES_INPUT_390, "Servicios intracomunitarios deducibles", "Intra-EU services, deductible", marks="s-"
    ),
    *pair("597", "598", "Total servicios intracomunitarios", "Total intra-EU services", marks="-"),
    *pair("60", "61", "Compensaciones agrícolas", "Compensations paid to farmers", marks="s-"),
    *pair("660", "661", "Cuotas por resolución a tipos no vigentes", "Tax by ruling at former rates", marks="-"),
    *pair("639", "62", "Rectificación de deducciones", "Rectified deductions", marks="s-"),
    *pair("651", "652", "Rectificación intragrupo", "Rectified deductions within a group", marks="-"),
    box("63", "Regularización de bienes de inversión", "Adjustment of investment goods", marks="-"),
    box("522", "Regularización por prorrata definitiva", "Adjustment by the final prorrata", marks="-"),
    box("64", "Suma de deducciones", "Total deductible", marks="-"),
    box("65", "Resultado del régimen general", "Result of the general regime", marks="-"),
)
_SIMPLIFIED_REGIME = (
    box("74", "Simplificado: actividades no agrarias", "Simplified: other than farming", marks="-"),
    box("75", "Simplificado: actividades agrarias", "Simplified: farming", marks="-"),
    box("76", "Simplificado: intracomunitarias", "Simplified: intra-EU acquisitions", marks="-"),
    box("77", "Simplificado: inversión del sujeto pasivo", "Simplified: reverse charge", marks="-"),
    box("78", "Simplificado: entregas de activos fijos", "Simplified: fixed assets sold", marks="-"),
    box("79", "Simplificado: cuota resultante", "Simplified: tax due", marks="-"),
    box("80", "Simplificado: activos fijos adquiridos", "Simplified: fixed assets bought", marks="-"),
    box("81", "Simplificado: regularización de inversión", "Simplified: adjustment of investment goods", marks="-"),
    box("82", "Simplificado: suma de deducciones", "Simplified: total deductible", marks="-"),
    box("83", "Resultado del régimen simplificado", "Result of the simplified regime", marks="-"),
)
_RESULT = (
    box("658", "Regularización del art. 80.Cinco.5ª", "Adjustment by art. 80.Cinco.5"),
    box("84", "Suma de resultados", "Sum of results", marks="-"),
    box("659", "IVA a la importación liquidado por la aduana", "Import VAT assessed by customs"),
    box("85", "Compensación de cuotas del ejercicio anterior", "Applied from the year before"),
    box("86", "Resultado de la liquidación", "Result of the year", marks="-"),
    box("87", "Porcentaje de territorio común", "Percent of the common territory"),
    box("88", "Porcentaje de Álava", "Percent of Álava"),
    box("89", "Porcentaje de Gipuzkoa", "Percent of Gipuzkoa"),
    box("90", "Porcentaje de Bizkaia", "Percent of Bizkaia"),
    box("91", "Porcentaje de Navarra", "Percent of Navarre"),
    box("92", "Resultado atribuible a territorio común", "Result attributable to the common territory", marks="-"),
    box("93", "Compensado, territorio común", "Applied, common territory"),
    box("94", "Resultado anual de territorio común", "Result of the year, common territory", marks="-"),
    box("95", "Total ingresado en el ejercicio", "Total paid with the year's returns"),
    box("96", "Devoluciones mensuales", "Monthly refunds"),
    box("524", "Devoluciones por elementos de transporte", "Refunds for means of transport"),
    box("97", "Último periodo: a compensar", "Last period: to compensate"),
    box("98", "Último periodo: a devolver", "Last period: to be refunded"),
    box("662", "Otras cuotas pendientes de compensar", "Other quotas pending at the year's end"),
    box("525", "Grupo: total de resultados positivos", "Group: total of positive results"),
    box("526", "Grupo: total de resultados negativos", "Group: total of negative results"),
)
_TURNOVER = (
    box("99", "Volumen: régimen general", "Turnover: general regime", marks="s-"),
    box("653", "Volumen: criterio de caja", "Turnover: cash accounting", marks="s-"),
    box("103", "Volumen: intracomunitarias", "Turnover: intra-EU", marks="s-"),
    box("104", "Volumen: exentas con derecho a deducción", "Turnover: exempt with the right to deduct", marks="s-"),
    box("105", "Volumen: exentas sin derecho a deducción", "Turnover: exempt without that right", marks="s-"),
    box("110", "Volumen: no sujetas por localización", "Turnover: not subject by place", marks="s-"),
    box("125", "Volumen: inversión del sujeto pasivo", "Turnover: reverse charge", marks="s-"),
    box("126", "Volumen: ventanilla única, no sujetas", "Turnover: one-stop shop, not subject", marks="s-"),
    box("127", "Volumen: ventanilla única, sujetas", "Turnover: one-stop shop, subject", marks="s-"),
    box("128", "Volumen: operaciones intragrupo", "Turnover: within a group", marks="-"),
    box("100", "Volumen: régimen simplificado", "Turnover: simplified regime", marks="s-"),
    box("101", "Volumen: agricultura, ganadería y pesca", "Turnover: farming regime", marks="s-"),
    box("102", "Volumen: minoristas en recargo", "Turnover: retailers under the surcharge", marks="s-"),
    box("227", "Volumen: bienes usados y arte", "Turnover: used goods and art", marks="s-"),
    box("228", "Volumen: agencias de viajes", "Turnover: travel agencies", marks="s-"),
    box("106", "Inmuebles y operaciones financieras no habituales", "Occasional property and finance", marks="-"),
    box("107", "Entregas de bienes de inversión", "Sales of investment goods", marks="-"),
    box("108", "Volumen total de operaciones", "Total turnover", marks="-"),
)
_SPECIFIC = (
    box("230", "Adquisiciones interiores exentas", "Exempt domestic purchases", marks="s-"),
    box("109", "Adquisiciones intracomunitarias exentas", "Exempt intra-EU acquisitions", marks="s-"),
    box("231", "Importaciones exentas", "Exempt imports", marks="s-"),
    box("232", "Bases de IVA soportado no deducible", "Bases of VAT that is not deductible", marks="s-"),
    box(
        "111", "Operaciones con derecho a devolución mensual", "Operations with the right to monthly refunds", marks="-"
    ),
    box("113", "Entregas triangulares interiores", "Domestic supplies after triangular ones", marks="-"),
    box(
        "523",
        "Servicios recibidos con inversión del sujeto pasivo",
        "Services received with reverse charge",
        marks="s-",
    ),
    *pair("654", "655", "Criterio de caja, entregas", "Cash accounting, supplied", marks="s-"),
    *pair("656", "657", "Criterio de caja, adquisiciones", "Cash accounting, received", marks="s-"),
)
_PRORRATA_NUMBERS = (
    (1, "115", "116", "118"),
    (2, "120", "121", "123"),
    (4, "130", "131", "133"),
    (5, "135", "136", "138"),
)
_PRORRATA = tuple(
    chain.from_iterable(
        (
            box(total, f"Prorrata {place}: operaciones", f"Prorrata {place}: operations", marks="-"),
            box(
                right,
                f"Prorrata {place}: con derecho a deducir",
                f"Prorrata {place}: with the right to deduct",
                marks="-",
            ),
            box(percent, f"Prorrata {place}: porcentaje", f"Prorrata {place}: percent"),
        )
        for place, total, right, percent in _PRORRATA_NUMBERS
    )
)
_SECTORS = tuple(chain.from_iterable(sector.boxes(marks="-") for sector in SECTORS_390))
BOXES_390 = (
    *in_section("IVA devengado", "VAT due", _OUTPUT),
    *in_section("Recargo de equivalencia", "Equivalence surcharge", _SURCHARGE),
    *in_section("IVA deducible", "Deductible VAT", _INPUT),
    *in_section("Régimen simplificado", "Simplified regime", _SIMPLIFIED_REGIME),
    *in_section("Resultado del año", "Result of the year", _RESULT),
    *in_section("Volumen de operaciones", "Turnover", _TURNOVER),
    *in_section("Operaciones específicas", "Specific operations", _SPECIFIC),
    *in_section("Prorratas", "Prorratas", _PRORRATA),
    *in_section("Actividades con deducción diferenciada", "Sectors that deduct apart", _SECTORS),
)
"""Boxes of all designs; which of them a year has, its design tells."""
