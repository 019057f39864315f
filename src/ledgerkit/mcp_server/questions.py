"""Questions that a person answers before an act: to whom, how much, when and to what effect.

A rehearsal of the act gives the facts. The person decides by this text alone, so it holds no ids and no links.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from babel.dates import format_date
from babel.numbers import format_decimal

from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.previews import StepLeftOutError, WriteLog
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.mcp_server.answers import as_json
from ledgerkit.mcp_server.messages import AskMsg
from ledgerkit.problems import Problem
from ledgerkit.texts import ENGLISH, MessageId, Text, text

Json = Mapping[str, Any]
"""A record as REST sends it."""

SEALING_ACTIONS = frozenset({"issued", "emitted", "corrected", "annulled", "annulment_requested"})
"""Actions in the activity log that number a document or make a fiscal record, which cannot be undone."""

_LONGEST_LINE = 300
"""Most characters in a line of a question."""


@dataclass(frozen=True)
class Money:
    """Amount with its currency. The question shows the ISO code, because several currencies share a symbol."""

    amount: object
    currency: object


Fact = tuple[MessageId, object]
"""Label and value: text, Money or a date. The question leaves out a fact whose value is None or empty."""


@dataclass(frozen=True, kw_only=True)
class Rehearsed:
    """Results of the rehearsal of a call.

    `before` is the record before the act, if the tool reads it. `invoice` is the invoice that the act would write or
    share, as it would be afterwards; `corrected` is the invoice that it corrects. `answer` is empty where a step that
    the dry run leaves out decides it.
    """

    arguments: Any
    before: Json
    invoice: Json
    corrected: Json
    answer: Json
    entries: Sequence[ActivityLog]
    currency: str
    """Currency of the account."""
    tax_id: str | None
    """Tax identifier of the account today."""

    @property
    def seals(self) -> bool:
        """True when a document would be numbered or a fiscal record made."""
        return any(entry.action in SEALING_ACTIONS for entry in self.entries)

    @property
    def other_issuer(self) -> str | None:
        """Tax identifier of the document's issuer if it is an earlier one of the account; None if it is today's."""
        stamp = self.invoice.get("einvoice")
        issuer = str(stamp["fiscalId"]).partition(":")[0] if isinstance(stamp, Mapping) else ""
        return issuer if issuer and self.tax_id and not self.tax_id.endswith(issuer) else None

    @property
    def number(self) -> str:
        """Number of the document, or the name of the record, as the log would call it."""
        labels = [entry.entity_label for entry in self.entries if entry.entity_label]
        return str(self.invoice.get("number") or self.before.get("number") or (labels[-1] if labels else "")).strip()


@dataclass(frozen=True)
class Question:
    """Effect of an act, the facts that a person decides by, and whether and how the act can be undone."""

    effect: Text
    facts: Sequence[Fact] = ()
    afterwards: MessageId = AskMsg.FINAL

    def lines(self, language: str) -> list[str]:
        """Return the lines of the question in a language."""
        facts = [
            f"{text(label).in_language(language)}: {_shown(value, language)}"
            for label, value in self.facts
            if value is not None and value != ""
        ]
        return [
            _line(entry)
            for entry in (self.effect.in_language(language), *facts, text(self.afterwards).in_language(language))
        ]


@dataclass(frozen=True)
class Asked:
    """Question of a tool. `before` reads the record before the act; `arguments` are those of the call."""

    question: Callable[[Rehearsed], Question]
    before: Callable[[Context, Any], Awaitable[object]] | None = None
    arguments: Any = field(default=None, repr=False)

    def of(self, arguments: object) -> "Asked":
        """Return the question of a call with these arguments."""
        return replace(self, arguments=arguments)


class Rehearsal:
    """A call in a dry run, and the question made from its results. What it writes is rolled back."""

    def __init__(self, ctx: Context, tool_question: Asked, run: Callable[[Context], Awaitable[dict[str, Any]]]) -> None:
        self._ctx, self._asked, self._run = ctx, tool_question, run
        self.question: Question | None = None
        self.language = ENGLISH
        """Language of the question: the user's, or the owner's for a team's key."""

    async def act(self, inner: Context) -> dict[str, Any]:
        """Do the call in the dry run `inner`, and set `question`. Raises whatever the call raises."""
        async with inner.reading() as reading:  # on the dry run's connection: the pool may have no second one
            self.language = await members.locale_of_actor(reading)
        first_id = new_id()
        before = await self._before(inner)
        try:
            answer = await self._run(inner)
        except (StepLeftOutError, Problem):
            if self._ctx.who is not None:
                self.question = await self._asked_of(inner, before, {}, first_id)
            raise
        self.question = await self._asked_of(inner, before, answer, first_id)
        return answer

    async def _before(self, inner: Context) -> Json:
        look, looking = self._asked.before, self._looking(inner)
        return {} if look is None else await _readable(lambda: look(looking, self._asked.arguments))

    def _looking(self, inner: Context) -> Context:
        """Return the context in which records are read for the question, in its language."""
        return replace(inner, request_metadata=replace(inner.request_metadata, language=self.language, headers={}))

    async def _asked_of(self, inner: Context, before: Json, answer: Json, first_id: UUID) -> Question:
        log = self._ctx.kernel.service(WriteLog)
        entries = await log.entries(inner.kernel.database, [self._ctx.account.id], first_id)
        typed_entries = [entry for entry in entries if isinstance(entry, ActivityLog)]
        invoice_id = _invoice_id(answer, typed_entries)
        invoice: Json = {}
        looking = self._looking(inner)
        if invoice_id is not None:
            invoice = await _readable(lambda: invoices.get(looking, invoice_id))
        corrected: Json = {}
        if corrected_id := invoice.get("rectifies"):
            corrected = await _readable(lambda: invoices.get(looking, corrected_id))
        rehearsed = Rehearsed(
            arguments=self._asked.arguments,
            before=before,
            invoice=invoice,
            corrected=corrected,
            answer=answer,
            entries=typed_entries,
            currency=self._ctx.account.currency,
            tax_id=self._ctx.account.tax_id,
        )
        return self._asked.question(rehearsed)


