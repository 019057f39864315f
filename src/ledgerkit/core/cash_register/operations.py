"""Cash registers: open one, move money, count and close it; read the closed ones."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.cash_register import acts, output
from ledgerkit.core.cash_register.api import Closing, MovementInput, Opening, RegisterSummary
from ledgerkit.core.cash_register.movements import sales
from ledgerkit.core.cash_register.movements import sums as movement_sums
from ledgerkit.core.cash_register.movements.sums import RegisterSums
from ledgerkit.core.cash_register.table import (
    CashMovementRow,
    CashRegisterRow,
    cash_movement,
    cash_register,
    cash_register_counter,
)
from ledgerkit.core.cash_register.texts import CashRegisterMsg
from ledgerkit.core.einvoice.issuance.numbers import NUMBERING_ERRORS
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest, PageRow, PageStatement, fetch_page
from ledgerkit.core.platform.api_types.wire import Rendered
from ledgerkit.core.platform.database.ids import missing, new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.json_columns.codecs import LINES
from ledgerkit.money import ZERO, round_cents
from ledgerkit.problems import Code, Conflict, Invalid

_WHAT = "cash register"


@operation(Permission.CASH_REGISTER_USE, errors=[(Conflict, {Code.REGISTER_ALREADY_OPEN})], act=acts.OPENING)
async def open_register(ctx: Context, data: Opening) -> Rendered:
    """Open the caller's register. Raises Conflict REGISTER_ALREADY_OPEN: each user has one at a time in an account.

    A team's key belongs to no user: all who use it share one register.
    """
    values = {
        "id": new_id(),
        "holder": _holder(ctx),
        "user_id": ctx.actor.user_id,
        "user_name": ctx.actor.user_name,
        "channel": ctx.actor.channel.value,
        "currency": data.currency or ctx.account.currency,
        "opening_amount": data.opening_amount,
        "expected_amount": data.opening_amount,
        "notes": data.notes,
    }
    row = await _OPEN_ONE.row(ctx.db, **values)
    if row is None:
        raise Conflict(CashRegisterMsg.ALREADY_OPEN, code=Code.REGISTER_ALREADY_OPEN)
    await activity.record(ctx, "opened", ("cash_register", row.id), row.user_name)
    return await output.rendered(ctx, row.id)


@operation(Permission.CASH_REGISTER_USE, unit=Unit.READING)
async def current(ctx: Context) -> Rendered | None:
    """Return the caller's open register; None where there is none."""
    row = await _CURRENT.row(ctx.db, holder=_holder(ctx))
    return None if row is None else await output.rendered(ctx, row.id)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def get(ctx: Context, register_id: str) -> Rendered:
    """Return the caller's register, or any for those who may read them all. Raises NotFound."""
    row = await records.fetch(ctx, cash_register, register_id, _WHAT)
    ctx.note_for_others(Permission.CASH_REGISTER_READ)
    if row.holder != _holder(ctx) and not ctx.may(Permission.CASH_REGISTER_READ):
        raise missing(_WHAT, register_id)
    return await output.rendered(ctx, row.id)


@operation(
    Permission.CASH_REGISTER_USE,
    errors=[
        *NUMBERING_ERRORS,
        (
            Invalid,
            {
                Code.REGISTER_CLOSED,
                Code.REFUND_NEEDS_INVOICE,
                Code.TAX_RATE_UNKNOWN,
                Code.CLIENT_AMBIGUOUS,
                Code.CLIENT_CONFLICT,
                Code.TAX_ID_INVALID,
            },
        ),
    ],
    effects=Effect.DESTRUCTIVE,
    act=acts.MOVEMENT,
)
async def move(ctx: Context, register_id: str, data: MovementInput) -> Rendered:
    """Append a movement to an open register, under its lock. Callers who may use all registers may name any.

    With electronic invoicing on, a sale makes its simplified invoice, and a refund the credit note of the emitted
    invoice that it names or fits, sealed in this transaction and sent after it. Raises Invalid REGISTER_CLOSED,
    REFUND_NEEDS_INVOICE; NotFound for an unknown invoice or catalog item.
    """
    register = await _usable(ctx, register_id)
    sums = movement_sums.after(RegisterSums.of(register), data.type, data.amount, data.payment_method)
    movement_id = new_id()
    sale = await sales.settle(ctx, register, data, movement_id)
    movement = Values(
        CashMovementRow,
        id=movement_id,
        register_id=register.id,
        ordinal=sums.movement_count,
        type=data.type.value,
        amount=data.amount,
        payment_method=data.payment_method.value,
        description=data.description,
        invoice_id=sale.invoice_id,
        credit_note_id=sale.credit_note_id,
        consumer_final=data.consumer_final,
        line_items=LINES.encode(tuple(sale.lines)),
        prices_include_tax=sale.prices_include_tax,
        created_by=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
    )
    await records.add(ctx, cash_movement, movement)
    row = await records.change(ctx, cash_register, register.id, Values.copied(CashRegisterRow, sums))
    logged = {
        **_of_other_user(ctx, register),
        "amount": (None, data.amount),
        "payment_method": (None, data.payment_method.value),
    }
    await activity.record(ctx, data.type.value, ("cash_register", row.id), data.description, logged)
    return await output.rendered(ctx, row.id, sale.warnings)


