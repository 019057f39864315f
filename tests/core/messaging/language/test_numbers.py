"""Numbers and amounts of money, in digits and in words of both languages."""

from decimal import Decimal

import pytest

from ledgerkit.core.messaging.language.amounts import amount_at
from ledgerkit.core.messaging.language.numbers import number_at
from ledgerkit.core.messaging.language.words import words_of

NUMBERS = [
    ("es", "cero", "0"),
    ("es", "mil doscientos", "1200"),
    ("es", "treinta y dos", "32"),
    ("es", "treintaicinco", "35"),
    ("es", "veinte y cinco", "25"),
    ("es", "dos mil trescientos cuarenta y cinco", "2345"),
    ("es", "ciento un mil", "101000"),
    ("es", "2 mil 300", "2300"),
    ("es", "2k", "2000"),
    ("es", "1.200,50", "1200.50"),
    ("es", "1.234.567", "1234567"),
    ("es", "1200,5", "1200.5"),
    ("es", "1 200 €", "1200"),
    ("en", "twelve hundred and fifty", "1250"),
    ("en", "a hundred and five", "105"),
    ("en", "twenty-one", "21"),
    ("en", "a grand", "1000"),
    ("en", "12 hundred", "1200"),
    ("en", "1,200.50", "1200.50"),
    ("en", "3.5", "3.5"),
]


@pytest.mark.parametrize(("language", "text", "value"), NUMBERS)
def test_a_number_is_read(language, text, value):
    number = number_at(words_of(text), 0, language)

    assert (number.value, number.is_doubtful) == (Decimal(value), False)


@pytest.mark.parametrize(("language", "text"), [("en", "1.200"), ("es", "1,200")])
def test_thousands_with_the_sign_of_another_country_are_doubtful(language, text):
    assert number_at(words_of(text), 0, language).is_doubtful


@pytest.mark.parametrize("text", ["logo", "1.2.3", "1234567890", "½", ""])
def test_other_signs_are_no_number(text):
    assert number_at(words_of(text), 0, "es") is None


def test_an_article_after_tens_begins_a_thing():
    """`a cuarenta y un desplazamiento` are 40, `cuarenta y un euros` are 41."""
    assert number_at(words_of("cuarenta y un desplazamiento"), 0, "es").value == 40
    assert number_at(words_of("cuarenta y un euros"), 0, "es").value == 41


AMOUNTS = [
    ("es", "1.200,50 €", "1200.50"),
    ("es", "mil doscientos con cincuenta", "1200.50"),
    ("es", "ciento veinte euros con cinco céntimos", "120.05"),
    ("es", "50 céntimos", "0.50"),
    ("es", "300e", "300"),
    ("es", "€ 300", "300"),
    ("en", "a hundred and twenty fifty", "120.50"),
    ("en", "12 cents", "0.12"),
    ("en", "one hundred and five euro sixty", "105.60"),
]


@pytest.mark.parametrize(("language", "text", "value"), AMOUNTS)
def test_an_amount_is_read_with_its_cents(language, text, value):
    amount = amount_at(words_of(text), 0, language)

    assert (amount.value, amount.end, amount.is_doubtful) == (Decimal(value), len(words_of(text)), False)


def test_spoken_hundreds_or_cents_are_doubtful():
    """`twelve fifty` may be 12.50 or 1,250."""
    assert amount_at(words_of("twelve fifty"), 0, "en").is_doubtful


@pytest.mark.parametrize("text", ["500 con un 7 de irpf", "500 con 10 %", "500 con 15 de retención"])
def test_a_rate_is_no_cents(text):
    assert amount_at(words_of(text), 0, "es").value == 500
