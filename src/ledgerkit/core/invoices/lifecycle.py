"""Issuing: the number, the frozen issuer, the counts. The number's lock is taken last."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import NO_EXTRA_WRITES, ExtraWrites, Prepared
from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.invoices import issuer
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import CHANGES, invoice, invoice_counter
from ledgerkit.core.invoices.posting import (
    credit_limits,
    effects,
    remaining,
    simplified_exchange,
    standing,
    stock_moves,
)
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.core.records import counters, search
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_error
from ledgerkit.providers.api import DocumentKind

ONE_DRAFT = {"invoice.draft": 1, CHANGES: 1}


@dataclass(frozen=True)
class Number:
    """A document's number and its place in its series and year."""

    year: int
    ordinal: int
    text: str


class Settlement(NamedTuple):
    """What a payment or a fiscal record changes: columns of the invoice, what is logged, and what is written beside."""

    columns: Mapping[str, Any]
    actions: Mapping[str, activity.Changes]
    beside: ExtraWrites = NO_EXTRA_WRITES


_NOTHING = Settlement({}, {})
_LACKING = {
    "client.name": ("an invoice names its client", "una factura nombra a su cliente"),
    "items": ("an invoice has at least one item", "una factura tiene al menos una línea"),
    "rectifies": ("a credit note names what it corrects", "una factura rectificativa dice cuál corrige"),
}
"""What a draft must have, by field, in English and Spanish."""


async def add(ctx: Context, values: Mapping[str, Any]) -> Any:
    """A new draft with the columns of `drafting`, counted."""
    row = await insert_draft(ctx, values)
    await counters.add(ctx.db, ONE_DRAFT)
    return row


async def insert_draft(ctx: Context, values: Mapping[str, Any]) -> Any:
    """The same, left to the caller to count as `ONE_DRAFT`: after the locks it takes, not before."""
    own = {"id": new_id(), "status": "draft", "created_by": ctx.actor.user_id, "channel": ctx.actor.channel.value}
    row = await records.add(ctx, invoice, {**values, **own})
    await activity.record(ctx, "created", ("invoice", row.id), row.client["name"])
    return row


async def fetch_locked(
    ctx: Context, invoice_id: str, *, hidden: bool = False, before: records.ValueBeforeLock[Any] | None = None
) -> Any:
    """The invoice's row, locked until the transaction ends; `hidden`: a deleted one too. Raises NotFound.

    `before` as for `records.fetch_locked`.
    """
    if before is None:
        return await records.fetch_locked(ctx, invoice, invoice_id, "invoice", hidden=hidden)
    return await records.fetch_locked(ctx, invoice, invoice_id, "invoice", hidden=hidden, before=before)


async def fetch(ctx: Context, invoice_id: str) -> Any:
    """The invoice, read only. Raises NotFound."""
    return await records.fetch(ctx, invoice, invoice_id, "invoice")


async def stamp(ctx: Context, invoice_id: UUID, einvoice: Mapping[str, Any], stands: Standing) -> None:
    """Put its fiscal record and how it stands with the authority onto an invoice, deleted or not.

    For what neither takes it out of the books nor brings it back, see `reported.restamp`.
    """
    await records.change(ctx, invoice, invoice_id, stamped(einvoice, stands))
    await counters.add(ctx.db, {CHANGES: 1})


def stamped(einvoice: Mapping[str, Any], stands: Standing) -> dict[str, Any]:
    """The columns of a stamp."""
    return {"einvoice": einvoice, "fiscal_standing": stands.value, "unrecorded": None}


async def stamp_all(ctx: Context, stamps: Mapping[UUID, tuple[Mapping[str, Any], Standing]]) -> None:
    """`stamp` for many invoices at once."""
    if not stamps:
        return
    locked = select(invoice.c.id).where(invoice.c.id.in_(list(stamps))).order_by(invoice.c.id).with_for_update()
    await ctx.db.execute(locked)
    rows = [{"id": one, **stamped(*said)} for one, said in stamps.items()]
    await records.change_many(ctx, invoice, rows)
    await counters.add(ctx.db, {CHANGES: len(rows)})


