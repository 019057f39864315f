"""Lines of supplier invoices matched with items: by barcode, sku and name, or asked about, or new."""

import random

import pytest

from ledgerkit.core.purchases.reading.supplier_invoices.matches import CatalogEntry, Matcher, search_words

NAMES = (
    *("Tornillo M4", "Tornillo M5", "Aceite de oliva virgen extra 1 L", "Aceite de oliva virgen extra 500 ml"),
    *("Camiseta azul", "Camiseta roja", "Lápices de colores", "Mesa", "Silla de roble", "Cable HDMI 2 m"),
    *("Bolsa de papel kraft pequeña", "Bolsa de papel kraft grande", "Café en grano 1 kg"),
)
CODES = {"Lápices de colores": ("LAP-12", "8412345678905"), "Mesa": ("MESA-01", None), "Tornillo M4": ("T4", None)}


def entries():
    for number, name in enumerate(NAMES):
        sku, barcode = CODES.get(name, (None, None))
        yield CatalogEntry(id=f"{number:04}", name=name, sku=sku, barcode=barcode)


@pytest.fixture(scope="module")
def matcher():
    return Matcher(entries())


@pytest.mark.parametrize(
    ("line", "code", "item"),
    [
        ("TORNILLOS M4", None, "Tornillo M4"),
        ("tornillo m 5", None, None),
        ("Tornillo M6", None, None),
        ("ACEITE OLIVA VIRGEN EXTRA 0,5 L", None, "Aceite de oliva virgen extra 500 ml"),
        ("aceite de oliva virgen extra 1000ml", None, "Aceite de oliva virgen extra 1 L"),
        ("Camisetas azules", None, "Camiseta azul"),
        ("Lapiz color", None, "Lápices de colores"),
        ("Sillas de r0ble", None, "Silla de roble"),
        ("Cable hdmi 200 cm", None, "Cable HDMI 2 m"),
        ("Café en grano 1000 g", None, "Café en grano 1 kg"),
        ("Art. 4711", "08412345678905", "Lápices de colores"),
        ("Mesa comedor", "mesa 01", "Mesa"),
    ],
)
def test_a_line_is_surely_an_item(matcher, line, code, item):
    match = matcher.match(line, code)

    assert (match.entry.name if match and match.sure else None) == item


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Camiseta", None),
        ("Bolsa papel kraft", None),
        ("Mesa roble", None),
        ("Gorra", "MESA-01"),
        ("Aceite de oliva virgen extra", None),
    ],
)
def test_a_doubtful_line_is_asked_about(matcher, line, code):
    match = matcher.match(line, code)

    assert match is not None
    assert not match.sure
    assert 0.5 <= match.score < 1


@pytest.mark.parametrize(
    "line", ["Gorra", "Aceite de motor 5W40", "Tornillo M6", "Aceite de oliva virgen extra 5 L", "", "12345"]
)
def test_another_thing_is_a_new_item(matcher, line):
    assert matcher.match(line) is None


def test_a_short_code_says_nothing(matcher):
    assert matcher.match("Gorra", "T4") is None


def test_an_item_that_is_named_in_full_needs_no_question_beside_one_with_a_word_more():
    names = ("Aceite oliva virgen extra", "Aceite oliva virgen extra ecológico")
    matcher = Matcher(CatalogEntry(id=name, name=name, sku=None, barcode=None) for name in names)

    match = matcher.match("ACEITE OLIVA VIRGEN EXTRA")

    assert match is not None
    assert (match.entry.name, match.sure) == (names[0], True)


def test_a_line_is_asked_about_when_another_item_is_one_letter_apart():
    names = ("Mesa plegable terraza aluminio blanca", "Mesa plegable terraza aluminio blanco")
    matcher = Matcher(CatalogEntry(id=name, name=name, sku=None, barcode=None) for name in names)

    match = matcher.match("MESA PLEGABLE TERRAZA ALUMINIO BLANCA")

    assert match is not None
    assert (match.entry.name, match.score, match.sure) == (names[0], 1, False)


def test_items_of_equal_names_are_asked_about():
    twice = Matcher([CatalogEntry(id=id_, name="Mesa", sku=None, barcode=None) for id_ in ("2", "1")])

    match = twice.match("Mesa")

    assert (match.entry.id, match.sure) == ("1", False)


def test_the_order_of_the_items_does_not_count():
    shuffled = list(entries())
    random.Random(7).shuffle(shuffled)
    lines = [name.upper() for name in NAMES] + ["Camiseta", "Bolsa papel", "Mesa roble"]

    assert [Matcher(shuffled).match(line) for line in lines] == [Matcher(entries()).match(line) for line in lines]


def test_a_score_is_never_above_one(matcher):
    assert all(matcher.match(name).score <= 1 for name in NAMES)


def test_items_are_looked_for_by_singular_and_plural():
    assert {"lapices", "lapic", "colores", "color"} <= set(search_words(["Lápices de colores"]))
    assert "mesa01" in search_words(["MESA01", None])
