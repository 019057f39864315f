"""Life cycle of invoices: insert a draft, issue it with a number, stamp it, withdraw it. The number is locked last."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Text, Uuid, any_, bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import NO_EXTRA_WRITES, ExtraWrites, Prepared
from ledgerkit.core.platform.documents import einvoicing_state, exchange_rates
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.request import clock_watch
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.dates.issue_and_due import issue_day
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.documents.origins import check_day, check_rate
from ledgerkit.core.sales.invoices.json_columns.codecs import (
    CLIENT,
    ISSUER,
    LINES,
    TAX_ROWS,
    StoredIssuer,
    stored_stamp,
)
from ledgerkit.core.sales.invoices.posting import (
    credit_limits,
    effects,
    simplified_exchange,
    standing,
    stock_moves,
)
from ledgerkit.core.sales.invoices.posting.credit_limits import CreditedAmounts
from ledgerkit.core.sales.invoices.posting.effects import CountedAmounts
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice, invoice_counter
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import DocumentKind

WiderRowT = TypeVar("WiderRowT", bound=InvoiceRow)

ONE_DRAFT = {"invoice.draft": 1, CHANGES: 1}


@dataclass(frozen=True)
class Number:
    """A document's number and its place in its series and year."""

    year: int
    ordinal: int
    text: str


class Settlement(NamedTuple):
    """Effect of a payment or of a fiscal record on an invoice: its columns, the activity, and further writes."""

    columns: Values[InvoiceRow]
    actions: Mapping[str, activity.Changes]
    extra_writes: ExtraWrites = NO_EXTRA_WRITES


_NO_EFFECT = Settlement(Values(InvoiceRow), {})


async def add(ctx: Context, values: Values[InvoiceRow]) -> InvoiceRow:
    """Insert a draft with the columns of `input`, and count it."""
    row = await insert_draft(ctx, values)
    await counters.add(ctx.db, ONE_DRAFT)
    return row


async def insert_draft(ctx: Context, values: Values[InvoiceRow]) -> InvoiceRow:
    """Insert a draft; the caller counts it as `ONE_DRAFT`, after the locks that the caller takes."""
    author = Values(InvoiceRow, created_by=ctx.actor.user_id, channel=ctx.actor.channel.value)
    row = await records.add(ctx, invoice, values | author | Values(InvoiceRow, id=new_id(), status="draft"))
    await activity.record(ctx, "created", ("invoice", row.id), CLIENT.decode(row.client).name)
    return row


async def fetch_locked(ctx: Context, invoice_id: str, *, hidden: bool = False) -> InvoiceRow:
    """Return the invoice's row, locked until the transaction ends; `hidden`: a deleted one too. Raises NotFound."""
    return await records.fetch_locked(ctx, invoice, invoice_id, "invoice", hidden=hidden)


async def fetch_locked_with(ctx: Context, invoice_id: str, before: records.ValueBeforeLock[WiderRowT]) -> WiderRowT:
    """Return the locked row like `fetch_locked`, with a value that is read before the lock."""
    return await records.fetch_locked(ctx, invoice, invoice_id, "invoice", before=before)


async def fetch(ctx: Context, invoice_id: str) -> InvoiceRow:
    """Return the invoice's row, read only. Raises NotFound."""
    return await records.fetch(ctx, invoice, invoice_id, "invoice")


async def stamp(ctx: Context, invoice_id: UUID, einvoice: Mapping[str, object], new_standing: Standing) -> None:
    """Store an e-invoicing result and the fiscal standing on an invoice, deleted or not.

    `authority_answers.restamp` is for a standing that reverses the posting of the invoice, or reinstates it.
    """
    await records.change(ctx, invoice, invoice_id, stamped(einvoice, new_standing))
    await counters.add(ctx.db, {CHANGES: 1})


def stamped(einvoice: Mapping[str, object], new_standing: Standing) -> Values[InvoiceRow]:
    """Return the columns of a stamp; `einvoice` is the e-invoicing result as JSON in wire names."""
    return Values(InvoiceRow, einvoice=stored_stamp(einvoice), fiscal_standing=new_standing.value, unrecorded=None)