async def issue(
    ctx: Context,
    row: Any,
    settle: Callable[[Decimal], Settlement] | None = None,
    seal: Callable[[Any, str], Awaitable[Settlement]] | None = None,
) -> Any:
    """Number and freeze a draft, counting it. The row is locked by the caller: `einvoice.issuing`, and nobody else.

    `settle` says what a payment does to it, given what is owed; `seal` makes its fiscal record, given the row as it
    will be issued and its number. Without `seal`, while e-invoicing is on, the database refuses the number.

    Everything that needs no number is done before the counter's lock is taken, and little after it.
    Raises Invalid when the draft lacks what an invoice must have, or its date precedes the series' last, or when a
    credit note gives back more than is left.
    """
    origins = await lock_origins(ctx, row)
    check_complete(row, origins)
    check_not_ahead(ctx, row.issue_date)
    row = await _standing_in(ctx, row, origins)
    final: dict[str, Any] = {"status": "sent"}
    if row.rectifies is not None:
        standing.check_in_force(origins[0])
        await credit_limits.check_back(ctx, origins[0], row)
        final["credited"] = await effects.set_off(ctx, row)
    if row.substitutes:
        final |= await simplified_exchange.exchange(ctx, row, origins)
    final |= (paid := settle(row.total - final.get("credited", ZERO)) if settle else _NOTHING).columns
    await stock_moves.post_stock(ctx, row)
    moved = {"invoice.draft": -1, f"invoice.{final['status']}": 1, CHANGES: 1, **effects.figures(ctx, row, 1, final)}
    await counters.add(ctx.db, moved)
    number = await _take_number(ctx, row.series, row.issue_date)
    sealed = await seal(row, number.text) if seal else _unrecorded(ctx)
    numbered = {"search_text": search.fold(number.text) + " " + row.search_text, **_frozen(ctx, number)}
    issued = await records.change(ctx, invoice, row.id, {**final, **sealed.columns, **numbered}, sealed.beside)
    actions = {"issued": {}, **paid.actions, **sealed.actions}
    await activity.record_all(ctx, ("invoice", row.id), number.text, actions)
    return issued


def _unrecorded(ctx: Context) -> Settlement:
    """Why there is no record, where e-invoicing is off."""
    return Settlement({"unrecorded": einvoicing_state.off_because(ctx.kernel, ctx.account)}, {})


def _frozen(ctx: Context, number: Number) -> dict[str, Any]:
    """The columns that an invoice is given once, when it is issued."""
    place = {"number": number.text, "year": number.year, "ordinal": number.ordinal}
    return {**place, "issuer": issuer.issuer_copy(ctx.account), "issued_at": clock.now()}


def check_not_ahead(ctx: Context, on: date) -> None:
    """An invoice dated ahead would close its series to all others until that day."""
    if on > ctx.account.today():
        raise Invalid.field("issueDate", InvoicesMsg.ISSUE_DATE_AHEAD)


async def with_tax_id(ctx: Context, row: Any) -> Any:
    """The row; one that was issued before its issuer had a tax identifier is given the issuer as it is now."""
    if row.issuer is None or row.issuer["tax_id"] or not ctx.account.tax_id:
        return row
    return await records.change(ctx, invoice, row.id, {"issuer": issuer.issuer_copy(ctx.account)})


async def give_reason(ctx: Context, note: Any, reason: str | None) -> Any:
    """The draft of a credit note, with a reason if it had none."""
    if note.correction_reason is not None or reason is None:
        return note
    return await records.change(ctx, invoice, note.id, {"correction_reason": reason})


async def lock_origins(ctx: Context, row: Any) -> Sequence[Any]:
    """The documents that a draft corrects or is exchanged for, locked until the transaction ends.

    Whoever locks more than an invoice locks it first, then these, then the head of a chain, then the number's counter.
    """
    if row.rectifies is not None:
        return [await effects.locked_original(ctx, row)]
    return await simplified_exchange.lock(ctx, row)


def check_complete(row: Any, origins: Sequence[Any]) -> None:
    """Raises Invalid when a draft lacks what it must have; `origins` are what it corrects or is exchanged for."""
    lacking = []
    nameless = row.doc_type == DocumentKind.SIMPLIFIED or _corrects_simplified(row, origins)
    if not nameless and not row.client["name"]:
        lacking.append("client.name")
    if not row.items:
        lacking.append("items")
    if row.doc_type == DocumentKind.CREDIT_NOTE and row.rectifies is None:
        lacking.append("rectifies")
    if lacking:
        english, spanish = "Change it with PUT /api/invoices/{id}.", "Cámbialo con PUT /api/invoices/{id}."
        raise bilingual(
            Invalid,
            ("The draft is not complete.", english),
            ("El borrador no está completo.", spanish),
            errors=[
                bilingual_error(field, "missing", (_LACKING[field][0], english), (_LACKING[field][1], spanish))
                for field in lacking
            ],
        )


def _corrects_simplified(row: Any, origins: Sequence[Any]) -> bool:
    return row.rectifies is not None and all(one.doc_type == DocumentKind.SIMPLIFIED for one in origins)


async def _standing_in(ctx: Context, row: Any, origins: Sequence[Any]) -> Any:
    """A credit note by substitution keeps what it stands for, as that is now."""
    if row.rectifies is None or row.correction_method != "substitution":
        return row
    state = await remaining.remainder(ctx, origins[0])
    for note in state.corrections:
        standing.check_in_force(note)  # what is about to go cannot be stood for
    kept = {"replaced": state.wire(), "replaced_goods": state.goods()}
    return await records.change(ctx, invoice, row.id, kept)


def _take() -> Prepared[Any]:
    new = insert(invoice_counter)
    statement = new.on_conflict_do_update(
        index_elements=["account_id", "series", "year"],
        set_={"next": invoice_counter.c.next + 1, "last_date": new.excluded.last_date},
        where=invoice_counter.c.last_date <= new.excluded.last_date,
    )
    return Prepared(statement.returning(invoice_counter.c.next), columns=["series", "year", "next", "last_date"])


