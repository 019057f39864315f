"""What follows from an answer: every kind of refusal and silence, to the end. Pure, so every way can be walked."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.einvoice.outbox import retry_policy
from ledgerkit.core.einvoice.outbox.retry_policy import Trouble
from ledgerkit.providers.api import Blame, Delivery, Outcome, Receipt, State


@dataclass(frozen=True, kw_only=True)
class Sender:
    failures: int = 0
    wait_seconds: int = 60
    batch_limit: int | None = None
    suspect_until: int | None = None
    proven: bool = True


@dataclass(frozen=True, kw_only=True)
class Record:
    position: int = 1
    doubts: int = 0
    aside_until: datetime | None = None


ASIDE = datetime(2026, 11, 20, tzinfo=UTC)
GONE = Delivery(status=500, body=b"")


def records(count, start=1):
    return [Record(position=start + ordinal) for ordinal in range(count)]


def refused(blame, count=1, code="4102"):
    outcome = Outcome(state=State.PENDING, code=code)
    return Receipt(outcomes=(outcome,) * count, fault=f"Codigo[{code}]", blame=blame, code=code)


def said(*states, wait=None):
    return Receipt(outcomes=tuple(Outcome(state=state) for state in states), wait_seconds=wait)


def after(sender, those, receipt, delivery=GONE, **known):
    return retry_policy.decide(sender, those, delivery, receipt, **{"others_aside": False, **known})


def test_an_answer_sets_the_pace_and_proves_the_sender():
    course = after(Sender(failures=3, proven=False), records(2), said(State.ACCEPTED, State.REJECTED, wait=120))

    assert (course.answered, course.proven, course.failures, course.wait_seconds) == (True, True, 0, 120)


def test_an_answer_that_leaves_a_record_open_counts_as_a_failure_too():
    course = after(Sender(failures=1), records(2), said(State.ACCEPTED, State.PENDING, wait=0))

    assert (course.answered, course.failures, course.pause) == (True, 2, timedelta(seconds=4))


def test_an_answer_that_names_no_pause_keeps_the_last_one():
    assert after(Sender(wait_seconds=90), records(1), said(State.ACCEPTED)).wait_seconds == 90


@pytest.mark.parametrize(("asked", "pause"), [(None, 2), (1, 2), (120, 120), (3600, 3600)])
def test_the_server_is_left_alone_as_long_as_it_wants(asked, pause):
    delivery = Delivery(status=429, body=b"", retry_after=asked)

    assert after(Sender(), records(1), said(State.PENDING), delivery).pause == timedelta(seconds=pause)


@pytest.mark.parametrize("failures", [0, 5, 11, 12, 100, 10_000])
def test_pauses_double_and_end_at_an_hour(failures):
    pause = retry_policy.pause_after(failures + 1)

    assert pause == min(timedelta(hours=1), timedelta(seconds=2 * 2 ** min(failures, 20)))


@pytest.mark.parametrize(("blame", "trouble"), [(Blame.SENDER, Trouble.REFUSED), (Blame.BARRED, Trouble.STOPPED)])
def test_what_is_the_senders_fault_blames_no_record(blame, trouble):
    course = after(Sender(failures=7), records(1), refused(blame))

    assert (course.trouble, course.failures) == (trouble, 8)
    assert (course.reject, course.aside, course.doubted) == (False, False, False)


@pytest.mark.parametrize("blame", [Blame.RECORD, Blame.UNCLEAR])
@pytest.mark.parametrize(("count", "half"), [(2, 1), (3, 2), (1000, 500)])
def test_a_message_refused_for_one_of_its_records_is_halved(blame, count, half):
    course = after(Sender(), records(count, start=5), refused(blame, count))

    assert (course.limit, course.suspect_until, course.failures) == (half, 4 + count, 0)


def test_half_of_a_suspect_stretch_that_was_taken_leaves_the_other_half_suspect():
    sender = Sender(batch_limit=4, suspect_until=8)

    first = after(sender, records(4), said(*[State.ACCEPTED] * 4, wait=0))
    second = after(sender, records(4, start=5), said(*[State.ACCEPTED] * 4, wait=0))

    assert (first.limit, first.suspect_until) == (4, 8)
    assert (second.limit, second.suspect_until) == (None, None)


def test_one_refusal_alone_may_be_a_passing_one_a_second_is_the_records_fault():
    first = after(Sender(), [Record(doubts=0)], refused(Blame.RECORD))
    second = after(Sender(failures=1), [Record(doubts=1)], refused(Blame.RECORD))

    assert (first.reject, first.doubted) == (False, True)
    assert (second.reject, second.proven, second.limit) == (True, False, None)


@pytest.mark.parametrize("doubts", [0, 1, 5])
@pytest.mark.parametrize("others_aside", [False, True])
def test_what_the_authority_may_hold_is_not_rejected_before_it_has_said_that_it_does_not(doubts, others_aside):
    known = {"others_aside": others_aside, "perhaps_held": True}

    course = after(Sender(), [Record(doubts=doubts)], refused(Blame.RECORD), **known)

    assert (course.reject, course.doubted, course.proven) == (False, True, True)
    assert course.aside == (doubts > 0 and not others_aside)


def test_a_record_is_not_blamed_while_no_other_of_its_chain_was_ever_taken():
    """The heading may be wrong as well: then every record would be refused, one after the other."""
    unproven = Sender(proven=False)

    first = after(unproven, [Record(doubts=1)], refused(Blame.RECORD))
    next_one = after(unproven, [Record(position=2, doubts=1)], refused(Blame.RECORD), others_aside=True)

    assert (first.reject, first.aside, first.trouble) == (False, True, Trouble.REFUSED)
    assert (next_one.reject, next_one.aside, next_one.trouble) == (False, False, Trouble.REFUSED)


def test_an_aside_record_is_rejected_once_others_were_taken():
    assert after(Sender(), [Record(doubts=5, aside_until=ASIDE)], refused(Blame.RECORD)).reject


def test_a_fault_that_names_nobody_never_rejects_and_lets_one_record_stand_aside():
    doubts = retry_policy.SILENCES_BEFORE_DEFERRAL - 1
    early = after(Sender(), [Record(doubts=doubts - 1)], refused(Blame.UNCLEAR, code="9999"))
    late = after(Sender(), [Record(doubts=doubts)], refused(Blame.UNCLEAR, code="9999"))
    another = after(Sender(), [Record(doubts=doubts)], refused(Blame.UNCLEAR), others_aside=True)
    unproven = after(Sender(proven=False), [Record(doubts=doubts)], refused(Blame.UNCLEAR))

    assert [one.aside for one in (early, late, another, unproven)] == [False, True, False, False]
    assert late.proven is False
    assert not any(one.reject for one in (early, late, another, unproven))


def test_what_stands_aside_delays_nobody_when_it_fails_again():
    course = after(Sender(failures=0), [Record(aside_until=ASIDE)], said(State.UNKNOWN))

    assert (course.aside, course.failures, course.pause) == (True, 0, timedelta())


def test_a_message_that_nobody_answers_is_halved_after_three_times():
    some = records(10)

    assert retry_policy.decide_after_silence(Sender(failures=2), some, others_aside=False) is None
    assert retry_policy.decide_after_silence(Sender(failures=3), some, others_aside=False).limit == 5


BLAMES = st.sampled_from([*Blame, None])
SENDERS = st.builds(Sender, failures=st.integers(0, 50), proven=st.booleans())
ALONE = st.builds(Record, doubts=st.integers(0, 30), aside_until=st.sampled_from([None, ASIDE]))


@given(SENDERS, ALONE, BLAMES, st.booleans())
def test_whatever_comes_a_lone_record_is_tried_again_within_the_hour_or_given_up_with_reason(
    sender, record, blame, others
):
    receipt = said(State.UNKNOWN) if blame is None else refused(blame)

    course = after(sender, [record], receipt, others_aside=others)

    assert course.pause <= retry_policy.LONGEST_PAUSE
    assert not course.reject or (blame is Blame.RECORD and sender.proven and record.doubts >= 1)


@given(SENDERS, st.integers(2, 1000), BLAMES)
def test_whatever_comes_several_records_are_never_given_up_and_go_in_fewer_at_a_time(sender, count, blame):
    receipt = said(*[State.UNKNOWN] * count) if blame is None else refused(blame, count)

    course = after(sender, records(count), receipt)

    assert course.pause <= retry_policy.LONGEST_PAUSE
    assert (course.reject, course.aside) == (False, False)
    assert course.limit is None or course.limit < count


def test_a_record_stands_aside_twice_as_long_each_time_and_an_hour_at_most():
    pauses = [retry_policy.deferral(doubts) for doubts in range(1, 14)]

    assert pauses[:3] == [timedelta(seconds=4), timedelta(seconds=8), timedelta(seconds=16)]
    assert pauses[10:] == [timedelta(hours=1)] * 3
