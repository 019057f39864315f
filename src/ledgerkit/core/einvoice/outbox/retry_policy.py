"""Retry policy: the meaning of an answer for a message's records and for the chain's next message. Pure functions.

One bad record must not hold up the others. A message that is refused because of one of its records is halved until that
record is alone. If the record is refused again, it is rejected, provided that the authority has accepted others of its
chain. While it has accepted none, the fault may be the sender's: then the record is deferred while the next one is
tried. Nothing else changes the order of a chain. A fault that concerns no record makes the whole chain wait, at most an
hour at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from ledgerkit.core.einvoice.outbox.table import OpenRecordRow, SenderRow
from ledgerkit.providers.api import NUMBER_TAKEN, Blame, Delivery, Outcome, Receipt, State

FIRST_PAUSE = timedelta(seconds=2)
LONGEST_PAUSE = timedelta(hours=1)
"""Longest pause between two attempts. Source: Orden HAC/1177/2024 art. 16.4, at least hourly."""

LATE_AFTER = timedelta(seconds=240)
"""A record sent later than this after it was made is marked as late. Source: Orden HAC/1177/2024 art. 16.4."""

REFUSALS_BEFORE_REJECTION = 2
"""Refusals of a message with one record after which the fault is the record's, and not a passing one."""

SILENCES_BEFORE_DEFERRAL = 11
"""Unanswered messages with one record, while questions are answered, before it is deferred: about an hour of pauses."""

FAILURES_BEFORE_HALVING = 3
"""Consecutive failures of a message with several records, without an answer, before it is halved."""

AWAITING_ANSWER = frozenset({State.PENDING, State.UNKNOWN})


class Trouble(StrEnum):
    """Kinds of incidents that people are notified of."""

    DELAYED = "delayed"
    REFUSED = "refused"
    STOPPED = "stopped"
    CLOCK = "clock"
    CHAIN = "chain"
    RENEWED = "renewed"
    LOST_NUMBERS = "lost_numbers"
    SERIES_RENAMED = "series_renamed"


_TROUBLE_OF_CHAIN = {Blame.SENDER: Trouble.REFUSED, Blame.BARRED: Trouble.STOPPED}
"""Faults that lie with no record, each with the incident that it begins."""


@dataclass(frozen=True, kw_only=True)
class RetryDecision:
    """Decision about a message's records and about the chain's next message.

    `failures`: consecutive failures from now on. `pause` and `wait_seconds` (the authority's own pause) count from now.
    `answered`: the authority has judged records, so chain and sender are sound. `reject`, `defer`, `count_doubt` and
    `count_refusal` are about the message's only record. `batch_limit`, `suspect_until` and `proven` go into the
    sender's row.
    """

    failures: int
    pause: timedelta
    wait_seconds: int
    answered: bool = False
    reject: bool = False
    defer: bool = False
    count_doubt: bool = False
    count_refusal: bool = False
    batch_limit: int | None = None
    suspect_until: int | None = None
    proven: bool = False
    trouble: Trouble | None = None


def decide(
    sender: SenderRow,
    records: Sequence[OpenRecordRow],
    delivery: Delivery,
    receipt: Receipt,
    *,
    others_deferred: bool,
    perhaps_held: bool = False,
) -> RetryDecision:
    """Decide what follows from the authority's answer, or from its absence, to a message with these records.

    `others_deferred`: some record of the chain is already deferred, for an unknown cause. `perhaps_held`: an earlier
    answer to the only record was lost, and the authority has not said that it does not have the record.
    """
    retry_after = timedelta(seconds=delivery.retry_after or 0)
    if _has_answered(receipt):
        return _after_answer(sender, records, receipt)
    if receipt.blame in _TROUBLE_OF_CHAIN:
        return _wait(sender, retry_after, trouble=_TROUBLE_OF_CHAIN[receipt.blame])
    if receipt.blame is None:
        return _wait(sender, retry_after, defer=_is_deferred(records))
    if len(records) > 1:
        return _halve(sender, records, retry_after)
    if receipt.blame is Blame.RECORD:
        return _after_refusal(
            sender, records[0], retry_after, others_deferred=others_deferred, perhaps_held=perhaps_held
        )
    return _after_no_answer(sender, records[0], retry_after, others_deferred=others_deferred)


def decide_after_silence(
    sender: SenderRow, records: Sequence[OpenRecordRow], *, others_deferred: bool
) -> RetryDecision | None:
    """Decide about a message without a readable answer, when the authority says that it has none of its records.

    None means that the message is sent again as it is.
    """
    if len(records) > 1:
        return _halve(sender, records, timedelta()) if sender.failures >= FAILURES_BEFORE_HALVING else None
    return _after_no_answer(sender, records[0], timedelta(), others_deferred=others_deferred)


