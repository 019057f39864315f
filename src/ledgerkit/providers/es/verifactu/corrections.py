"""Flags of a correcting record: Subsanacion, RechazoPrevio and SinRegistroPrevio, from what happened so far.

The choice follows what the authority holds of the invoice, not what became of the last attempt: an amendment of an
invoice that it does not hold is refused (3002), and so is a first record of one that it holds (3000).
Source: AEAT, record design 1.0 and web service description 1.0.3, sections on corrections and annulments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Literal

from ledgerkit.providers.api import PastRecord, State

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

    def said(self) -> dict[str, str]:
        """The elements of the record that say so, in its words."""
        marks = {
            "Subsanacion": "S" if self.amendment else None,
            "RechazoPrevio": self.rejection,
            "SinRegistroPrevio": "S" if self.without_previous else None,
        }
        return {name: value for name, value in marks.items() if value is not None}


FIRST = Flags()


def choose(wish: Wish, past: Sequence[PastRecord], *, reported: bool = True) -> Flags:
    """The flags of the next record of an invoice with the earlier records `past`, oldest first.

    Whatever the history, the authority admits the record provided that it takes those that are on their way.
    `reported` is False where records are kept instead of being sent (NO VERI*FACTU): there, what was made counts.
    """
    if not reported:
        return Flags(amendment=wish == "issue" and _issued(past))
    known = held(past)
    if wish == "annul":
        return Flags(without_previous=known is Held.NOTHING, rejection="S" if _refused("annul", past) else None)
    if known is not Held.NOTHING:
        return Flags(amendment=True, rejection="S" if _refused("issue", past) else None)
    return Flags(amendment=True, rejection="X") if _issued(past) else FIRST


def held(past: Sequence[PastRecord], *, reported: bool = True) -> Held:
    """Return the state once the authority has taken all records that are pending or of unknown outcome.

    It never had a record that was only kept. With `reported` False: what our own store says of the invoice.
    """
    return next((state for one in reversed(past) if (state := _after(one, reported=reported))), Held.NOTHING)


def _after(one: PastRecord, *, reported: bool = True) -> Held | None:
    """State after this record; None when it changed nothing and its answer tells nothing."""
    own = Held.ISSUED if one.kind == "issue" else Held.ANNULLED
    if not reported:
        return own
    if not one.reported:
        return None
    if one.state is State.ANNULLED:
        return Held.ANNULLED
    return _learned(one.code) if one.state is State.REJECTED else own


def _learned(code: str | None) -> Held | None:
    """State that a refusal reveals. A duplicate may be annulled too: what may follow is the same."""
    return {DUPLICATE: Held.ISSUED, ANNULLED_BEFORE: Held.ANNULLED, UNKNOWN_INVOICE: Held.NOTHING}.get(code or "")


def _issued(past: Sequence[PastRecord]) -> bool:
    return any(one.kind == "issue" for one in past)


def _refused(kind: Wish, past: Sequence[PastRecord]) -> bool:
    """Return True when a record of this kind was refused since the authority last took one."""
    return any(one.kind == kind for one in _refused_lately(past))


def _refused_lately(past: Sequence[PastRecord]) -> Iterator[PastRecord]:
    sent = (one for one in reversed(past) if one.reported)
    return takewhile(lambda one: one.state is State.REJECTED, sent)
