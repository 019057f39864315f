"""Meanings of the tax agency's 247 codes: category, remedy and cause in our own words.

Categories stand in the TOML files beside this module, words in Spain's catalogues: `aeat_code.1100` is the cause, which
completes "because ...", and `aeat_code.1100.remedy` an order. Codes under `unexplained` are those that records of this
program cannot get, or whose meaning is not published. Source: AEAT, error table of 18/08/2026 for codes and categories;
validations 1.2.2 (08/04/2026) for their causes.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from ledgerkit.providers.api import Category, Explanation, Mending
from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.providers.es.verifactu.messages import MendingMsg
from ledgerkit.texts import Joined, ProblemText, Text, keyed
from ledgerkit.texts.messages import REMEDY

_FILES = ("submission.toml", "record.toml", "lines.toml", "remark.toml")
_ENDINGS: Mapping[Mending, MendingMsg] = {
    Mending.RESEND: MendingMsg.RESEND,
    Mending.OPERATOR: MendingMsg.OPERATOR,
    Mending.AMENDMENT: MendingMsg.AMENDMENT,
    Mending.CORRECTIVE: MendingMsg.CORRECTIVE,
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One code as it stands in the files; without words where we know no cause."""

    code: str
    category: Category
    mending: Mending
    words: ProblemText | None


@dataclass(frozen=True)
class _Sentence(Text):
    """A cause as a whole sentence."""

    cause: Text

    @property
    def languages(self) -> tuple[str, ...]:
        return self.cause.languages

    def in_language(self, language: str) -> str:
        words = self.cause.in_language(language)
        return f"{words[0].upper()}{words[1:]}."


def explain(code: str) -> Explanation | None:
    """Explain `code` in whole sentences, once the authority has answered it; None for an unknown code."""
    entry = entries().get(code)
    if entry is None:
        return None
    words, ending = entry.words, _ENDINGS.get(entry.mending)
    remedy = words.remedy if words else None
    return Explanation(
        category=entry.category,
        mending=entry.mending,
        cause=_Sentence(words.message) if words else None,
        remedy=Joined((remedy, ending), separator=" ") if remedy and ending else remedy,
    )


def wording(code: str) -> ProblemText:
    """Cause and remedy of `code` before anything was sent; raises KeyError where we have no words."""
    words = entries()[code].words
    if words is None:
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
    explained, unexplained = map(str, data["explained"]), map(str, data.get("unexplained", ()))
    words = {code: _words(code) for code in explained}
    for code in (*words, *unexplained):
        yield Entry(
            code=code,
            category=Category(data["category"]),
            mending=special.get(code, usual),
            words=words.get(code),
        )


def _words(code: str) -> ProblemText:
    cause = keyed(TEXTS, f"aeat_code.{code}")
    return ProblemText(cause, replace(cause, part=REMEDY))
