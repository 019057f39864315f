"""Numbers of invoices in a message: `F2026-0007`, `2026/7`, `factura 7`, `la 7`, `number seven`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ledgerkit.core.messaging.language.amounts import is_currency
from ledgerkit.core.messaging.language.dates import MONTHS
from ledgerkit.core.messaging.language.numbers import LANGUAGES, number_at
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word

_VOCABULARY = Vocabulary("amounts")
_BEFORE = _VOCABULARY.words("before_a_number")
_BETWEEN = frozenset({".", "º", "°", "o", ":"})
_NO_INVOICE = _VOCABULARY.words("after_no_invoice")
_SERIES_SPELT = _VOCABULARY.words("series_spelt")
_DASHES = _VOCABULARY.words("dashes")
_ZEROS = _VOCABULARY.words("zeros")
_ARTICLES = frozenset({"un", "una"})
_WHOLE = re.compile(r"(?:[a-z]{1,6})?[0-9]{4}[-/][0-9]{1,6}|[a-z]{1,6}[0-9]{2,4}[-/][0-9]{1,6}")
_SHORT_YEAR = re.compile(r"2[0-9]/[0-9]{1,4}")
_PADDED = re.compile(r"0+([0-9]{1,4})")
_SEPARATED = re.compile(r"[0-9]+[.,'][0-9.,']+")
_SERIES = re.compile(r"[a-z]{1,3}")
_MOST_DIGITS = 6


@dataclass(frozen=True)
class InvoiceNumber:
    """The number of an invoice as it was said, in the words from `start` up to `end`."""

    number: str
    start: int
    end: int


def invoice_number_at(words: Sequence[Word], place: int) -> InvoiceNumber | None:
    """Return the number of an invoice that begins at a word, which may be the one that announces it."""
    number = _whole(words, place) or _dictated(words, place) or _four_digits(words, place)
    if number is not None:
        return number
    start = place
    while place < len(words) and (words[place].plain in _BEFORE or (place > start and words[place].plain in _BETWEEN)):
        place += 1
    if place == start or place >= len(words) or words[place].plain in _ARTICLES:
        return None
    after = _whole(words, place) or _dictated(words, place) or _in_parts(words, place) or _small(words, place)
    return None if after is None else InvoiceNumber(after.number, start, after.end)


def _whole(words: Sequence[Word], place: int) -> InvoiceNumber | None:
    if not _WHOLE.fullmatch(words[place].plain):
        return None
    return InvoiceNumber(words[place].text.upper(), place, place + 1)


def _four_digits(words: Sequence[Word], place: int) -> InvoiceNumber | None:
    """Return `7` for `0007`."""
    padded = _PADDED.fullmatch(words[place].plain)
    if padded is None or len(words[place].plain) != 4:
        return None
    return InvoiceNumber(padded[1].lstrip("0") or "0", place, place + 1)


def _in_parts(words: Sequence[Word], place: int) -> InvoiceNumber | None:
    """Return `2026/7`, `26-7`, `26/7` and `F7`, whose signs are words of their own."""
    if _SHORT_YEAR.fullmatch(words[place].plain):
        return InvoiceNumber(words[place].text, place, place + 1)
    parts = words[place : place + 3]
    plain = [part.plain for part in parts]
    if len(parts) > 1 and _SERIES.fullmatch(plain[0]) and plain[1].isdigit() and parts[0].end == parts[1].start:
        return InvoiceNumber((parts[0].text + parts[1].text).upper(), place, place + 2)
    if len(parts) < 3 or plain[1] not in {"/", "-"} or not re.fullmatch(r"20[0-9]{2}|2[0-9]", plain[0]):
        return None
    return InvoiceNumber("".join(plain), place, place + 3) if re.fullmatch(r"[0-9]{1,4}", plain[2]) else None


def _dictated(words: Sequence[Word], place: int) -> InvoiceNumber | None:
    """Return a number that was spelt aloud, as `efe dos mil veintiséis guion cero cero cero seis`."""
    if words[place].plain not in _SERIES_SPELT:
        return None
    for language in LANGUAGES:
        year = number_at(words, place + 1, language)
        if year is None or year.end >= len(words) or words[year.end].plain not in _DASHES:
            continue
        inner = year.end + 1
        while inner < len(words) and words[inner].plain in _ZEROS:
            inner += 1
        number = number_at(words, inner, language)
        if number is not None and number.is_whole:
            return InvoiceNumber(f"F{year.value}-{int(number.value):04}", place, number.end)
    return None


def _small(words: Sequence[Word], place: int) -> InvoiceNumber | None:
    """Return `7` for `7`, `0007` and `seven`, unless it counts something or is a day."""
    padded = _PADDED.fullmatch(words[place].plain)
    if padded is not None:
        return InvoiceNumber(padded[1], place, place + 1)
    if _SEPARATED.fullmatch(words[place].plain):
        return None
    for language in LANGUAGES:
        number = number_at(words, place, language)
        if number is None or not number.is_whole or number.is_doubtful:
            continue
        following = words[number.end].plain if number.end < len(words) else ""
        after = words[number.end + 1].plain if number.end + 1 < len(words) else ""
        is_day = following in MONTHS or (following == "de" and after in MONTHS)
        if is_day or following in _NO_INVOICE or is_currency(words, number.end):
            return None
        digits = str(int(number.value))
        return InvoiceNumber(digits, place, number.end) if len(digits) <= _MOST_DIGITS else None
    return None
