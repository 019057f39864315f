"""Text as the tax agency's files hold it: upper case, in the characters of ISO-8859-1.

Source: AEAT, notes of the record designs of models 303 (1.09) and 347: upper case, ISO-8859-1; designs of records want
vowels without accents, and keep Ñ and Ç.
"""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_KEPT_LETTERS = frozenset("ÑÇ")
_SPELLED = {
    "Đ": "D",
    "Ł": "L",
    "Œ": "OE",
    "Ħ": "H",
    "Ŧ": "T",
    "\N{EURO SIGN}": "EUR",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
"""Spelling of characters that Unicode does not take apart."""


def to_latin(text: str, *, accents: bool) -> str:
    """Return the text in upper case, with what ISO-8859-1 lacks spelled in its letters where that is possible.

    Without `accents`, only Ñ and Ç keep their marks. Runs of white space become one blank; characters that cannot be
    spelled stay: `unwritable` names them.
    """
    upper = _SPACES.sub(" ", text).strip().upper()
    return "".join(_spelled(character, accents=accents) for character in upper).strip()


def unwritable(text: str) -> str:
    """Return the characters of a text that ISO-8859-1 cannot hold or that are no printed ones, each once."""
    return "".join(dict.fromkeys(character for character in text if not _is_writable(character)))


def _spelled(character: str, *, accents: bool) -> str:
    if _is_writable(character) and (accents or character.isascii() or character in _KEPT_LETTERS):
        return character
    if unicodedata.category(character) == "Cf":
        return ""
    if character in _SPELLED:
        return _SPELLED[character]
    bare = "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
    return bare if bare.isascii() and bare.isprintable() else character


def _is_writable(character: str) -> bool:
    return character.isprintable() and ord(character) < 256
