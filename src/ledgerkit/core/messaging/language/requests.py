"""Requests that a message can be: what somebody wants done or told."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from ledgerkit.core.messaging.language.names import Named


class Topic(StrEnum):
    """Subject of a question that is answered at once."""

    RECEIVABLES = "receivables"
    OVERDUE = "overdue"
    PAYABLES = "payables"
    VAT = "vat"
    FILING = "filing"
    RESULTS = "results"
    TASKS = "tasks"
    TILL = "till"
    Z_REPORT = "z_report"
    CLIENT = "client"
    DIGEST = "digest"
    HELP = "help"
    INVOICE_STATE = "invoice_state"
    INVOICE_PDF = "invoice_pdf"


class RequestLack(StrEnum):
    """Part of a request that has to be asked for before anything can be proposed."""

    WHICH_CLIENT = "which_client"
    UNKNOWN_CLIENT = "unknown_client"
    CLIENT_MISSING = "client_missing"
    AMOUNT = "amount"
    WHICH_INVOICE = "which_invoice"
    AMBIGUOUS = "ambiguous"


class RequestRefusal(StrEnum):
    """Reason for which a message is not done."""

    NOT_HERE = "not_here"
    NOT_UNDERSTOOD = "not_understood"


@dataclass(frozen=True, kw_only=True)
class RequestedLine:
    """Line of an invoice; `unit_price` in the account's currency, without VAT unless the request includes it."""

    quantity: Decimal = Decimal(1)
    unit_price: Decimal
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class InvoiceRef:
    """An invoice as it was referred to: by the digits of its number, or by what else tells it from others.

    `month` is that of its issue, 1 to 12; `amount` its total or part of it. `is_oldest` and `is_last` are among those
    that can be meant.
    """

    number: str | None = None
    client: Named | None = None
    amount: Decimal | None = None
    month: int | None = None
    issue_date: dt.date | None = None
    is_oldest: bool = False
    is_last: bool = False
    is_draft: bool = False
    is_overdue: bool = False


@dataclass(frozen=True, kw_only=True)
class DraftInvoice:
    """An invoice to be drafted; rates in percent, None where none was said. `due_days` count from the issue.

    `without_vat`: the whole invoice was said to be without VAT. That is right for a client abroad; where the grammar
    does not know of the client's country, the caller asks about one within.
    """

    client: Named
    lines: Sequence[RequestedLine]
    vat_rate: Decimal | None = None
    vat_included: bool = False
    without_vat: bool = False
    retention_rate: Decimal | None = None
    issue_date: dt.date | None = None
    due_date: dt.date | None = None
    due_days: int | None = None
    issue: bool = False


@dataclass(frozen=True, kw_only=True)
class MarkPaid:
    invoice: InvoiceRef
    date: dt.date | None = None
    amount: Decimal | None = None
    method: str | None = None


@dataclass(frozen=True, kw_only=True)
class SendInvoice:
    invoice: InvoiceRef


@dataclass(frozen=True, kw_only=True)
class CreditNote:
    invoice: InvoiceRef
    amount: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class CreateTask:
    title: str
    due_date: dt.date | None = None


@dataclass(frozen=True, kw_only=True)
class CompleteTask:
    task: Named | None
    title: str


@dataclass(frozen=True, kw_only=True)
class CloseTill:
    counted: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class Undo:
    pass


@dataclass(frozen=True, kw_only=True)
class Silence:
    until: dt.date | None = None
    is_off: bool = False


@dataclass(frozen=True, kw_only=True)
class Unlink:
    pass


@dataclass(frozen=True, kw_only=True)
class SetDigest:
    """`hour` of the day from 0 to 23; None for no digest."""

    hour: int | None


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question about the books; `first` and `last` are the days of the period that it is about."""

    topic: Topic
    client: Named | None = None
    invoice: InvoiceRef | None = None
    first: dt.date | None = None
    last: dt.date | None = None


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A request that lacks something, with the records of which one may be meant; `said` are the words in question."""

    lack: RequestLack
    candidates: Sequence[Named] = field(default_factory=tuple)
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class Refused:
    refusal: RequestRefusal


Act = (
    DraftInvoice
    | MarkPaid
    | SendInvoice
    | CreditNote
    | CreateTask
    | CompleteTask
    | CloseTill
    | Undo
    | Silence
    | Unlink
    | SetDigest
)
Request = Act | Question | Ask | Refused
