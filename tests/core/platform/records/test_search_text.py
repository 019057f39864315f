"""Folding of text, and the pattern that a query becomes."""

import pytest

from ledgerkit.core.platform.records.search import LETTERS, fold, searchable

FOLDED = [
    (("Ñandú", "CAFÉ"), "nandu cafe"),
    (("Straße", None, ""), "strasse"),
    (("ﬁn", "№ 5"), "fin no 5"),
    (("İstanbul",), "istanbul"),
    ((), ""),
]


@pytest.mark.parametrize(("parts", "folded"), FOLDED)
def test_case_and_accents_go(parts, folded):
    assert fold(*parts) == folded


def test_folding_twice_changes_nothing():
    for text in ("Ñandú ß ﬁ İ ǅ", "🍕 É", "ΑΣ"):
        assert fold(fold(text)) == fold(text)


PLAIN = [
    ("Łódź", "lodz"),
    ("Smørrebrød", "smorrebrod"),
    ("Đặng", "dang"),
    ("GROẞE Straße", "grosse strasse"),
    ("Æsir œuvre", "aesir oeuvre"),
    ("I\u011fd\u0131r", "igdir"),
    ("Þórður Ðað", "thordur dad"),
    ("Ħamrun Ŧ Ŋ", "hamrun t n"),
]


@pytest.mark.parametrize(("text", "plain"), PLAIN)
def test_letters_that_do_not_decompose_are_plain_to_a_search(text, plain):
    assert searchable(text) == plain
    assert searchable(searchable(text)) == plain


def test_names_are_the_same_by_case_and_accents_only():
    assert fold("Łódź") == "łodz"


def test_every_plain_letter_is_found_as_it_is_stored():
    for letter in map(chr, LETTERS):
        assert fold(letter) == letter
        assert searchable(letter.upper()).isascii()
