"""Spellings of a company's legal form."""

import pytest

from ledgerkit.core.platform.documents.legal_forms import parts, spellings


@pytest.mark.parametrize("name", ["acme sl", "acme s.l.", "acme, s.l.", "acme , s. l", "acme,sl", "acme  s.l"])
def test_all_spellings_of_a_form_are_the_same(name):
    assert set(spellings(name)) == {
        *("acmesl", "acmesl.", "acmes.l", "acmes.l."),
        *("acme,sl", "acme,sl.", "acme,s.l", "acme,s.l."),
    }


@pytest.mark.parametrize("name", ["acmesl", "sl", "", "s.l.", "acme", "maria lopez", "hotel sol y mar"])
def test_a_name_without_a_form_has_no_other_spelling(name):
    assert list(spellings(name)) == []


def test_letters_of_a_name_are_no_form():
    assert parts("ro, s.a.") == ("ro", "sa")
    assert parts("rosa") is None


@pytest.mark.parametrize("signs", [" ", ".", ",", " s.", "sl "])
def test_a_name_of_signs_alone_has_no_form(signs):
    assert list(spellings(f"a{signs * 60}x")) == []
