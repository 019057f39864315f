"""RegistroAlta: the record of an issued invoice, made once, its literals shared by hash, QR and XML.

Source: AEAT, record design 1.0 and SuministroInformacion.xsd; the order of the elements is the schema's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Correction, Document, DocumentKind, DocumentRef, IssuedBy, Party, Place
from ledgerkit.providers.es.verifactu import blocks, breakdown, chain, parties
from ledgerkit.providers.es.verifactu.blocks import InvoiceName, amount, day
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.corrections import FIRST, Flags
from ledgerkit.providers.es.verifactu.setup import Software
from ledgerkit.providers.es.verifactu.xml import clean, group, leaf, standalone

CORRECTIVE = ("R1", "R2", "R3", "R4", "R5")
IN_PLACE_OF_SIMPLIFIED = "F3"
WITHOUT_RECIPIENT = frozenset({"F2", "R5"})
DESCRIPTION_LENGTH = 500
LARGE_AMOUNT = Decimal(100_000_000)
"""Amount from which, either sign, the invoice is marked Macrodato (rules 1138 and 1139)."""

REFERENCES = {
    "externalReference": ("RefExterna", 60),
    "invoicingAgreement": ("NumRegistroAcuerdoFacturacion", 15),
    "systemAgreement": ("IdAcuerdoSistemaInformatico", 16),
}
"""Elements of the texts of `tax.DETAILS`, and their lengths in the schema."""
_FLAGS = {
    "identifiedRecipient": "FacturaSimplificadaArt7273",
    "withoutRecipientId": "FacturaSinIdentifDestinatarioArt61d",
    "coupon": "Cupon",
}


@dataclass(frozen=True, kw_only=True)
class Literals:
    """The characters that hash, QR and XML have in common."""

    name: InvoiceName
    kind: str
    tax_total: str
    gross_total: str
    generated_at: str
    fingerprint: str


def literals(document: Document, lines: Sequence[Detail], place: Place) -> Literals:
    """Collect the literals. `place.at` is aware, with the offset of the place of issue and whole seconds."""
    name, kind = blocks.invoice_name(document.issuer, document.number, document.issue_date), invoice_type(document)
    tax_total, gross_total = amount(breakdown.tax_total(lines)), amount(document.gross_total)
    generated_at = place.at.isoformat()
    fingerprint = chain.of_issue(
        issuer=name.issuer,
        number=name.number,
        issue_date=name.issue_date,
        kind=kind,
        tax_total=tax_total,
        gross_total=gross_total,
        previous=place.previous.fingerprint if place.previous else "",
        generated_at=generated_at,
    )
    return Literals(
        name=name,
        kind=kind,
        tax_total=tax_total,
        gross_total=gross_total,
        generated_at=generated_at,
        fingerprint=fingerprint,
    )


def issue(document: Document, place: Place, software: Software, flags: Flags = FIRST) -> tuple[bytes, Literals]:
    """Return the bytes of the RegistroAlta and its literals. Raises ValueError as `blocks.invoice_name`."""
    lines = breakdown.details(document)
    record_literals = literals(document, lines, place)
    name = record_literals.name
    return standalone(
        "RegistroAlta",
        leaf("IDVersion", "1.0"),
        blocks.invoice("IDFactura", name.issuer, name.number, name.issue_date),
        _reference(document, "externalReference"),
        leaf("NombreRazonEmisor", clean(document.issuer.name, parties.NAME_LENGTH)),
        leaf("Subsanacion", "S") if flags.amendment else "",
        leaf("RechazoPrevio", flags.rejection) if flags.rejection else "",
        leaf("TipoFactura", record_literals.kind),
        _correction(document.correction, name.issuer) if record_literals.kind in CORRECTIVE else "",
        _substituted(document, name.issuer) if record_literals.kind == IN_PLACE_OF_SIMPLIFIED else "",
        _operation(document),
        _flag(document, "identifiedRecipient"),
        _flag(document, "withoutRecipientId"),
        "" if abs(document.gross_total) < LARGE_AMOUNT else leaf("Macrodato", "S"),
        _issued_by(document),
        "" if record_literals.kind in WITHOUT_RECIPIENT else _recipients(document.recipient),
        _flag(document, "coupon"),
        group("Desglose", *(_detail(line) for line in lines)),
        leaf("CuotaTotal", record_literals.tax_total),
        leaf("ImporteTotal", record_literals.gross_total),
        blocks.closing(
            place,
            software,
            generated_at=record_literals.generated_at,
            fingerprint=record_literals.fingerprint,
            before_hash=_reference(document, "invoicingAgreement") + _reference(document, "systemAgreement"),
        ),
    ), record_literals


def invoice_type(document: Document) -> str:
    """Return TipoFactura. That of a credit note is its reason (R1 to R5), by default R5 for an unidentified client.

    A full invoice that need not identify its client is F2, a simplified one that does is F1; a flag states each.
    """
    match document.kind:
        case DocumentKind.INVOICE:
            full = IN_PLACE_OF_SIMPLIFIED if document.substitutes else "F1"
            return "F2" if detail(document, "withoutRecipientId") else full
        case DocumentKind.SIMPLIFIED:
            return "F1" if detail(document, "identifiedRecipient") else "F2"
        case DocumentKind.CREDIT_NOTE:
            reason = document.correction.reason if document.correction else None
            nobody = document.recipient is None or detail(document, "withoutRecipientId")
            return reason or ("R5" if nobody else "R1")


def detail(document: Document, key: str) -> bool:
    """Return True when the document sets a flag of `tax.DETAILS`."""
    return document.details.get(key) is True


def _flag(document: Document, key: str) -> str:
    return leaf(_FLAGS[key], "S") if detail(document, key) else ""


def _reference(document: Document, key: str) -> str:
    """A text of `tax.DETAILS`; nothing when it is empty, since the schema takes no empty element."""
    if key not in document.details:
        return ""
    name, limit = REFERENCES[key]
    text = clean(str(document.details[key]), limit)
    return leaf(name, text) if text else ""


def _issued_by(document: Document) -> str:
    """EmitidaPorTerceroODestinatario and Tercero; nothing where the issuer makes out its own invoices."""
    match document.issued_by:
        case IssuedBy.ISSUER:
            return ""
        case IssuedBy.RECIPIENT:
            return leaf("EmitidaPorTerceroODestinatario", "D")
        case IssuedBy.THIRD_PARTY:
            return leaf("EmitidaPorTerceroODestinatario", "T") + blocks.person("Tercero", document.third_party)


def _substituted(document: Document, issuer: str) -> str:
    return group("FacturasSustituidas", *_named("IDFacturaSustituida", issuer, document.substitutes))


def _correction(correction: Correction | None, issuer: str) -> str:
    """Write TipoRectificativa to ImporteRectificacion: by differences unless a substitution states what it replaces."""
    if correction is None:
        return leaf("TipoRectificativa", "I")
    corrected = group("FacturasRectificadas", *_named("IDFacturaRectificada", issuer, correction.documents))
    listed = corrected if correction.documents else ""
    if correction.method == "differences":
        return leaf("TipoRectificativa", "I") + listed
    replaced = group(
        "ImporteRectificacion",
        leaf("BaseRectificada", amount(correction.replaced_base or ZERO)),
        leaf("CuotaRectificada", amount(correction.replaced_tax or ZERO)),
        ""
        if correction.replaced_surcharge is None
        else leaf("CuotaRecargoRectificado", amount(correction.replaced_surcharge)),
    )
    return leaf("TipoRectificativa", "S") + listed + replaced


def _named(block: str, issuer: str, documents: Sequence[DocumentRef]) -> Iterator[str]:
    """Other invoices, one element each, of the same `issuer` unless they name another."""
    return (
        blocks.invoice(block, parties.nif(ref.issuer_tax_id or issuer), ref.number.strip(), day(ref.issue_date))
        for ref in documents
    )


def _operation(document: Document) -> str:
    """FechaOperacion only where it differs from the issue date; DescripcionOperacion."""
    operation_date = document.operation_date
    other_day = operation_date is not None and operation_date != document.issue_date
    dated = leaf("FechaOperacion", day(operation_date)) if operation_date is not None and other_day else ""
    return dated + leaf("DescripcionOperacion", clean(document.description, DESCRIPTION_LENGTH))


def _recipients(party: Party | None) -> str:
    named = blocks.person("IDDestinatario", party)
    return group("Destinatarios", named) if named else ""


def _detail(line: Detail) -> str:
    optional = {
        "TipoImpositivo": line.rate,
        "BaseImponibleOimporteNoSujeto": line.base,
        "BaseImponibleACoste": line.cost_base,
        "CuotaRepercutida": line.amount,
        "TipoRecargoEquivalencia": line.surcharge_rate,
        "CuotaRecargoEquivalencia": line.surcharge_amount,
    }
    return group(
        "DetalleDesglose",
        leaf("Impuesto", line.code),
        leaf("ClaveRegimen", line.regime) if line.regime else "",
        leaf("OperacionExenta", line.exemption)
        if line.exemption
        else leaf("CalificacionOperacion", line.qualification or ""),
        *(leaf(name, amount(value)) for name, value in optional.items() if value is not None),
    )
