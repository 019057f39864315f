"""Each doubt has two wordings: with its code and fields for programs, and in the words of the screens for people."""

import re

import pytest

from ledgerkit.core.platform.request.readable import LONGEST_LINE
from ledgerkit.providers.es.doubt_wordings import doubt
from ledgerkit.providers.es.messages import ScreenMsg, SpainMsg
from ledgerkit.texts.messages import languages

VALUES = {"rates": "4 %, 10 %, 21 %", "rate": "15.55", "country": "DE", "client": "Talleres Norte, S.L."}
LISTED = {**VALUES, "rates": "1, 2, 7, 15, 19, 24"}
LABEL = len("Atención: ")
OF_PROGRAMS = re.compile(r"[A-Z]{2,}_[A-Z]|[a-z]+_[a-z]|[a-z][A-Z]|`")
"""Codes, categories and names of fields."""


@pytest.mark.parametrize("words", ScreenMsg)
def test_a_doubt_is_said_to_people_whole_and_without_codes_or_fields(words):
    message = SpainMsg(f"spain.{words.partition('.')[2]}")
    values = LISTED if message is SpainMsg.RETENTION_RATE_UNKNOWN else VALUES

    said = doubt("A_CODE", message, **values)

    for language in languages(SpainMsg.folder):
        shown = said.words.in_language(language)
        assert OF_PROGRAMS.search(shown) is None, shown
        assert len(shown) + LABEL <= LONGEST_LINE, shown
        assert shown != said.text.in_language(language)
        assert re.match(r"[A-Z]+(_[A-Z]+)+: ", said.text.in_language(language))
    assert {said.words.in_language(language) for language in ("en", "es", "ca")} != {said.words.in_language("en")}
