"""Finding the countries that are installed: entry points of the group `ledgerkit.countries`."""

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from ledgerkit.providers.api import API_VERSION, ENGLISH_WORDS, CountryProvider, FiscalChannel
from ledgerkit.texts import ENGLISH, Message, MessageId, Text

GROUP = "ledgerkit.countries"

_CODE = re.compile(r"[A-Z]{2}")


@dataclass(frozen=True, kw_only=True)
class Broken:
    """An installed distribution whose country cannot be used, and why."""

    distribution: str
    entry_point: str
    reason: Text


@dataclass(frozen=True)
class Registry:
    """The countries in use by code (ISO 3166 alpha-2), and those that were left out."""

    countries: Mapping[str, CountryProvider] = field(default_factory=lambda: MappingProxyType({}))
    broken: tuple[Broken, ...] = ()

    def get(self, code: str) -> CountryProvider | None:
        return self.countries.get(code)

    def words(self, language: str, code: str) -> Mapping[str, str] | None:
        """The words of documents in a language, those of country `code` first; None where nobody gives them.

        English is always there; only the country itself adds to it.
        """
        if language == ENGLISH:
            home_country = self.countries.get(code)
            return {**ENGLISH_WORDS, **(home_country.words.get(ENGLISH, {}) if home_country else {})}
        ordered = sorted(self.countries.values(), key=lambda country: (country.code != code, country.code))
        return next((country.words[language] for country in ordered if language in country.words), None)

    def spoken(self, code: str, preferred: str) -> str:
        """The language in which to write to somebody new in country `code`: the preferred one, if it is spoken there.

        Else the usual one there. English counts as no preference: requests without `Accept-Language` have it too.
        """
        country = self.countries.get(code)
        if country is None:
            return ENGLISH
        return preferred if preferred != ENGLISH and preferred in country.languages else country.languages[0]

    @property
    def languages(self) -> list[str]:
        """Every language that a document can be printed in, as its two-letter code."""
        return sorted({ENGLISH, *(language for country in self.countries.values() for language in country.words)})

    def channel(self, code: str, channel_id: str) -> FiscalChannel | None:
        """The channel that made a record, by the record's own words; None when it is not installed any more."""
        country = self.countries.get(code)
        return next((channel for channel in country.channels if channel.id == channel_id), None) if country else None


class _UnusableError(Exception):
    """Explain to the operator why an entry point gives no country."""

    def __init__(self, message: MessageId, **values: object) -> None:
        super().__init__(message)
        self.text = Message(message, values)


def discover(entries: Iterable[EntryPoint] | None = None) -> Registry:
    """Load every installed country; what cannot be loaded is listed and never stops the start.

    Of two distributions with the same country code the first by distribution name wins, on every start alike.
    `entries` replaces the installed entry points (tests, tools).
    """
    countries: dict[str, CountryProvider] = {}
    owners: dict[str, str] = {}
    broken: list[Broken] = []
    for entry in sorted(installed(tuple(sys.path)) if entries is None else entries, key=_by_distribution):
        distribution = _distribution(entry)
        try:
            country = _loaded(entry, owners)
        except _UnusableError as problem:
            broken.append(Broken(distribution=distribution, entry_point=entry.value, reason=problem.text))
        else:
            countries[country.code], owners[country.code] = country, distribution
    return Registry(countries=MappingProxyType(countries), broken=tuple(broken))


@cache
def installed(_path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """The entry points of countries in the folders of `sys.path`, whose metadata is read once: that takes 30 ms."""
    return tuple(entry_points(group=GROUP))


def _loaded(entry: EntryPoint, owners: Mapping[str, str]) -> CountryProvider:
    try:
        country = entry.load()
    except (Exception, SystemExit) as failure:
        raise _UnusableError(ProvidersMsg.UNUSABLE_IMPORT, failure=f"{type(failure).__name__}: {failure}") from failure
    if not isinstance(country, CountryProvider):
        raise _UnusableError(ProvidersMsg.UNUSABLE_KIND, kind=type(country).__name__)
    if country.api_version != API_VERSION:
        raise _UnusableError(ProvidersMsg.UNUSABLE_API_VERSION, version=country.api_version, current=API_VERSION)
    if not _CODE.fullmatch(country.code):
        raise _UnusableError(ProvidersMsg.UNUSABLE_CODE, code=repr(country.code))
    if country.code in owners:
        raise _UnusableError(
            ProvidersMsg.UNUSABLE_COUNTRY_TAKEN, country=country.code, distribution=owners[country.code]
        )
    return country


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "(unknown distribution)"


def _by_distribution(entry: EntryPoint) -> tuple[str, str, str]:
    return _distribution(entry).lower(), entry.name, entry.value


class ProvidersMsg(MessageId):
    UNUSABLE_API_VERSION = "providers.unusable_api_version"
    UNUSABLE_CODE = "providers.unusable_code"
    UNUSABLE_COUNTRY_TAKEN = "providers.unusable_country_taken"
    UNUSABLE_IMPORT = "providers.unusable_import"
    UNUSABLE_KIND = "providers.unusable_kind"
