"""Searching lists: by the beginning of a word, whatever its case and accents, and never by a stale word."""

import pytest

from ledgerkit.core.search import LONGEST_WORD, sought, words


@pytest.fixture
async def cafe(ana):
    return await ana.post("/api/clients", {"name": "Cafetería «El Rincón», S.L.", "email": "hola@rincon.example"})


@pytest.mark.parametrize(
    "query",
    ["cafe", "CAFETERÍA", "rincón", "el rincon", "rincon»", "hola@rincon", "s.l.", "example", "«el", "Cafetería «El R"],
)
async def test_found_by_the_beginning_of_its_longest_word(ana, cafe, query):
    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert [one["id"] for one in found.json()] == [cafe["id"]]
    assert found.headers["x-total-count"] == "1"


@pytest.mark.parametrize("query", ["fetería", "rincones", "el cafetería", "%", "_", "rinc_n", "a" * 200])
async def test_not_found_by_what_it_does_not_hold(ana, cafe, query):
    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert (found.json(), found.headers["x-total-count"]) == ([], "0")


@pytest.mark.parametrize("query", ["»", "@", ".", "«", ","])
async def test_signs_alone_are_sought_too(ana, cafe, query):
    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert [one["id"] for one in found.json()] == [cafe["id"]]


async def test_numbers_are_found_by_their_digits_too(ana):
    issued = await ana.invoice()
    number = (await ana.patch(f"/api/invoices/{issued['id']}/pay"))["number"]

    for query in (number, number[1:5], number[-4:], number[1:]):
        assert [one["id"] for one in await ana.get(f"/api/invoices?search={query}")] == [issued["id"]], query


async def test_a_word_that_was_changed_is_found_no_more(ana, cafe):
    await ana.put(f"/api/clients/{cafe['id']}", {"name": "Bar Central"})

    assert await ana.get("/api/clients?search=cafeteria") == []
    assert [one["id"] for one in await ana.get("/api/clients?search=central")] == [cafe["id"]]


TEXTS = ["f2026-0001 talleres norte", "nandu»«ca 12.345,67 €", "a_b/c d", "x" * 90, "漢字 かな", "b12345674"]


@pytest.mark.parametrize("folded", TEXTS)
def test_the_word_that_is_sought_is_one_that_is_kept(folded):
    kept = words(folded)

    assert set(sought(folded)["words"]) <= set(kept)
    assert len(set(kept)) == len(kept)
    assert max(len(word) for word in kept) <= LONGEST_WORD


def test_a_number_is_kept_whole_and_by_its_digits():
    assert set(words("f2026-0001 norte")) == {"f2026", "2026", "0001", "norte"}
