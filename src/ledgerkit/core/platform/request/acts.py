"""Acts that a person agrees to: what is said of an operation before it is done, and when it is asked about.

A rehearsal of the operation gives the facts. The person decides by the summary alone, so it holds no ids and no links.
Questions of MCP, cards of proposals and messages are renderings of it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import cache, cached_property
from typing import Any, NamedTuple, Protocol

from babel import Locale
from babel.dates import format_date
from babel.numbers import NumberPattern, parse_pattern
from pydantic.alias_generators import to_camel
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.request.readable import as_line, cut, readable
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import FixedText, MessageId, Text, text

Json = Mapping[str, Any]
"""A record as REST sends it."""

SEALING_ACTIONS = frozenset({"issued", "emitted", "corrected", "annulled", "annulment_requested"})
"""Actions in the activity log that number a document or make a fiscal record, which cannot be undone."""

_LONGEST_VALUE = 120
"""Most characters of a value that somebody has typed, so that it does not push the other facts out of the summary."""

_LONGEST_NAME = 80
"""Most characters of a name within a sentence."""

MOST_BYTES = 1500
"""Most bytes of a summary in UTF-8, with a line break between the lines."""

LEAST_OF_TEXT = 200
"""Characters of a long text that stand in a summary before all of its facts do."""

_MOST_OF_CHARACTER = 4
"""Most bytes of a character in UTF-8."""

_MOST_IN_LIST = 5
"""Most values of a list that are shown."""

_KEPT = (AskMsg.TOTAL, AskMsg.ATTENTION, AskMsg.DOUBT)
"""Labels of facts that a summary leaves out only after all others."""

FINAL = frozenset({AskMsg.FINAL, AskMsg.FINAL_CHAIN, AskMsg.FINAL_MAIL, AskMsg.FINAL_MERGE, AskMsg.FINAL_SEALED})
"""Ends of summaries of what cannot be undone."""

_CODE = re.compile(r"^[A-Z]+(?:_[A-Z]+)+: ")
"""Code of a warning, before its words."""

_QUANTITY, _PRICE = parse_pattern("#,##0.####"), parse_pattern("#,##0.00##")
"""Patterns of numbers and of amounts: both have up to four decimals."""


class Risk(StrEnum):
    """Gravest effect of an act: it reaches others, cannot be undone, moves money, or gives access."""

    OUTWARD = "outward"
    IRREVERSIBLE = "irreversible"
    MONEY = "money"
    ACCESS = "access"


class LogEntry(Protocol):
    """Entry of the activity log, as far as summaries look at it."""

    @property
    def action(self) -> str: ...
    @property
    def entity_type(self) -> str: ...
    @property
    def entity_id(self) -> str: ...
    @property
    def entity_label(self) -> str | None: ...
    @property
    def changes(self) -> Mapping[str, Any]: ...


class Value(ABC):
    """Value of a fact, which says itself how a person reads it."""

    @abstractmethod
    def in_language(self, language: str) -> str:
        """Return the value as the language writes it."""


class Elastic(Value):
    """Value that depends on how much of the long texts a summary has room for."""

    @property
    def length(self) -> int:
        """Characters of the whole text; 0 for a value that only depends on the room for others."""
        return 0

    @abstractmethod
    def within(self, most: int, language: str) -> str:
        """Return the value where `most` characters of each long text are shown; empty if there is nothing to say."""

    def in_language(self, language: str) -> str:
        return self.within(LEAST_OF_TEXT, language)


@dataclass(frozen=True)
class LongText(Elastic):
    """Text that somebody has written: all of it, or its beginning and how much is left out."""

    words: str

    @cached_property
    def line(self) -> str:
        """The text as it is shown, on one line."""
        return readable(self.words)

    @property
    def length(self) -> int:
        return len(self.line)

    def within(self, most: int, language: str) -> str:
        line = self.line
        if len(line) <= most:
            return line
        beginning = text(AskMsg.MESSAGE_CUT, beginning=line[:most].rstrip(), count=len(line) - most)
        return beginning.in_language(language)


@dataclass(frozen=True)
class Money(Value):
    """Amount with its currency. A summary shows the ISO code, because several currencies share a symbol."""

    amount: object
    currency: object

    def in_language(self, language: str) -> str:
        return f"{_decimal(self.amount, language, _PRICE)} {self.currency}"


@dataclass(frozen=True)
class Percent(Value):
    """Rate in percent."""

    rate: object

    def in_language(self, language: str) -> str:
        return f"{_decimal(self.rate, language)} %"


@dataclass(frozen=True)
class CountryName(Value):
    """Country by its code."""

    code: str

    def in_language(self, language: str) -> str:
        return str(_locale(language).territories.get(self.code, self.code))


@dataclass(frozen=True)
class LanguageName(Value):
    """Language by its code."""

    code: str

    def in_language(self, language: str) -> str:
        return str(_locale(language).languages.get(self.code, self.code))


@dataclass(frozen=True)
class Changed(Value):
    """Value before and after an act."""

    before: object
    after: object

    def in_language(self, language: str) -> str:
        return f"{_shown(self.before, language)} → {_shown(self.after, language)}"


@dataclass(frozen=True)
class Several(Value):
    """The first of several values, and how many there are; by default those that are given."""

    values: Sequence[object]
    count: int = 0

    def in_language(self, language: str) -> str:
        shown = [_shown(entry, language) for entry in self.values[:_MOST_IN_LIST]]
        more = max(self.count, len(self.values)) - len(shown)
        return "; ".join([*shown, *([text(AskMsg.MORE, count=more).in_language(language)] if more else [])])


@dataclass(frozen=True)
class LineTax(Value):
    """Tax of a line: its rate with the surcharge, or why it has none; and the regime, where it is not the usual one.

    `tax` is the name of a tax other than the usual one of the country, as IGIC. `untaxed` says why there is none.
    """

    rate: object
    surcharge: object = None
    tax: str | None = None
    untaxed: MessageId | None = None
    regime: str | None = None

    def in_language(self, language: str) -> str:
        taxed = self._taxed(language)
        if self.regime is None:
            return taxed
        return text(AskMsg.LINE_OF_REGIME, tax=taxed, regime=self.regime).in_language(language)

    def _taxed(self, language: str) -> str:
        if self.untaxed is not None:
            tax = self.tax or text(AskMsg.TAX)
            return text(AskMsg.LINE_UNTAXED, tax=tax, reason=text(self.untaxed)).in_language(language)
        rate = Percent(self.rate).in_language(language)
        named = f"{self.tax} {rate}" if self.tax else rate
        if not self.surcharge:
            return named
        surcharge = Percent(self.surcharge).in_language(language)
        return text(AskMsg.LINE_SURCHARGED, rate=named, surcharge=surcharge).in_language(language)


@dataclass(frozen=True)
class DocumentLine(Value):
    """Line of a document: what is sold, its quantity, its price, its discount in percent and its tax."""

    description: object
    quantity: object
    unit_price: object
    tax: LineTax | None
    discount: object = None

    def in_language(self, language: str) -> str:
        amounts = {
            "quantity": _decimal(self.quantity, language),
            "price": _decimal(self.unit_price, language, _PRICE),
        }
        line = text(AskMsg.LINE, description=short(self.description), **amounts)
        if self.discount:
            line = text(AskMsg.LINE_DISCOUNTED, line=line, discount=Percent(self.discount).in_language(language))
        if self.tax is None:
            return line.in_language(language)
        return text(AskMsg.LINE_AT_RATE, line=line, rate=self.tax.in_language(language)).in_language(language)


Label = MessageId | Text | str
Fact = tuple[Label, object]
"""Label and value. A summary leaves out a fact whose value is None or empty."""


@dataclass(frozen=True)
class Summary:
    """Effect of an act, the facts that a person decides by, and whether and how the act can be undone."""

    effect: Text
    facts: Sequence[Fact] = ()
    afterwards: MessageId | None = AskMsg.FINAL
    is_of_known_client: bool = False
    """True where the client is one that was invoiced before, and its address and the bank account are the usual ones.

    A policy may ask about others elsewhere.
    """

    def in_words(self, wordings: Mapping[str, str]) -> "Summary":
        """Return the summary with each warning in the words of the screens, where there are any."""
        words = {str(sentence(warning)): FixedText(shown) for warning, shown in wordings.items()}
        facts = [
            (label, words.get(str(value), value) if label is AskMsg.DOUBT else value) for label, value in self.facts
        ]
        return replace(self, facts=facts)

    @property
    def is_final(self) -> bool:
        """True where it says that the act cannot be undone."""
        return self.afterwards in FINAL

    @property
    def total(self) -> Money | None:
        """Total that the person agrees to; None for an act without one."""
        totals = (value for label, value in self.facts if label is AskMsg.TOTAL and isinstance(value, Money))
        return next(totals, None)

    def lines(self, language: str) -> list[str]:
        """Return the lines of the summary in a language: the effect is the first.

        They have at most MOST_BYTES. Long texts are cut to that, down to LEAST_OF_TEXT. Where there are still too many
        facts, the last ones are left out, and counted: the total and warnings only after all others. A long text is cut
        further before it is left out.
        """
        effect = as_line(self.effect.in_language(language))
        ending = [] if self.afterwards is None else [as_line(text(self.afterwards).in_language(language))]
        facts = [_FactLine(label, value, language) for label, value in self.facts if value is not None and value != ""]
        return [effect, *_within(MOST_BYTES - _size([effect, *ending]), facts, language), *ending]


class Stored(NamedTuple):
    """A stored record: the operation that reads it, and the argument of the act with its id.

    `data.x` is the field x of the body; without an argument the operation reads the record of the account. With its
    `kind`, as the log calls it, a change of the record ends a proposal of an act that writes nothing to it, as a mail.
    """

    operation: str
    argument: str = ""
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Rehearsed:
    """Results of the rehearsal of an operation.

    `arguments` are those of the operation by name. `before` is the record before the act, if the act reads it. `answer`
    is empty where a step that the dry run leaves out decides it. `read` gives a record as it would be afterwards, by
    the name of the operation that reads it and its id; an empty one if it is missing or the caller may not read it.
    `earlier` is what the act's query has found before it.
    """

    arguments: Mapping[str, Any]
    before: Json
    answer: Json
    entries: Sequence[LogEntry]
    currency: str
    """Currency of the account."""
    tax_id: str | None
    """Tax identifier of the account today."""
    read: Callable[..., Awaitable[Json]]
    earlier: object = None

    @property
    def data(self) -> Any:
        """Body of the request: the argument `data`."""
        return self.arguments["data"]

    @property
    def sent(self) -> frozenset[str]:
        """Names of the fields of the body that the caller has sent, as on the wire."""
        return frozenset(to_camel(name) for name in self.data.model_fields_set)

    @property
    def seals(self) -> bool:
        """True when a document would be numbered or a fiscal record made."""
        return any(entry.action in SEALING_ACTIONS for entry in self.entries)

    def label(self, record: Json) -> str:
        """Return the number of a document, or the name of the record as the log calls it."""
        labels = [entry.entity_label for entry in self.entries if entry.entity_label]
        return short(record.get("number") or self.before.get("number") or (labels[-1] if labels else ""))


def always(_rehearsed: Rehearsed) -> bool:
    """Ask about the act in any case."""
    return True


def if_it_seals(rehearsed: Rehearsed) -> bool:
    """Ask about the act when it numbers a document or makes a fiscal record."""
    return rehearsed.seals


@dataclass(frozen=True, kw_only=True)
class Act:
    """Summary of an operation for the person who agrees to it, its gravest effect, and when they are asked.

    `asked_if` None: nobody is asked; the summary is for proposals only. Without a `risk` the summary says whether the
    act can be undone. `before` reads the record before the act, and `earlier` looks up by it what else stands before
    the act, which no operation tells. `idle` returns why an act does nothing, for which nobody is asked; None for one
    that does something.
    """

    summary: Callable[[Rehearsed], Awaitable[Summary]]
    risk: Risk | None = Risk.IRREVERSIBLE
    asked_if: Callable[[Rehearsed], bool] | None = always
    before: Stored | None = None
    earlier: Callable[[AsyncConnection, Json], Awaitable[object]] | None = None
    idle: Callable[[Rehearsed], MessageId | None] | None = None


@dataclass(frozen=True)
class Agreement:
    """Channel on which a person is asked about acts before they are done; `token` is of what they have agreed to."""

    token: str | None = None


# ---------------------------------------------------------------- forms of facts


def as_day(value: object) -> date | None:
    """Return the day of an ISO date or time; None without a text."""
    return date.fromisoformat(value[:10]) if isinstance(value, str) and value else None


def as_money(record: Json, name: str, currency: object = None) -> Money | None:
    """Return the amount `name` of a record in the record's currency, or in `currency`; None where it has none."""
    return Money(record[name], currency or record.get("currency")) if record.get(name) is not None else None


