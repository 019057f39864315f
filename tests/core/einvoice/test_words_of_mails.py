"""Words of a mail in the summary that a person agrees to: what is warned of, and how long the search takes."""

from time import process_time

import pytest

from ledgerkit.core.einvoice.acts import _WordsDoubt
from ledgerkit.core.platform.request.acts import LongText, Summary
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text

LENGTH = 20_000
"""Ten times the longest message: time that grows faster than the length would be plain to see."""
CRAFTED = [
    *("a-", "a.", "aa.", "a1b2c3d4-", "a", "1", "1 ", "1.a", "ab12 ", "ab12c3d4", "x+", "ab12_", "_", "-", "a@", "@"),
    *("www", "www. ", ":/", "://", "0" * 31 + " ", "xn--a.", "AA.", "aa.pdf", "a.pdf ", "a\u200b"),
    *("a..", "aa.aa ", "aa.aa:1", "aa.xn--a"),
]


def mailed(message, texts=LongText):
    """Summary of a mail with this message."""
    words = texts(message)
    facts = [(AskMsg.TOTAL, "9"), (AskMsg.MESSAGE, words), (AskMsg.ATTENTION, _WordsDoubt([words]))]
    return Summary(text(AskMsg.DRAFT), facts, None)


def seconds(message):
    """Processor time of laying out the summary, the least of three."""
    times = []
    for _ in range(3):
        begun = process_time()
        mailed(message).lines("es")
        times.append(process_time() - begun)
    return min(times)


def of_length(words):
    return (words * LENGTH)[:LENGTH]


@pytest.mark.parametrize("words", CRAFTED)
def test_no_message_makes_its_summary_slow(words):
    assert seconds(of_length(words)) < 15 * seconds(of_length("Le recuerdo la factura. "))


def test_words_are_searched_once_however_often_they_are_laid_out():
    searched = []

    class Watched(LongText):
        @property
        def line(self):
            searched.append(1)
            return super().line

    words = Watched("Pague en ES79 2100 0813 6101 2345 6789. " * 9)
    doubt = _WordsDoubt([words])

    assert [bool(doubt.within(most, "es")) for most in range(400)].count(True) > 300
    assert searched == [1]


def is_warned(words, most=2_000):
    doubt = _WordsDoubt([LongText(words)])
    assert doubt.is_unusual or not doubt.within(most, "es")
    return bool(doubt.within(most, "es"))


@pytest.mark.parametrize(
    "between",
    ["", " ", "  ", " \u200b ", "\ufe0f ", " / ", "\u2013", "_", " \u2800 ", "\u3164", " \u00b7\u00b7\u00b7 ", "\n"],
)
@pytest.mark.parametrize("number", ["ES79 2100 0813 6101 2345 6789", "2100 0813 6101 2345 6789"])
def test_signs_within_an_account_number_do_not_hide_it(between, number):
    words = f"Pague en {number.replace(' ', between)} gracias"

    assert is_warned(words, most=10)
    assert not is_warned(words)
    assert _WordsDoubt([LongText(words)]).is_unusual


@pytest.mark.parametrize(
    "words",
    ["Transferid a 21000813610123456789210008136101 gracias", "Ref DE893704-0044-0532-0130-000000000000"],
)
def test_what_the_summary_shows_as_an_id_is_warned_of(words):
    assert mailed(words).lines("es")[-1].startswith("Atención: el asunto o el mensaje nombra")


@pytest.mark.parametrize(
    "words",
    [
        *("pago-seguro.example", "Entre en pago-seguro.example.", "(pagos.example)", "pagos.example, gracias"),
        *("pago.españa", "pago.xn--p1ai", "x.com/1", "https://1", "a" * 40 + "://1", "www.x", "PAGOS.ES"),
        *("ana@pagos.example o pagos.example", "ana@pagos.example,pagos.example", "pagos.example?a=b"),
        *("evil.zip", "pago.com", "banco-seguro.es/login", "pago.com.pdf", "factura.pdf.com", "a.pdf-pago.com"),
        *(
            "pago.com?a=factura.pdf",
            "pago.com factura.pdf",
            "factura.pdf/login",
            "factura.pdf\u200b.com",
            "factura.mov",
        ),
    ],
)
def test_links_are_warned_of_also_as_bare_names(words):
    assert is_warned(words)


@pytest.mark.parametrize(
    "words",
    [
        *("ana.ruiz@norte.example", "Un saludo. Ana Ruiz", "Talleres Norte, S.L.", "S.Coop.", "EE.UU. y RR.HH."),
        *("1.er plazo", "12.500,00 EUR", "el 20.11.2026", "p.ej. esto", "Gracias...", "J.Ruiz"),
        *("Adjunto factura.pdf.", "contrato.docx", "foto.jpg, foto2.JPEG", "factura.2026-11.pdf", "(firmada.xsig)"),
    ],
)
def test_words_that_are_no_links_are_not_warned_of(words):
    assert not is_warned(words)
    assert not _WordsDoubt([LongText(words)]).is_unusual
