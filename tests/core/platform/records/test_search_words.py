"""Searching lists: by the beginning of a word, whatever its case and accents, and never by a stale word."""

import pytest

from ledgerkit.core.platform.records.search import LONGEST_WORD, sought, words


@pytest.fixture
async def cafe(ana):
    return await ana.post("/api/clients", {"name": "Cafetería «El Rincón», S.L.", "email": "hola@rincon.example"})


@pytest.mark.parametrize(
    "query",
    ["cafe", "CAFETERÍA", "rincón", "el rincon", "rincon»", "hola@rincon", "s.l.", "example", "«el", "Cafetería «El R"],
)
async def test_found_by_the_beginning_of_its_words(ana, cafe, query):
    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert [one["id"] for one in found.json()] == [cafe["id"]]
    assert found.headers["x-total-count"] == "1"


@pytest.mark.parametrize(
    "query",
    [
        "fetería",
        "rincones",
        "cafetería olé",
        "cafetería incón",
        "fetería rincón",
        "cafetería %",
        "%",
        "_",
        "rinc_n",
        "a" * 200,
    ],
)
async def test_a_record_is_not_found_by_words_it_lacks(ana, cafe, query):
    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert (found.json(), found.headers["x-total-count"]) == ([], "0")


@pytest.mark.parametrize(
    "query",
    ["el cafetería", "rincón cafe", "s.l. «el cafe", "HOLA@RINCON s.l. caf", "cafe cafe cafetería", "rin , caf @"],
)
async def test_found_by_its_words_in_any_order(ana, cafe, query):
    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert [one["id"] for one in found.json()] == [cafe["id"]]


@pytest.mark.parametrize("query", ["lodz", "ŁÓDŹ", "łódź", "Lódź smorrebrod", "ÆSIR", "aesir groß", "gross"])
async def test_found_by_the_plain_form_of_letters_that_do_not_decompose(ana, query):
    made = await ana.post("/api/clients", {"name": "Łódź Smørrebrød Æsir Große"})

    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert [one["id"] for one in found.json()] == [made["id"]]


@pytest.mark.parametrize("search", ["%", "_", "\\", "a%b", "[x]", "(a|b)", "^a", "a$", "a.c", "a\\b", "***=x", "{1}"])
async def test_signs_are_taken_literally(ana, search):
    made = await ana.post("/api/clients", {"name": f"uno {search} dos"})
    await ana.post("/api/clients", {"name": "uno abc xx dos a b c 1 tres"})

    for query in (search, f"dos {search}", f"uno {search}"):
        found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)
        assert [one["id"] for one in found.json()] == [made["id"]], query


@pytest.mark.parametrize("query", ["»", "@", ".", "«", ","])
async def test_signs_alone_are_sought_too(ana, cafe, query):
    found = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert [one["id"] for one in found.json()] == [cafe["id"]]


async def test_numbers_are_found_by_their_digits_too(ana):
    issued = await ana.invoice()
    number = (await ana.patch(f"/api/invoices/{issued['id']}/pay"))["number"]

    for query in (number, number[1:5], number[-4:], number[1:], f"norte {number}", f"{number[-4:]} norte"):
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