async def _readable(read: Callable[[], Awaitable[object]]) -> Json:
    """Return a record; an empty one if it is missing or the caller may not read it, which the act itself reports."""
    try:
        return as_json(await read())
    except Problem:
        return {}


def _invoice_id(answer: Json, entries: Sequence[ActivityLog]) -> str | None:
    """Return the id of the act's invoice: the one in its answer, else the last one that it seals or writes."""
    named = answer.get("invoiceId") or (answer.get("id") if "docType" in answer else None)
    written = [entry for entry in entries if entry.entity_type == "invoice"]
    sealed = [entry for entry in written if entry.action in SEALING_ACTIONS]
    return named or next((entry.entity_id for entry in reversed(sealed or written)), None)


# ---------------------------------------------------------------- facts and their form


def document_facts(document: Json) -> list[Fact]:
    """Return the party of an invoice, its amounts and its dates; values that it lacks are None or left out."""
    currency = document.get("currency")
    client = document.get("client")
    party: Fact = (AskMsg.VENDOR, document.get("vendorName"))
    if isinstance(client, Mapping):
        party = (AskMsg.CLIENT, _named(client))
    amounts = ((AskMsg.BASE, "subtotal"), (AskMsg.TAX, "taxAmount"), (AskMsg.RETENTION, "retentionAmount"))
    parts: list[Fact] = [
        (label, Money(document[key], currency)) for label, key in amounts if document.get(key) and currency
    ]
    total = Money(document["total"], currency) if "total" in document else None
    days: list[Fact] = [
        (AskMsg.ISSUE_DATE, as_day(document.get("issueDate") or document.get("invoiceDate"))),
        (AskMsg.DUE_DATE, as_day(document.get("dueDate"))),
    ]
    return [party, *parts, (AskMsg.TOTAL, total), *days]


def _named(party: Json) -> str:
    name, tax_id = party.get("name") or "", party.get("taxId")
    return f"{name} ({tax_id})" if tax_id else str(name)


def as_day(value: object) -> date | None:
    """Return the day of an ISO date or time; None without a text."""
    return date.fromisoformat(value[:10]) if isinstance(value, str) and value else None


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
    """Return a text on one line, so that a name with line breaks cannot imitate lines of the question."""
    return " ".join(words.split())[:_LONGEST_LINE]
