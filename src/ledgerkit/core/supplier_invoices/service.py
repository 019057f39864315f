"""Supplier invoices: record what came in, read it, cancel it."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Text, Uuid, bindparam, select

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.records import counters, search
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.supplier_invoices import amounts, owing, shapes
from ledgerkit.core.supplier_invoices.finding import CANCELLED, OPEN, PAID
from ledgerkit.core.supplier_invoices.models import supplier_invoice, supplier_payment
from ledgerkit.core.supplier_invoices.schemas import (
    Cancellation,
    SupplierInvoice,
    SupplierInvoiceInput,
    SupplierInvoiceWithPayments,
)
from ledgerkit.core.vendors import service as vendors
from ledgerkit.money import HUNDRED, ZERO, RoundingPolicy
from ledgerkit.problems import Code, Conflict, Invalid, bilingual, bilingual_field

TERM_DAYS = 30
"""Until an invoice is due when neither it nor its vendor says (decisions K1)."""

MAX_KEY = 200
"""Characters of a number that tell invoices apart: an index entry holds no more."""

_PLAIN = (
    "invoice_date",
    "operation_date",
    "retention_rate",
    "notes",
    "attachment_url",
    "reverse_charge",
    "intra_eu",
    "investment_good",
    "regime_key",
)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def get(ctx: Context, invoice_id: str) -> SupplierInvoiceWithPayments:
    """One supplier invoice with all its payments, in the order in which they were recorded."""
    row = await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")
    payments = [shapes.as_payment(one) for one in await _PAYMENTS.rows(ctx.db, supplier_invoice_id=row.id)]
    return SupplierInvoiceWithPayments.model_validate(shapes.fields_of(ctx, row) | {"payments": payments})


@operation(Permission.SUPPLIER_INVOICES_WRITE)
async def create(ctx: Context, data: SupplierInvoiceInput) -> SupplierInvoice:
    """Record an invoice of a stored vendor, whose name and tax id it keeps as they are now.

    Raises NotFound for an unknown vendor, Conflict DUPLICATE_SUPPLIER_INVOICE for a number of theirs that is recorded
    and not cancelled, Invalid naming each wrong field.
    """
    vendor = await vendors.stored(ctx, data.vendor_id)
    values = _values(ctx, data, vendor)
    await counters.add(ctx.db, {OPEN if values["total"] else PAID: 1})
    row = await _insert(ctx, values)
    await owing.add(ctx, row)
    await activity.record(ctx, "created", ("supplier_invoice", row.id), shapes.label(row))
    return shapes.as_invoice(ctx, row)


@operation(Permission.SUPPLIER_INVOICES_PAY)
async def cancel(ctx: Context, invoice_id: str, data: Cancellation) -> SupplierInvoice:
    """Take an invoice out of what is owed, for good. Its number may then be recorded again.

    Raises Invalid NOT_CANCELLABLE when it is cancelled already, or anything of it is paid.
    """
    old = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    _check_cancellable(old)
    await counters.add(ctx.db, {OPEN: -1, CANCELLED: 1})
    values = {"cancelled_at": clock.now(), "cancel_reason": data.reason}
    row = await records.change(ctx, supplier_invoice, old.id, values)
    await owing.change(ctx, row, count=-1, invoiced=-row.total, paid=ZERO)
    said = activity.changed({}, {"cancel_reason": data.reason})
    await activity.record(ctx, "cancelled", ("supplier_invoice", row.id), shapes.label(row), said)
    return shapes.as_invoice(ctx, row)


def number_key(number: str) -> str:
    """What makes two numbers of one vendor the same: `F-2026/001`, `f 2026 001` and `F2026-001` are one.

    Case, accents and separators do not count, but for a separator between two digits: `1/11` is not `11/1`.
    """
    folded = search.fold(number)
    apart = re.sub(r"(?<=\d)[\W_]+(?=\d)", "-", folded)
    return (re.sub(r"[^\w-]|_|(?<!\d)-|-(?!\d)", "", apart) or folded)[:MAX_KEY]


# ---------------------------------------------------------------- what is recorded


def _values(ctx: Context, data: SupplierInvoiceInput, vendor: Any) -> dict[str, Any]:
    """The new row's content, with defaults from the vendor."""
    rate = _tax_rate(ctx, data, vendor)
    sums = amounts.reckon(data, rate, ctx.country.tax.rounding if ctx.country else RoundingPolicy())
    term = TERM_DAYS if vendor.payment_term_days is None else vendor.payment_term_days
    number = data.invoice_number or None
    category = data.category or vendor.default_category
    deductible = HUNDRED if data.deductible_percent is None else data.deductible_percent
    texts = (item.description for item in data.items or ())
    return {
        **{name: getattr(data, name) for name in _PLAIN},
        **sums.columns(deductible),
        **_dates(data, term),
        "id": new_id(),
        "vendor_id": vendor.id,
        "vendor_name": vendor.name,
        "vendor_tax_id": vendor.tax_id,
        "vendor_country": vendor.country,
        "invoice_number": number,
        "number_key": None if number is None else number_key(number),
        "tax_rate": rate,
        "deductible_percent": deductible,
        "income_tax_percent": HUNDRED if data.income_tax_percent is None else data.income_tax_percent,
        "currency": data.currency or ctx.account.currency,
        "category": category,
        "created_by": ctx.actor.user_id,
        "channel": ctx.actor.channel.value,
        "search_text": search.searchable(number, vendor.name, vendor.tax_id, *texts, category, data.notes),
    }