_TAKE = _take()


async def _take_number(ctx: Context, series: str, on: date) -> Number:
    """The next number of the series and year, gapless: whoever takes one holds the counter until commit.

    Source: RD 1619/2012 art. 6.1.a (correlative within each series); art. 9 (dates follow the order).
    """
    taken = await _TAKE.row(ctx.db, series=series, year=on.year, next=2, last_date=on)
    if taken is None:
        raise Invalid.field(
            "issueDate",
            InvoicesMsg.ISSUE_DATE_BEFORE_LAST,
            code=Code.ISSUE_DATE_BEFORE_LAST,
            on=on,
            series=series,
        )
    ordinal = taken.next - 1
    return Number(on.year, ordinal, _number_text(ctx, series, on.year, ordinal))


async def last_date(ctx: Context, series: str, year: int) -> date | None:
    """The date of the last document issued in a series and year."""
    counter = invoice_counter.c
    query = select(counter.last_date).where(counter.series == series, counter.year == year)
    return (await ctx.db.execute(query)).scalar_one_or_none()


def placeholder(ctx: Context, row: Any) -> str:
    """A number of the form and length that a draft will get, for checks before it has one."""
    return row.number or _number_text(ctx, row.series, row.issue_date.year, 9999)


def _number_text(ctx: Context, series: str, year: int, ordinal: int) -> str:
    if ctx.country is None:
        return f"{series}{year:04d}-{ordinal:04d}"
    return ctx.country.tax.numbering.number(series, year, ordinal)


async def withdraw(ctx: Context, row: Any) -> bool:
    """Turn the latest issued document back into a draft, its number never having left the house.

    Only for a document whose mailing was refused. False, and nothing changed, when a later number has been given,
    or the document has been sealed or changed meanwhile: then it stays issued.
    """
    await stock_moves.lock(ctx, row)
    counter = invoice_counter.c
    mine = (counter.series == row.series) & (counter.year == row.year)
    following = (await ctx.db.execute(select(counter.next).where(mine).with_for_update())).scalar_one_or_none()
    now = await records.fetch_locked(ctx, invoice, str(row.id), "invoice")
    if following != row.ordinal + 1 or now.version != row.version or now.einvoice is not None:
        return False
    await stock_moves.reverse(ctx, row, "withdrawn")
    await _step_back(ctx, row)
    await effects.undo_set_off(ctx, row)
    await simplified_exchange.release(ctx, row)
    numberless = dict.fromkeys(("number", "year", "ordinal", "issuer", "issued_at", "unrecorded"))
    cleared = {"status": "draft", "credited": ZERO, "paid_at": None, "replaced": None, "replaced_goods": None}
    text = row.search_text.removeprefix(search.fold(row.number) + " ")
    await records.change(ctx, invoice, row.id, {**cleared, **numberless, "search_text": text})
    moved = {CHANGES: 1, "invoice.draft": 1, f"invoice.{row.status}": -1, **effects.figures(ctx, row, -1)}
    await counters.add(ctx.db, moved)
    await activity.record(ctx, "withdrawn", ("invoice", row.id), row.number)
    return True


async def _step_back(ctx: Context, row: Any) -> None:
    """The counter as it was before `row` took its number."""
    counter = invoice_counter.c
    mine = (counter.series == row.series) & (counter.year == row.year)
    if row.ordinal == 1:
        await ctx.db.execute(delete(invoice_counter).where(mine))
        return
    before = (invoice.c.series == row.series) & (invoice.c.year == row.year) & (invoice.c.ordinal == row.ordinal - 1)
    last = select(invoice.c.issue_date).where(before).scalar_subquery()
    await ctx.db.execute(update(invoice_counter).where(mine).values(next=row.ordinal, last_date=last))


async def check_order(ctx: Context, row: Any, new_date: date) -> None:
    """An issued document's date may move only between its neighbours' dates, within its year, and not ahead."""
    counter = invoice_counter.c
    mine = (counter.series == row.series) & (counter.year == row.year)
    await ctx.db.execute(select(counter.next).where(mine).with_for_update())
    series = (invoice.c.series == row.series) & (invoice.c.year == row.year)
    beside = invoice.c.ordinal.in_([row.ordinal - 1, row.ordinal + 1])
    query = select(invoice.c.ordinal, invoice.c.issue_date).where(series, beside)
    dates = {found.ordinal: found.issue_date for found in await ctx.db.execute(query)}
    early, late = dates.get(row.ordinal - 1, new_date), dates.get(row.ordinal + 1, new_date)
    if new_date.year != row.year or not early <= new_date <= late:
        raise Invalid.field("issueDate", InvoicesMsg.ISSUE_DATE_BREAKS_ORDER, code=Code.ISSUE_DATE_BEFORE_LAST)
    check_not_ahead(ctx, new_date)
    if row.ordinal + 1 not in dates:
        await ctx.db.execute(update(invoice_counter).where(mine).values(last_date=new_date))
