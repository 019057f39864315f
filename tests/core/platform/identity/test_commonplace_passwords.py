"""Commonplace passwords are known whatever is put around a word, and longer ones are left alone."""

import pytest

from ledgerkit.core.platform.identity.persons.commonplace import is_commonplace, is_word_of


@pytest.mark.parametrize(
    "password",
    [
        "aaaaaaaa",
        "AaAaAa-11",
        "11111111",
        "!!!!!!!!",
        "contraseña",
        "CONTRASEN\u0303A",
        "c0ntr4s3ñ4",
        "Contraseña_2026!",
        "ledgerkit",
        "L3dg3rk1t",
        "Password1!",
        "P@ssw0rd",
        "madrid2026",
        "2026.Madrid",
        "$evilla2024",
        "b4rc3l0n4",
        "realmadrid1902",
        "María José 85",
        "septiembre25",
        "qwerty2024",
        "holahola",
        "1qaz2wsx",
        "12345678",
    ],
)
def test_a_word_that_many_choose_is_one_whatever_is_put_around_it(password):
    assert is_commonplace(password)


@pytest.mark.parametrize(
    "password",
    [
        "madrid-lluvia-tejado",
        "contraseña larga de verdad",
        "mi perro come tejas",
        "xk29!$57q",
        "84629173",
        "1l1i1l1i1l1i1l1i1l1i1l1i1l1i1k",
        "🍕🍕🍝🍝🍷🍷🍷🍷",
    ],
)
def test_such_a_word_within_something_longer_is_none(password):
    assert not is_commonplace(password)


@pytest.mark.parametrize(
    ("password", "is_own"),
    [
        ("anaruiz1", True),
        ("Ruiz.1980", True),
        ("AnaRuiz", True),
        ("norte2026!", True),
        ("n0rt3-2026", True),
        ("ana-lluvia-tejado", False),
        ("19801980", False),
    ],
)
def test_the_words_of_ones_own_name_and_address_are_known(password, is_own):
    assert is_word_of(password, "ana.ruiz@norte.example", "Ana Ruiz") is is_own
