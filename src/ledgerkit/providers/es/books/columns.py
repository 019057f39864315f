"""Columns of the three books: official headings, kinds and widths, by our own names.

Source: AEAT, common electronic format of the record books, version of 21/03/2025: 36, 42 and 40 columns; its workbook
for 2026 has two more for investment goods, before the last one.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import BookColumn, ColumnKind

Columns = Mapping[str, BookColumn]

_RETURN, _ACTIVITY, _ESTATE = "Autoliquidación", "Actividad", "Inmueble"
_BY_CASH = "(Operación Criterio de Caja de IVA y/o artículo 7.2.1º de Reglamento del IRPF)"


def _text(*heading: str, width: int) -> BookColumn:
    return BookColumn(heading=_lines(heading), width=width)


def _day(*heading: str) -> BookColumn:
    return BookColumn(heading=_lines(heading), kind=ColumnKind.DATE, width=10)


def _amount(*heading: str) -> BookColumn:
    return BookColumn(heading=_lines(heading), kind=ColumnKind.DECIMAL, width=12, decimals=2)


def _percent(*heading: str, width: int = 4) -> BookColumn:
    return BookColumn(heading=_lines(heading), kind=ColumnKind.DECIMAL, width=width, decimals=2)


def _lines(heading: tuple[str, ...]) -> tuple[str] | tuple[str, str]:
    """Return a heading of one line or of two."""
    first, *second = heading
    return (first, second[0]) if second else (first,)


_BEGINNING: Columns = {
    "year": BookColumn(heading=(_RETURN, "Ejercicio"), kind=ColumnKind.INTEGER, width=4),
    "period": _text(_RETURN, "Periodo", width=2),
    "activity_code": _text(_ACTIVITY, "Código", width=1),
    "activity_type": _text(_ACTIVITY, "Tipo", width=2),
    "iae": _text(_ACTIVITY, "Grupo o Epígrafe del IAE", width=4),
}


def _party(heading: str, name: str) -> Columns:
    return {
        "party_id_type": _text(heading, "Tipo", width=2),
        "party_country": _text(heading, "Código País", width=2),
        "party_id": _text(heading, "Identificación", width=20),
        "party_name": _text(name, width=40),
    }


def _payment(name: str) -> Columns:
    heading = f"{name} {_BY_CASH}"
    return {
        "payment_day": _day(heading, "Fecha"),
        "payment_amount": _amount(heading, "Importe"),
        "payment_means": _text(heading, "Medio Utilizado", width=2),
        "payment_account": _text(heading, "Identificación Medio Utilizado", width=34),
    }


_RETENTION: Columns = {
    "retention_rate": _percent("Tipo Retención del IRPF"),
    "retention": _amount("Importe Retenido del IRPF"),
}
_AGREEMENT: Columns = {"agreement": _text("Registro Acuerdo Facturación", width=15)}
_ESTATES: Columns = {
    "estate_situation": _text(_ESTATE, "Situación", width=1),
    "estate_reference": _text(_ESTATE, "Referencia Catastral", width=20),
}
_REFERENCE: Columns = {"reference": _text("Referencia Externa", width=40)}

_INVOICE = "Identificación de la Factura"

ISSUED: Columns = MappingProxyType(
    {
        **_BEGINNING,
        "invoice_type": _text("Tipo de Factura", width=2),
        "concept": _text("Concepto de Ingreso", width=3),
        "income": _amount("Ingreso Computable"),
        "issue_date": _day("Fecha Expedición"),
        "operation_date": _day("Fecha Operación"),
        "series": _text(_INVOICE, "Serie", width=20),
        "number": _text(_INVOICE, "Número", width=20),
        "last_number": _text(_INVOICE, "Número-Final", width=20),
        **_party("NIF Destinatario", "Nombre Destinatario"),
        "key": _text("Clave de Operación", width=2),
        "qualification": _text("Calificación de la Operación", width=2),
        "exemption": _text("Operación Exenta", width=2),
        "total": _amount("Total Factura"),
        "base": _amount("Base Imponible"),
        "rate": _percent("Tipo de IVA"),
        "quota": _amount("Cuota IVA Repercutida"),
        "surcharge_rate": _percent("Tipo de Recargo Eq."),
        "surcharge": _amount("Cuota Recargo Eq."),
        **_payment("Cobro"),
        **_RETENTION,
        **_AGREEMENT,
        **_ESTATES,
        **_REFERENCE,
    }
)

_VENDORS_INVOICE, _DEDUCTION = "Identificación Factura del Expedidor", "Periodo Deducción"

RECEIVED: Columns = MappingProxyType(
    {
        **_BEGINNING,
        "invoice_type": _text("Tipo de Factura", width=2),
        "concept": _text("Concepto de Gasto", width=3),
        "cost": _amount("Gasto Deducible"),
        "issue_date": _day("Fecha Expedición"),
        "operation_date": _day("Fecha Operación"),
        "number": _text(_VENDORS_INVOICE, "(Serie-Número)", width=40),
        "last_number": _text(_VENDORS_INVOICE, "Número-Final", width=20),
        "reception_date": _day("Fecha Recepción"),
        "reception_number": _text("Número Recepción", width=20),
        "last_reception_number": _text("Número Recepción Final", width=20),
        **_party("NIF Expedidor", "Nombre Expedidor"),
        "key": _text("Clave de Operación", width=2),
        "investment_good": _text("Bien de Inversión", width=1),
        "reverse_charge": _text("Inversión del Sujeto Pasivo", width=1),
        "deducted_later": _text("Deducible en Periodo Posterior", width=1),
        "deduction_year": BookColumn(heading=(_DEDUCTION, "Ejercicio"), kind=ColumnKind.INTEGER, width=4),
        "deduction_period": _text(_DEDUCTION, "Periodo", width=2),
        "total": _amount("Total Factura"),
        "base": _amount("Base Imponible"),
        "rate": _percent("Tipo de IVA"),
        "quota": _amount("Cuota IVA Soportado"),
        "deductible": _amount("Cuota Deducible"),
        "surcharge_rate": _percent("Tipo de Recargo Eq."),
        "surcharge": _amount("Cuota Recargo Eq."),
        **_payment("Pago"),
        **_RETENTION,
        **_AGREEMENT,
        **_ESTATES,
        **_REFERENCE,
    }
)

_GOOD, _DEPRECIATION, _FIRST_YEAR = "Descripción del Bien", "Amortización", "Año de Inicio Utilización"
_YEARLY, _END, _SOLD_BY = (
    "Regularización Anual",
    "Baja del Bien",
    "Identificación de la Factura de Transmisión del Bien",
)

_INVESTMENT: Columns = {
    **_BEGINNING,
    "good_type": _text("Tipo de Bien", width=2),
    "good": _text(_GOOD, "Identificador", width=40),
    "description": _text(_GOOD, "Literal", width=160),
    "use_date": _day("Fecha Inicio Utilización"),
    "value": _amount("Valor Adquisición"),
    "depreciable": _amount("Valor Amortizable"),
    "depreciation_method": _text("Método de Amortización", width=2),
    "depreciation_percent": _percent("Porcentaje de Amortización"),
    "depreciated_before": _amount(_DEPRECIATION, "Acumulada al Inicio"),
    "depreciation": _amount(_DEPRECIATION, "Cuota Resultante"),
    "depreciated_after": _amount(_DEPRECIATION, "Acumulada al final"),
    "depreciation_left": _amount(_DEPRECIATION, "Pendiente"),
    "issue_date": _day("Fecha Expedición"),
    "number": _text(_VENDORS_INVOICE, "(Serie-Número)", width=40),
    "last_number": _text(_VENDORS_INVOICE, "Número-Final", width=20),
    "reception_number": _text("Número Recepción", width=20),
    "last_reception_number": _text("Número Recepción Final", width=20),
    **_party("NIF Expedidor", "Nombre Expedidor"),
    "base": _amount(_FIRST_YEAR, "Base Imponible"),
    "rate": _percent(_FIRST_YEAR, "Tipo de IVA"),
    "prorrata": _percent(_FIRST_YEAR, "Prorrata Definitiva", width=5),
    "deductible": _amount(_FIRST_YEAR, "Cuota Deducible"),
    "year_prorrata": _percent(_YEARLY, "Prorrata Definitiva", width=5),
    "year_deductible": _amount(_YEARLY, "Cuota Deducible"),
    "regularised": _amount(_YEARLY, "Cuota a Regularizar"),
    "end_date": _day(_END, "Fecha"),
    "end_reason": _text(_END, "Causa", width=2),
    "sale_series": _text(_SOLD_BY, "Serie", width=20),
    "sale_number": _text(_SOLD_BY, "Número", width=20),
    "sale_last_number": _text(_SOLD_BY, "Número-Final", width=20),
    **_AGREEMENT,
}

_INVESTMENT_DESIGNS: Mapping[int, Columns] = MappingProxyType(
    {
        2026: MappingProxyType({**_INVESTMENT, **_ESTATES, **_REFERENCE}),
        2000: MappingProxyType({**_INVESTMENT, **_REFERENCE}),
    }
)
"""Columns by the first year of which they are the books', the latest first."""


def investment(year: int) -> Columns:
    """Return the columns of investment goods in a year."""
    return next(columns for first, columns in _INVESTMENT_DESIGNS.items() if first <= year)
