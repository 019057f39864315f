"""Flags of a correcting record: Subsanacion, RechazoPrevio and SinRegistroPrevio, from the records before it.

The choice follows what the authority holds of the invoice, not what became of the last attempt: an amendment of an
invoice that it does not hold is refused (3002), and so is a first record of one that it holds (3000). What somebody
else reported under the number counts as nothing: a record that takes it for nothing is refused and changes nothing.
Source: AEAT, record design 1.0 and web service description 1.0.3, sections on corrections and annulments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Literal

from ledgerkit.providers.api import NUMBER_TAKEN, PastRecord, State

Wish = Literal["issue", "annul"]

DUPLICATE, ANNULLED_BEFORE, UNKNOWN_INVOICE = "3000", "3001", "3002"


class Held(StrEnum):
    """State of an invoice at the authority, which keeps one per invoice: that of the last record it took."""

    NOTHING = "nothing"
    ISSUED = "issued"
    ANNULLED = "annulled"


@dataclass(frozen=True, kw_only=True)
class Flags:
    """Flags by which a record refers to earlier ones; the defaults refer to none.

    `amendment` is Subsanacion (only RegistroAlta), `rejection` RechazoPrevio (X only there), `without_previous`
    SinRegistroPrevio (only RegistroAnulacion).
    """

    amendment: bool = False
    rejection: Literal["S", "X"] | None = None
    without_previous: bool = False

    def elements(self) -> dict[str, str]:
        """Return the record's elements that carry these flags, with their literals."""
        marks = {
            "Subsanacion": "S" if self.amendment else None,
            "RechazoPrevio": self.rejection,
            "SinRegistroPrevio": "S" if self.without_previous else None,
        }
        return {name: value for name, value in marks.items() if value is not None}


FIRST = Flags()


def choose(wish: Wish, earlier_records: Sequence[PastRecord], *, reported: bool = True) -> Flags:
    """Return the flags of an invoice's next record. `earlier_records` are its records so far, oldest first.

    Whatever the history, the authority admits the record provided that it takes those that are on their way.
    `reported` is False where records are kept instead of being sent (NO VERI*FACTU): there, what was made counts.
    """
    if not reported:
        return Flags(amendment=wish == "issue" and issued(earlier_records))
    held_state = state_held(earlier_records)
    if wish == "annul":
        return Flags(
            without_previous=held_state is Held.NOTHING, rejection="S" if _refused("annul", earlier_records) else None
        )
    if held_state is not Held.NOTHING:
        return Flags(amendment=True, rejection="S" if _refused("issue", earlier_records) else None)
    return Flags(amendment=True, rejection="X") if issued(earlier_records) else FIRST


def state_held(earlier_records: Sequence[PastRecord], *, reported: bool = True) -> Held:
    """Return the state once the authority has taken all records that are pending or of unknown outcome.

    It never had a record that was only kept. With `reported` False: what our own store says of the invoice.
    """
    return next(
        (state for earlier_record in reversed(earlier_records) if (state := _after(earlier_record, reported=reported))),
        Held.NOTHING,
    )


def _after(record: PastRecord, *, reported: bool = True) -> Held | None:
    """State after this record; None when it changed nothing and its answer tells nothing."""
    intended_state = Held.ISSUED if record.kind == "issue" else Held.ANNULLED
    if not reported:
        return intended_state
    if not record.reported:
        return None
    if record.state is State.ANNULLED:
        return Held.ANNULLED
    if record.to_replace:
        return Held.ISSUED
    return _learned(record.code) if record.state is State.REJECTED else intended_state


def _learned(code: str | None) -> Held | None:
    """Return the state that a refusal reveals. A duplicate may be annulled too: what may follow is the same."""
    held_after = {
        DUPLICATE: Held.ISSUED,
        ANNULLED_BEFORE: Held.ANNULLED,
        UNKNOWN_INVOICE: Held.NOTHING,
        NUMBER_TAKEN: Held.NOTHING,
    }
    return held_after.get(code or "")


def issued(earlier_records: Sequence[PastRecord]) -> bool:
    """Return True where an earlier record issues the document."""
    return any(earlier_record.kind == "issue" for earlier_record in earlier_records)


def _refused(kind: Wish, earlier_records: Sequence[PastRecord]) -> bool:
    """Return True when a record of this kind was refused since the authority last took one."""
    return any(record.kind == kind for record in _refused_lately(earlier_records))


def _refused_lately(earlier_records: Sequence[PastRecord]) -> Iterator[PastRecord]:
    sent = (record for record in reversed(earlier_records) if record.reported)
    return takewhile(lambda record: record.state is State.REJECTED, sent)
