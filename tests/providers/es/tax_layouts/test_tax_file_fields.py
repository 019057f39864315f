"""Characters of single fields, by the notes of the official designs: alignment, padding, signs, letters."""

from decimal import Decimal

import pytest

from ledgerkit.providers.api.tax_forms import UnreadableFileError
from ledgerkit.providers.es.tax_forms.layouts.design import Style
from ledgerkit.providers.es.tax_forms.layouts.encoding import RefusedValueError, decode, encode
from ledgerkit.providers.es.tax_forms.layouts.notation import parsed_fields
from ledgerkit.providers.es.tax_forms.vat.files import sepa_mark

PAGES = Style()
LISTS = Style(blank_sign=True, accents=False)


def field(shape, content="content"):
    return parsed_fields(f"1 {shape} {content}")[0]


@pytest.mark.parametrize(
    ("shape", "content", "style", "value", "characters"),
    [
        # AEAT, notes of model 303: letters and digits on the left, filled with blanks; upper case.
        ("An6", "name", PAGES, "ab", "AB    "),
        ("An6", "name", PAGES, None, "      "),
        ("A1", "name", PAGES, "c", "C"),
        ("An8", "name", PAGES, "muñoz gà", "MUÑOZ GÀ"),
        ("An8", "name", PAGES, "  a \t\n b ", "A B     "),
        ("An6", "name~", PAGES, "abcdefghi", "ABCDEF"),
        # ISO-8859-1 lacks these: spelled in its letters.
        ("An12", "name", PAGES, "Kovač Łęcka", "KOVAC LECKA "),
        ("An8", "name", PAGES, "l\u2019œuvre", "L'OEUVRE"),
        ("An8", "name", PAGES, "10 €", "10 EUR  "),
        ("An8", "name", PAGES, "straße", "STRASSE "),
        ("An4", "name", PAGES, "a\u200bb\u00a0c", "AB C"),
        # Designs of records: no accents, but Ñ (D1) and Ç (C7).
        ("An16", "name", LISTS, "Núñez Ibáñez, Ç", "NUÑEZ IBAÑEZ, Ç "),
        ("An8", "name", LISTS, "Pingüino", "PINGUINO"),
        # Numbers on the right, filled with zeros, decimals implied.
        ("Num17.2", "07", PAGES, Decimal("1234.5"), "00000000000123450"),
        ("Num17.2", "07", PAGES, "0.07", "00000000000000007"),
        ("Num17.2", "07", PAGES, 3, "00000000000000300"),
        ("Num17.2", "07", PAGES, None, "00000000000000000"),
        ("Num5.2", "08", PAGES, "21", "02100"),
        ("Num8", "01", PAGES, 12, "00000012"),
        ("Num17.2", "07", PAGES, "999999999999999.99", "99999999999999999"),
        # With a sign: N first when negative.
        ("N17.2", "14", PAGES, "-90", "N0000000000009000"),
        ("N17.2", "14", PAGES, "90", "00000000000009000"),
        ("N17.2", "14", PAGES, "-0.00", "00000000000000000"),
        ("N17.2", "14", PAGES, "999999999999999.99", "99999999999999999"),
        ("N17.2", "14", PAGES, "-99999999999999.99", "N9999999999999999"),
        # Designs of records: sign apart, blank or N.
        ("N16.2", "amount", LISTS, "-5000", "N000000000500000"),
        ("N16.2", "amount", LISTS, "5000", " 000000000500000"),
        ("N16.2", "amount", LISTS, None, " 000000000000000"),
        # Identifications keep their zeros.
        ("An2", "province#", LISTS, "08", "08"),
        ("Num5", "code#", LISTS, 8019, "08019"),
        ("Num13", "number#", LISTS, None, "0000000000000"),
        # Flags: 1 yes, 2 no (model 303); X or blank; C for complementary (model 190).
        ("An1", "flag?12", PAGES, True, "1"),
        ("An1", "flag?12", PAGES, False, "2"),
        ("An1", "flag?12", PAGES, None, "2"),
        ("A1", "flag?X", PAGES, True, "X"),
        ("A1", "flag?X", PAGES, None, " "),
        ("A1", "flag?C", LISTS, True, "C"),
        ("An3", "-", PAGES, None, "   "),
        ("Num3", "-", PAGES, None, "000"),
        ("An1", '"T"', LISTS, None, "T"),
    ],
)
def test_a_value_becomes_characters(shape, content, style, value, characters):
    encoded = encode(field(shape, content), value, style, "path")

    assert encoded == characters
    assert encoded.encode("iso-8859-1").decode("iso-8859-1") == characters


