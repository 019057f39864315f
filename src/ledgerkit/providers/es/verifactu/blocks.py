"""Blocks that several records share: identities, persons, links, the software, and the forms of their values.

Source: AEAT, record design 1.0 and SuministroInformacion.xsd; the order of the elements is the schema's.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Literal, Protocol

from ledgerkit.money import ZERO
from ledgerkit.providers.api import ChainLink, Heading, Party, Place, SealedRecord, Signer, Signing
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import ChannelFacts, parties
from ledgerkit.providers.es.verifactu.corrections import Flags
from ledgerkit.providers.es.verifactu.setup import Software
from ledgerkit.providers.es.verifactu.xml import clean, group, leaf

MEDIA_TYPE = "application/xml"
NUMBER = re.compile(r"[\x20-\x7e]{1,60}")
MAY_SERVE_SEVERAL = True
"""True because this software can serve several issuers."""


@dataclass(frozen=True, kw_only=True)
class InvoiceName:
    """Identity of an invoice at the authority, as the literals that XML, fingerprint and QR have in common."""

    issuer: str
    number: str
    issue_date: str


def invoice_name(issuer: Party, number: str, issue_date: date) -> InvoiceName:
    """Name an invoice. Raises ValueError for an issuer or number that would spoil the chain: preflight refuses it."""
    nif, trimmed = parties.issuer_nif(issuer), number.strip()
    if tax_ids.spanish(nif) is None or not NUMBER.fullmatch(trimmed):
        msg = f"no record can be made for issuer {nif!r} and number {trimmed!r}"
        raise ValueError(msg)
    return InvoiceName(issuer=nif, number=trimmed, issue_date=day(issue_date))


def fiscal_id(name: InvoiceName, issue_date: date) -> str:
    """`{NIF}:{number}:{YYYY-MM-DD}`, the same for every record of the invoice."""
    return f"{name.issuer}:{name.number}:{issue_date.isoformat()}"


def at_whole_second(place: Place) -> Place:
    """The place without the fraction of a second that the authority does not take (1244).

    Raises ValueError for an instant without offset: it is sealed with the time of the place of issue.
    """
    if place.at.utcoffset() is None:
        msg = "the instant of a record needs its UTC offset"
        raise ValueError(msg)
    return replace(place, at=place.at.replace(microsecond=0))


def day(value: date) -> str:
    return f"{value.day:02d}-{value.month:02d}-{value.year:04d}"


def amount(value: Decimal) -> str:
    """Write an amount with two decimals and a point; zero has no sign."""
    return f"{value + ZERO:.2f}"


def invoice(block: str, issuer: str, number: str, issue_date: str, suffix: str = "") -> str:
    """The three leaves that name an invoice, in an element of its own."""
    return group(
        block,
        leaf(f"IDEmisorFactura{suffix}", issuer),
        leaf(f"NumSerieFactura{suffix}", number),
        leaf(f"FechaExpedicionFactura{suffix}", issue_date),
    )


def person(block: str, party: Party | None) -> str:
    """A party by NIF or IDOtro; nothing when it is not identified, which preflight refuses where it is needed."""
    identity = parties.identity(party) if party is not None else None
    if party is None or identity is None:
        return ""
    named = leaf("NombreRazon", clean(party.name, parties.NAME_LENGTH))
    if identity.id_type is None:
        return group(block, named, leaf("NIF", identity.number))
    other = group(
        "IDOtro",
        leaf("CodigoPais", identity.country) if identity.country else "",
        leaf("IDType", identity.id_type),
        leaf("ID", clean(identity.number, parties.ID_LENGTH)),
    )
    return group(block, named, other)


def closing(place: Place, software: Software, *, generated_at: str, fingerprint: str, before_hash: str = "") -> str:
    """Write Encadenamiento to Huella, as in both kinds of record; `before_hash` stands in front of TipoHuella."""
    return "".join(
        (
            group("Encadenamiento", _link(place.previous)),
            system(software, place.installation.number, place.installation.several_issuers),
            leaf("FechaHoraHusoGenRegistro", generated_at),
            before_hash,
            leaf("TipoHuella", "01"),
            leaf("Huella", fingerprint),
        )
    )


@lru_cache(maxsize=1024)
def system(software: Software, installation: str, several_issuers: bool) -> str:
    """Write SistemaInformatico, with a count of the issuers of this user."""
    values = system_values(software, installation, several_issuers=several_issuers)
    return group("SistemaInformatico", *(leaf(name, value) for name, value in values))


def system_values(software: Software, installation: str, *, several_issuers: bool) -> tuple[tuple[str, str], ...]:
    """Return the elements of SistemaInformatico, of records and of events, with their literals."""
    return (
        ("NombreRazon", clean(software.producer_name, 120)),
        ("NIF", software.producer_tax_id),
        ("NombreSistemaInformatico", clean(software.system_name, 30)),
        ("IdSistemaInformatico", software.system_id),
        ("Version", clean(software.version, 50)),
        ("NumeroInstalacion", clean(installation, 100)),
        ("TipoUsoPosibleSoloVerifactu", flag(value=software.only_reporting)),
        ("TipoUsoPosibleMultiOT", flag(value=MAY_SERVE_SEVERAL)),
        ("IndicadorMultiplesOT", flag(value=several_issuers)),
    )


def header(heading: Heading) -> str:
    """Cabecera's content; late is what is sent after an incident (Orden HAC/1177/2024, art. 16.4).

    Raises ValueError for a demand together with what only voluntary reporting has: no service takes both (4126, 4127).
    """
    if heading.request is not None and (heading.late or heading.until is not None):
        msg = "an answer to a demand says nothing of voluntary reporting"
        raise ValueError(msg)
    return _spanish("ObligadoEmision", heading.issuer) + (
        (_spanish("Representante", heading.representative) if heading.representative else "")
        + _optional(
            "RemisionVoluntaria",
            leaf("FechaFinVeriFactu", day(heading.until)) if heading.until else "",
            leaf("Incidencia", "S") if heading.late else "",
        )
        + _demand(heading)
    )


def flag(*, value: bool) -> str:
    return "S" if value else "N"


def _demand(heading: Heading) -> str:
    if heading.request is None:
        return ""
    last = leaf("FinRequerimiento", "S") if heading.request.last else ""
    return group("RemisionRequerimiento", leaf("RefRequerimiento", heading.request.reference), last)


def _spanish(block: str, party: Party) -> str:
    named = leaf("NombreRazon", clean(party.name, parties.NAME_LENGTH))
    return group(block, named, leaf("NIF", parties.issuer_nif(party)))


def _optional(block: str, *parts: str) -> str:
    return group(block, *parts) if any(parts) else ""


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


class RecordSigning(Signing, Protocol):
    """`Signing` that also signs a record while it is sealed."""

    def sign(self, content: bytes, signer: Signer, at: datetime) -> bytes:
        """Return a record with its signature, made at the instant `at`."""
        ...


def finished(
    place: Place,
    name: InvoiceName,
    issue_date: date,
    *,
    kind: Literal["issue", "annul"],
    written: tuple[bytes, str],
    flags: Flags,
    signs: RecordSigning | None,
    qr_url: str | None = None,
) -> SealedRecord:
    """The record of an invoice, `written` as bytes and fingerprint; signed where its installation has a signer.

    Raises ValueError when it has one and `signs` is None.
    """
    content, fingerprint = written
    signer = place.installation.signer
    if signer is not None:
        if signs is None:
            msg = "a record cannot be signed without the signed mode"
            raise ValueError(msg)
        content = signs.sign(content, signer, place.at)
    return SealedRecord(
        channel=ChannelFacts.id,
        channel_version=ChannelFacts.version,
        kind=kind,
        fiscal_id=fiscal_id(name, issue_date),
        number=name.number,
        issue_date=issue_date,
        issuer_tax_id=name.issuer,
        content=content,
        media_type=MEDIA_TYPE,
        fingerprint=fingerprint,
        generated_at=place.at,
        qr_url=qr_url,
        flags=flags.elements(),
    )
