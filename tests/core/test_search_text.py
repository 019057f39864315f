"""Folding of text, and the pattern that a query becomes."""

import pytest

from ledgerkit.core.search import fold

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