async def stamp_all(ctx: Context, stamps: Mapping[UUID, tuple[Mapping[str, object], Standing]]) -> None:
    """Stamp many invoices at once."""
    if not stamps:
        return
    await _LOCK_ALL.rows(ctx.db, ids=list(stamps))
    rows = [Values(InvoiceRow, id=invoice_id) | stamped(*values) for invoice_id, values in stamps.items()]
    await records.change_many(ctx, invoice, rows)
    await counters.add(ctx.db, {CHANGES: len(rows)})


async def issue(
    ctx: Context,
    row: InvoiceRow,
    settle: Callable[[Decimal], Settlement] | None = None,
    seal: Callable[[InvoiceRow, str], Awaitable[Settlement]] | None = None,
) -> InvoiceRow:
    """Number and freeze a dated draft, counting it. Its row is locked by the caller, `einvoice.issuance.numbers`.

    `settle` returns the effect of a payment, given the amount that is owed; `seal` makes the fiscal record, given the
    row as it will be issued and its number. Without `seal`, while e-invoicing is on, the database refuses the number.

    Everything that needs no number is done before the counter is locked, so that the lock is short. Raises Invalid when
    the draft lacks what an invoice must have, when its date precedes the series' last or the invoice that it corrects,
    or when a credit note gives back more than remains. Raises Unavailable CLOCK_WRONG.
    """
    await clock_watch.check_day(ctx)
    origins = await lock_origins(ctx, row)
    check_complete(row, origins)
    if row.rectifies is not None and row.currency == origins[0].currency:
        check_rate(origins[0], row.exchange_rate)
    check_not_ahead(ctx, issue_day(row))
    row = await effects.with_replaced(ctx, row, origins)
    final = Values(InvoiceRow, status="sent")
    credited = ZERO
    if row.rectifies is not None:
        check_day(origins[0], issue_day(row))
        standing.check_in_force(origins[0])
        await credit_limits.check(ctx, origins[0], CreditedAmounts.of(row))
        credited = await effects.set_off(ctx, row)
        final |= Values(InvoiceRow, credited=credited)
    if row.substitutes:
        final |= await simplified_exchange.exchange(ctx, row, origins)
        credited = row.total
    payment = settle(row.total - credited) if settle else _NO_EFFECT
    final |= payment.columns
    await stock_moves.post_stock(ctx, row)
    await _count_issued(ctx, row, final, credited)
    number = await take_number(ctx, row.series, issue_day(row))
    sealed = await seal(row, number.text) if seal else _unrecorded(ctx)
    frozen = _frozen(number, documents.issuer_of_draft(ctx, _issuers(origins)))
    numbered = frozen | Values(InvoiceRow, search_text=search.fold(number.text) + " " + row.search_text)
    issued = await records.change(ctx, invoice, row.id, final | sealed.columns | numbered, sealed.extra_writes)
    actions = {"issued": {}, **payment.actions, **sealed.actions}
    await activity.record_all(ctx, ("invoice", row.id), number.text, actions)
    return issued


async def _count_issued(ctx: Context, row: InvoiceRow, final: Values[InvoiceRow], credited: Decimal) -> None:
    """Count a draft as issued with its `final` columns, and add it to its client's figures."""
    paid = final.get("amount_paid", row.amount_paid)
    assert isinstance(paid, Decimal)  # noqa: S101 - the column's type
    amounts = replace(CountedAmounts.of(row), settled=paid + credited)
    by_status = {"invoice.draft": -1, f"invoice.{final['status']}": 1}
    await counters.add(ctx.db, {**by_status, CHANGES: 1, **effects.figures(ctx, amounts, 1)})


def _unrecorded(ctx: Context) -> Settlement:
    """Return the column that holds the reason for the missing fiscal record, where e-invoicing is off."""
    reason = einvoicing_state.reason_without_records(ctx.kernel, ctx.account)
    return Settlement(Values(InvoiceRow, unrecorded=reason), {})


def _frozen(number: Number, issuer: StoredIssuer) -> Values[InvoiceRow]:
    """Return the columns that are written once, when the invoice is issued."""
    return Values(
        InvoiceRow,
        number=number.text,
        year=number.year,
        ordinal=number.ordinal,
        issuer=ISSUER.encode(issuer),
        issued_at=clock.now(),
    )


