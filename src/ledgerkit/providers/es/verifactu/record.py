"""RegistroAlta: the record of an issued invoice, made once, its literals shared by hash, QR and XML.

Source: AEAT, record design 1.0 and SuministroInformacion.xsd; the order of the elements is the schema's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import ChainLink, Correction, Document, DocumentKind, Heading, Installation, Party
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import breakdown, chain, parties
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.setup import Software
from ledgerkit.providers.es.verifactu.xml import clean, group, leaf, standalone

CORRECTIVE = ("R1", "R2", "R3", "R4", "R5")
WITHOUT_RECIPIENT = frozenset({"F2", "R5"})
DESCRIPTION_LENGTH = 500
NUMBER = re.compile(r"[\x20-\x7e]{1,60}")
LARGE_AMOUNT = Decimal(100_000_000)
"""From here on, either sign, the invoice is marked Macrodato (rules 1138 and 1139)."""


@dataclass(frozen=True, kw_only=True)
class Literals:
    """The characters that hash, QR and XML have in common."""

    issuer: str
    number: str
    issue_date: str
    kind: str
    tax_total: str
    gross_total: str
    generated_at: str
    fingerprint: str


def literals(document: Document, lines: Sequence[Detail], previous: ChainLink | None, at: datetime) -> Literals:
    """`at` is aware, with the offset of the place of issue and without fractions of a second.

    Raises ValueError for an issuer or number that preflight refuses: such a record would spoil the chain for good.
    """
    issuer, number, kind = parties.issuer_nif(document.issuer), document.number.strip(), invoice_type(document)
    issue_date, generated_at = day(document.issue_date), at.isoformat()
    tax_total, gross_total = amount(breakdown.tax_total(lines)), amount(document.gross_total)
    if tax_ids.spanish(issuer) is None or not NUMBER.fullmatch(number):
        msg = f"no record can be made for issuer {issuer!r} and number {number!r}"
        raise ValueError(msg)
    fingerprint = chain.of_issue(
        issuer=issuer,
        number=number,
        issue_date=issue_date,
        kind=kind,
        tax_total=tax_total,
        gross_total=gross_total,
        previous=previous.fingerprint if previous else "",
        generated_at=generated_at,
    )
    return Literals(
        issuer=issuer,
        number=number,
        issue_date=issue_date,
        kind=kind,
        tax_total=tax_total,
        gross_total=gross_total,
        generated_at=generated_at,
        fingerprint=fingerprint,
    )


def issue(
    document: Document,
    previous: ChainLink | None,
    installation: Installation,
    software: Software,
    at: datetime,
) -> tuple[bytes, Literals]:
    """The bytes of the RegistroAlta and the literals it was made of."""
    lines = breakdown.details(document)
    said = literals(document, lines, previous, at)
    return standalone(
        "RegistroAlta",
        leaf("IDVersion", "1.0"),
        _identity(said),
        leaf("NombreRazonEmisor", clean(document.issuer.name, parties.NAME_LENGTH)),
        leaf("TipoFactura", said.kind),
        _correction(document.correction, said.issuer) if said.kind in CORRECTIVE else "",
        _operation(document),
        "" if abs(document.gross_total) < LARGE_AMOUNT else leaf("Macrodato", "S"),
        "" if said.kind in WITHOUT_RECIPIENT else _recipient(document.recipient),
        group("Desglose", *(_detail(line) for line in lines)),
        leaf("CuotaTotal", said.tax_total),
        leaf("ImporteTotal", said.gross_total),
        group("Encadenamiento", _link(previous)),
        _system(software, installation),
        leaf("FechaHoraHusoGenRegistro", said.generated_at),
        leaf("TipoHuella", "01"),
        leaf("Huella", said.fingerprint),
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


def day(value: date) -> str:
    return f"{value.day:02d}-{value.month:02d}-{value.year:04d}"


def amount(value: Decimal) -> str:
    """Two decimals and a point; zero has no sign."""
    return f"{value + ZERO:.2f}"


def header(heading: Heading) -> str:
    """Cabecera's content; late is what is sent after an incident (Orden HAC/1177/2024, art. 16.4)."""
    issuer = heading.issuer
    person = group(
        "ObligadoEmision",
        leaf("NombreRazon", clean(issuer.name, parties.NAME_LENGTH)),
        leaf("NIF", parties.issuer_nif(issuer)),
    )
    return person + (group("RemisionVoluntaria", leaf("Incidencia", "S")) if heading.late else "")


