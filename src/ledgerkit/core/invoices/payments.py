"""What has been paid of an invoice: in full or in parts, and when."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, cast, func, select, update

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.paging import Page, PageRequest, PageRow, fetch_page, page_statement
from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import CHANGES, invoice, invoice_payment
from ledgerkit.core.invoices.posting import effects, standing
from ledgerkit.core.invoices.schemas import Payment
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, bilingual_field


@dataclass(frozen=True, kw_only=True)
class RequestedPayment:
    """A payment as it was asked for; `amount` without sign, None for all that is owed."""

    amount: Decimal | None
    method: str | None
    paid_at: date

    def settle(self, row: Any, owed: Decimal) -> lifecycle.Settlement:
        """What it does to an invoice on which `owed` is open. Raises Invalid PAYMENT_EXCEEDS_BALANCE."""
        amount = owed if self.amount is None else self._signed(row, owed)
        columns: dict[str, Any] = {"amount_paid": row.amount_paid + amount}
        actions: dict[str, activity.Changes] = {}
        if self.amount is not None:
            said = {"amount": self.amount, "method": self.method, "paid_at": self.paid_at}
            actions["payment_added"] = activity.changed({}, said)
        if amount == owed:
            columns |= {"status": "paid", "paid_at": self.paid_at}
            actions["paid"] = activity.changed({"paid_at": row.paid_at}, {"paid_at": self.paid_at})
        return lifecycle.Settlement(columns, actions)

    def at_once(self, row: Any) -> lifecycle.Settlement:
        """What it does to a draft that was made as paid: its `amount_paid` is there already."""
        said = {"amount": abs(row.amount_paid), "method": self.method, "paid_at": self.paid_at}
        paid = activity.changed({}, {"paid_at": self.paid_at})
        actions = {"payment_added": activity.changed({}, said), "paid": paid}
        return lifecycle.Settlement({"status": "paid", "paid_at": self.paid_at}, actions)

    def _signed(self, row: Any, owed: Decimal) -> Decimal:
        """What is owed on a credit note is owed to the client: its payments are below zero."""
        assert self.amount is not None  # noqa: S101 - asked by the only caller
        if self.amount > abs(owed):
            raise bilingual_field(
                "amount",
                (
                    f"{self.amount} is more than what is open on {row.number or 'this invoice'}: {abs(owed)}",
                    "Pay the balance at most; without an amount all of it is paid.",
                ),
                (
                    f"{self.amount} es más de lo que queda por pagar de {row.number or 'esta factura'}: {abs(owed)}",
                    "Paga el saldo como máximo; sin importe se paga entero.",
                ),
                code=Code.PAYMENT_EXCEEDS_BALANCE,
            )
        return self.amount if owed > 0 else -self.amount


@operation(Permission.INVOICES_READ, name="invoices.payments.payments", unit=Unit.READING)
async def payments(ctx: Context, invoice_id: str, page: PageRequest) -> Page:
    """The payments of an invoice, in the order in which they were noted."""
    row = await records.fetch(ctx, invoice, invoice_id, "invoice")
    return await fetch_page(ctx.db, _LISTING, page, invoice_id=row.id)


def requested(ctx: Context, row: Any, data: Payment) -> RequestedPayment:
    """The payment of the locked invoice `row` that is asked for.

    Raises Invalid INVOICE_ANNULLED, or for a day before the invoice's own or more than one ahead.
    """
    standing.check_in_force(row)
    today = ctx.account.today()
    first, last = min(row.issue_date, today), today + timedelta(days=1)
    if data.paid_at is not None and not first <= data.paid_at <= last:
        raise Invalid.field("paidAt", InvoicesMsg.PAID_AT_OUT_OF_RANGE, first=first, last=last)
    return RequestedPayment(amount=data.amount, method=data.method, paid_at=data.paid_at or today)


async def record_payment(ctx: Context, old: Any, payment: RequestedPayment) -> Any:
    """The locked, issued invoice `old` after a payment, or with the date of its last one moved."""
    owed = old.total - old.amount_paid - old.credited
    if payment.amount is None and old.status == "paid" and not owed:
        return await _moved(ctx, old, payment)
    return await _settled(ctx, old, payment, owed)


async def _settled(ctx: Context, old: Any, payment: RequestedPayment, owed: Decimal) -> Any:
    """An issued invoice after a payment."""
    settled = payment.settle(old, owed)
    row = await records.change(ctx, invoice, old.id, settled.columns)
    moved = {f"invoice.{old.status}": -1, f"invoice.{row.status}": 1} if old.status != row.status else {}
    await counters.add(ctx.db, {CHANGES: 1, **moved, **effects.changed_figures(ctx, old, row)})
    await note(ctx, row, row.amount_paid - old.amount_paid, payment)
    await activity.record_all(ctx, ("invoice", row.id), row.number, settled.actions)
    return row


async def receive(ctx: Context, invoice_id: str, payment: RequestedPayment, currency: str) -> UUID:
    """Note money that was taken for an invoice: what is open on it at most, and nothing on a draft or a paid one.

    An invoice of another currency than the money's is left as it is. Raises NotFound, Invalid INVOICE_ANNULLED.
    """
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    standing.check_in_force(row)
    owed = row.total - row.amount_paid - row.credited
    if row.status == "sent" and owed > ZERO and row.currency == currency:
        amount = owed if payment.amount is None else min(payment.amount, owed)
        await _settled(ctx, row, replace(payment, amount=amount), owed)
    found: UUID = row.id
    return found


async def _moved(ctx: Context, old: Any, payment: RequestedPayment) -> Any:
    """A paid invoice with the date of its last payment corrected."""
    row = await records.change(ctx, invoice, old.id, {"paid_at": payment.paid_at})
    await _MOVE.run(ctx.db, of_invoice=old.id, day=payment.paid_at, how=payment.method)
    await counters.add(ctx.db, {CHANGES: 1})
    changes = activity.changed({"paid_at": old.paid_at}, {"paid_at": payment.paid_at})
    await activity.record(ctx, "paid", ("invoice", row.id), row.number, changes)
    return row


async def note(ctx: Context, row: Any, amount: Decimal, payment: RequestedPayment) -> None:
    """Keep the payment itself: its date is that of the cash. Nothing is kept of nothing."""
    if amount == ZERO:
        return
    kept = {"invoice_id": row.id, "amount": amount, "method": payment.method, "paid_at": payment.paid_at}
    who = {"created_by": ctx.actor.user_id, "channel": ctx.actor.channel.value}
    await records.add(ctx, invoice_payment, {"id": new_id(), **kept, **who})


def _move() -> Prepared[Any]:
    of_invoice = invoice_payment.c.invoice_id == bindparam("of_invoice", type_=Uuid)
    last = select(invoice_payment.c.id).where(of_invoice).order_by(invoice_payment.c.id.desc()).limit(1)
    said = cast(bindparam("how", type_=Text), Text)
    values = {
        "paid_at": bindparam("day", type_=invoice_payment.c.paid_at.type),
        "method": func.coalesce(said, invoice_payment.c.method),
        "version": invoice_payment.c.version + 1,
        "updated_at": func.now(),
    }
    return Prepared(update(invoice_payment).where(invoice_payment.c.id == last.scalar_subquery()).values(values))


_MOVE = _move()


def _listing() -> Prepared[PageRow]:
    one = invoice_payment.c
    of_invoice = one.invoice_id == bindparam("invoice_id", type_=Uuid)
    plain = [
        wire_column(column.name, column) for column in (one.id, one.amount, one.method, one.paid_at, one.created_by)
    ]
    columns = [*plain, wire_column("channel", one.channel), wire_column("created_at", wire_time(one.created_at))]
    rows = select(*columns).where(of_invoice).order_by(one.id)
    return page_statement(rows, select(func.count()).select_from(invoice_payment).where(of_invoice).scalar_subquery())


_LISTING = _listing()