@operation(
    Permission.CASH_REGISTER_USE,
    errors=[(Invalid, {Code.REGISTER_CLOSED})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    act=acts.CLOSING,
)
async def close(ctx: Context, register_id: str, data: Closing) -> Rendered:
    """Close a register with the counted drawer: the difference and the Z number are final.

    The caller's register, or any for those who may use them all, since a member who has left closes none.
    """
    register = await _usable(ctx, register_id)
    await counters.add(ctx.db, {output.COUNTED: 1})
    counted = Values(
        CashRegisterRow,
        status="closed",
        closing_amount=data.closing_amount,
        difference=data.closing_amount - register.expected_amount,
        closing_notes=data.notes,
        closed_at=clock.now(),
    )
    z_number = (await _TAKE_Z.one(ctx.db, next=2)).next - 1
    row = await records.change(ctx, cash_register, register.id, counted | Values(CashRegisterRow, z_number=z_number))
    closing = {name: (None, counted[name]) for name in ("closing_amount", "difference")}
    logged = {**_of_other_user(ctx, register), **closing}
    await activity.record(ctx, "closed", ("cash_register", row.id), f"Z {z_number}", logged)
    return await output.rendered(ctx, row.id)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def still_open(ctx: Context, page: PageRequest) -> Page:
    """List open registers without movements, the oldest first: the caller's, or all for those who may read them."""
    return await _listed(ctx, output.still_open, page)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def history(ctx: Context, page: PageRequest) -> Page:
    """List closed registers without movements, the latest first: the caller's, or all for those who may read them."""
    return await _listed(ctx, output.history, page)


async def _listed(ctx: Context, statement: Callable[..., PageStatement[PageRow]], page: PageRequest) -> Page:
    if ctx.actor.may(Permission.CASH_REGISTER_READ):
        return await fetch_page(ctx.db, statement(of_holder=False), page)
    return await fetch_page(ctx.db, statement(of_holder=True), page, holder=_holder(ctx))


@operation(Permission.CASH_REGISTER_READ, unit=Unit.READING)
async def summary(
    ctx: Context, first: date | None = None, last: date | None = None, currency: str | None = None
) -> RegisterSummary:
    """Compute sums over the registers closed from `first` to `last` (dates in the account's time zone, inclusive).

    By default the month of `last` up to it, and `last` today; registers of other currencies than `currency` (default
    the account's) are left out. Raises Invalid when `last` lies before `first`.
    """
    last = last or max(ctx.account.today(), first or date.min)
    first = first or last.replace(day=1)
    if last < first:
        raise Invalid.field("to", CashRegisterMsg.TO_BEFORE_FROM)
    currency = currency or ctx.account.currency
    bounds = {"since": _midnight(ctx, first), "until": _midnight(ctx, last + timedelta(days=1))}
    sums = await output.SUMMARY.one(ctx.db, **bounds, currency=currency)
    average = round_cents(sums.total_difference / sums.register_count) if sums.register_count else ZERO
    return RegisterSummary(
        register_count=sums.register_count,
        total_sales=sums.total_sales,
        total_cash=sums.total_cash,
        total_card=sums.total_card,
        total_transfer=sums.total_transfer,
        total_difference=sums.total_difference,
        avg_difference=average,
        sales_count=int(sums.sales_count),
        currency=currency,
        from_=first,
        to=last,
    )


def _holder(ctx: Context) -> UUID:
    """Return the id of the register's holder: the user; for a team's key, which belongs to no user, the account."""
    return ctx.actor.user_id or ctx.account.id


async def _usable(ctx: Context, register_id: str) -> CashRegisterRow:
    """Return an open register that the caller may use, locked. Raises NotFound for others, Invalid REGISTER_CLOSED."""
    unlocked_row = await records.fetch(ctx, cash_register, register_id, _WHAT)
    ctx.note_for_others(Permission.CASH_REGISTER_USE_ANY)
    if unlocked_row.holder != _holder(ctx) and not ctx.may(Permission.CASH_REGISTER_USE_ANY):
        raise missing(_WHAT, register_id)
    register = await records.fetch_locked(ctx, cash_register, register_id, _WHAT)
    if register.status == "closed":
        raise Invalid(CashRegisterMsg.CLOSED, code=Code.REGISTER_CLOSED, z_number=register.z_number)
    return register


def _of_other_user(ctx: Context, register: CashRegisterRow) -> activity.Changes:
    """Return the activity entry that names the user of a register that is not the caller's."""
    return {} if register.holder == _holder(ctx) else {"register_of": (None, register.user_name)}


def _midnight(ctx: Context, day: date) -> datetime:
    """Return the moment at which a calendar date begins in the account's time zone."""
    return datetime.combine(day, time.min, ZoneInfo(ctx.account.time_zone))


_CURRENT = Prepared(
    select(cash_register).where(cash_register.c.holder == output.HOLDER, cash_register.c.status == constant("open")),
    CashRegisterRow,
)


def _open_one() -> Prepared[CashRegisterRow]:
    """Insert a register; no row when its holder has an open one, also one of the same moment."""
    holder = ("id", "holder", "user_id", "user_name", "channel")
    amounts = ("currency", "opening_amount", "expected_amount", "notes")
    new = insert(cash_register).on_conflict_do_nothing(
        index_elements=["account_id", "holder"], index_where=text("status = 'open'")
    )
    return Prepared(new.returning(*cash_register.c), CashRegisterRow, columns=holder + amounts)


class NextZRow(Row):
    next: int


def _take_z() -> Prepared[NextZRow]:
    """Take the account's next Z number, gapless: the counter stays locked until the commit."""
    new = insert(cash_register_counter)
    statement = new.on_conflict_do_update(
        index_elements=["account_id"], set_={"next": cash_register_counter.c.next + 1}
    )
    return Prepared(statement.returning(cash_register_counter.c.next), NextZRow, columns=["next"])


_OPEN_ONE = _open_one()
_TAKE_Z = _take_z()