def doubts(*records: Json) -> list[Fact]:
    """Return the warnings of records, each once."""
    warnings = [warning for record in records for warning in record.get("warnings") or ()]
    return [(AskMsg.DOUBT, sentence(warning)) for warning in dict.fromkeys(warnings)]


def sentence(words: object) -> Text:
    """Return a warning as a value that a line holds whole, without the code before its words."""
    return FixedText(_CODE.sub("", str(words)))


def short(name: object, most: int = _LONGEST_NAME) -> str:
    """Return a name as it stands within a sentence: on one line, and not longer than a name is, or than `most`."""
    return cut(readable(str(name or "")), min(most, _LONGEST_NAME))


def _shown(value: object, language: str) -> str:
    if isinstance(value, bool):
        value = AskMsg.YES if value else AskMsg.NO
    elif value is None or (isinstance(value, Sized) and not value):
        value = AskMsg.EMPTY
    if isinstance(value, MessageId):
        return text(value).in_language(language)
    if isinstance(value, Text | Value):
        return value.in_language(language)
    if isinstance(value, date):
        return format_date(value, "long", locale=language)
    if isinstance(value, Decimal | int | float):
        return _decimal(value, language)
    return cut(readable(str(value)), _LONGEST_VALUE)


def _decimal(value: object, language: str, pattern: NumberPattern = _QUANTITY) -> str:
    return str(pattern.apply(Decimal(str(value)), _locale(language)))


