"""Meanings of the tax agency's 247 codes: category, remedy and cause in our own words.

The words live in the TOML files beside this module. A cause completes "because ..."; a remedy is an order. Codes under
`unexplained` are those that records of this program cannot get, or whose meaning nobody has made public.
Source: AEAT, error table of 18/08/2026 for codes and categories; validations 1.2.2 (08/04/2026) for their causes.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from ledgerkit.providers.api import Category, Explanation, Mending, Wording

LANGUAGES = ("es", "en")

_FILES = ("submission.toml", "record.toml", "lines.toml", "remark.toml")
_ENDINGS: Mapping[Mending, Mapping[str, str]] = {
    Mending.RESEND: {"es": "Se vuelve a enviar solo.", "en": "It is sent again by itself."},
    Mending.OPERATOR: {
        "es": "Los registros esperan mientras tanto, sin cambios.",
        "en": "The records wait meanwhile, unchanged.",
    },
    Mending.AMENDMENT: {
        "es": "Después vuelve a emitir (correct: true) o a anular la factura: el registro nuevo dirá que subsana este.",
        "en": "Then emit (correct: true) or annul the invoice again: the new record says that it amends this one.",
    },
    Mending.CORRECTIVE: {
        "es": "Si el cliente ya tiene la factura, emite una rectificativa; si no, corrígela y vuelve a emitirla.",
        "en": "If the client has the invoice already, make a credit note; if not, correct it and emit it again.",
    },
    Mending.NOTHING: {},
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One code as it stands in the files; `words` by language, empty where we know no cause."""

    code: str
    category: Category
    mending: Mending
    words: Mapping[str, Wording]


def explain(code: str) -> Explanation | None:
    """Explain `code` in whole sentences, once the authority has answered it; None for an unknown code."""
    entry = entries().get(code)
    if entry is None:
        return None
    words = entry.words
    return Explanation(
        category=entry.category,
        mending=entry.mending,
        cause={name: f"{wording.message[0].upper()}{wording.message[1:]}." for name, wording in words.items()} or None,
        remedy={name: _remedy(entry.mending, name, wording) for name, wording in words.items()} or None,
    )


def wording(code: str) -> Mapping[str, Wording]:
    """Cause and remedy of `code` before anything was sent, by language; raises KeyError where we have no words."""
    words = entries()[code].words
    if not words:
        raise KeyError(code)
    return words


def retryable() -> frozenset[str]:
    """Return the technical codes: the failure was the authority's, and the same bytes may be sent again."""
    return frozenset(code for code, entry in entries().items() if entry.mending is Mending.RESEND)


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """Return every code, read from the files on first use (10 ms)."""
    return MappingProxyType({entry.code: entry for name in _FILES for entry in _read(name)})


def _read(name: str) -> Iterator[Entry]:
    data = tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))
    usual = Mending(data["mend"])
    special = {str(code): mending for mending in Mending for code in data.get(mending, ())}
    texts_by_code = {code: texts for code, texts in data.items() if code.isdigit()}
    for code in (*texts_by_code, *map(str, data.get("unexplained", ()))):
        yield Entry(
            code=code,
            category=Category(data["category"]),
            mending=special.get(code, usual),
            words=_words(texts_by_code.get(code, {})),
        )


def _words(texts: Mapping[str, Any]) -> Mapping[str, Wording]:
    return MappingProxyType(
        {name: Wording(message=texts[name][0], remedy=f"{texts[name][1]}.") for name in LANGUAGES if texts}
    )


def _remedy(mending: Mending, language: str, wording: Wording) -> str:
    return f"{wording.remedy} {_ENDINGS[mending].get(language, '')}".rstrip()
