"""RegistroAlta: the record of an issued invoice, made once, its literals shared by hash, QR and XML.

Source: AEAT, record design 1.0 and SuministroInformacion.xsd; the order of the elements is the schema's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Correction, Document, DocumentKind, DocumentRef, Party, Place
from ledgerkit.providers.es.verifactu import blocks, breakdown, chain, parties
from ledgerkit.providers.es.verifactu.blocks import InvoiceName, amount, day
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.corrections import FIRST, Flags
from ledgerkit.providers.es.verifactu.setup import Software
from ledgerkit.providers.es.verifactu.xml import clean, group, leaf, standalone

CORRECTIVE = ("R1", "R2", "R3", "R4", "R5")
WITHOUT_RECIPIENT = frozenset({"F2", "R5"})
DESCRIPTION_LENGTH = 500
LARGE_AMOUNT = Decimal(100_000_000)
"""From here on, either sign, the invoice is marked Macrodato (rules 1138 and 1139)."""


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
    """`place.at` is aware, with the offset of the place of issue and without fractions of a second."""
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
    """The bytes of the RegistroAlta and the literals it was made of. Raises ValueError as `blocks.invoice_name`."""
    lines = breakdown.details(document)
    said = literals(document, lines, place)
    name = said.name
    return standalone(
        "RegistroAlta",
        leaf("IDVersion", "1.0"),
        blocks.invoice("IDFactura", name.issuer, name.number, name.issue_date),
        leaf("NombreRazonEmisor", clean(document.issuer.name, parties.NAME_LENGTH)),
        leaf("Subsanacion", "S") if flags.amendment else "",
        leaf("RechazoPrevio", flags.rejection) if flags.rejection else "",
        leaf("TipoFactura", said.kind),
        _correction(document.correction, name.issuer) if said.kind in CORRECTIVE else "",
        _operation(document),
        "" if abs(document.gross_total) < LARGE_AMOUNT else leaf("Macrodato", "S"),
        "" if said.kind in WITHOUT_RECIPIENT else _recipients(document.recipient),
        group("Desglose", *(_detail(line) for line in lines)),
        leaf("CuotaTotal", said.tax_total),
        leaf("ImporteTotal", said.gross_total),
        blocks.closing(place, software, generated_at=said.generated_at, fingerprint=said.fingerprint),
    ), said


def invoice_type(document: Document) -> str:
    """TipoFactura: F1, F2 (simplified), R1 to R5 by the correction's reason; R5 when nobody is addressed."""
    match document.kind:
        case DocumentKind.INVOICE:
            return "F1"
        case DocumentKind.SIMPLIFIED:
            return "F2"
        case DocumentKind.CREDIT_NOTE:
            reason = document.correction.reason if document.correction else None
            return reason or ("R1" if document.recipient is not None else "R5")


def _correction(correction: Correction | None, issuer: str) -> str:
    """TipoRectificativa to ImporteRectificacion. By differences unless a substitution says what it replaces."""
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
    )
    return leaf("TipoRectificativa", "S") + listed + replaced


def _named(block: str, issuer: str, documents: Sequence[DocumentRef]) -> Iterator[str]:
    """Other invoices of the same issuer, one element each."""
    return (blocks.invoice(block, issuer, ref.number.strip(), day(ref.issue_date)) for ref in documents)


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
        "CuotaRepercutida": line.amount,
        "TipoRecargoEquivalencia": line.surcharge_rate,
        "CuotaRecargoEquivalencia": line.surcharge_amount,
    }
    return group(
        "DetalleDesglose",
        leaf("Impuesto", breakdown.VAT),
        leaf("ClaveRegimen", line.regime),
        leaf("OperacionExenta", line.exemption)
        if line.exemption
        else leaf("CalificacionOperacion", line.qualification or ""),
        *(leaf(name, amount(value)) for name, value in optional.items() if value is not None),
    )
