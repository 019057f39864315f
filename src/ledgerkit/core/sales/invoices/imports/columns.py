"""Columns of a file of issued documents, by their names on the wire and those of Spanish software."""

from typing import Annotated

from pydantic import StringConstraints

from ledgerkit.core.platform.api_types.fields import (
    PRINTABLE,
    CountryCode,
    CurrencyCode,
    Day,
    Description,
    Email,
    Flag,
    Name,
    ShortText,
)
from ledgerkit.core.platform.documents.exchange_rates import ExchangeFields
from ledgerkit.core.platform.imports.rows import Columns
from ledgerkit.core.sales.invoices.api import InvoiceTexts, Key, TaxKey
from ledgerkit.money import Amount, Rate
from ledgerkit.providers.api import DocumentKind, TaxCategory

DocumentNumber = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60), PRINTABLE]


class InvoiceImportRow(InvoiceTexts, ExchangeFields):
    """One tax rate of a document, or the whole document, whose fields may be in any of its rows."""

    number: DocumentNumber
    doc_type: DocumentKind | None = None
    issue_date: Day | None = None
    operation_date: Day | None = None
    due_date: Day | None = None
    client_name: Name | None = None
    client_tax_id: ShortText | None = None
    client_tax_id_kind: ShortText | None = None
    client_country: CountryCode | None = None
    client_email: Email | None = None
    client_address: ShortText | None = None
    client_city: ShortText | None = None
    client_postal_code: ShortText | None = None
    client_province: ShortText | None = None
    description: Description | None = None
    base: Amount
    tax_rate: Rate | None = None
    tax_amount: Amount | None = None
    surcharge_rate: Rate | None = None
    surcharge_amount: Amount | None = None
    tax_category: TaxCategory = TaxCategory.STANDARD
    exemption_code: Key | None = None
    regime_key: Key | None = None
    not_subject_reason: TaxKey | None = None
    retention_rate: Rate | None = None
    retention_amount: Amount | None = None
    total: Amount | None = None
    paid_at: Day | None = None
    rectifies: DocumentNumber | None = None
    correction_reason: Key | None = None
    triangular: Flag | None = None
    currency: CurrencyCode | None = None


_NAMES = {
    "number": ("numero", "numerofactura", "nofactura", "numfactura", "factura", "invoicenumber"),
    "docType": ("tipo", "tipodocumento", "tipofactura"),
    "issueDate": ("fecha", "fechafactura", "fechaexpedicion", "fechaemision", "date"),
    "operationDate": ("fechaoperacion", "fechadevengo"),
    "dueDate": ("vencimiento", "fechavencimiento"),
    "clientName": ("cliente", "nombrecliente", "nombre", "razonsocial", "destinatario", "client"),
    "clientTaxId": ("nif", "nifcliente", "cif", "nifdestinatario", "taxid"),
    "clientTaxIdKind": ("tipoidentificacion",),
    "clientCountry": ("pais", "paiscliente", "country"),
    "clientEmail": ("email", "correo"),
    "clientAddress": ("direccion", "domicilio", "address"),
    "clientCity": ("poblacion", "localidad", "municipio", "city"),
    "clientPostalCode": ("cp", "codigopostal", "postalcode"),
    "clientProvince": ("provincia", "province"),
    "description": ("concepto", "descripcion"),
    "base": ("baseimponible", "subtotal"),
    "taxRate": ("iva", "tipoiva", "tipoimpositivo", "porcentajeiva"),
    "taxAmount": ("cuota", "cuotaiva", "importeiva", "cuotarepercutida"),
    "surchargeRate": ("tiporecargo", "recargo", "tiporecargoequivalencia"),
    "surchargeAmount": ("cuotarecargo", "cuotarecargoequivalencia"),
    "taxCategory": ("categoria", "calificacion"),
    "exemptionCode": ("causaexencion", "exencion"),
    "regimeKey": ("claveregimen", "claveoperacion"),
    "notSubjectReason": ("causanosujecion",),
    "retentionRate": ("tiporetencion", "porcentajeretencion", "irpf"),
    "retentionAmount": ("retencion", "importeretencion", "cuotaretencion"),
    "total": ("importetotal", "totalfactura"),
    "paidAt": ("fechacobro", "fechapago", "cobrada"),
    "paymentMethod": ("formapago", "mediopago", "formadepago", "mediocobro"),
    "rectifies": ("rectificaa", "facturarectificada"),
    "correctionReason": ("motivorectificacion", "tiporectificativa"),
    "triangular": ("operaciontriangular",),
    "notes": ("notas", "observaciones"),
    "currency": ("moneda", "divisa"),
    "exchangeRate": ("tipocambio", "tipodecambio", "cambio"),
    "exchangeRateSource": ("fuentecambio", "fuentetipocambio"),
}
_KINDS = {
    "invoice": ("factura", "ordinaria", "f1"),
    "simplified": ("simplificada", "facturasimplificada", "ticket", "f2"),
    "credit_note": ("creditnote", "rectificativa", "facturarectificativa", "abono"),
}
_CATEGORIES = {
    "standard": ("sujeta", "general"),
    "exempt": ("exenta",),
    "not_subject": ("notsubject", "nosujeta"),
    "reverse_charge": ("reversecharge", "inversion", "inversionsujetopasivo", "isp"),
    "export": ("exportacion",),
    "intra_eu_goods": ("intraeugoods", "entregaintracomunitaria", "intracomunitaria"),
    "intra_eu_services": ("intraeuservices", "serviciointracomunitario", "serviciosintracomunitarios"),
}


def _by_word(words: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {word: name for name, synonyms in words.items() for word in (name, *synonyms)}


COLUMNS = Columns(
    row=InvoiceImportRow,
    numbers=frozenset(
        {
            "base",
            "taxRate",
            "taxAmount",
            "surchargeRate",
            "surchargeAmount",
            "retentionRate",
            "retentionAmount",
            "total",
            "exchangeRate",
        }
    ),
    days=frozenset({"issueDate", "operationDate", "dueDate", "paidAt"}),
    flags=frozenset({"triangular"}),
    names={folded: name for name, synonyms in _NAMES.items() for folded in synonyms},
    words={"docType": _by_word(_KINDS), "taxCategory": _by_word(_CATEGORIES)},
)
