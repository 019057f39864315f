"""Languages of documents: those installed, the one that a document is printed in, and its fixed words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.documents.texts import DocumentsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import ENGLISH_WORDS
from ledgerkit.providers.registry import Registry
from ledgerkit.texts import ENGLISH

LanguageCode = Annotated[
    str, Field(pattern="^[a-z]{2}$", description="`en`, `es`, or another one that an installed country brings")
]

_SPANISH_SPEAKING = frozenset(
    {"AD", "AR", "BO", "CL", "CO", "CR", "CU", "DO", "EC", "ES", "GT", "HN", "MX", "NI", "PA", "PE", "PY", "SV"}
)


@dataclass(frozen=True)
class Words:
    """Fixed words of one language by the keys of `ENGLISH_WORDS`; a missing key gives the English word."""

    language: str
    texts: Mapping[str, str]

    def __getitem__(self, key: str) -> str:
        """Return the word for `key`. Raises KeyError for a key that English lacks too, a programming error."""
        return self.texts.get(key) or ENGLISH_WORDS[key]

    @property
    def locale(self) -> str:
        """CLDR locale of numbers, dates and the names of countries."""
        return self["locale"]

    def payment_method(self, method: str) -> str:
        """Return the words for a usual payment method, or any other text as it was written."""
        key = f"payment.{method}"
        return self[key] if key in ENGLISH_WORDS else method


def words_in(countries: Registry, code: str, *languages: str | None) -> Words:
    """Return the words of the first of the `languages` languages that documents of country `code` can be printed in.

    English when there is none.
    """
    for language in languages:
        texts = countries.words(language, code) if language else None
        if language and texts is not None:
            return Words(language, dict(texts))
    return Words(ENGLISH, dict(ENGLISH_WORDS))


def usual_language(countries: Registry, code: str) -> str:
    """Return the language in which somebody in country `code` is written to by default."""
    country = countries.get(code)
    if country is not None:
        return country.languages[0]
    return "es" if code in _SPANISH_SPEAKING else ENGLISH


def check_language(ctx: Context, language: str | None, field: str) -> None:
    """Raise Invalid for a language that no document can be printed in, naming those that are installed."""
    if language is None:
        return
    installed = ctx.kernel.countries.languages
    if language in installed:
        return
    listed = ", ".join(installed)
    raise Invalid.field(field, DocumentsMsg.LANGUAGE_UNKNOWN, listed=listed)
