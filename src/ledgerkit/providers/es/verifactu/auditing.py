"""Audit of stored records: each by itself, and against the one before it.

Codes are those of TipoAnomalia where one fits. Source: Orden HAC/1177/2024, arts. 6.b-f and 7; AEAT, EventosSIF.xsd.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal

from ledgerkit.providers.api import Anomaly, AuditedRecord, ChainLink, FieldProblem, RecordAmounts, Signing
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import stored
from ledgerkit.providers.es.verifactu.blocks import NUMBER, day
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.stored import Link, Stored, UnreadableError
from ledgerkit.texts import Day

AHEAD = timedelta(minutes=1)
"""Longest time by which a record may be dated in the future. Source: Orden HAC/1177/2024 art. 7.h."""

FIRST_DAY = date(2024, 10, 28)
"""First issue date that the authority accepts (rule 1152)."""

FINGERPRINT = re.compile("[0-9A-F]{64}")
_FORBIDDEN = frozenset("\"'<>=")
_SIGNATURE = b"<ds:Signature "
_NOTHING = Decimal(0)

AnomalyKind = Literal["content", "fingerprint", "signature", "link", "order", "date", "gap"]


class VerifactuAuditing:
    """`Auditing` of stored records; `signs` checks the signatures of those that were kept."""

    def __init__(self, signs: Signing | None) -> None:
        self._signs = signs

    def audit(
        self, records: Iterable[AuditedRecord], before: ChainLink | None, now: datetime, head: ChainLink | None = None
    ) -> Iterator[Anomaly]:
        """Yield the anomalies. A damaged record is named itself, its successor for own faults only."""
        sound, at_beginning = True, before is None
        for record in records:
            anomalies = list(self._of_record(record, before, now, first=at_beginning, trusted=sound))
            yield from anomalies
            sound, at_beginning = not any(anomaly.kind in {"content", "fingerprint"} for anomaly in anomalies), False
            before = record.link
        if head is not None:
            yield from _at_end(before, head)

    def amounts(self, content: bytes) -> RecordAmounts:
        stored_record = stored.read(content)
        try:
            tax, gross = (
                Decimal(literal) if literal else _NOTHING
                for literal in (stored_record.tax_total, stored_record.gross_total)
            )
        except InvalidOperation:
            msg = f"{stored_record.tax_total!r} and {stored_record.gross_total!r} are not both amounts"
            raise ValueError(msg) from None
        return RecordAmounts(tax_total=tax, gross_total=gross)

    def continues(self, link: ChainLink, today: date) -> Sequence[FieldProblem]:
        """Check a link. Source: types of RegistroAnterior, and rules 1112, 1130, 1152, 1287."""
        problems: list[FieldProblem] = []
        if tax_ids.spanish(link.issuer_tax_id) != link.issuer_tax_id:
            problems.append(FieldProblem.of("issuer_tax_id", "1123", VerifactuMsg.LINK_ISSUER))
        if not NUMBER.fullmatch(link.number) or link.number != link.number.strip() or _FORBIDDEN & set(link.number):
            problems.append(FieldProblem.of("number", "1175", VerifactuMsg.LINK_NUMBER))
        if link.issue_date > today or link.issue_date < FIRST_DAY:
            first_day = Day(FIRST_DAY)
            problems.append(FieldProblem.of("issue_date", "1174", VerifactuMsg.LINK_ISSUE_DATE, first_day=first_day))
        if not FINGERPRINT.fullmatch(link.fingerprint):
            problems.append(FieldProblem.of("fingerprint", "2003", VerifactuMsg.LINK_FINGERPRINT))
        return problems

    def _of_record(
        self, record: AuditedRecord, before: ChainLink | None, now: datetime, *, first: bool, trusted: bool
    ) -> Iterator[Anomaly]:
        try:
            stored_record = stored.read(record.content)
        except UnreadableError as error:
            yield from _gap(record, before)
            yield _anomaly(record, "content", "03", f"The stored bytes are no record: {error}.")
            yield from self._unsigned(record)
            return
        yield from _gap(record, before)
        unsigned = self._unsigned(record)
        yield from _by_itself(record, stored_record, explained=bool(unsigned))
        yield from unsigned
        yield from _linked(record, stored_record, before, first=first, trusted=trusted)
        yield from _dated(record, stored_record, before, now)

    def _unsigned(self, record: AuditedRecord) -> list[Anomaly]:
        """Check the signature of a record that was kept; one that was reported has none."""
        if not record.signed and _SIGNATURE not in record.content:
            return []
        if self._signs is None:
            return [_anomaly(record, "signature", "02", "Its signature cannot be checked without the signed mode.")]
        anomaly = self._signs.check(record.position, record.content)
        return [] if anomaly is None else [anomaly]


# ---------------------------------------------------------------- one record by itself


def _gap(record: AuditedRecord, before: ChainLink | None) -> Iterator[Anomaly]:
    last_position = before.position if before is not None else 0
    if last_position is None or record.position == last_position + 1:
        return
    if record.position > last_position:
        missing = (
            f"{last_position + 1}"
            if record.position == last_position + 2
            else f"{last_position + 1} to {record.position - 1}"
        )
        yield _anomaly(
            record, "gap", "04", f"The records in front of this one are missing: {missing}.", last_position + 1
        )
    else:
        yield _anomaly(record, "gap", "06", f"A record of a position that is taken follows position {last_position}.")


def _by_itself(record: AuditedRecord, stored_record: Stored, *, explained: bool) -> Iterator[Anomaly]:
    """Check the fingerprint, the columns beside the record, and its bytes as a whole; only the first fault is named.

    `explained`: the signature, which covers all bytes, already shows that they were changed.
    """
    differing = [
        name
        for name, (column_value, record_value) in _columns(record, stored_record).items()
        if column_value != record_value
    ]
    if stored_record.version != "1.0" or stored_record.fingerprint_kind != "01":
        yield _anomaly(record, "content", "90", "It is of a version or kind of fingerprint that does not exist.")
    elif stored_record.recomputed != stored_record.fingerprint:
        yield _anomaly(record, "fingerprint", "01", "Its fingerprint is not that of what it says.")
    elif differing:
        names = ", ".join(differing)
        yield _anomaly(record, "content", "03", f"What is kept beside the record differs from what it says: {names}.")
    elif record.altered and not explained:
        yield _anomaly(record, "content", "03", "Its bytes are not those that were stored when it was made.")


def _columns(record: AuditedRecord, stored_record: Stored) -> dict[str, tuple[object, object]]:
    return {
        "kind": (record.kind, stored_record.kind),
        "issuer": (record.issuer_tax_id, stored_record.issuer),
        "number": (record.number, stored_record.number),
        "issue date": (day(record.issue_date), stored_record.issue_date),
        "fingerprint": (record.fingerprint, stored_record.fingerprint),
        "time": (record.generated_at, _instant(stored_record.generated_at)),
        "installation": (record.installation, stored_record.installation),
    }


# ---------------------------------------------------------------- its place


def _linked(
    record: AuditedRecord, stored_record: Stored, before: ChainLink | None, *, first: bool, trusted: bool
) -> Iterator[Anomaly]:
    previous = stored_record.previous
    if before is None:
        if previous is not None and first and record.position == 1:
            yield _anomaly(record, "link", "15", "It begins the chain, and yet names a record before it.")
        return
    if previous is None:
        yield _anomaly(record, "link", "06", "It says that it is the first record, and is not.")
        return
    if not FINGERPRINT.fullmatch(previous.fingerprint):
        yield _anomaly(record, "link", "09", "The fingerprint that it carries of the record before is none.")
    elif previous.fingerprint != before.fingerprint and trusted:
        yield _anomaly(record, "link", "08", "It carries another fingerprint than that of the record before it.")
    elif previous.fingerprint != before.fingerprint:
        yield replace(
            _anomaly(record, "link", "07", "Its fingerprint is not the one that the next record carries."),
            position=before.position,
        )
    if _identity(previous) != (before.issuer_tax_id, before.number, day(before.issue_date)):
        yield _anomaly(record, "link", "06", "It names another record than the one before it.")


def _identity(link: Link) -> tuple[str, str, str]:
    return link.issuer, link.number, link.issue_date


def _dated(record: AuditedRecord, stored_record: Stored, before: ChainLink | None, now: datetime) -> Iterator[Anomaly]:
    generated_at = _instant(stored_record.generated_at)
    if generated_at is None:
        yield _anomaly(record, "date", "14", "The time of its making is no time with an offset.")
        return
    earlier = before.generated_at if before is not None else None
    if earlier is not None and generated_at < earlier:
        yield _anomaly(record, "order", "11", "It says that it was made earlier than the record before it.")
    if generated_at - now > AHEAD:
        yield _anomaly(record, "date", "13", "It says that it was made later than now.")
    if record.kind == "issue" and record.issue_date > generated_at.date():
        yield _anomaly(record, "date", "14", "Its invoice is dated later than the record was made.")


def _at_end(last: ChainLink | None, head: ChainLink) -> Iterator[Anomaly]:
    """Compare the last record with the chain's head."""
    position = last.position or 0 if last is not None else 0
    head_position = head.position or 0
    if position < head_position:
        missing = f"{head_position}" if position + 1 == head_position else f"{position + 1} to {head_position}"
        text = f"The records at the end are missing: {missing}."
        yield Anomaly(position=position + 1, kind="gap", code="05", message=text)
    elif last is not None and _named(last) != _named(head):
        text = "The head of the chain names another record as the last one."
        yield Anomaly(position=last.position, kind="link", code="10", message=text)


def _named(link: ChainLink) -> tuple[object, ...]:
    return link.issuer_tax_id, link.number, link.issue_date, link.fingerprint, link.position


def _instant(literal: str) -> datetime | None:
    """Return the instant of a literal; None for a time without an offset."""
    try:
        moment = datetime.fromisoformat(literal)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _anomaly(record: AuditedRecord, kind: AnomalyKind, code: str, message: str, position: int | None = None) -> Anomaly:
    return Anomaly(position=position or record.position, kind=kind, code=code, message=message)
