"""What follows from the answer to a message, for its records and for the chain's next message. Pure.

One bad record must not keep the others: a message refused for one of its records is halved until that record is
alone. It is rejected when it is refused again and others of its chain are taken; as long as no other was, nobody
knows whether it is the record or the sender, and it stands aside while the next one is tried. Nothing else changes
the order of a chain. What no record is to blame for keeps the chain waiting, at most an hour at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from ledgerkit.providers.api import Blame, Delivery, Receipt, State

FIRST_PAUSE = timedelta(seconds=2)
LONGEST_PAUSE = timedelta(hours=1)
"""Sending is tried again at least hourly. Source: Orden HAC/1177/2024 art. 16.4."""

LATE_AFTER = timedelta(seconds=240)
"""A record sent later than this after its making is marked late. Source: Orden HAC/1177/2024 art. 16.4."""

REFUSALS_BEFORE_REJECTION = 2
"""So often a record alone must be refused by the authority before it is its fault and not a passing one."""

SILENCES_BEFORE_DEFERRAL = 11
"""So often a record alone must go unanswered, while questions are answered, before others go first: by the pauses,
about an hour."""

FAILURES_BEFORE_HALVING = 3
"""So often a message of several records must go unanswered before it is halved."""

AWAITING_ANSWER = frozenset({State.PENDING, State.UNKNOWN})


class Trouble(StrEnum):
    """What people are told of, while it lasts."""

    DELAYED = "delayed"
    REFUSED = "refused"
    STOPPED = "stopped"
    CLOCK = "clock"
    CHAIN = "chain"
    RENEWED = "renewed"


_NO_RECORDS = {Blame.SENDER: Trouble.REFUSED, Blame.BARRED: Trouble.STOPPED}
"""What no record is to blame for."""


@dataclass(frozen=True, kw_only=True)
class RetryDecision:
    """`reject` and `aside` are about the only record of the message; `pause` and `wait_seconds` from now.

    `answered`: the authority has judged records, so chain and sender are sound.
    """

    failures: int
    pause: timedelta
    wait_seconds: int
    answered: bool = False
    reject: bool = False
    aside: bool = False
    doubted: bool = False
    limit: int | None = None
    suspect_until: int | None = None
    proven: bool = False
    trouble: Trouble | None = None


def decide(
    sender: Any,
    records: Sequence[Any],
    delivery: Delivery,
    receipt: Receipt,
    *,
    others_aside: bool,
    perhaps_held: bool = False,
) -> RetryDecision:
    """What to do next. `sender` is the chain's row; `others_aside`: some record stands aside already, unexplained.

    `perhaps_held`: an earlier answer to the only record was lost, and the authority has not said that it has none.
    """
    retry = timedelta(seconds=delivery.retry_after or 0)
    if _answered(receipt):
        return _after_answer(sender, records, receipt)
    if receipt.blame in _NO_RECORDS:
        return _waiting(sender, retry, trouble=_NO_RECORDS[receipt.blame])
    if receipt.blame is None:
        return _waiting(sender, retry, aside=_stands_aside(records))
    if len(records) > 1:
        return _halved(sender, records, retry)
    if receipt.blame is Blame.RECORD:
        return _refused_alone(sender, records[0], retry, others_aside=others_aside, perhaps_held=perhaps_held)
    return _silent(sender, records[0], retry, others_aside=others_aside)


def decide_after_silence(sender: Any, records: Sequence[Any], *, others_aside: bool) -> RetryDecision | None:
    """The authority answers questions, holds none of these records, and gave no readable answer to their message."""
    if len(records) > 1:
        return _halved(sender, records, timedelta()) if sender.failures >= FAILURES_BEFORE_HALVING else None
    return _silent(sender, records[0], timedelta(), others_aside=others_aside)


def pause_after(failures: int) -> timedelta:
    """Two seconds after the first failure, doubling, an hour at most; none after a success."""
    if not failures:
        return timedelta()
    doubled: int = 1 << min(failures - 1, 12)
    return min(LONGEST_PAUSE, FIRST_PAUSE * doubled)


def deferral(doubts: int) -> timedelta:
    """How long a record of so many doubts lets the others go first: twice as long each time, an hour at most."""
    return pause_after(doubts + 1)


def _answered(receipt: Receipt) -> bool:
    return receipt.wait_seconds is not None or any(outcome.state not in AWAITING_ANSWER for outcome in receipt.outcomes)


def _stands_aside(records: Sequence[Any]) -> bool:
    return len(records) == 1 and records[0].aside_until is not None


def _after_answer(sender: Any, records: Sequence[Any], receipt: Receipt) -> RetryDecision:
    some_open = any(outcome.state in AWAITING_ANSWER for outcome in receipt.outcomes)
    failures = sender.failures + 1 if some_open else 0
    wait = sender.wait_seconds if receipt.wait_seconds is None else receipt.wait_seconds
    past = sender.suspect_until is None or records[-1].position >= sender.suspect_until
    return RetryDecision(
        answered=True,
        failures=failures,
        pause=pause_after(failures),
        wait_seconds=wait,
        limit=None if past else sender.batch_limit,
        suspect_until=None if past else sender.suspect_until,
        proven=True,
    )


def _waiting(sender: Any, retry: timedelta, **more: Any) -> RetryDecision:
    """The chain waits; a record that stands aside waits alone."""
    failures = sender.failures if more.get("aside") else sender.failures + 1
    more = {"limit": sender.batch_limit, "suspect_until": sender.suspect_until, "proven": sender.proven} | more
    pause = max(retry, pause_after(failures))
    return RetryDecision(failures=failures, pause=pause, wait_seconds=sender.wait_seconds, **more)


def _halved(sender: Any, records: Sequence[Any], retry: timedelta) -> RetryDecision:
    until = max(records[-1].position, sender.suspect_until or 0)
    return RetryDecision(
        failures=sender.failures,
        pause=max(retry, FIRST_PAUSE),
        wait_seconds=sender.wait_seconds,
        limit=(len(records) + 1) // 2,
        suspect_until=until,
        proven=sender.proven,
    )


def _refused_alone(
    sender: Any, record: Any, retry: timedelta, *, others_aside: bool, perhaps_held: bool
) -> RetryDecision:
    """What may be held is no rejected record: it waits, and is asked for each time before it is sent again."""
    if record.doubts + 1 < REFUSALS_BEFORE_REJECTION:
        return _waiting(sender, retry, doubted=True)
    if sender.proven and not perhaps_held:
        return RetryDecision(failures=0, pause=max(retry, FIRST_PAUSE), wait_seconds=sender.wait_seconds, reject=True)
    aside = _stands_aside([record]) or not others_aside
    return _waiting(sender, retry, doubted=True, aside=aside, trouble=None if sender.proven else Trouble.REFUSED)


def _silent(sender: Any, record: Any, retry: timedelta, *, others_aside: bool) -> RetryDecision:
    if _stands_aside([record]):
        return _waiting(sender, retry, doubted=True, aside=True)
    if record.doubts + 1 < SILENCES_BEFORE_DEFERRAL or others_aside or not sender.proven:
        return _waiting(sender, retry, doubted=True)
    return _waiting(sender, retry, doubted=True, aside=True, proven=False, limit=None, suspect_until=None)