def _tax_rate(ctx: Context, data: SupplierInvoiceInput, vendor: Any) -> Decimal:
    """The rate that is said, else the vendor's; else none, but the general one where the buyer assesses the tax."""
    if data.tax_rate is not None:
        return data.tax_rate
    if vendor.default_tax_rate is not None:
        return Decimal(vendor.default_tax_rate)
    if amounts.charged(data) or ctx.country is None:
        return ZERO
    return ctx.country.tax.rates(data.operation_date or data.invoice_date)[0].percent


def _dates(data: SupplierInvoiceInput, term: int) -> dict[str, date]:
    """Days that depend on one another: none lies before the invoice, and no deduction before the reception."""
    due = data.due_date or data.invoice_date + timedelta(days=term)
    received = data.reception_date or data.invoice_date
    deducted = data.deduction_date or received
    for field, day, first, named in (
        ("dueDate", due, data.invoice_date, "invoiceDate"),
        ("receptionDate", received, data.invoice_date, "invoiceDate"),
        ("deductionDate", deducted, received, "receptionDate"),
    ):
        if day < first:
            raise bilingual_field(
                field,
                (f"may not lie before {named}", f"Send the same day as {named} or a later one."),
                (f"no puede ser anterior a {named}", f"Envía el mismo día que {named} u otro posterior."),
            )
    return {"due_date": due, "reception_date": received, "deduction_date": deducted}


def _check_cancellable(row: Any) -> None:
    label = shapes.label(row)
    if row.cancelled_at is not None:
        raise bilingual(
            Invalid,
            (f"The supplier invoice {label} is cancelled already.", "Nothing is left to do."),
            (f"La factura recibida {label} ya está anulada.", "No queda nada por hacer."),
            code=Code.NOT_CANCELLABLE,
        )
    if row.paid_amount > 0 or row.balance <= 0:
        raise bilingual(
            Invalid,
            (
                f"The supplier invoice {label} has been paid, at least in part.",
                "Only what is not paid at all can be cancelled.",
            ),
            (f"La factura recibida {label} está pagada, al menos en parte.", "Solo se anula lo que no se ha pagado."),
            code=Code.NOT_CANCELLABLE,
        )


async def _insert(ctx: Context, values: Mapping[str, Any]) -> Any:
    """The new row. Waits for whoever is recording the same number at this moment, and then tells of theirs."""
    row = await records.add_unless_there(ctx, supplier_invoice, values)
    if row is not None:
        return row
    same = await _SAME_NUMBER.row(ctx.db, vendor_id=values["vendor_id"], number_key=values["number_key"])
    known, conocida = ("", "") if same is None else (f", with the id {same.id}", f", con el id {same.id}")
    number, vendor = values["invoice_number"], values["vendor_name"]
    raise bilingual(
        Conflict,
        (
            f"Invoice {number} of {vendor} is recorded already{known}.",
            "Correct invoiceNumber; or, if the recorded one is wrong, cancel it and record it again.",
        ),
        (
            f"La factura {number} de {vendor} ya está registrada{conocida}.",
            "Corrige invoiceNumber; o, si la registrada está mal, anúlala y regístrala de nuevo.",
        ),
        code=Code.DUPLICATE_SUPPLIER_INVOICE,
    )


_SAME_NUMBER = Prepared(
    select(supplier_invoice.c.id).where(
        supplier_invoice.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        supplier_invoice.c.number_key == bindparam("number_key", type_=Text),
        supplier_invoice.c.cancelled_at.is_(None),
    )
)
_PAYMENTS = Prepared(
    select(supplier_payment)
    .where(supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid))
    .order_by(supplier_payment.c.id)
)