def check_not_ahead(ctx: Context, issue_date: date) -> None:
    """Raise Invalid for a date in the future, which would block the series for all other invoices until that day."""
    if issue_date > ctx.account.today():
        raise Invalid.field("issueDate", InvoicesMsg.ISSUE_DATE_AHEAD)


async def with_tax_id(ctx: Context, row: InvoiceRow, origins: Sequence[InvoiceRow]) -> InvoiceRow:
    """Return the row; if it was issued without a tax identifier, it gets the issuer that a draft would get."""
    issuer = ISSUER.decode(row.issuer)
    if issuer is None or issuer.tax_id or not ctx.account.tax_id:
        return row
    present = documents.issuer_of_draft(ctx, _issuers(origins))
    return await records.change(ctx, invoice, row.id, Values(InvoiceRow, issuer=ISSUER.encode(present)))


def _issuers(rows: Sequence[InvoiceRow]) -> list[StoredIssuer | None]:
    return [ISSUER.decode(row.issuer) for row in rows]


async def give_reason(ctx: Context, note: InvoiceRow, reason: str | None) -> InvoiceRow:
    """Return the draft of a credit note, with `reason` if it had none."""
    if note.correction_reason is not None or reason is None:
        return note
    return await records.change(ctx, invoice, note.id, Values(InvoiceRow, correction_reason=reason))


async def lock_origins(ctx: Context, row: InvoiceRow) -> Sequence[InvoiceRow]:
    """Lock the documents that a draft corrects or is exchanged for, until the transaction ends.

    Locks are taken in this order: the invoice, these, the head of a chain, the number's counter.
    """
    if row.rectifies is not None:
        return [await effects.locked_original(ctx, row)]
    return await simplified_exchange.lock(ctx, row)


def check_complete(row: InvoiceRow, origins: Sequence[InvoiceRow]) -> None:
    """Raise Invalid when a draft lacks a needed field; it corrects the `origins`, or is exchanged for them."""
    missing = {}
    may_be_nameless = row.doc_type == DocumentKind.SIMPLIFIED or _corrects_simplified(row, origins)
    if not may_be_nameless and not CLIENT.decode(row.client).name:
        missing["client.name"] = InvoicesMsg.DRAFT_LACKS_CLIENT
    if not LINES.decode(row.items):
        missing["items"] = InvoicesMsg.DRAFT_LACKS_ITEMS
    if row.doc_type == DocumentKind.CREDIT_NOTE and row.rectifies is None:
        missing["rectifies"] = InvoicesMsg.DRAFT_LACKS_RECTIFIES
    if missing:
        errors = [
            FieldError.of(field, "missing", message, remedy=InvoicesMsg.CHANGE_DRAFT)
            for field, message in missing.items()
        ]
        raise Invalid(InvoicesMsg.DRAFT_INCOMPLETE, remedy=InvoicesMsg.CHANGE_DRAFT, errors=errors)
    exchange_rates.check_remains((tax_row.base for tax_row in TAX_ROWS.decode(row.tax_breakdown)), row.exchange_rate)


def _corrects_simplified(row: InvoiceRow, origins: Sequence[InvoiceRow]) -> bool:
    return row.rectifies is not None and all(origin.doc_type == DocumentKind.SIMPLIFIED for origin in origins)


class NextNumberRow(Row):
    next: int


def _take() -> Prepared[NextNumberRow]:
    new = insert(invoice_counter)
    statement = new.on_conflict_do_update(
        index_elements=["account_id", "series", "year"],
        set_={"next": invoice_counter.c.next + 1, "last_date": new.excluded.last_date},
        where=invoice_counter.c.last_date <= new.excluded.last_date,
    )
    columns = ["series", "year", "next", "last_date"]
    return Prepared(statement.returning(invoice_counter.c.next), NextNumberRow, columns=columns)


_TAKE = _take()


async def take_number(ctx: Context, series: str, on: date) -> Number:
    """Take the next number of the series and year, gapless: the counter stays locked until the commit.

    Source: RD 1619/2012 art. 6.1.a (correlative within each series); art. 9 (dates follow the order).
    """
    counter = await _TAKE.row(ctx.db, series=series, year=on.year, next=2, last_date=on)
    if counter is None:
        raise Invalid.field(
            "issueDate",
            InvoicesMsg.ISSUE_DATE_BEFORE_LAST,
            code=Code.ISSUE_DATE_BEFORE_LAST,
            on=on,
            series=series,
        )
    ordinal = counter.next - 1
    return Number(on.year, ordinal, number_text(ctx, series, on.year, ordinal))


