"""Rules: a code of the authority, the field concerned, the condition of a breach, and its texts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.providers.api import FieldProblem, TaxLine, Wording
from ledgerkit.providers.es.verifactu import codes
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.rules.subject import Line, Subject
from ledgerkit.texts import ENGLISH

VALIDATIONS = "AEAT, VERI*FACTU validations 1.2.2 (08/04/2026)"

Values = Mapping[str, object]
"""Values of a breach's texts: rates, days, keys."""

Broken = Callable[[Subject], Iterable[Values]]
"""The breaches of a rule in a document, none when it holds."""

Pair = tuple[str, str]
"""Fault and remedy of a breach, each as a part of a sentence without its period."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One row. `element` is where the authority finds it, `field` where the caller does; `words` by language.

    Code and field together name a rule. A rule without a code of the authority's has one of our own.
    """

    code: str
    field: str
    element: str
    broken: Broken
    words: Mapping[str, Wording]
    source: str = VALIDATIONS

    def problem(self, breach: Values) -> FieldProblem:
        """Describe one breach to the caller."""
        said = {name: _filled(text, breach, name) for name, text in self.words.items()}
        plain = said[ENGLISH]
        return FieldProblem(
            field=self.field, code=self.code, message=plain.message, remedy=plain.remedy, translations=said
        )


@dataclass(frozen=True)
class Block:
    """Rules that can be broken only by documents which they concern; all others need not be held against them."""

    concerns: Callable[[Subject], object]
    rules: tuple[Rule, ...]


def always(_: Subject) -> bool:
    """Return True: for rules that concern every document."""
    return True


@dataclass(frozen=True, kw_only=True)
class Said:
    """Words of a rule's own, where it can say more than its code; `{names}` are filled from the breach."""

    es: Pair
    en: Pair


def rule(code: str, field: str, element: str, broken: Broken, said: Said | None = None, **more: str) -> Rule:
    """A row whose words are its own, or those of its code."""
    words = _own(said) if said else _LazyWords(code)
    return Rule(code=code, field=field, element=element, broken=broken, words=words, **more)


def when(condition: Callable[[Subject], object]) -> Broken:
    """Broken once, when `condition` is true of the document."""
    return lambda subject: ({},) if condition(subject) else ()


def on_lines(condition: Callable[[Subject, TaxLine, Detail], object]) -> Broken:
    """Broken by each tax line, as it was given and as it is reported, of which `condition` is true."""
    return lambda subject: [
        _of_line(subject, line) for line in subject.lines if condition(subject, line.given, line.detail)
    ]


def on_entries(condition: Callable[[Subject, Detail], object]) -> Broken:
    """Broken by each entry of the breakdown (lines of one combination are one) of which `condition` is true."""
    return lambda subject: [_of_entry(entry) for entry in subject.entries if condition(subject, entry)]


def _of_line(subject: Subject, line: Line) -> Values:
    return {
        **_of_entry(line.detail),
        "category": line.given.category.value,
        "given_rate": line.given.rate,
        "given_tax": line.given.tax,
        "given_exemption": line.given.exemption_code,
        "given_regime": line.given.regime_key,
        "day": subject.day,
        "rates": subject.rates,
        "regimes": tuple(subject.regimes(line.given)),
        "exemptions": tuple(subject.exemptions(line.given)),
    }


def _of_entry(entry: Detail) -> Values:
    return {"rate": entry.rate, "surcharge": entry.surcharge_rate, "regime": entry.regime, "base": entry.base}


class _LazyWords(Mapping[str, Wording]):
    """The words of a code, read when a rule is broken first: most processes never need them."""

    def __init__(self, code: str) -> None:
        self._code = code

    def __getitem__(self, language: str) -> Wording:
        return _verbatim(codes.wording(self._code)[language])

    def __iter__(self) -> Iterator[str]:
        return iter(codes.LANGUAGES)

    def __len__(self) -> int:
        return len(codes.LANGUAGES)


def _verbatim(said: Wording) -> Wording:
    return Wording(message=_escaped(said.message), remedy=_escaped(said.remedy))


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _own(said: Said) -> Mapping[str, Wording]:
    pairs = {"es": said.es, "en": said.en}
    return {name: Wording(message=message, remedy=f"{remedy}.") for name, (message, remedy) in pairs.items()}


def _filled(said: Wording, values: Values, language: str) -> Wording:
    shown = {name: _shown(value, language) for name, value in values.items()}
    return Wording(message=said.message.format(**shown), remedy=said.remedy.format(**shown))


def _shown(value: object, language: str) -> str:
    if isinstance(value, Decimal):
        plain = f"{value.normalize():f}"
        return plain.replace(".", ",") if language == "es" else plain
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}" if language == "es" else value.isoformat()
    if isinstance(value, tuple):
        return (" · " if language == "es" else ", ").join(_shown(one, language) for one in value)
    return "" if value is None else str(value)
