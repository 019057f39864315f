"""RegistroAnulacion: the record that strikes out an invoice which should never have been issued.

Source: AEAT, record design 1.0, SuministroInformacion.xsd, validations 1.2.2 (08/04/2026), section on annulments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

from ledgerkit.providers.api import Annulment, FieldProblem, IssuedBy, Party, PastRecord, Place, SealedRecord
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import ChannelFacts, blocks, chain, corrections, parties
from ledgerkit.providers.es.verifactu.blocks import RecordSigning, finished
from ledgerkit.providers.es.verifactu.corrections import Flags, Held
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.setup import Software
from ledgerkit.providers.es.verifactu.xml import clean, leaf, standalone
from ledgerkit.texts import MessageId

_GENERATORS = {IssuedBy.ISSUER: "E", IssuedBy.RECIPIENT: "D", IssuedBy.THIRD_PARTY: "T"}
_SPANISH_DOCUMENTS = {
    IssuedBy.RECIPIENT: (frozenset({parties.PASSPORT, parties.NOT_REGISTERED}), "1234"),
    IssuedBy.THIRD_PARTY: (frozenset({parties.PASSPORT}), "1232"),
}


_MESSAGES: Mapping[str, MessageId] = {
    corrections.UNKNOWN_INVOICE: VerifactuMsg.ANNUL_WITHOUT_RECORD,
    corrections.ANNULLED_BEFORE: VerifactuMsg.ANNULLED_ALREADY,
    "4116": VerifactuMsg.ANNUL_ISSUER_NIF,
    "1100": VerifactuMsg.ANNUL_GENERATOR_NAME,
    "1222": VerifactuMsg.ANNUL_FOREIGN_ID_TOO_LONG,
    "1224": VerifactuMsg.ANNUL_GENERATOR_MISSING,
    "1227": VerifactuMsg.ANNUL_ISSUER_FOREIGN,
    "1229": VerifactuMsg.ANNUL_THIRD_PARTY_UNREGISTERED,
    "1232": VerifactuMsg.ANNUL_THIRD_PARTY_DOCUMENT,
    "1234": VerifactuMsg.ANNUL_CLIENT_DOCUMENT,
    "1258": VerifactuMsg.ANNUL_GENERATOR_TAX_ID,
    "1259": VerifactuMsg.ANNUL_GENERATOR_IS_ISSUER,
}
"""List the broken rules of the annulment, in English and Spanish, by the code that the authority would answer."""


class VerifactuAnnulling:
    """`Annulling` of the AEAT's records; `software` is named in them, `signs` signs those that are not sent."""

    def __init__(self, software: Callable[[Place], Software], signs: RecordSigning | None) -> None:
        self._software, self._signs = software, signs

    def preflight(
        self,
        annulment: Annulment,
        earlier_records: Sequence[PastRecord],
        today: date,  # noqa: ARG002 - the protocol's
    ) -> Sequence[FieldProblem]:
        """Check that there is a record to strike out, not struck out before, and who strikes it out."""
        return [*_strikes(earlier_records), *_issuer(annulment.issuer), *_generator(annulment)]

    def seal(self, annulment: Annulment, place: Place, earlier_records: Sequence[PastRecord]) -> SealedRecord:
        """Seal the record; pure, as `VerifactuChannel.seal`. Raises ValueError when nothing was issued."""
        if not corrections.issued(earlier_records):
            msg = "an invoice without any record cannot be annulled"
            raise ValueError(msg)
        place = blocks.at_whole_second(place)
        flags = corrections.choose("annul", earlier_records, reported=place.installation.signer is None)
        written = record(annulment, place, self._software(place), flags)
        issue_date = annulment.document.issue_date
        return finished(
            place, _name(annulment), issue_date, kind="annul", written=written, flags=flags, signs=self._signs
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
        leaf("IDVersion", ChannelFacts.version),
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


def _strikes(earlier_records: Sequence[PastRecord]) -> Iterator[FieldProblem]:
    if not corrections.issued(earlier_records):
        yield _problem("invoiceId", corrections.UNKNOWN_INVOICE)
    elif _annulled(earlier_records):
        yield _problem("invoiceId", corrections.ANNULLED_BEFORE)


def _annulled(earlier_records: Sequence[PastRecord]) -> bool:
    """Return True when the invoice is annulled: at the authority, or by our own last record if that was only kept."""
    return corrections.state_held(earlier_records, reported=earlier_records[-1].reported) is Held.ANNULLED


def _issuer(issuer: Party) -> Iterator[FieldProblem]:
    if tax_ids.spanish(issuer.tax_id or "") is None:
        yield _problem("issuer.taxId", "4116")


def _generator(annulment: Annulment) -> Iterator[FieldProblem]:
    party, by = annulment.generator, annulment.generated_by
    if party is None:
        if by is not IssuedBy.ISSUER:
            yield _problem("generator", "1224")
        return
    if not clean(party.name, parties.NAME_LENGTH):
        yield _problem("generator.name", "1100")
    identity = parties.identity(party)
    code = "1258" if identity is None else _wrong_id(annulment, identity)
    if code is not None:
        yield _problem("generator.taxId", code)


def _wrong_id(annulment: Annulment, identity: parties.Identity) -> str | None:
    """Return the code for an identification that does not go with the role of its owner."""
    by = annulment.generated_by
    if by is IssuedBy.ISSUER:
        return None if identity.id_type is None else "1227"
    if identity.id_type is None:
        return "1259" if identity.number == parties.issuer_nif(annulment.issuer) else None
    if not 1 <= len(clean(identity.number, parties.ID_LENGTH + 1)) <= parties.ID_LENGTH:
        return "1222"
    if by is IssuedBy.THIRD_PARTY and identity.id_type == parties.NOT_REGISTERED:
        return "1229"
    allowed, code = _SPANISH_DOCUMENTS[by]
    return code if identity.country == "ES" and identity.id_type not in allowed else None


def _problem(field: str, code: str) -> FieldProblem:
    return FieldProblem.of(field, code, _MESSAGES[code])
