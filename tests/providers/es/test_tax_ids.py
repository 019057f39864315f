import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.providers.es import tax_ids


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("12345678Z", "12345678Z"),
        (" 12.345.678-z ", "12345678Z"),
        ("ES12345678Z", "12345678Z"),
        ("ES-B64717838", "B64717838"),
        ("x-5253868-r", "X5253868R"),
        ("M1234567L", "M1234567L"),
        ("J99216582", "J99216582"),
        ("Y0000000Z", "Y0000000Z"),
        ("Z0000000M", "Z0000000M"),
    ],
)
def test_a_spanish_number_has_one_normal_form(written, normal):
    verdict = tax_ids.check(written, "ES")

    assert verdict.valid
    assert verdict.normalised == normal


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "it is empty"),
        ("12345678A", "its check letter or digit does not match the number"),
        ("B64717839", "its check letter or digit does not match the number"),
        ("12345678", "a NIF has nine letters and digits"),
        ("00000000T", "a NIF of zeros belongs to nobody"),
        ("B00000000", "a NIF of zeros belongs to nobody"),
        ("X0000000T", "a NIF of zeros belongs to nobody"),
        ("FR61954506077", "a NIF has nine letters and digits"),
    ],
)
def test_a_wrong_spanish_number_says_why(written, reason):
    verdict = tax_ids.check(written, "ES")

    assert not verdict.valid
    assert str(verdict.reason) == reason


@given(st.integers(1, 99_999_999))
def test_every_dni_has_exactly_one_letter(number):
    letters = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if tax_ids.spanish(f"{number:08d}{letter}")]

    assert letters == ["TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]]


@given(st.text(max_size=20), st.sampled_from(["ES", "FR", "GR", "GB", "US"]))
def test_any_text_gets_a_verdict(text, country):
    verdict = tax_ids.check(text, country)

    assert verdict.valid or verdict.reason


@pytest.mark.parametrize(
    ("written", "country", "normal"),
    [
        ("fr 61 954 506 077", "FR", "FR61954506077"),
        ("61954506077", "FR", "FR61954506077"),
        ("123456789", "GR", "EL123456789"),
        ("EL123456789", "GR", "EL123456789"),
        ("XI123456789", "GB", "XI123456789"),
        ("GB123456789", "GB", "GB123456789"),
        ("12-3456789", "US", "12-3456789"),
        ("ESX5253868R", "FR", "ESX5253868R"),
    ],
)
def test_foreign_numbers_are_judged_by_structure(written, country, normal):
    verdict = tax_ids.check(written, country)

    assert verdict.valid
    assert verdict.normalised == normal


@pytest.mark.parametrize(
    ("written", "country"), [("FR12", "FR"), ("DE12345678", "DE"), ("GR123456789", "GR"), ("RO0123", "RO")]
)
def test_what_has_not_the_structure_of_a_vat_number_is_refused(written, country):
    assert not tax_ids.check(written, country).valid


def test_the_union_has_27_members():
    assert len(tax_ids.MEMBER_STATES) == 27