def _identity(said: Literals) -> str:
    return group(
        "IDFactura",
        leaf("IDEmisorFactura", said.issuer),
        leaf("NumSerieFactura", said.number),
        leaf("FechaExpedicionFactura", said.issue_date),
    )


def _correction(correction: Correction | None, issuer: str) -> str:
    """TipoRectificativa to ImporteRectificacion. By differences unless a substitution says what it replaces."""
    if correction is None:
        return leaf("TipoRectificativa", "I")
    corrected = group(
        "FacturasRectificadas", *(_corrected(issuer, ref.number, ref.issue_date) for ref in correction.documents)
    )
    listed = corrected if correction.documents else ""
    if correction.method == "differences":
        return leaf("TipoRectificativa", "I") + listed
    replaced = group(
        "ImporteRectificacion",
        leaf("BaseRectificada", amount(correction.replaced_base or ZERO)),
        leaf("CuotaRectificada", amount(correction.replaced_tax or ZERO)),
    )
    return leaf("TipoRectificativa", "S") + listed + replaced


def _corrected(issuer: str, number: str, issue_date: date) -> str:
    return group(
        "IDFacturaRectificada",
        leaf("IDEmisorFactura", issuer),
        leaf("NumSerieFactura", number.strip()),
        leaf("FechaExpedicionFactura", day(issue_date)),
    )


def _operation(document: Document) -> str:
    """FechaOperacion only where it differs from the issue date; DescripcionOperacion."""
    operation_date = document.operation_date
    other_day = operation_date is not None and operation_date != document.issue_date
    dated = leaf("FechaOperacion", day(operation_date)) if operation_date is not None and other_day else ""
    return dated + leaf("DescripcionOperacion", clean(document.description, DESCRIPTION_LENGTH))


def _recipient(party: Party | None) -> str:
    identity = parties.identity(party) if party is not None else None
    if party is None or identity is None:
        return ""
    named = leaf("NombreRazon", clean(party.name, parties.NAME_LENGTH))
    if identity.id_type is None:
        return group("Destinatarios", group("IDDestinatario", named, leaf("NIF", identity.number)))
    other = group(
        "IDOtro",
        leaf("CodigoPais", identity.country) if identity.country else "",
        leaf("IDType", identity.id_type),
        leaf("ID", clean(identity.number, parties.ID_LENGTH)),
    )
    return group("Destinatarios", group("IDDestinatario", named, other))


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


def _link(previous: ChainLink | None) -> str:
    if previous is None:
        return leaf("PrimerRegistro", "S")
    return group(
        "RegistroAnterior",
        leaf("IDEmisorFactura", previous.issuer_tax_id),
        leaf("NumSerieFactura", previous.number),
        leaf("FechaExpedicionFactura", day(previous.issue_date)),
        leaf("Huella", previous.fingerprint),
    )


def _system(software: Software, installation: Installation) -> str:
    """This software can only do VERI*FACTU, and can serve several issuers."""
    return group(
        "SistemaInformatico",
        leaf("NombreRazon", clean(software.producer_name, 120)),
        leaf("NIF", software.producer_tax_id),
        leaf("NombreSistemaInformatico", clean(software.system_name, 30)),
        leaf("IdSistemaInformatico", software.system_id),
        leaf("Version", clean(software.version, 50)),
        leaf("NumeroInstalacion", clean(installation.number, 100)),
        leaf("TipoUsoPosibleSoloVerifactu", "S"),
        leaf("TipoUsoPosibleMultiOT", "S"),
        leaf("IndicadorMultiplesOT", "S" if installation.several_issuers else "N"),
    )