@pytest.mark.parametrize(
    ("shape", "content", "value", "code"),
    [
        ("An9", "tax_id", "12345678ZZ", "TOO_LONG"),
        ("An9", "name", "王", "CHARACTERS"),
        ("An9", "name", "Ωmega", "CHARACTERS"),
        ("An9", "name", "a\x00b", "CHARACTERS"),
        ("An9", "name", "a😀", "CHARACTERS"),
        ("Num17.2", "07", "1000000000000000.00", "AMOUNT_TOO_LARGE"),
        ("Num17.2", "07", "1E+5000", "AMOUNT_TOO_LARGE"),
        ("N17.2", "14", "-100000000000000.00", "AMOUNT_TOO_LARGE"),
        ("Num17.2", "07", "-0.01", "AMOUNT_NEGATIVE"),
        ("Num17.2", "07", "1.005", "AMOUNT_DECIMALS"),
        ("Num8", "01", "1.5", "AMOUNT_DECIMALS"),
        ("Num17.2", "07", "1,50", "NOT_AN_AMOUNT"),
        ("Num17.2", "07", "NaN", "NOT_AN_AMOUNT"),
        ("Num17.2", "07", "Infinity", "NOT_AN_AMOUNT"),
        ("Num5", "code#", "0801a", "DIGITS_ONLY"),
        ("Num5", "code#", "٠٨", "DIGITS_ONLY"),
        ("Num5", "code#", "123456", "TOO_LONG"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_in_both_languages(shape, content, value, code):
    with pytest.raises(RefusedValueError) as refused:
        encode(field(shape, content), value, PAGES, "boxes.07")

    problem = refused.value.problem
    assert (problem.field, problem.code) == ("boxes.07", code)
    assert set(problem.translations) >= {"en", "es"}
    assert not any("{" in words.message + words.remedy for words in problem.translations.values())


def test_a_sixteenth_figure_has_no_room_beside_the_sign_of_a_list():
    largest = Decimal("9999999999999.99")

    assert encode(field("N16.2"), largest, LISTS, "path") == " 999999999999999"
    with pytest.raises(RefusedValueError):
        encode(field("N16.2"), largest + Decimal("0.01"), LISTS, "path")


@pytest.mark.parametrize(
    ("shape", "content", "value"),
    [
        ("Num17.2", "07", True),
        ("Num17.2", "07", 1.5),
        ("An9", "name", True),
        ("An9", "name", Decimal(1)),
        ("A1", "flag?X", "X"),
        ("A1", "flag?X", 1),
    ],
)
def test_a_value_of_another_type_is_our_own_mistake(shape, content, value):
    with pytest.raises(TypeError):
        encode(field(shape, content), value, PAGES, "path")


@pytest.mark.parametrize(
    ("shape", "content", "style", "characters", "value"),
    [
        ("An6", "name", PAGES, "AB    ", "AB"),
        ("Num17.2", "07", PAGES, "00000000000123450", Decimal("1234.50")),
        ("N17.2", "14", PAGES, "N0000000000009000", Decimal("-90.00")),
        ("N17.2", "14", PAGES, "N0000000000000000", Decimal("0.00")),
        ("N16.2", "amount", LISTS, " 000000000500000", Decimal("5000.00")),
        ("N16.2", "amount", LISTS, "0000000000500000", Decimal("5000.00")),
        ("Num5", "code#", LISTS, "08019", "08019"),
        ("Num5", "code#", LISTS, "00000", ""),
        ("An4", "code#", LISTS, "    ", ""),
        ("An1", "flag?12", PAGES, "1", True),
        ("An1", "flag?12", PAGES, "2", False),
        ("An1", "flag?12", PAGES, "0", False),
        ("A1", "flag?X", PAGES, " ", False),
    ],
)
def test_characters_become_a_value(shape, content, style, characters, value):
    decoded = decode(field(shape, content), characters, style)

    assert (decoded, type(decoded)) == (value, type(value))
    assert not isinstance(value, Decimal) or decoded.is_signed() == value.is_signed()


@pytest.mark.parametrize(
    ("shape", "content", "characters"),
    [
        ("Num17.2", "07", "N0000000000009000"),
        ("Num17.2", "07", "-0000000000009000"),
        ("Num17.2", "07", "0000000000090.000"),
        ("Num17.2", "07", "                 "),
        ("N17.2", "14", "M0000000000009000"),
        ("N17.2", "14", " 0000000000009000"),
        ("N2", "14", "N "),
        ("Num2", "01", "²³"),
        ("Num5", "code#", "0 019"),
        ("An1", "flag?12", "3"),
        ("A1", "flag?X", "Y"),
        ("An3", "-", "  x"),
        ("An1", '"T"', "C"),
    ],
)
def test_characters_that_a_field_cannot_have_are_refused(shape, content, characters):
    with pytest.raises(UnreadableFileError, match="position 1 "):
        decode(field(shape, content), characters, PAGES)


@pytest.mark.parametrize(
    ("iban", "mark"),
    [("ES9121000418450200051332", "1"), ("DE89370400440532013000", "2"), ("US00", "3")],
)
def test_an_account_is_marked_by_its_payment_area(iban, mark):
    """AEAT, model 303, page DID00, note 2: 1 Spain, 2 European Union, 3 other countries."""
    assert sepa_mark(iban) == mark
