"""Decisions after an answer: every kind of refusal and silence, to the end. Pure, so every way can be walked."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.einvoice.outbox import retry_policy
from ledgerkit.core.einvoice.outbox.retry_policy import Trouble
from ledgerkit.core.einvoice.outbox.table import OpenRecordRow, SenderRow
from ledgerkit.providers.api import Blame, Delivery, Outcome, Receipt, State
from support.rows import row

DEFERRED = datetime(2026, 11, 20, tzinfo=UTC)
SERVER_ERROR = Delivery(status=500, body=b"")


def sender_row(failures=0, wait_seconds=60, batch_limit=None, suspect_until=None, *, proven=True) -> SenderRow:
    return row(
        SenderRow,
        failures=failures,
        wait_seconds=wait_seconds,
        batch_limit=batch_limit,
        suspect_until=suspect_until,
        proven=proven,
    )


def open_record(position=1, doubts=0, refusals=0, aside_until=None) -> OpenRecordRow:
    return row(OpenRecordRow, position=position, doubts=doubts, refusals=refusals, aside_until=aside_until)


def records(count, start=1):
    return [open_record(position=start + ordinal) for ordinal in range(count)]


def refused(blame, count=1, code="4102"):
    outcome = Outcome(state=State.PENDING, code=code)
    return Receipt(outcomes=(outcome,) * count, fault=f"Codigo[{code}]", blame=blame, code=code)


def receipt_of(*states, wait=None):
    return Receipt(outcomes=tuple(Outcome(state=state) for state in states), wait_seconds=wait)


def decide(sender, message, receipt, delivery=SERVER_ERROR, **circumstances):
    return retry_policy.decide(sender, message, delivery, receipt, **{"others_deferred": False, **circumstances})


def test_an_answer_sets_the_pace_and_proves_the_sender():
    decision = decide(
        sender_row(failures=3, proven=False), records(2), receipt_of(State.ACCEPTED, State.REJECTED, wait=120)
    )

    assert (decision.answered, decision.proven, decision.failures, decision.wait_seconds) == (True, True, 0, 120)


def test_an_answer_that_leaves_a_record_open_counts_as_a_failure_too():
    decision = decide(sender_row(failures=1), records(2), receipt_of(State.ACCEPTED, State.PENDING, wait=0))

    assert (decision.answered, decision.failures, decision.pause) == (True, 2, timedelta(seconds=4))


def test_an_answer_that_names_no_pause_keeps_the_last_one():
    assert decide(sender_row(wait_seconds=90), records(1), receipt_of(State.ACCEPTED)).wait_seconds == 90


@pytest.mark.parametrize(("asked", "pause"), [(None, 2), (1, 2), (120, 120), (3600, 3600)])
def test_the_pause_is_at_least_the_one_that_the_server_asked_for(asked, pause):
    delivery = Delivery(status=429, body=b"", retry_after=asked)

    assert decide(sender_row(), records(1), receipt_of(State.PENDING), delivery).pause == timedelta(seconds=pause)


@pytest.mark.parametrize("failures", [0, 5, 11, 12, 100, 10_000])
def test_pauses_double_and_end_at_an_hour(failures):
    pause = retry_policy.pause_after(failures + 1)

    assert pause == min(timedelta(hours=1), timedelta(seconds=2 * 2 ** min(failures, 20)))


@pytest.mark.parametrize(("blame", "trouble"), [(Blame.SENDER, Trouble.REFUSED), (Blame.BARRED, Trouble.STOPPED)])
def test_a_fault_of_the_sender_blames_no_record(blame, trouble):
    decision = decide(sender_row(failures=7), records(1), refused(blame))

    assert (decision.trouble, decision.failures) == (trouble, 8)
    assert (decision.reject, decision.defer, decision.count_doubt) == (False, False, False)


@pytest.mark.parametrize("blame", [Blame.RECORD, Blame.UNCLEAR])
@pytest.mark.parametrize(("count", "half"), [(2, 1), (3, 2), (1000, 500)])
def test_a_message_refused_for_one_of_its_records_is_halved(blame, count, half):
    decision = decide(sender_row(), records(count, start=5), refused(blame, count))

    assert (decision.batch_limit, decision.suspect_until, decision.failures) == (half, 4 + count, 0)


def test_an_accepted_half_of_a_suspect_stretch_leaves_the_other_half_suspect():
    sender = sender_row(batch_limit=4, suspect_until=8)

    first = decide(sender, records(4), receipt_of(*[State.ACCEPTED] * 4, wait=0))
    second = decide(sender, records(4, start=5), receipt_of(*[State.ACCEPTED] * 4, wait=0))

    assert (first.batch_limit, first.suspect_until) == (4, 8)
    assert (second.batch_limit, second.suspect_until) == (None, None)


def test_one_refusal_alone_may_be_a_passing_one_a_second_is_the_records_fault():
    first = decide(sender_row(), [open_record(doubts=0)], refused(Blame.RECORD))
    second = decide(sender_row(failures=1), [open_record(doubts=1, refusals=1)], refused(Blame.RECORD))

    assert (first.reject, first.count_doubt, first.count_refusal) == (False, True, True)
    assert (second.reject, second.proven, second.batch_limit) == (True, False, None)


def test_silence_is_no_refusal():
    """A message that never arrived, and then one passing fault: the record has been refused once."""
    silent = decide(sender_row(), [open_record()], receipt_of(State.UNKNOWN))
    decision = decide(sender_row(failures=1), [open_record(doubts=1)], refused(Blame.RECORD))

    assert (silent.count_refusal, decision.reject, decision.count_refusal) == (False, False, True)


@pytest.mark.parametrize("refusals", [0, 1, 5])
@pytest.mark.parametrize("others_deferred", [False, True])
def test_a_record_that_the_authority_may_hold_is_not_rejected_before_it_denies_holding_it(refusals, others_deferred):
    circumstances = {"others_deferred": others_deferred, "perhaps_held": True}

    decision = decide(sender_row(), [open_record(refusals=refusals)], refused(Blame.RECORD), **circumstances)

    assert (decision.reject, decision.count_doubt, decision.proven) == (False, True, True)
    assert decision.defer == (refusals > 0 and not others_deferred)


def test_a_record_is_not_blamed_while_no_other_of_its_chain_was_ever_accepted():
    """The heading may be wrong as well: then every record would be refused, one after the other."""
    unproven = sender_row(proven=False)

    first = decide(unproven, [open_record(refusals=1)], refused(Blame.RECORD))
    next_one = decide(unproven, [open_record(position=2, refusals=1)], refused(Blame.RECORD), others_deferred=True)

    assert (first.reject, first.defer, first.trouble) == (False, True, Trouble.REFUSED)
    assert (next_one.reject, next_one.defer, next_one.trouble) == (False, False, Trouble.REFUSED)


def test_a_deferred_record_is_rejected_once_others_were_accepted():
    assert decide(sender_row(), [open_record(doubts=5, refusals=4, aside_until=DEFERRED)], refused(Blame.RECORD)).reject


def test_an_unclear_fault_never_rejects_and_defers_one_record():
    doubts = retry_policy.SILENCES_BEFORE_DEFERRAL - 1
    early = decide(sender_row(), [open_record(doubts=doubts - 1)], refused(Blame.UNCLEAR, code="9999"))
    late = decide(sender_row(), [open_record(doubts=doubts)], refused(Blame.UNCLEAR, code="9999"))
    another = decide(sender_row(), [open_record(doubts=doubts)], refused(Blame.UNCLEAR), others_deferred=True)
    unproven = decide(sender_row(proven=False), [open_record(doubts=doubts)], refused(Blame.UNCLEAR))

    assert [one.defer for one in (early, late, another, unproven)] == [False, True, False, False]
    assert late.proven is False
    assert not any(one.reject for one in (early, late, another, unproven))


def test_a_deferred_record_delays_no_other_when_it_fails_again():
    decision = decide(sender_row(failures=0), [open_record(aside_until=DEFERRED)], receipt_of(State.UNKNOWN))

    assert (decision.defer, decision.failures, decision.pause) == (True, 0, timedelta())


def test_an_unanswered_message_is_halved_after_three_failures():
    message = records(10)

    assert retry_policy.decide_after_silence(sender_row(failures=2), message, others_deferred=False) is None
    assert retry_policy.decide_after_silence(sender_row(failures=3), message, others_deferred=False).batch_limit == 5


BLAMES = st.sampled_from([*Blame, None])
SENDERS = st.builds(sender_row, failures=st.integers(0, 50), proven=st.booleans())
ALONE = st.builds(
    open_record, doubts=st.integers(0, 30), refusals=st.integers(0, 3), aside_until=st.sampled_from([None, DEFERRED])
)


@given(SENDERS, ALONE, BLAMES, st.booleans())
def test_after_any_answer_a_lone_record_is_retried_within_the_hour_or_rejected_with_reason(
    sender, record, blame, others
):
    receipt = receipt_of(State.UNKNOWN) if blame is None else refused(blame)

    decision = decide(sender, [record], receipt, others_deferred=others)

    assert decision.pause <= retry_policy.LONGEST_PAUSE
    assert not decision.reject or (blame is Blame.RECORD and sender.proven and record.refusals >= 1)


@given(SENDERS, st.integers(2, 1000), BLAMES)
def test_after_any_answer_several_records_are_never_rejected_and_go_in_smaller_messages(sender, count, blame):
    receipt = receipt_of(*[State.UNKNOWN] * count) if blame is None else refused(blame, count)

    decision = decide(sender, records(count), receipt)

    assert decision.pause <= retry_policy.LONGEST_PAUSE
    assert (decision.reject, decision.defer) == (False, False)
    assert decision.batch_limit is None or decision.batch_limit < count


def test_each_deferral_is_twice_as_long_and_an_hour_at_most():
    pauses = [retry_policy.deferral(doubts) for doubts in range(1, 14)]

    assert pauses[:3] == [timedelta(seconds=4), timedelta(seconds=8), timedelta(seconds=16)]
    assert pauses[10:] == [timedelta(hours=1)] * 3
