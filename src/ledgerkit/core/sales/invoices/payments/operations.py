"""Payments of invoices: in full or in parts, with their dates."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, bindparam, cast, delete, func, select, update

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import (
    Page,
    PageRequest,
    PageRow,
    PageStatement,
    fetch_page,
    page_statement,
)
from ledgerkit.core.platform.api_types.wire import wire_column, wire_time
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.api import Payment
from ledgerkit.core.sales.invoices.content.fields import converted_payment
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.posting import effects, standing
from ledgerkit.core.sales.invoices.posting.effects import CountedAmounts
from ledgerkit.core.sales.invoices.table import CHANGES, InvoicePaymentRow, InvoiceRow, invoice, invoice_payment
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid


@dataclass(frozen=True, kw_only=True)
class RequestedPayment:
    """A payment as it was requested; `amount` without sign, None for the whole balance."""

    amount: Decimal | None
    method: str | None
    paid_at: date

    def settle(self, row: InvoiceRow, owed: Decimal) -> lifecycle.Settlement:
        """Return the effect on an invoice on which `owed` is open. Raises Invalid PAYMENT_EXCEEDS_BALANCE."""
        amount = owed if self.amount is None else self._signed(row, owed, self.amount)
        columns = Values(InvoiceRow, amount_paid=row.amount_paid + amount)
        actions: dict[str, activity.Changes] = {}
        if self.amount is not None:
            payment = {"amount": self.amount, "method": self.method, "paid_at": self.paid_at}
            actions["payment_added"] = activity.changed({}, payment)
        if amount == owed:
            columns |= Values(InvoiceRow, status="paid", paid_at=self.paid_at)
            actions["paid"] = activity.changed({"paid_at": row.paid_at}, {"paid_at": self.paid_at})
        return lifecycle.Settlement(columns, actions)

    def settle_paid_draft(self, row: InvoiceRow) -> lifecycle.Settlement:
        """Return the effect on a draft that was made as paid: its `amount_paid` is stored already."""
        payment = {"amount": abs(row.amount_paid), "method": self.method, "paid_at": self.paid_at}
        paid = activity.changed({}, {"paid_at": self.paid_at})
        actions = {"payment_added": activity.changed({}, payment), "paid": paid}
        return lifecycle.Settlement(Values(InvoiceRow, status="paid", paid_at=self.paid_at), actions)

    def _signed(self, row: InvoiceRow, owed: Decimal, amount: Decimal) -> Decimal:
        """Return the amount with the sign of `owed`: payments to the client on a credit note are below zero."""
        if amount > abs(owed):
            raise Invalid.field(
                "amount",
                InvoicesMsg.PAYMENT_TOO_LARGE,
                code=Code.PAYMENT_EXCEEDS_BALANCE,
                amount=amount,
                number=row.number or InvoicesMsg.THIS_INVOICE,
                owed=abs(owed),
            )
        return amount if owed > 0 else -amount


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def payments(ctx: Context, invoice_id: str, page: PageRequest) -> Page:
    """List the payments of an invoice, in the order in which they were recorded."""
    row = await records.fetch(ctx, invoice, invoice_id, "invoice")
    return await fetch_page(ctx.db, _LISTING, page, invoice_id=row.id)


def requested(ctx: Context, row: InvoiceRow, data: Payment) -> RequestedPayment:
    """Return the payment that is requested for the locked invoice `row`.

    Raises Invalid INVOICE_ANNULLED, or for a day before the invoice's own or more than one ahead.
    """
    standing.check_in_force(row)
    today = ctx.account.today()
    first, last = min(row.issue_date or today, today), today + timedelta(days=1)
    if data.paid_at is not None and not first <= data.paid_at <= last:
        raise Invalid.field("paidAt", InvoicesMsg.PAID_AT_OUT_OF_RANGE, first=first, last=last)
    return RequestedPayment(amount=data.amount, method=data.method, paid_at=data.paid_at or today)


async def record_payment(ctx: Context, old: InvoiceRow, payment: RequestedPayment) -> InvoiceRow:
    """Record a payment of the locked, issued invoice `old`, or move the date of its last one; return its new row."""
    owed = old.total - old.amount_paid - old.credited
    if payment.amount is None and old.status == "paid" and not owed:
        return await _move_last(ctx, old, payment)
    return await _settle(ctx, old, payment, owed)


async def _settle(ctx: Context, old: InvoiceRow, payment: RequestedPayment, owed: Decimal) -> InvoiceRow:
    settlement = payment.settle(old, owed)
    row = await records.change(ctx, invoice, old.id, settlement.columns)
    figures = effects.changed_figures(ctx, CountedAmounts.of(old), CountedAmounts.of(row))
    await effects.count_change(ctx, old, row, figures)
    await insert(ctx, row, row.amount_paid - old.amount_paid, payment)
    await activity.record_all(ctx, ("invoice", row.id), row.number, settlement.actions)
    return row


async def receive(ctx: Context, invoice_id: str, payment: RequestedPayment, currency: str) -> UUID:
    """Record money that was taken for an invoice: at most its balance, and nothing on a draft or a paid one.

    An invoice in another currency than the money stays as it is. Raises NotFound, Invalid INVOICE_ANNULLED.
    """
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    standing.check_in_force(row)
    owed = row.total - row.amount_paid - row.credited
    if row.status == "sent" and owed > ZERO and row.currency == currency:
        amount = owed if payment.amount is None else min(payment.amount, owed)
        await _settle(ctx, row, replace(payment, amount=amount), owed)
    return row.id


async def take_back(ctx: Context, invoice_id: str, recorded_at: datetime) -> list[date]:
    """Remove the payments of an invoice that were recorded at one moment, and return their days.

    What they had settled is owed again. Raises NotFound, Forbidden, Invalid INVOICE_ANNULLED.
    """
    ctx.require(Permission.INVOICES_ISSUE)
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    standing.check_in_force(row)
    removed = await _REMOVE.rows(ctx.db, invoice_id=row.id, recorded_at=recorded_at)
    if removed:
        await _owe_again(ctx, row, sum((payment.amount for payment in removed), ZERO))
    return [payment.paid_at for payment in removed]


async def _owe_again(ctx: Context, old: InvoiceRow, amount: Decimal) -> None:
    reopened = Values(InvoiceRow, status="sent", paid_at=None) if old.status == "paid" else Values(InvoiceRow)
    columns = Values(InvoiceRow, amount_paid=old.amount_paid - amount) | reopened
    row = await records.change(ctx, invoice, old.id, columns)
    figures = effects.changed_figures(ctx, CountedAmounts.of(old), CountedAmounts.of(row))
    await effects.count_change(ctx, old, row, figures)
    before = {name: getattr(old, name) for name in columns}
    await activity.record(ctx, "payment_removed", ("invoice", row.id), row.number, activity.changed(before, columns))


async def _move_last(ctx: Context, old: InvoiceRow, payment: RequestedPayment) -> InvoiceRow:
    """Correct the date of the last payment of a paid invoice; return its new row."""
    row = await records.change(ctx, invoice, old.id, Values(InvoiceRow, paid_at=payment.paid_at))
    await _MOVE.run(ctx.db, of_invoice=old.id, day=payment.paid_at, how=payment.method)
    await counters.add(ctx.db, {CHANGES: 1})
    changes = activity.changed({"paid_at": old.paid_at}, {"paid_at": payment.paid_at})
    await activity.record(ctx, "paid", ("invoice", row.id), row.number, changes)
    return row


async def insert(ctx: Context, row: InvoiceRow, amount: Decimal, payment: RequestedPayment) -> None:
    """Insert the row of a payment, dated by the movement of cash; none for an amount of zero."""
    if amount == ZERO:
        return
    values = Values(
        InvoicePaymentRow,
        id=new_id(),
        invoice_id=row.id,
        amount=amount,
        base_amount=converted_payment(row, row.amount_paid - amount, row.amount_paid),
        method=payment.method,
        paid_at=payment.paid_at,
        created_by=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
    )
    await records.add(ctx, invoice_payment, values)


async def convert_again(ctx: Context, row: InvoiceRow) -> None:
    """Convert the payments of an invoice whose exchange rate or amounts have changed."""
    paid = ZERO
    for payment in await _OF_INVOICE.rows(ctx.db, invoice_id=row.id):
        base_amount = converted_payment(row, paid, paid + payment.amount)
        await records.change(ctx, invoice_payment, payment.id, Values(InvoicePaymentRow, base_amount=base_amount))
        paid += payment.amount


_REMOVE = Prepared(
    delete(invoice_payment)
    .where(
        invoice_payment.c.invoice_id == bindparam("invoice_id", type_=Uuid),
        invoice_payment.c.created_at == bindparam("recorded_at", type_=DateTime(timezone=True)),
    )
    .returning(*invoice_payment.c),
    InvoicePaymentRow,
)
_OF_INVOICE = Prepared(
    select(invoice_payment)
    .where(invoice_payment.c.invoice_id == bindparam("invoice_id", type_=Uuid))
    .order_by(invoice_payment.c.id),
    InvoicePaymentRow,
)


def _move() -> Prepared[Row]:
    of_invoice = invoice_payment.c.invoice_id == bindparam("of_invoice", type_=Uuid)
    last = select(invoice_payment.c.id).where(of_invoice).order_by(invoice_payment.c.id.desc()).limit(1)
    method = cast(bindparam("how", type_=Text), Text)
    values = {
        "paid_at": bindparam("day", type_=invoice_payment.c.paid_at.type),
        "method": func.coalesce(method, invoice_payment.c.method),
        "version": invoice_payment.c.version + 1,
        "updated_at": func.now(),
    }
    return Prepared(update(invoice_payment).where(invoice_payment.c.id == last.scalar_subquery()).values(values))


_MOVE = _move()


def _listing() -> PageStatement[PageRow]:
    payment = invoice_payment.c
    of_invoice = payment.invoice_id == bindparam("invoice_id", type_=Uuid)
    plain = (payment.id, payment.amount, payment.base_amount, payment.method, payment.paid_at, payment.created_by)
    columns = [
        *(wire_column(column.name, column) for column in plain),
        wire_column("channel", payment.channel),
        wire_column("created_at", wire_time(payment.created_at)),
    ]
    rows = select(*columns).where(of_invoice).order_by(payment.id)
    return page_statement(rows, select(func.count()).select_from(invoice_payment).where(of_invoice).scalar_subquery())


_LISTING = _listing()