async def last_date(ctx: Context, series: str, year: int) -> date | None:
    """Return the date of the last document issued in a series and year; None before the first."""
    counter = invoice_counter.c
    query = select(counter.last_date).where(counter.series == series, counter.year == year)
    return (await ctx.db.execute(query)).scalar_one_or_none()


def placeholder(ctx: Context, row: InvoiceRow) -> str:
    """Return a number of the form and length that a draft will get, for checks before it has one."""
    return row.number or number_text(ctx, row.series, issue_day(row).year, 9999)


def number_text(ctx: Context, series: str, year: int, ordinal: int) -> str:
    """Return the number that the account's numbering gives in this place."""
    if ctx.country is None:
        return f"{series}{year:04d}-{ordinal:04d}"
    return ctx.country.tax.numbering.number(series, year, ordinal)


async def withdraw(ctx: Context, row: InvoiceRow, dates: Values[InvoiceRow]) -> bool:
    """Turn the latest issued document back into a draft, because nobody outside has seen its number.

    This is only for a document whose mailing was refused. Its dates become `dates`, the earlier columns. Returns False,
    and changes nothing, when a later number has been given, or the document has been sealed or changed meanwhile: then
    it stays issued.
    """
    assert row.ordinal is not None and row.number is not None  # noqa: S101, PT018 - an issued document has both
    await stock_moves.lock(ctx, row)
    following = await LOCK_COUNTER.row(ctx.db, series=row.series, year=row.year)
    current = await records.fetch_locked(ctx, invoice, str(row.id), "invoice")
    is_last = following is not None and following.next == row.ordinal + 1
    if not is_last or current.version != row.version or current.einvoice is not None:
        return False
    await stock_moves.reverse(ctx, row, "withdrawn")
    await _step_back(ctx, row, row.ordinal)
    await effects.undo_set_off(ctx, row)
    await simplified_exchange.release(ctx, row)
    cleared = Values(
        InvoiceRow,
        status="draft",
        number=None,
        year=None,
        ordinal=None,
        issuer=None,
        issued_at=None,
        unrecorded=None,
        credited=ZERO,
        paid_at=None,
        replaced=None,
        replaced_goods=None,
        converted_replaced=None,
        search_text=row.search_text.removeprefix(search.fold(row.number) + " "),
    )
    await records.change(ctx, invoice, row.id, cleared | dates)
    by_status = {"invoice.draft": 1, f"invoice.{row.status}": -1}
    await counters.add(ctx.db, {CHANGES: 1, **by_status, **effects.figures(ctx, CountedAmounts.of(row), -1)})
    await activity.record(ctx, "withdrawn", ("invoice", row.id), row.number)
    return True


async def _step_back(ctx: Context, row: InvoiceRow, ordinal: int) -> None:
    """Set the counter back to its state before `row` took the number `ordinal`."""
    counter = invoice_counter.c
    of_series = (counter.series == row.series) & (counter.year == row.year)
    if ordinal == 1:
        await ctx.db.execute(delete(invoice_counter).where(of_series))
        return
    previous = (invoice.c.series == row.series) & (invoice.c.year == row.year) & (invoice.c.ordinal == ordinal - 1)
    last = func.coalesce(select(func.max(invoice.c.issue_date)).where(previous).scalar_subquery(), counter.last_date)
    await ctx.db.execute(update(invoice_counter).where(of_series).values(next=ordinal, last_date=last))


class InvoiceIdRow(Row):
    id: UUID


_SERIES, _YEAR = bindparam("series", type_=Text), bindparam("year", type_=Integer)
_LOCK_ALL = Prepared(
    select(invoice.c.id)
    .where(invoice.c.id == any_(bindparam("ids", type_=ARRAY(Uuid))))
    .order_by(invoice.c.id)
    .with_for_update(),
    InvoiceIdRow,
)
LOCK_COUNTER = Prepared(
    select(invoice_counter.c.next)
    .where(invoice_counter.c.series == _SERIES, invoice_counter.c.year == _YEAR)
    .with_for_update(),
    NextNumberRow,
)