@cache
def _locale(language: str) -> Locale:
    return Locale.parse(language)


class _FactLine:
    """Fact of a summary in one language, as a line that depends on the room for long texts."""

    def __init__(self, label: Label, value: object, language: str) -> None:
        self.is_kept = label in _KEPT
        self.elastic = value if isinstance(value, Elastic) else None
        self.is_text = self.elastic is not None and self.elastic.length > 0
        self._label, self._language = _shown(label, language), language
        self._line = "" if self.elastic else as_line(f"{self._label}: {_shown(value, language)}")

    def line(self, most: int) -> str:
        """Return the line where `most` characters of long texts are shown; empty for a fact that says nothing then."""
        if self.elastic is None:
            return self._line
        words = self.elastic.within(most, self._language)
        return words and as_line(f"{self._label}: {words}", MOST_BYTES)


def _within(room: int, facts: Sequence[_FactLine], language: str) -> list[str]:
    """Return the facts that the room holds, with as much of their long texts as it holds, and how many are left out.

    The last facts are left out first, those that are kept after all others. Before a long text is left out, less than
    LEAST_OF_TEXT of it is shown.
    """
    texts = [fact.elastic.length for fact in facts if fact.elastic and fact.is_text]
    most, shown = min(room, max(texts, default=0)), list(facts)
    while shown and (excess := _size(lines := _lines(facts, shown, most, language)) - room) > 0:
        last = max((place for place, fact in enumerate(shown) if not fact.is_kept), default=len(shown) - 1)
        least = 0 if shown[last].is_text else LEAST_OF_TEXT
        if most > least:
            most = max(least, most - max(1, (excess - 1) // (_MOST_OF_CHARACTER * len(texts))))
        else:
            del shown[last]
    return lines if shown else _lines(facts, shown, most, language)


def _lines(facts: Sequence[_FactLine], shown: Sequence[_FactLine], most: int, language: str) -> list[str]:
    """Return the lines of these facts where `most` characters of long texts are shown, and how many are left out."""
    left_out = sum(bool(fact.line(most)) for fact in facts if fact not in shown)
    more = [text(AskMsg.MORE, count=left_out).in_language(language)] if left_out else []
    return [*(line for fact in shown if (line := fact.line(most))), *more]


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)
