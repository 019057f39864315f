"""Paying suppliers: each payment lowers its invoice's balance, under that invoice's lock."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.supplier_invoices import owing, shapes
from ledgerkit.core.supplier_invoices.finding import OPEN, PAID, PAYMENTS
from ledgerkit.core.supplier_invoices.models import supplier_invoice, supplier_payment
from ledgerkit.core.supplier_invoices.schemas import SupplierPayment, SupplierPaymentInput
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_field

AHEAD = timedelta(days=1)
"""How far a payment may lie ahead: what leaves the bank tomorrow is recorded today (decisions K4)."""

_SAID = ("amount", "payment_method", "bank", "reference", "notes", "attachment_url")


@operation(Permission.SUPPLIER_INVOICES_PAY)
async def pay(ctx: Context, invoice_id: str, data: SupplierPaymentInput) -> SupplierPayment:
    """Record a payment, in the invoice's currency, of what is owed at most.

    The balance is judged and changed under the invoice's lock, so payments at once add up to the cent.
    Raises Invalid PAYMENT_EXCEEDS_BALANCE, also when nothing is owed any more, and SUPPLIER_INVOICE_CANCELLED.
    """
    on = _payment_date(ctx, data.payment_date)
    old = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    _check_payable(old, data.amount)
    settled = {OPEN: -1, PAID: 1} if data.amount == old.balance else {}
    await counters.add(ctx.db, {PAYMENTS: 1, **settled})
    row = await records.change(ctx, supplier_invoice, old.id, {"paid_amount": old.paid_amount + data.amount})
    payment = await records.add(ctx, supplier_payment, _values(ctx, row, data, on))
    await owing.change(ctx, row, count=0, invoiced=ZERO, paid=data.amount)
    changes = activity.changed({"paid_amount": old.paid_amount}, {"paid_amount": row.paid_amount})
    await activity.record(ctx, "payment_added", ("supplier_invoice", row.id), shapes.label(row), changes)
    return shapes.as_payment(payment)


def _payment_date(ctx: Context, given: date | None) -> date:
    today = ctx.account.today()
    if given is not None and given > today + AHEAD:
        raise bilingual_field(
            "paymentDate",
            (f"may lie one day ahead at most, and today is {today}", "Send the day on which it was paid."),
            (f"puede ser mañana como máximo, y hoy es {today}", "Envía el día en que se pagó."),
        )
    return given or today


def _check_payable(row: Any, amount: Decimal) -> None:
    if row.cancelled_at is not None:
        raise bilingual(
            Invalid,
            (
                f"The supplier invoice {shapes.label(row)} is cancelled: nothing of it is owed.",
                "Record the invoice again if it has to be paid after all.",
            ),
            (
                f"La factura recibida {shapes.label(row)} está anulada: no se debe nada de ella.",
                "Registra la factura de nuevo si al final hay que pagarla.",
            ),
            code=Code.SUPPLIER_INVOICE_CANCELLED,
        )
    if amount > row.balance:
        owed, label = f"{row.balance} {row.currency}", shapes.label(row)
        paid = not row.balance
        raise bilingual_field(
            "amount",
            (
                f"{amount} is more than the {owed} that are owed of {label}",
                "It is paid in full: nothing is left to pay." if paid else f"Pay {owed} at most.",
            ),
            (
                f"{amount} es más que los {owed} que se deben de {label}",
                "Está pagada del todo: no queda nada por pagar." if paid else f"Paga {owed} como máximo.",
            ),
            code=Code.PAYMENT_EXCEEDS_BALANCE,
        )


def _values(ctx: Context, row: Any, data: SupplierPaymentInput, on: date) -> dict[str, Any]:
    return {
        **{name: getattr(data, name) for name in _SAID},
        "id": new_id(),
        "supplier_invoice_id": row.id,
        "vendor_id": row.vendor_id,
        "vendor_name": row.vendor_name,
        "currency": row.currency,
        "payment_date": on,
        "balance_after": row.balance,
        "created_by": ctx.actor.user_id,
        "channel": ctx.actor.channel.value,
    }
