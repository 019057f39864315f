"""A confirmation is good for one act, as it was previewed, for five minutes."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ledgerkit.core.platform.database.transactions import Database
from ledgerkit.core.platform.request import confirmations
from ledgerkit.core.platform.request.confirmations import Act
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.problems import Code, Conflict
from ledgerkit.providers.registry import Registry
from ledgerkit.settings import Settings
from support.sampling import examples

NOW = datetime(2026, 11, 23, 9, 0, 0, 123456, tzinfo=UTC)
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
ACTS = st.builds(Act, **{field.name: st.text(max_size=30) for field in fields(Act)})


def context(secret: bytes = b"a secret of the tests, forty characters long") -> Context:
    """A context in which no database is needed."""
    kernel = Kernel(
        settings=Settings(_env_file=None), secret=secret, database=object.__new__(Database), countries=Registry()
    )
    return Context(kernel=kernel)


CTX = context()


def refusal(token: str, act: Act, ctx: Context = CTX) -> Code:
    with pytest.raises(Conflict) as caught:
        confirmations.verify(ctx, token, act)
    return caught.value.code


@given(act=ACTS)
@settings(max_examples=examples(100), deadline=None)
def test_a_token_confirms_the_act_that_it_was_issued_for(act):
    confirmations.verify(CTX, confirmations.issue(CTX, act).token, act)


@given(act=ACTS, other=ACTS, differing=st.sets(st.sampled_from([field.name for field in fields(Act)]), min_size=1))
@settings(max_examples=examples(200), deadline=None)
def test_no_token_confirms_another_act(act, other, differing):
    changes = {name: getattr(other, name) for name in differing}
    assume(replace(act, **changes) != act)
    really = {name for name, value in changes.items() if getattr(act, name) != value}

    code = refusal(confirmations.issue(CTX, act).token, replace(act, **changes))

    assert code is (Code.CONFIRMATION_STALE if really == {"preview"} else Code.CONFIRMATION_MISMATCH)


@given(act=ACTS, place=st.integers(0, 57), letter=st.sampled_from(ALPHABET))
@settings(max_examples=examples(300), deadline=None)
def test_no_other_text_is_a_token(act, place, letter):
    token = confirmations.issue(CTX, act).token
    assume(token[place] != letter)

    code = refusal(token[:place] + letter + token[place + 1 :], act)

    assert code in {Code.CONFIRMATION_MISMATCH, Code.CONFIRMATION_STALE}


@given(text=st.text(max_size=80) | st.text(ALPHABET, min_size=58, max_size=58))
@settings(max_examples=examples(200), deadline=None)
def test_no_text_that_was_not_issued_is_a_token(text):
    act = Act(user="u", account="a", tool="t", arguments="{}")

    assert refusal(text, act) in {Code.CONFIRMATION_MISMATCH, Code.CONFIRMATION_STALE}


@given(act=ACTS, seconds=st.floats(0, 3600))
@settings(max_examples=examples(100), deadline=None)
def test_a_token_expires_after_five_minutes(act, seconds):
    with time_machine.travel(NOW, tick=False):
        confirmation = confirmations.issue(CTX, act)
    moment = NOW + timedelta(seconds=seconds)

    with time_machine.travel(moment, tick=False):
        if moment < confirmation.expires_at:
            confirmations.verify(CTX, confirmation.token, act)
        else:
            assert refusal(confirmation.token, act) is Code.CONFIRMATION_EXPIRED
    assert timedelta(minutes=4, seconds=59) < confirmation.expires_at - NOW <= timedelta(minutes=5)


@given(act=ACTS)
@settings(max_examples=examples(30), deadline=None)
def test_two_tokens_of_one_act_differ_and_another_servers_is_none(act):
    first, second = confirmations.issue(CTX, act).token, confirmations.issue(CTX, act).token

    assert first != second
    other = context(b"another secret of the tests, also long enough")
    assert refusal(first, act, other) in {Code.CONFIRMATION_MISMATCH, Code.CONFIRMATION_STALE}
