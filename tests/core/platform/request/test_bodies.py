"""Bodies are bounded in size, in values and in patience, however they come."""

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.platform.request import bodies
from ledgerkit.core.platform.request.bodies import (
    BYTES_PER_SECOND,
    MAX_STRUCTURE_BYTES,
    MAX_VALUES,
    JsonMeasure,
    receive_body,
)
from ledgerkit.problems import Invalid, Problem, RequestTimeout, TooLarge

LEAVES = st.one_of(st.none(), st.integers(), st.text(), st.text(alphabet='\\"[]{},\u2200', max_size=8))
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
)
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def arriving(*pieces, more=False):
    """Receive function of a web server: these pieces, and when there is `more`, nothing further for ever."""
    waiting = [
        {"type": "http.request", "body": piece, "more_body": more or place < len(pieces)}
        for place, piece in enumerate(pieces, start=1)
    ]

    async def receive():
        if not waiting:
            await asyncio.Event().wait()
        return waiting.pop(0)

    return receive


async def taken(*pieces, declared=None, limit=100, seconds=60, json=False, more=False):
    return await receive_body(arriving(*pieces, more=more), declared, limit=limit, seconds=seconds, json=json)


# ---------------------------------------------------------------- size


async def test_pieces_are_put_together():
    assert await taken(b"ab", b"", b"c") == b"abc"


async def test_a_body_of_exactly_the_limit_is_taken():
    assert await taken(b"x" * 60, b"x" * 40) == b"x" * 100


@pytest.mark.parametrize("declared", [None, "7", "-1", "x", "1e3"])
async def test_more_than_the_limit_is_refused_whatever_was_declared(declared):
    with pytest.raises(TooLarge):
        await taken(b"x" * 60, b"x" * 41, declared=declared)


async def test_what_is_declared_too_large_is_not_even_begun():
    with pytest.raises(TooLarge):
        await receive_body(None, "101", limit=100, seconds=60, json=False)


# ---------------------------------------------------------------- patience


async def test_a_body_that_stops_coming_is_given_up():
    with pytest.raises(RequestTimeout) as refused:
        await taken(b"half", seconds=0.01, more=True)

    assert (refused.value.status, refused.value.code) == (408, "BODY_TIMEOUT")


async def test_a_body_that_goes_on_coming_is_waited_for(monkeypatch):
    monkeypatch.setattr(bodies, "BYTES_PER_SECOND", 1)
    pieces = [b"x" * 60, b"x"]
    seconds = 0.2

    async def receive():
        if len(pieces) == 1:
            await asyncio.sleep(2 * seconds)
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    assert await receive_body(receive, None, limit=100, seconds=seconds, json=False) == b"x" * 61


async def test_a_caller_who_leaves_is_no_failure_of_ours():
    async def receive():
        return {"type": "http.disconnect"}

    with pytest.raises(Invalid):
        await receive_body(receive, None, limit=100, seconds=60, json=True)


def test_a_slow_line_carries_the_largest_body():
    assert BYTES_PER_SECOND * 8 < 256_000


# ---------------------------------------------------------------- values


def cut(content: bytes, places: list[int]) -> list[bytes]:
    ends = sorted(place % (len(content) + 1) for place in places)
    return [content[a:b] for a, b in zip([0, *ends], [*ends, len(content)], strict=True)]


@given(value=VALUES, escaped=st.booleans(), places=st.lists(st.integers(0, 10_000), max_size=6))
def test_what_is_outside_of_texts_is_counted_wherever_the_pieces_end(value, escaped, places):
    content = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    measure = JsonMeasure()

    for piece in cut(content, places):
        measure.add(piece)

    structure = TEXT.sub(b"", content)
    assert measure._structure == len(structure)
    assert measure._values == sum(structure.count(mark) for mark in (b",", b"[", b"{"))


NASTY = {
    "numbers": b"[" + b"0," * MAX_VALUES + b"0]",
    "lists": b"[" + b"[]," * MAX_VALUES + b"[]]",
    "objects": b"[" + b"{}," * MAX_VALUES + b"{}]",
    "texts": b"[" + b'"",' * MAX_VALUES + b'""]',
    "members": b"{" + b",".join(b'"%x":0' % n for n in range(MAX_VALUES + 1)) + b"}",
    "nesting": b"[" * (MAX_VALUES + 1),
}


@pytest.mark.parametrize("shape", NASTY)
async def test_too_many_values_are_refused(shape):
    with pytest.raises(Invalid) as refused:
        await taken(NASTY[shape], limit=1 << 24, json=True)

    (error,) = refused.value.errors
    assert (error.field, refused.value.status) == ("body", 400)


async def test_as_many_values_as_there_may_be_are_taken():
    content = b"[" + b"0," * (MAX_VALUES - 1) + b"0]"

    assert await taken(content, limit=1 << 24, json=True) == content


@pytest.mark.parametrize("filling", [b" ", b"1"])
async def test_the_bytes_outside_of_texts_are_bounded(filling):
    with pytest.raises(TooLarge):
        await taken(b"[" + filling * MAX_STRUCTURE_BYTES, limit=1 << 24, json=True)


async def test_a_long_text_counts_as_one_value():
    content = b'{"csv": "' + b'a,b[{\\"c\\\\' * 100_000 + b'"}'

    assert await taken(content, limit=1 << 24, json=True) == content


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32-le"])
async def test_only_utf_8_is_json(encoding):
    with pytest.raises(Invalid):
        await taken('{"a": "\u2200,,,"}'.encode(encoding), limit=1000, json=True)


@pytest.mark.parametrize("limit", [16 << 10, 1 << 20])
async def test_the_limit_is_told_in_both_languages(limit):
    with pytest.raises(Problem) as refused:
        await taken(b"", declared=str(limit + 1), limit=limit)

    size = "16 KiB" if limit < 1 << 20 else "1 MiB"
    assert size in refused.value.detail
    assert size in refused.value.translations["es"].message
