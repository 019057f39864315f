"""Columns that files of issued and of received documents share, by their names on the wire and those of Spaniards."""

from typing import Annotated

from pydantic import StringConstraints

from ledgerkit.core.platform.api_types.fields import ONE_LINE, PRINTABLE, CurrencyCode, Day, Description
from ledgerkit.core.platform.documents.exchange_rates import ExchangeFields
from ledgerkit.money import Amount, Rate

DocumentNumber = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), PRINTABLE, ONE_LINE
]


class DocumentImportRow(ExchangeFields):
    """One tax rate of a document, or the whole document, whose fields may be in any of its rows."""

    number: DocumentNumber
    operation_date: Day | None = None
    due_date: Day | None = None
    description: Description | None = None
    base: Amount
    tax_rate: Rate | None = None
    tax_amount: Amount | None = None
    surcharge_rate: Rate | None = None
    surcharge_amount: Amount | None = None
    retention_rate: Rate | None = None
    retention_amount: Amount | None = None
    total: Amount | None = None
    paid_at: Day | None = None
    rectifies: DocumentNumber | None = None
    currency: CurrencyCode | None = None


NAMES = {
    "number": ("numero", "numerofactura", "nofactura", "numfactura", "factura", "invoicenumber"),
    "operationDate": ("fechaoperacion", "fechadevengo"),
    "dueDate": ("vencimiento", "fechavencimiento"),
    "description": ("concepto", "descripcion"),
    "base": ("baseimponible", "subtotal"),
    "taxRate": ("iva", "tipoiva", "tipoimpositivo", "porcentajeiva"),
    "taxAmount": ("cuota", "cuotaiva", "importeiva"),
    "surchargeRate": ("tiporecargo", "recargo", "tiporecargoequivalencia"),
    "surchargeAmount": ("cuotarecargo", "cuotarecargoequivalencia"),
    "regimeKey": ("claveregimen", "claveoperacion"),
    "retentionRate": ("tiporetencion", "porcentajeretencion", "irpf"),
    "retentionAmount": ("retencion", "importeretencion", "cuotaretencion"),
    "total": ("importetotal", "totalfactura"),
    "triangular": ("operaciontriangular",),
    "paidAt": ("fechapago",),
    "paymentMethod": ("formapago", "mediopago", "formadepago"),
    "rectifies": ("rectificaa", "facturarectificada"),
    "notes": ("notas", "observaciones"),
    "currency": ("moneda", "divisa"),
    "exchangeRate": ("tipocambio", "tipodecambio", "cambio"),
    "exchangeRateSource": ("fuentecambio", "fuentetipocambio"),
}
"""Further names of the fields that both kinds of files have, without case, accents and separators."""
