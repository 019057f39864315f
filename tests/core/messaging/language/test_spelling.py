"""Words as they were meant, and words that are no slips."""

import pytest

from ledgerkit.core.messaging.language.likeness import KnownWords, distance, sound
from ledgerkit.core.messaging.language.spelling import mended
from support.utterances import ask


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("aser", "hacer"),
        ("resumne", "resumen"),
        ("facutra", "factura"),
        ("pagao", "pagado"),
        ("transferensia", "transferencia"),
    ],
)
def test_a_slip_in_a_command_is_mended(written, word):
    assert mended(written) == word


@pytest.mark.parametrize(
    "word", ["dominio", "tartas", "cuarto", "módulos", "correa", "caliente", "bilbao", "bacalao", "partes", "vendida"]
)
def test_an_ordinary_word_near_a_command_is_left_alone(word):
    assert mended(word) == word


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [("norte", "norte", 0), ("nrote", "norte", 1), ("nrte", "norte", 1), ("norta", "norte", 1), ("nart", "norte", 2)],
)
def test_slips_are_counted(one, other, slips):
    assert distance(one, other, 2) == slips


def test_words_of_one_sound_have_one_key():
    assert sound("ijos") == sound("hijos")
    assert KnownWords(["talleres"]).of_sound("tayeres") == ["talleres"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "tayeres norte a pagao la de enero",
            "m'han pagao los d talleres la de enero",
            "eeeh talleres ha pagado la de enero",
        ),
        *("Talleres has payed the January one", "talleres pagó la de enero"),
    ],
)
def test_a_message_is_understood_with_the_slips_of_its_author(text):
    request = ask(text)

    assert (request.invoice.client.name, request.invoice.month) == ("Talleres Norte, S.L.", 1)