def pause_after(failures: int) -> timedelta:
    """Return the pause after consecutive failures: 2 seconds, doubled each time, at most an hour; zero for none."""
    if not failures:
        return timedelta()
    factor: int = 1 << min(failures - 1, 12)
    return min(LONGEST_PAUSE, FIRST_PAUSE * factor)


def deferral(doubts: int) -> timedelta:
    """Return the time for which a record is deferred: doubled with each doubt, at most an hour."""
    return pause_after(doubts + 1)


def _has_answered(receipt: Receipt) -> bool:
    final = any(outcome.state not in AWAITING_ANSWER for outcome in receipt.outcomes)
    return receipt.wait_seconds is not None or final


def _is_deferred(records: Sequence[OpenRecordRow]) -> bool:
    return len(records) == 1 and records[0].aside_until is not None


def _after_answer(sender: SenderRow, records: Sequence[OpenRecordRow], receipt: Receipt) -> RetryDecision:
    some_open = any(map(_stays_open, records, receipt.outcomes))
    failures = sender.failures + 1 if some_open else 0
    wait_seconds = sender.wait_seconds if receipt.wait_seconds is None else receipt.wait_seconds
    is_past_suspect = sender.suspect_until is None or records[-1].position >= sender.suspect_until
    return RetryDecision(
        answered=True,
        failures=failures,
        pause=pause_after(failures),
        wait_seconds=wait_seconds,
        batch_limit=None if is_past_suspect else sender.batch_limit,
        suspect_until=None if is_past_suspect else sender.suspect_until,
        proven=True,
    )


def _stays_open(record: OpenRecordRow, outcome: Outcome) -> bool:
    """Return True when a record waits on: also one whose number is said to be taken again, since asking has failed."""
    if outcome.duplicate or outcome.struck_out:
        return record.code == NUMBER_TAKEN
    return outcome.state in AWAITING_ANSWER


def _wait(
    sender: SenderRow,
    retry_after: timedelta,
    *,
    defer: bool = False,
    count_doubt: bool = False,
    trouble: Trouble | None = None,
) -> RetryDecision:
    """Make the chain wait, or with `defer` its only record alone."""
    failures = sender.failures if defer else sender.failures + 1
    return RetryDecision(
        failures=failures,
        pause=max(retry_after, pause_after(failures)),
        wait_seconds=sender.wait_seconds,
        defer=defer,
        count_doubt=count_doubt,
        batch_limit=sender.batch_limit,
        suspect_until=sender.suspect_until,
        proven=sender.proven,
        trouble=trouble,
    )


def _halve(sender: SenderRow, records: Sequence[OpenRecordRow], retry_after: timedelta) -> RetryDecision:
    return RetryDecision(
        failures=sender.failures,
        pause=max(retry_after, FIRST_PAUSE),
        wait_seconds=sender.wait_seconds,
        batch_limit=(len(records) + 1) // 2,
        suspect_until=max(records[-1].position, sender.suspect_until or 0),
        proven=sender.proven,
    )


def _after_refusal(
    sender: SenderRow, record: OpenRecordRow, retry_after: timedelta, *, others_deferred: bool, perhaps_held: bool
) -> RetryDecision:
    """Decide about a message that was refused for its only record.

    A record that the authority may hold is not rejected: it waits, and each time the authority is asked for it first.
    Silence counts for nothing here: what did not arrive was not refused.
    """
    if record.refusals + 1 < REFUSALS_BEFORE_REJECTION:
        return replace(_wait(sender, retry_after, count_doubt=True), count_refusal=True)
    if sender.proven and not perhaps_held:
        pause = max(retry_after, FIRST_PAUSE)
        return RetryDecision(failures=0, pause=pause, wait_seconds=sender.wait_seconds, reject=True)
    defer = _is_deferred([record]) or not others_deferred
    trouble = None if sender.proven else Trouble.REFUSED
    return replace(_wait(sender, retry_after, count_doubt=True, defer=defer, trouble=trouble), count_refusal=True)


def _after_no_answer(
    sender: SenderRow, record: OpenRecordRow, retry_after: timedelta, *, others_deferred: bool
) -> RetryDecision:
    """Decide about a message with one record to which no readable answer came."""
    if _is_deferred([record]):
        return _wait(sender, retry_after, count_doubt=True, defer=True)
    if record.doubts + 1 < SILENCES_BEFORE_DEFERRAL or others_deferred or not sender.proven:
        return _wait(sender, retry_after, count_doubt=True)
    decision = _wait(sender, retry_after, count_doubt=True, defer=True)
    return replace(decision, proven=False, batch_limit=None, suspect_until=None)
