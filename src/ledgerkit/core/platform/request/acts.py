"""Acts that a person agrees to: what is said of an operation before it is done, and when it is asked about.

A rehearsal of the operation gives the facts. The person decides by the summary alone, so it holds no ids and no links.
Questions of MCP, cards of proposals and messages are renderings of it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from babel.dates import format_date
from babel.numbers import format_decimal

from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import MessageId, Text, text

Json = Mapping[str, Any]
"""A record as REST sends it."""

SEALING_ACTIONS = frozenset({"issued", "emitted", "corrected", "annulled", "annulment_requested"})
"""Actions in the activity log that number a document or make a fiscal record, which cannot be undone."""

_LONGEST_LINE = 300
"""Most characters in a line of a summary."""


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


@dataclass(frozen=True)
class Money:
    """Amount with its currency. A summary shows the ISO code, because several currencies share a symbol."""

    amount: object
    currency: object


Fact = tuple[MessageId | str, object]
"""Label and value: text, Money or a date. A summary leaves out a fact whose value is None or empty."""


@dataclass(frozen=True)
class Summary:
    """Effect of an act, the facts that a person decides by, and whether and how the act can be undone."""

    effect: Text
    facts: Sequence[Fact] = ()
    afterwards: MessageId | None = AskMsg.FINAL
    is_of_known_client: bool = False
    """True where the client has been invoiced before: a policy may ask about others elsewhere."""

    @property
    def total(self) -> Money | None:
        """Total that the person agrees to; None for an act without one."""
        totals = (value for label, value in self.facts if label is AskMsg.TOTAL and isinstance(value, Money))
        return next(totals, None)

    def lines(self, language: str) -> list[str]:
        """Return the lines of the summary in a language: the effect is the first."""
        facts = [
            f"{_shown(label, language)}: {_shown(value, language)}"
            for label, value in self.facts
            if value is not None and value != ""
        ]
        ending = [] if self.afterwards is None else [text(self.afterwards).in_language(language)]
        return [_line(entry) for entry in (self.effect.in_language(language), *facts, *ending)]


class Stored(NamedTuple):
    """A stored record: the operation that reads it, and the argument of the act with its id.

    `data.x` is the field x of the body; without an argument the operation reads the record of the account.
    """

    operation: str
    argument: str = ""


@dataclass(frozen=True, kw_only=True)
class Rehearsed:
    """Results of the rehearsal of an operation.

    `arguments` are those of the operation by name. `before` is the record before the act, if the act reads it. `answer`
    is empty where a step that the dry run leaves out decides it. `read` gives a record as it would be afterwards, by
    the name of the operation that reads it and its id; an empty one if it is missing or the caller may not read it.
    """

    arguments: Mapping[str, Any]
    before: Json
    answer: Json
    entries: Sequence[LogEntry]
    currency: str
    """Currency of the account."""
    tax_id: str | None
    """Tax identifier of the account today."""
    read: Callable[[str, str], Awaitable[Json]]

    @property
    def data(self) -> Any:
        """Body of the request: the argument `data`."""
        return self.arguments["data"]

    @property
    def seals(self) -> bool:
        """True when a document would be numbered or a fiscal record made."""
        return any(entry.action in SEALING_ACTIONS for entry in self.entries)

    def label(self, record: Json) -> str:
        """Return the number of a document, or the name of the record as the log calls it."""
        labels = [entry.entity_label for entry in self.entries if entry.entity_label]
        return str(record.get("number") or self.before.get("number") or (labels[-1] if labels else "")).strip()


def always(_rehearsed: Rehearsed) -> bool:
    """Ask about the act in any case."""
    return True


def if_it_seals(rehearsed: Rehearsed) -> bool:
    """Ask about the act when it numbers a document or makes a fiscal record."""
    return rehearsed.seals


@dataclass(frozen=True, kw_only=True)
class Act:
    """Summary of an operation for the person who agrees to it, its gravest effect, and when they are asked.

    `asked_if` None: nobody is asked; the summary is for proposals only. `before` reads the record before the act.
    """

    summary: Callable[[Rehearsed], Awaitable[Summary]]
    risk: Risk | None = Risk.IRREVERSIBLE
    asked_if: Callable[[Rehearsed], bool] | None = always
    before: Stored | None = None


def deletion(
    kind: MessageId,
    before: Stored | None,
    facts: Callable[[Rehearsed], Sequence[Fact]] = lambda _rehearsed: (),
    *,
    effect: MessageId = AskMsg.DELETE,
    afterwards: MessageId = AskMsg.FINAL,
) -> Act:
    """Return the act of deleting a record of this kind, which `before` reads."""

    async def summary(rehearsed: Rehearsed) -> Summary:
        record = rehearsed.before
        names = (str(record[key]) for key in ("number", "name", "description") if record.get(key))
        name = next(names, rehearsed.label(record))
        return Summary(text(effect, kind=kind, name=name), facts(rehearsed), afterwards)

    return Act(summary=summary, before=before)


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


def _shown(value: object, language: str) -> str:
    if isinstance(value, Money):
        amount = Decimal(str(value.amount)).quantize(Decimal("0.01"))
        return f"{format_decimal(amount, '#,##0.00', locale=language)} {value.currency}"
    if isinstance(value, date):
        return format_date(value, "long", locale=language)
    if isinstance(value, MessageId):
        return text(value).in_language(language)
    return value.in_language(language) if isinstance(value, Text) else str(value)


def _line(words: str) -> str:
    """Return a text on one line, so that a name with line breaks cannot imitate lines of the summary."""
    return " ".join(words.split())[:_LONGEST_LINE]
