"""Boxes of form 303, in its order: designs DR303e23, DR303e24 and DR303e26 of the AEAT; the words are ours.

The rates' own boxes (02, 05, 08 ...) are constants of the file, and so are the percents of the foral territories (89 to
92 and 107), which are zero in every design. Page 2 (simplified regime) is not here.
"""

from itertools import chain

from ledgerkit.providers.api import Box
from ledgerkit.providers.es.tax_forms.vat.boxes import box, in_section, pair
from ledgerkit.providers.es.tax_forms.vat.sector_boxes import SECTORS_303

_OUTPUT = (
    *pair("150", "152", "IVA devengado al 0 %", "VAT due at 0 %"),
    *pair("165", "167", "IVA devengado al 2 %", "VAT due at 2 %"),
    *pair("01", "03", "IVA devengado al 4 %", "VAT due at 4 %"),
    *pair("153", "155", "IVA devengado al 5 % o 7,5 %", "VAT due at 5 % or 7.5 %"),
    *pair("04", "06", "IVA devengado al 10 %", "VAT due at 10 %"),
    *pair("07", "09", "IVA devengado al 21 %", "VAT due at 21 %"),
    *pair("10", "11", "Adquisiciones intracomunitarias", "Intra-EU acquisitions"),
    *pair("12", "13", "Otras inversiones del sujeto pasivo", "Other reverse charge received"),
    *pair("14", "15", "Modificación de bases y cuotas", "Modified bases and tax", marks="s-"),
    *pair("156", "158", "Recargo al 1,75 %", "Surcharge at 1.75 %"),
    *pair("168", "170", "Recargo al 0,5 %", "Surcharge at 0.5 %"),
    *pair("16", "18", "Recargo a tipos transitorios", "Surcharge at transitional rates"),
    *pair("19", "21", "Recargo al 1,4 %", "Surcharge at 1.4 %"),
    *pair("22", "24", "Recargo al 5,2 %", "Surcharge at 5.2 %"),
    *pair("25", "26", "Modificación del recargo", "Modified surcharge", marks="s-"),
    box("27", "Total cuota devengada", "Total VAT due", marks="-"),
)
_INPUT = (
    *pair("28", "29", "Deducible: interiores corrientes", "Deductible: domestic, current"),
    *pair("30", "31", "Deducible: interiores, bienes de inversión", "Deductible: domestic, investment goods"),
    *pair("32", "33", "Deducible: importaciones corrientes", "Deductible: imports, current"),
    *pair("34", "35", "Deducible: importaciones, bienes de inversión", "Deductible: imports, investment goods"),
    *pair("36", "37", "Deducible: intracomunitarias corrientes", "Deductible: intra-EU, current"),
    *pair("38", "39", "Deducible: intracomunitarias, bienes de inversión", "Deductible: intra-EU, investment goods"),
    *pair("40", "41", "Rectificación de deducciones", "Rectified deductions", marks="s-"),
    box("42", "Compensaciones agrícolas, ganaderas y pesqueras", "Compensations paid to farmers", marks="s-"),
    box("43", "Regularización de bienes de inversión", "Adjustment of investment goods", marks="-"),
    box("44", "Regularización por prorrata definitiva", "Adjustment by the final prorrata", marks="-"),
    box("45", "Total a deducir", "Total deductible", marks="-"),
    box("46", "Resultado del régimen general", "Result of the general regime", marks="-"),
)
_INFORMATION = (
    box("59", "Entregas y servicios intracomunitarios", "Intra-EU goods and services supplied", marks="s-"),
    box("60", "Exportaciones y asimiladas", "Exports and the like", marks="s-"),
    box("120", "No sujetas por reglas de localización", "Not subject by rules of place", marks="s-"),
    box("122", "Sujetas con inversión del sujeto pasivo", "Supplied with reverse charge", marks="s-"),
    box("123", "Ventanilla única: no sujetas", "One-stop shop: not subject", marks="s-"),
    box("124", "Ventanilla única: sujetas", "One-stop shop: subject", marks="s-"),
    *pair("62", "63", "Criterio de caja, entregas", "Cash accounting, supplied", marks="s-"),
    *pair("74", "75", "Criterio de caja, adquisiciones", "Cash accounting, received", marks="s-"),
)
_RESULT = (
    box("76", "Regularización del art. 80.Cinco.5ª", "Adjustment by art. 80.Cinco.5", marks="-"),
    box("64", "Suma de resultados", "Sum of results", marks="-"),
    box("65", "Porcentaje atribuible al Estado", "Percent attributable to the State"),
    box("66", "Atribuible al Estado", "Attributable to the State", marks="-"),
    box("77", "IVA a la importación pendiente de ingreso", "Import VAT deferred"),
    box("110", "A compensar de periodos anteriores", "Carried from earlier periods"),
    box("78", "Compensado en este periodo", "Applied in this period"),
    box("87", "A compensar en periodos posteriores", "Carried to later periods"),
    box("68", "Regularización anual foral", "Yearly adjustment, joint taxation", marks="-"),
    box("108", "Otros ajustes de la rectificativa", "Other adjustments of a rectification", marks="-"),
    box("69", "Resultado de la autoliquidación", "Result of the return", marks="-"),
    box("70", "Ingresado en autoliquidaciones anteriores", "Paid with earlier returns of the period"),
    box("109", "Devoluciones ya acordadas", "Refunds already agreed"),
    box("112", "Pago a cuenta de carburantes", "Payment on account, fuels"),
    box("71", "Resultado de la liquidación", "Result", marks="-"),
    box("111", "Devolución de ingreso indebido", "Undue payment to be refunded"),
)
_VOLUME = (
    box("80", "Volumen: régimen general", "Turnover: general regime", marks="s-"),
    box("81", "Volumen: criterio de caja", "Turnover: cash accounting", marks="s-"),
    box("93", "Volumen: intracomunitarias", "Turnover: intra-EU", marks="s-"),
    box("94", "Volumen: exentas con derecho a deducción", "Turnover: exempt with the right to deduct", marks="s-"),
    box("83", "Volumen: exentas sin derecho a deducción", "Turnover: exempt without that right", marks="s-"),
    box("84", "Volumen: no sujetas por localización", "Turnover: not subject by place", marks="s-"),
    box("125", "Volumen: inversión del sujeto pasivo", "Turnover: reverse charge", marks="s-"),
    box("126", "Volumen: ventanilla única, no sujetas", "Turnover: one-stop shop, not subject", marks="s-"),
    box("127", "Volumen: ventanilla única, sujetas", "Turnover: one-stop shop, subject", marks="s-"),
    box("128", "Volumen: operaciones intragrupo", "Turnover: within a group", marks="-"),
    box("86", "Volumen: régimen simplificado", "Turnover: simplified regime", marks="s-"),
    box("95", "Volumen: agricultura, ganadería y pesca", "Turnover: farming regime", marks="s-"),
    box("96", "Volumen: minoristas en recargo", "Turnover: retailers under the surcharge", marks="s-"),
    box("97", "Volumen: bienes usados y arte", "Turnover: used goods and art", marks="s-"),
    box("98", "Volumen: agencias de viajes", "Turnover: travel agencies", marks="s-"),
    box("79", "Inmuebles, financieras y oro no habituales", "Occasional property, finance and gold", marks="-"),
    box("99", "Entregas de bienes de inversión", "Sales of investment goods", marks="-"),
    box("88", "Volumen total de operaciones", "Total turnover", marks="-"),
)
_PRORRATA = tuple(
    chain.from_iterable(
        (
            box(
                f"{501 + 5 * place}",
                f"Prorrata {place + 1}: operaciones",
                f"Prorrata {place + 1}: operations",
                marks="-",
            ),
            box(
                f"{502 + 5 * place}",
                f"Prorrata {place + 1}: con derecho a deducir",
                f"Prorrata {place + 1}: with the right to deduct",
                marks="-",
            ),
            box(f"{504 + 5 * place}", f"Prorrata {place + 1}: porcentaje", f"Prorrata {place + 1}: percent"),
        )
        for place in range(5)
    )
)
_SECTORS = tuple(chain.from_iterable(sector.boxes() for sector in SECTORS_303))
BOXES_303: tuple[Box, ...] = (
    *in_section("IVA devengado", "VAT due", _OUTPUT),
    *in_section("IVA deducible", "Deductible VAT", _INPUT),
    *in_section("Información adicional", "Additional information", _INFORMATION),
    *in_section("Resultado", "Result", _RESULT),
    *in_section("Volumen de operaciones del año", "Turnover of the year", _VOLUME),
    *in_section("Prorratas", "Prorratas", _PRORRATA),
    *in_section("Actividades con deducción diferenciada", "Sectors that deduct apart", _SECTORS),
)
"""Boxes of all designs; which of them a period has, its design tells."""
