"""What a movement sells or takes back: its lines priced, its simplified invoice, its stock."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core import tally
from ledgerkit.core.cash_register.schemas import Kind, LineItemInput, Method, MovementInput
from ledgerkit.core.context import Context
from ledgerkit.core.db import as_id
from ledgerkit.core.einvoice import sealing
from ledgerkit.core.invoices import drafting, lifecycle, payments
from ledgerkit.core.invoices.schemas import InvoiceInput, InvoiceItemInput
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import DocumentKind

TOLERANCE = Decimal("0.02")
"""Between the amount taken and what the lines come to (interface decisions N)."""


@dataclass(frozen=True, kw_only=True)
class Sale:
    """What a movement keeps of its sale or refund."""

    invoice_id: UUID | None
    line_items: Sequence[dict[str, Any]] = ()
    prices_include_tax: bool = False
    warnings: Sequence[str] = ()


async def settled(ctx: Context, register: Any, data: MovementInput) -> Sale:
    """Price the lines, make the invoice that the country wants, move the stock.

    Stock moves once: by the issue of an invoice where there is one, else by the lines here.
    """
    _require_trade(data)
    invoice_id = await _known_invoice(ctx, data)
    if not data.line_items:
        return Sale(invoice_id=invoice_id)
    with _in_words_of_a_sale():
        values = await _priced(ctx, register, data)
        row = await _ticket(ctx, data, values) if invoice_id is None else None
    return Sale(
        invoice_id=row.id if row else invoice_id,
        line_items=values["items"],
        prices_include_tax=values["prices_include_tax"],
    )


def _require_trade(data: MovementInput) -> None:
    """What is put into the drawer or taken out of it is cash, and sells nothing."""
    if data.type in {Kind.SALE, Kind.REFUND}:
        return
    if data.payment_method is not Method.CASH:
        raise Invalid.field("paymentMethod", f"must be cash for {data.type}")
    if data.line_items:
        raise Invalid.field("lineItems", f"belong to a sale or refund, not to {data.type}")


async def _known_invoice(ctx: Context, data: MovementInput) -> UUID | None:
    """The invoice that the movement names. Raises NotFound."""
    if data.invoice_id is None:
        return None
    await lifecycle.require(ctx, data.invoice_id)
    return as_id(data.invoice_id, "invoice")


# ---------------------------------------------------------------- prices


async def _priced(ctx: Context, register: Any, data: MovementInput) -> dict[str, Any]:
    """Columns of a simplified invoice of the lines: tax on top or included, whichever comes nearer to the amount."""
    items = [_item(data, number, line) for number, line in enumerate(data.line_items or ())]
    priced = [
        await drafting.new_values(ctx, _document(ctx, register, data, items, included=included))
        for included in (False, True)
    ]
    nearest = min(priced, key=lambda values: abs(values["total"] - data.amount))
    if abs(nearest["total"] - data.amount) > TOLERANCE:
        on_top, within = (values["total"] for values in priced)
        raise Invalid.field(
            "lineItems",
            f"come to {on_top} with tax on top and to {within} with tax included, not to {data.amount}",
            remedy="Correct the lines or the amount; they may differ by 0.02.",
        )
    return nearest


def _item(data: MovementInput, number: int, line: LineItemInput) -> InvoiceItemInput:
    if line.unit_price is None:
        raise Invalid.field(f"lineItems[{number}].unitPrice", "is needed")
    return InvoiceItemInput(
        description=line.description or data.description,
        quantity=line.quantity,
        unit_price=line.unit_price,
        tax_rate=line.tax_rate,
        discount=line.discount,
        tax_category=line.tax_category,
        exemption_code=line.exemption_code,
        catalog_item_id=line.catalog_item_id,
        variant_index=line.variant_index,
    )


def _document(
    ctx: Context, register: Any, data: MovementInput, items: list[InvoiceItemInput], *, included: bool
) -> InvoiceInput:
    today = ctx.account.today()
    return InvoiceInput(
        doc_type=DocumentKind.SIMPLIFIED,
        items=items,
        prices_include_tax=included,
        retention_rate=ZERO,
        issue_date=today,
        due_date=today,
        currency=register.currency,
        payment_method=data.payment_method.value,
    )


# ---------------------------------------------------------------- invoice


async def _ticket(ctx: Context, data: MovementInput, values: dict[str, Any]) -> Any:
    """The simplified invoice of a sale: issued, paid and sealed; None where electronic invoicing is off.

    The sender finds its record after this transaction, so no sale waits for an authority. A refund's corrective
    invoice is none of this function: a refund keeps the link to what it takes back.
    """
    channel = sealing.active(ctx)
    if channel is None or data.type is not Kind.SALE:
        return None
    draft = await lifecycle.insert_draft(ctx, values)
    paying = payments.Paying(amount=None, method=data.payment_method.value, paid_at=draft.issue_date)
    await payments.note(ctx, draft, draft.total, paying)
    await sealing.seal(ctx, draft, channel, lambda owed: paying.settle(draft, owed))
    await tally.add(ctx.db, lifecycle.ONE_DRAFT)
    return draft


@contextmanager
def _in_words_of_a_sale() -> Iterator[None]:
    """Problems of the invoice within, named by the fields of the sale that the caller knows."""
    try:
        yield
    except Invalid as problem:
        names = {error.field: _field_of_sale(error.field) for error in problem.errors}
        errors = [replace(error, field=names[error.field]) for error in problem.errors]
        detail, remedy = (_renamed(text, names) for text in (problem.detail, problem.remedy or ""))
        if problem.code is Code.FISCAL_CHECK_FAILED:
            remedy += " Or invoice it apart: POST /api/invoices, POST /api/einvoice/emit, then the sale with invoiceId."
        raise Invalid(detail, code=problem.code, errors=errors, remedy=remedy) from problem


def _field_of_sale(field: str) -> str:
    if field.startswith("items"):
        return f"lineItems{field.removeprefix('items')}"
    return "amount" if field == "total" else field


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """`text` with its fields (`items[0].taxRate: ...`, `Correct items.`) called by their new names."""
    for old, new in names.items():
        text = text.replace(f"{old}:", f"{new}:").replace(f" {old}.", f" {new}.")
    return text
