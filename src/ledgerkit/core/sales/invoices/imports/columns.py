"""Columns of a file of issued documents, by their names on the wire and those of Spanish software."""

from typing import Annotated

from pydantic import StringConstraints

from ledgerkit.core.platform.api_types.fields import ONE_LINE, PRINTABLE, CountryCode, Day, Email, Flag, Name, ShortText
from ledgerkit.core.platform.imports.document_columns import NAMES, DocumentImportRow
from ledgerkit.core.platform.imports.rows import Columns
from ledgerkit.core.sales.invoices.api import InvoiceTexts, Key, TaxKey
from ledgerkit.providers.api import DocumentKind, TaxCategory

OwnNumber = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60), PRINTABLE, ONE_LINE]


class InvoiceImportRow(InvoiceTexts, DocumentImportRow):
    """One tax rate of an issued document, or the whole document."""

    number: OwnNumber
    doc_type: DocumentKind | None = None
    issue_date: Day | None = None
    client_name: Name | None = None
    client_tax_id: ShortText | None = None
    client_tax_id_kind: ShortText | None = None
    client_country: CountryCode | None = None
    client_email: Email | None = None
    client_address: ShortText | None = None
    client_city: ShortText | None = None
    client_postal_code: ShortText | None = None
    client_province: ShortText | None = None
    tax_category: TaxCategory = TaxCategory.STANDARD
    exemption_code: Key | None = None
    regime_key: Key | None = None
    not_subject_reason: TaxKey | None = None
    rectifies: OwnNumber | None = None
    correction_reason: Key | None = None
    triangular: Flag | None = None


COLUMNS = Columns(
    row=InvoiceImportRow,
    names={
        **NAMES,
        "docType": ("tipo", "tipodocumento", "tipofactura"),
        "issueDate": ("fecha", "fechafactura", "fechaexpedicion", "fechaemision", "date"),
        "clientName": ("cliente", "nombrecliente", "nombre", "razonsocial", "destinatario", "client"),
        "clientTaxId": ("nif", "nifcliente", "cif", "nifdestinatario", "taxid"),
        "clientTaxIdKind": ("tipoidentificacion",),
        "clientCountry": ("pais", "paiscliente", "country"),
        "clientEmail": ("email", "correo"),
        "clientAddress": ("direccion", "domicilio", "address"),
        "clientCity": ("poblacion", "localidad", "municipio", "city"),
        "clientPostalCode": ("cp", "codigopostal", "postalcode"),
        "clientProvince": ("provincia", "province"),
        "taxAmount": (*NAMES["taxAmount"], "cuotarepercutida"),
        "taxCategory": ("categoria", "calificacion"),
        "exemptionCode": ("causaexencion", "exencion"),
        "notSubjectReason": ("causanosujecion",),
        "paidAt": (*NAMES["paidAt"], "fechacobro", "cobrada"),
        "paymentMethod": (*NAMES["paymentMethod"], "mediocobro"),
        "correctionReason": ("motivorectificacion", "tiporectificativa"),
    },
    words={
        "docType": {
            "invoice": ("factura", "ordinaria", "f1"),
            "simplified": ("simplificada", "facturasimplificada", "ticket", "f2"),
            "credit_note": ("rectificativa", "facturarectificativa", "abono"),
        },
        "taxCategory": {
            "standard": ("sujeta", "general"),
            "exempt": ("exenta",),
            "not_subject": ("nosujeta",),
            "reverse_charge": ("inversion", "inversionsujetopasivo", "isp"),
            "export": ("exportacion",),
            "intra_eu_goods": ("entregaintracomunitaria", "intracomunitaria"),
            "intra_eu_services": ("serviciointracomunitario", "serviciosintracomunitarios"),
        },
    },
)
