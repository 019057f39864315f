"""RegistroAnulacion: the record that strikes out an invoice which should never have been issued.

Source: AEAT, record design 1.0, SuministroInformacion.xsd, validations 1.2.2 (08/04/2026), section on annulments.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from ledgerkit.providers.api import Annulment, FieldProblem, IssuedBy, Party, PastRecord, Place, SealedRecord
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import blocks, chain, corrections, parties
from ledgerkit.providers.es.verifactu.corrections import Flags, Held
from ledgerkit.providers.es.verifactu.keeping import finished
from ledgerkit.providers.es.verifactu.setup import Software
from ledgerkit.providers.es.verifactu.xml import clean, leaf, standalone

_GENERATORS = {IssuedBy.ISSUER: "E", IssuedBy.RECIPIENT: "D", IssuedBy.THIRD_PARTY: "T"}
_SPANISH_DOCUMENTS = {
    IssuedBy.RECIPIENT: (frozenset({parties.PASSPORT, parties.NOT_REGISTERED}), "1234"),
    IssuedBy.THIRD_PARTY: (frozenset({parties.PASSPORT}), "1232"),
}


class VerifactuAnnulling:
    """`Annulling` of the AEAT's records; `software` says who is named in them, by environment."""

    def __init__(self, channel: str, version: str, software: Callable[[Place], Software]) -> None:
        self._channel, self._version, self._software = channel, version, software

    def preflight(self, annulment: Annulment, past: Sequence[PastRecord], today: date) -> Sequence[FieldProblem]:  # noqa: ARG002 - the protocol's signature
        """That there is something to strike out, once; and who strikes it out."""
        return [*_strikes(past), *_issuer(annulment.issuer), *_generator(annulment)]

    def seal(self, annulment: Annulment, place: Place, past: Sequence[PastRecord]) -> SealedRecord:
        """Pure, as `VerifactuChannel.seal`. Raises ValueError when nothing was issued, which preflight says."""
        if not _issued(past):
            msg = "an invoice without any record cannot be annulled"
            raise ValueError(msg)
        place = blocks.at_whole_second(place)
        flags = corrections.choose("annul", past, reported=place.installation.signer is None)
        document, name = annulment.document, _name(annulment)
        content, fingerprint = record(annulment, place, self._software(place), flags)
        return SealedRecord(
            channel=self._channel,
            channel_version=self._version,
            kind="annul",
            fiscal_id=blocks.fiscal_id(name, document.issue_date),
            number=name.number,
            issue_date=document.issue_date,
            issuer_tax_id=name.issuer,
            content=finished(content, place),
            media_type=blocks.MEDIA_TYPE,
            fingerprint=fingerprint,
            generated_at=place.at,
            qr_url=None,
        )


def record(annulment: Annulment, place: Place, software: Software, flags: Flags) -> tuple[bytes, str]:
    """The bytes of the RegistroAnulacion and their fingerprint."""
    name, generated_at = _name(annulment), place.at.isoformat()
    fingerprint = chain.of_annulment(
        issuer=name.issuer,
        number=name.number,
        issue_date=name.issue_date,
        previous=place.previous.fingerprint if place.previous else "",
        generated_at=generated_at,
    )
    content = standalone(
        "RegistroAnulacion",
        leaf("IDVersion", "1.0"),
        blocks.invoice("IDFactura", name.issuer, name.number, name.issue_date, "Anulada"),
        leaf("SinRegistroPrevio", "S") if flags.without_previous else "",
        leaf("RechazoPrevio", flags.rejection) if flags.rejection else "",
        _generated_by(annulment),
        blocks.closing(place, software, generated_at=generated_at, fingerprint=fingerprint),
    )
    return content, fingerprint


def _name(annulment: Annulment) -> blocks.InvoiceName:
    return blocks.invoice_name(annulment.issuer, annulment.document.number, annulment.document.issue_date)


def _generated_by(annulment: Annulment) -> str:
    """GeneradoPor and Generador: both or none, and nothing where the issuer acts for itself."""
    generator = blocks.person("Generador", annulment.generator)
    return leaf("GeneradoPor", _GENERATORS[annulment.generated_by]) + generator if generator else ""


def _issued(past: Sequence[PastRecord]) -> bool:
    return any(one.kind == "issue" for one in past)


def _strikes(past: Sequence[PastRecord]) -> Iterator[FieldProblem]:
    if not _issued(past):
        message = "the invoice has no record that could be annulled"
        yield _problem("invoiceId", corrections.UNKNOWN_INVOICE, message, "Delete the invoice instead.")
    elif _annulled(past):
        message = "the invoice is annulled already"
        yield _problem("invoiceId", corrections.ANNULLED_BEFORE, message, "There is nothing left to do.")


def _annulled(past: Sequence[PastRecord]) -> bool:
    """By the authority, or by our own last record where that one was only kept."""
    reported = past[-1].reported
    return corrections.held(past, reported=reported) is Held.ANNULLED


def _issuer(issuer: Party) -> Iterator[FieldProblem]:
    if tax_ids.spanish(issuer.tax_id or "") is None:
        yield _problem("issuer.taxId", "4116", "the issuer's NIF is not valid", "Set the Spanish tax id of the team.")


def _generator(annulment: Annulment) -> Iterator[FieldProblem]:
    party, by = annulment.generator, annulment.generated_by
    if party is None:
        if by is not IssuedBy.ISSUER:
            message = "who annuls the invoice instead of its issuer is not named"
            yield _problem("generator", "1224", message, "Name that party with its tax id.")
        return
    if not clean(party.name, parties.NAME_LENGTH):
        yield _problem("generator.name", "1100", "who annuls the invoice has no name", "Give the name.")
    known = parties.identity(party)
    if known is None:
        yield _problem("generator.taxId", "1258", "the tax id of who annuls is not valid", "Correct the tax id.")
        return
    yield from _generator_id(annulment, known)


def _generator_id(annulment: Annulment, known: parties.Identity) -> Iterator[FieldProblem]:
    by, field = annulment.generated_by, "generator.taxId"
    if by is IssuedBy.ISSUER:
        if known.id_type is not None:
            yield _problem(field, "1227", "an issuer that annuls has a Spanish NIF", "Give its NIF.")
        return
    if known.id_type is None and known.number == parties.issuer_nif(annulment.issuer):
        message = "who annuls instead of the issuer cannot be the issuer"
        yield _problem(field, "1259", message, "Leave out who annuls it, or name the other party.")
    if by is IssuedBy.THIRD_PARTY and known.id_type == parties.NOT_REGISTERED:
        message = "a third party must be registered with the tax agency"
        yield _problem(field, "1229", message, "Give its NIF, or another document.")
        return
    allowed, code = _SPANISH_DOCUMENTS[by]
    if known.id_type is not None and known.country == "ES" and known.id_type not in allowed:
        message = "this kind of document does not identify a Spanish party"
        yield _problem(field, code, message, "Give its NIF, or a passport.")


def _problem(field: str, code: str, message: str, remedy: str) -> FieldProblem:
    return FieldProblem(field=field, code=code, message=message, remedy=remedy)
