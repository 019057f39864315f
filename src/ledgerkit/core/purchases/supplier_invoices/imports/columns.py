"""Columns of a file of received invoices, by their names on the wire and those of Spanish software."""

from typing import Annotated

from pydantic import StringConstraints

from ledgerkit.core.platform.api_types.fields import (
    PRINTABLE,
    Category,
    CountryCode,
    CurrencyCode,
    Day,
    Description,
    Flag,
    LongText,
    Name,
    ShortText,
)
from ledgerkit.core.platform.documents.exchange_rates import ExchangeFields
from ledgerkit.core.platform.imports.rows import Columns
from ledgerkit.core.purchases.received_documents.api import IntraEu, PurchaseDetails, RegimeKey, Years
from ledgerkit.money import Amount, Rate

InvoiceNumber = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), PRINTABLE]


class PurchaseImportRow(PurchaseDetails, ExchangeFields):
    """One tax rate or use of a received invoice, or all of it; the fields of the whole may stand in any row."""

    number: InvoiceNumber
    vendor_name: Name | None = None
    vendor_tax_id: ShortText | None = None
    vendor_country: CountryCode | None = None
    invoice_date: Day | None = None
    operation_date: Day | None = None
    reception_date: Day | None = None
    deduction_date: Day | None = None
    due_date: Day | None = None
    description: Description | None = None
    base: Amount
    tax_rate: Rate | None = None
    tax_amount: Amount | None = None
    surcharge_rate: Rate | None = None
    surcharge_amount: Amount | None = None
    deductible_percent: Rate | None = None
    investment_good: Flag | None = None
    income_tax_percent: Rate | None = None
    retention_rate: Rate | None = None
    retention_amount: Amount | None = None
    total: Amount | None = None
    reverse_charge: Flag | None = None
    intra_eu: IntraEu | None = None
    regime_key: RegimeKey | None = None
    category: Category | None = None
    paid_at: Day | None = None
    payment_method: Name | None = None
    rectifies: InvoiceNumber | None = None
    notes: LongText | None = None
    currency: CurrencyCode | None = None
    useful_life_years: Years | None = None


_NAMES = {
    "number": ("numero", "numerofactura", "nofactura", "numfactura", "factura", "invoicenumber"),
    "vendorName": ("proveedor", "acreedor", "nombreproveedor", "nombre", "razonsocial", "vendor"),
    "vendorTaxId": ("nif", "nifproveedor", "cif", "taxid"),
    "vendorCountry": ("pais", "paisproveedor", "country"),
    "invoiceDate": ("fecha", "fechafactura", "fechaexpedicion", "issuedate", "date"),
    "operationDate": ("fechaoperacion", "fechadevengo"),
    "receptionDate": ("fecharecepcion", "fecharegistro"),
    "deductionDate": ("fechadeduccion",),
    "dueDate": ("vencimiento", "fechavencimiento"),
    "description": ("concepto", "descripcion"),
    "base": ("baseimponible", "subtotal"),
    "taxRate": ("iva", "tipoiva", "tipoimpositivo", "porcentajeiva"),
    "taxAmount": ("cuota", "cuotaiva", "importeiva", "cuotasoportada"),
    "surchargeRate": ("tiporecargo", "recargo", "tiporecargoequivalencia"),
    "surchargeAmount": ("cuotarecargo", "cuotarecargoequivalencia"),
    "deductiblePercent": ("deducible", "porcentajededucible"),
    "investmentGood": ("bieninversion", "biendeinversion"),
    "usefulLifeYears": ("vidautil", "anosvidautil"),
    "incomeTaxPercent": ("deducibleirpf", "porcentajeirpf"),
    "retentionRate": ("tiporetencion", "porcentajeretencion", "irpf"),
    "retentionAmount": ("retencion", "importeretencion", "cuotaretencion"),
    "retentionKind": ("claseretencion", "claveretencion"),
    "leasedProperty": ("referenciacatastral",),
    "importDua": ("dua",),
    "total": ("importetotal", "totalfactura"),
    "reverseCharge": ("inversionsujetopasivo", "isp"),
    "intraEu": ("intracomunitaria",),
    "triangular": ("operaciontriangular",),
    "regimeKey": ("claveregimen", "claveoperacion"),
    "category": ("categoria",),
    "paidAt": ("fechapago", "pagada"),
    "paymentMethod": ("formapago", "mediopago", "formadepago"),
    "rectifies": ("rectificaa", "facturarectificada"),
    "notes": ("notas", "observaciones"),
    "currency": ("moneda", "divisa"),
    "exchangeRate": ("tipocambio", "tipodecambio", "cambio"),
    "exchangeRateSource": ("fuentecambio", "fuentetipocambio"),
}
_WORDS = {
    "retentionKind": {
        "alquiler": "rent",
        "arrendamiento": "rent",
        "profesional": "professional",
        "profesionales": "professional",
        "trabajo": "employment",
        "nomina": "employment",
        "especie": "employment_in_kind",
        "employmentinkind": "employment_in_kind",
        "otra": "other",
    },
    "intraEu": {"no": "none", "bienes": "goods", "servicios": "services"},
}

COLUMNS = Columns(
    row=PurchaseImportRow,
    numbers=frozenset(
        {
            *("base", "taxRate", "taxAmount", "surchargeRate", "surchargeAmount", "deductiblePercent"),
            *("usefulLifeYears", "incomeTaxPercent", "retentionRate", "retentionAmount", "total"),
            "exchangeRate",
        }
    ),
    days=frozenset({"invoiceDate", "operationDate", "receptionDate", "deductionDate", "dueDate", "paidAt"}),
    flags=frozenset({"investmentGood", "reverseCharge", "triangular"}),
    names={folded: name for name, synonyms in _NAMES.items() for folded in synonyms},
    words=_WORDS,
)
