"""Columns of a file of received invoices, by their names on the wire and those of Spanish software."""

from ledgerkit.core.platform.api_types.fields import CountryCode, Day, Flag, Name, ShortText
from ledgerkit.core.platform.imports.document_columns import NAMES, DocumentImportRow
from ledgerkit.core.platform.imports.rows import Columns
from ledgerkit.core.purchases.received_documents.api import IntraEu, PurchaseDetails


class PurchaseImportRow(PurchaseDetails, DocumentImportRow):
    """One tax rate or use of a received invoice, or all of it."""

    vendor_name: Name | None = None
    vendor_tax_id: ShortText | None = None
    vendor_country: CountryCode | None = None
    invoice_date: Day | None = None
    investment_good: Flag | None = None
    reverse_charge: Flag | None = None
    intra_eu: IntraEu | None = None
    payment_method: Name | None = None


COLUMNS = Columns(
    row=PurchaseImportRow,
    names={
        **NAMES,
        "vendorName": ("proveedor", "acreedor", "nombreproveedor", "nombre", "razonsocial", "vendor"),
        "vendorTaxId": ("nif", "nifproveedor", "cif", "taxid"),
        "vendorCountry": ("pais", "paisproveedor", "country"),
        "invoiceDate": ("fecha", "fechafactura", "fechaexpedicion", "issuedate", "date"),
        "receptionDate": ("fecharecepcion", "fecharegistro"),
        "deductionDate": ("fechadeduccion",),
        "taxAmount": (*NAMES["taxAmount"], "cuotasoportada"),
        "deductiblePercent": ("deducible", "porcentajededucible"),
        "investmentGood": ("bieninversion", "biendeinversion"),
        "usefulLifeYears": ("vidautil", "anosvidautil"),
        "incomeTaxPercent": ("deducibleirpf", "porcentajeirpf"),
        "retentionKind": ("claseretencion", "claveretencion"),
        "leasedProperty": ("referenciacatastral",),
        "importDua": ("dua",),
        "reverseCharge": ("inversionsujetopasivo", "isp"),
        "intraEu": ("intracomunitaria",),
        "category": ("categoria",),
        "paidAt": (*NAMES["paidAt"], "pagada"),
    },
    words={
        "retentionKind": {
            "rent": ("alquiler", "arrendamiento"),
            "professional": ("profesional", "profesionales"),
            "employment": ("trabajo", "nomina"),
            "employment_in_kind": ("especie",),
            "other": ("otra",),
        },
        "intraEu": {"none": ("no",), "goods": ("bienes",), "services": ("servicios",)},
    },
)
