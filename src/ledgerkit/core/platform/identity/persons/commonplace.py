"""Commonplace passwords: words that many people choose, whatever digits, signs and capitals surround them."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

_COMMON_PASSWORDS = Path(__file__).with_name("common_passwords.txt")
_WORDS = Path(__file__).with_name("commonplace_words.txt")

_LEAST_LETTERS = 4
"""Fewest letters of a common password that count as a word without its digits; fewer are an accident."""

_LEET = {"0": "o", "1": "il", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s", "!": "i", "€": "e"}
"""Letters that digits and signs stand for in the middle of words."""

_MOST_READINGS = 64
"""Readings of one password: each 1 in it is an i or an l."""


def is_commonplace(password: str) -> bool:
    """Return True for a common password, a commonplace word, or one letter or digit repeated.

    Case, accents, digits, spaces and punctuation do not count, and digits in a word may stand for letters. A longer
    password that contains such a word is not commonplace. Source: NIST SP 800-63B §3.1.1.2 (2025), ASVS 5.0 §6.2.4 and
    §6.2.11.
    """
    folded = password.strip().casefold()
    if folded in _common() or len(set(letters(folded) or folded)) == 1:
        return True
    return any(_once(reading) in _words() for reading in _readings(folded))


def is_word_of(password: str, *texts: str) -> bool:
    """Return True when the password is one of the texts or a word of one, as `is_commonplace` compares."""
    words = {letters(word) for text in texts for word in (text, *re.split(r"[^\w]+|_", text))} - {""}
    return any(reading in words or _once(reading) in words for reading in _readings(password.strip().casefold()))


def letters(text: str) -> str:
    """Return the letters of a text: lower case, without accents, digits, spaces and punctuation."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if character.isalpha())


def _readings(folded: str) -> Iterator[str]:
    """Yield the letters of a password: without its digits and signs, and with the letters that these stand for."""
    yield letters(folded)
    inner = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", folded)
    for part in (inner, folded, folded.rstrip("!"), folded.rstrip("!.,?*#-_ "), re.sub(r"\d{1,4}\W*$", "", folded)):
        choices = [_LEET.get(character, character) for character in part]
        for number, reading in enumerate(product(*choices)):
            if number >= _MOST_READINGS:
                break
            yield letters("".join(reading))


def _once(reading: str) -> str:
    """Return the part that a text repeats: `hola` of `holahola`; the text itself if it repeats nothing."""
    at = (reading + reading).find(reading, 1)
    return reading[:at] if 0 < at < len(reading) else reading


@cache
def _common() -> frozenset[str]:
    return frozenset(_COMMON_PASSWORDS.read_text(encoding="utf-8").split())


@cache
def _words() -> frozenset[str]:
    """Return the commonplace words and the letters of common passwords."""
    lines = _WORDS.read_text(encoding="utf-8").splitlines()
    ours = {letters(word) for line in lines if not line.startswith("#") for word in line.split()}
    return frozenset(ours | {word for word in map(letters, _common()) if len(word) >= _LEAST_LETTERS})
