"""Flags of corrections, cell by cell of both tables, and against a model of what the authority admits."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledgerkit.providers.api import NUMBER_TAKEN, PastRecord, State
from ledgerkit.providers.es.verifactu.corrections import Flags, Held, choose, state_held
from support.sampling import examples


def issue(state=State.ACCEPTED, code=None, **more):
    return PastRecord(kind="issue", state=state, code=code, **more)


def annul(state=State.ACCEPTED, code=None, **more):
    return PastRecord(kind="annul", state=state, code=code, **more)


REJECTED, WITH_ERRORS = State.REJECTED, State.ACCEPTED_WITH_ERRORS
TAKEN = NUMBER_TAKEN
PENDING, UNKNOWN = State.PENDING, State.UNKNOWN
KEPT = issue(PENDING, reported=False)
PLAIN = Flags()
AMENDED = Flags(amendment=True)
AMENDED_AGAIN = Flags(amendment=True, rejection="S")
NEVER_HELD = Flags(amendment=True, rejection="X")
AGAIN = Flags(rejection="S")
WITHOUT = Flags(without_previous=True)
WITHOUT_AGAIN = Flags(without_previous=True, rejection="S")

SITUATIONS = {
    "nothing was ever recorded": ([], PLAIN),
    "wrong data, accepted": ([issue()], AMENDED),
    "accepted with errors": ([issue(WITH_ERRORS, "2005")], AMENDED),
    "rejected": ([issue(REJECTED, "1124")], NEVER_HELD),
    "rejected twice": ([issue(REJECTED, "1124"), issue(REJECTED, "1142")], NEVER_HELD),
    "amendment of what is held, rejected": ([issue(), issue(REJECTED, "1124")], AMENDED_AGAIN),
    "rejected, then accepted": ([issue(REJECTED, "1124"), issue()], AMENDED),
    "amendment rejected, then accepted": ([issue(), issue(REJECTED, "1124"), issue()], AMENDED),
    "on its way": ([issue(PENDING)], AMENDED),
    "outcome unknown": ([issue(UNKNOWN)], AMENDED),
    "annulled": ([issue(), annul()], AMENDED),
    "marked as annulled": ([issue(State.ANNULLED)], AMENDED),
    "annulment on its way": ([issue(), annul(PENDING)], AMENDED),
    "annulment rejected": ([issue(), annul(REJECTED, "1227")], AMENDED),
    "annulled and revived in vain": ([issue(), annul(), issue(REJECTED, "1124")], AMENDED_AGAIN),
    "amendment rejected, then annulled": ([issue(), issue(REJECTED, "1124"), annul()], AMENDED),
    "rejected, then struck out": ([issue(REJECTED, "1124"), annul()], AMENDED),
    "rejected, striking out rejected": ([issue(REJECTED, "1124"), annul(REJECTED, "1227")], NEVER_HELD),
    "kept only": ([KEPT], NEVER_HELD),
    "kept, then rejected": ([KEPT, issue(REJECTED, "1124")], NEVER_HELD),
    "reported, then amended while records were kept": ([issue(), KEPT], AMENDED),
    "refused as a duplicate of ours": ([issue(REJECTED, "3000")], AMENDED_AGAIN),
    "number taken by somebody else": ([issue(REJECTED, TAKEN)], NEVER_HELD),
    "number taken after it was accepted": ([issue(), issue(REJECTED, TAKEN)], NEVER_HELD),
    "number taken, to be replaced": ([issue(REJECTED, TAKEN, to_replace=True)], AMENDED_AGAIN),
    "refused as unknown": ([issue(UNKNOWN), issue(REJECTED, "3002")], NEVER_HELD),
}


@pytest.mark.parametrize(("past", "flags"), SITUATIONS.values(), ids=SITUATIONS)
def test_an_issue_corrects_what_happened(past, flags):
    assert choose("issue", past) == flags


ANNULMENTS = {
    "accepted": ([issue()], PLAIN),
    "accepted with errors": ([issue(WITH_ERRORS, "2000")], PLAIN),
    "on its way": ([issue(PENDING)], PLAIN),
    "outcome unknown": ([issue(UNKNOWN)], PLAIN),
    "rejected": ([issue(REJECTED, "1124")], WITHOUT),
    "kept only": ([KEPT], WITHOUT),
    "annulment rejected": ([issue(), annul(REJECTED, "1227")], AGAIN),
    "annulment of what is not held rejected": ([issue(REJECTED, "1124"), annul(REJECTED, "1227")], WITHOUT_AGAIN),
    "amendment rejected": ([issue(), issue(REJECTED, "1124")], PLAIN),
    "annulled and revived": ([issue(), annul(), issue()], PLAIN),
    "annulled": ([issue(), annul()], PLAIN),
    "annulment rejected, then amended": ([issue(), annul(REJECTED, "1227"), issue()], PLAIN),
    "both rejected, in either order": (
        [issue(), annul(REJECTED, "1227"), issue(REJECTED, "1124")],
        AGAIN,
    ),
    "refused as unknown": ([issue(REJECTED, "1124"), annul(REJECTED, "3002")], WITHOUT_AGAIN),
    "refused as held": ([issue(REJECTED, "1124"), annul(REJECTED, "3000")], AGAIN),
    "number taken by somebody else": ([issue(REJECTED, TAKEN)], WITHOUT),
    "annulment refused, number taken": ([issue(REJECTED, "1124"), annul(REJECTED, TAKEN)], WITHOUT_AGAIN),
    "refused as annulled": ([issue(), annul(REJECTED, "3001")], AGAIN),
}


@pytest.mark.parametrize(("past", "flags"), ANNULMENTS.values(), ids=ANNULMENTS)
def test_an_annulment_fits_what_is_held(past, flags):
    assert choose("annul", past) == flags


@pytest.mark.parametrize("past", [[KEPT], [issue()], [issue(REJECTED, "1124")], [KEPT, KEPT]])
def test_sealed_records_decide_the_flags_in_the_signed_mode(past):
    assert choose("issue", past, reported=False) == AMENDED
    assert choose("annul", past, reported=False) == PLAIN
    assert state_held(past, reported=False) is Held.ISSUED


def test_the_first_record_carries_no_flag_in_the_signed_mode():
    assert choose("issue", [], reported=False) == PLAIN
    assert state_held([KEPT, annul(PENDING, reported=False)], reported=False) is Held.ANNULLED


ADMISSIBLE = {
    ("issue", PLAIN): (None, "3000", "3000"),
    ("issue", AMENDED): ("3002", None, None),
    ("issue", AMENDED_AGAIN): ("3002", None, None),
    ("issue", NEVER_HELD): (None, "3000", "3000"),
    ("annul", PLAIN): ("3002", None, None),
    ("annul", AGAIN): ("3002", None, None),
    ("annul", WITHOUT): (None, "3000", "3000"),
    ("annul", WITHOUT_AGAIN): (None, "3000", "3000"),
}
"""Codes of the authority where it holds nothing, an issue, an annulment; None: it takes the record."""


def answered(kind, flags, known):
    return ADMISSIBLE[kind, flags][list(Held).index(known)]


CELLS = [
    ([], Held.NOTHING),
    ([issue(REJECTED, "1124")], Held.NOTHING),
    ([issue()], Held.ISSUED),
    ([issue(), annul()], Held.ANNULLED),
]


@pytest.mark.parametrize("kind", ["issue", "annul"])
@pytest.mark.parametrize(("past", "known"), CELLS)
def test_chosen_flags_are_admitted_in_every_state(kind, past, known):
    assert state_held(past) is known
    assert answered(kind, choose(kind, past), known) is None


FATES = st.sampled_from(["taken", "taken with errors", "on its way", "lost", "refused", "kept"])
STEPS = st.lists(
    st.tuples(st.sampled_from(list(ADMISSIBLE)), FATES),
    max_size=8,
)


def lived(steps, known):
    """The history that these records make at an authority that starts with `known`, and what it holds in the end."""
    past = []
    for (kind, flags), fate in steps:
        one = PastRecord(kind=kind, state=PENDING)
        refusal = answered(kind, flags, known)
        if fate == "kept":
            one = replace(one, reported=False)
        elif fate == "refused":
            one = replace(one, state=REJECTED, code="1124")
        elif refusal:
            one = replace(one, state=REJECTED, code=refusal)
        else:
            states = {"taken": State.ACCEPTED, "taken with errors": WITH_ERRORS, "lost": UNKNOWN}
            one = replace(one, state=states.get(fate, PENDING))
            known = Held.ISSUED if kind == "issue" else Held.ANNULLED
        past.append(one)
    return past, known


@settings(max_examples=examples(500), deadline=None)
@given(STEPS, st.sampled_from(["issue", "annul"]))
def test_the_next_record_is_admitted_after_any_history(steps, wish):
    past, known = lived(steps, Held.NOTHING)

    assert answered(wish, choose(wish, past), known) is None


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from([Held.ISSUED, Held.ANNULLED]), st.lists(st.sampled_from(["issue", "annul"]), max_size=6))
def test_what_somebody_else_reported_is_never_changed(known, wishes):
    """Whatever is wanted, as often as it is wanted: every record is refused."""
    past = [PastRecord(kind="issue", state=REJECTED, code=NUMBER_TAKEN)]
    for wish in wishes:
        assert answered(wish, choose(wish, past), known) == "3000"
        past.append(PastRecord(kind=wish, state=REJECTED, code=NUMBER_TAKEN))


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from([Held.ISSUED, Held.ANNULLED]), st.sampled_from(["issue", "annul"]))
def test_a_replacement_that_was_demanded_is_admitted(known, wish):
    past = [PastRecord(kind="issue", state=REJECTED, code=NUMBER_TAKEN, to_replace=True)]

    assert answered(wish, choose(wish, past), known) is None
