"""What a movement sells or takes back: its lines priced, its simplified invoice, its stock."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic.alias_generators import to_camel

from ledgerkit.core.cash_register import refunds
from ledgerkit.core.cash_register.messages import CashRegisterMsg
from ledgerkit.core.cash_register.schemas import Kind, LineItemInput, Method, MovementInput
from ledgerkit.core.catalog import offers, stock
from ledgerkit.core.catalog.stock import Cause, Move, Place
from ledgerkit.core.database.ids import as_id
from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.einvoice.issuance import numbering
from ledgerkit.core.invoices import drafting, lifecycle, payments
from ledgerkit.core.invoices.drafting import DraftValues
from ledgerkit.core.invoices.origins import NONE, Origins
from ledgerkit.core.invoices.schemas import InvoiceInput, InvoiceItemInput
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, bilingual_field
from ledgerkit.providers.api import DocumentKind, TaxCategory
from ledgerkit.texts import ENGLISH, Wording

TOLERANCE = Decimal("0.02")
"""Between the amount taken and what the lines come to (interface decisions N)."""


@dataclass(frozen=True, kw_only=True)
class Sale:
    """What a movement keeps of its sale or refund."""

    invoice_id: UUID | None
    credit_note_id: UUID | None = None
    line_items: Sequence[dict[str, Any]] = ()
    prices_include_tax: bool = False
    warnings: Sequence[str] = ()


async def settled(ctx: Context, register: Any, data: MovementInput, movement_id: UUID) -> Sale:
    """Price the lines, make the invoice that the country wants, move the stock.

    Stock moves once: with the issue of an invoice or credit note where there is one, else by the lines here.
    """
    _require_trade(data)
    invoice_id = await _known_invoice(ctx, register, data)
    if data.type is Kind.REFUND and invoice_id is not None:
        return await _refund(ctx, register, data, movement_id, invoice_id)
    if not data.line_items:
        return Sale(invoice_id=invoice_id)
    items = await _items(ctx, register, data)
    with _in_words_of_a_sale():
        values, told = await _priced(ctx, register, data, items)
        row = await _ticket(ctx, data, values) if invoice_id is None else None
    invoiced = row is not None or (invoice_id is not None and data.type is Kind.SALE)
    warnings = await _warned(ctx, items) if row is not None else []
    if not invoiced:
        warnings = await stock.move(ctx, _moves(data, items), _cause(data, movement_id))
    return Sale(
        invoice_id=row.id if row else invoice_id,
        line_items=values["items"],
        prices_include_tax=values["prices_include_tax"],
        warnings=[*(text.replace("items[", "lineItems[") for text in told), *warnings],
    )


async def _refund(ctx: Context, register: Any, data: MovementInput, movement_id: UUID, invoice_id: UUID) -> Sale:
    """A refund that names its invoice makes the credit note of an emitted one."""
    items = await _items(ctx, register, data)
    original = Origins(corrected=await lifecycle.fetch(ctx, str(invoice_id)))
    with _in_words_of_a_sale():
        unsaid: dict[str, Any] = {"items": [], "prices_include_tax": False}
        values = (await _priced(ctx, register, data, items, original)).columns if items else unsaid
        lines = [{**line, "pricesIncludeTax": values["prices_include_tax"]} for line in values["items"]]
        note = await refunds.credited(ctx, register, data, lines)
    if note is None and items:
        await stock.move(ctx, _moves(data, items), _cause(data, movement_id))
    return Sale(
        invoice_id=invoice_id,
        credit_note_id=None if note is None else note.id,
        line_items=values["items"],
        prices_include_tax=values["prices_include_tax"],
    )


def _require_trade(data: MovementInput) -> None:
    """What is put into the drawer or taken out of it is cash, and sells nothing."""
    for name in ("client", "client_id", "fiscal_details"):
        if getattr(data, name) is not None and not _makes_an_invoice(data):
            raise _of_its_own_invoice_only(to_camel(name))
    if data.type in {Kind.SALE, Kind.REFUND}:
        return
    if data.payment_method is not Method.CASH:
        raise Invalid.field("paymentMethod", CashRegisterMsg.CASH_ONLY, type=data.type)
    if data.line_items:
        raise Invalid.field("lineItems", CashRegisterMsg.LINES_OF_TRADE_ONLY, type=data.type)


def _makes_an_invoice(data: MovementInput) -> bool:
    return data.type is Kind.SALE and data.invoice_id is None and bool(data.line_items)


def _of_its_own_invoice_only(field: str) -> Invalid:
    return Invalid.field(field, CashRegisterMsg.MAKES_NO_INVOICE)


async def _known_invoice(ctx: Context, register: Any, data: MovementInput) -> UUID | None:
    """The invoice that the movement names; a sale pays what is open on it. Raises NotFound."""
    if data.invoice_id is None:
        return None
    if data.type is Kind.SALE:
        taken = payments.RequestedPayment(
            amount=data.amount, method=data.payment_method.value, paid_at=ctx.account.today()
        )
        return await payments.receive(ctx, data.invoice_id, taken, register.currency)
    await lifecycle.fetch(ctx, data.invoice_id)
    return as_id(data.invoice_id, "invoice")


# ---------------------------------------------------------------- prices


async def _items(ctx: Context, register: Any, data: MovementInput) -> list[InvoiceItemInput]:
    """The lines as an invoice says them; what they leave out is the catalog's. Raises NotFound, Invalid."""
    lines = data.line_items or []
    named = [(line.catalog_item_id, line.variant_index) for line in lines]
    if any(item_id is not None or variant is not None for item_id, variant in named):
        await stock.require_items(ctx, named, "lineItems")
    places = [_place(line) for line in lines]
    known = await offers.offers(ctx, [place for place in places if place is not None])
    found = [None if place is None else known.get(place) for place in places]
    return [_item(register, data, number, offer) for number, offer in enumerate(found)]


def _item(register: Any, data: MovementInput, number: int, offer: offers.Offer | None) -> InvoiceItemInput:
    line = (data.line_items or [])[number]
    price, rate = line.unit_price, line.tax_rate
    if offer is not None:
        price = offer.unit_price if price is None and offer.currency == register.currency else price
        standard = line.tax_category is TaxCategory.STANDARD
        rate = offer.tax_rate if rate is None and standard else rate
    if price is None:
        raise _price_missing(number, offer)
    return InvoiceItemInput(
        description=line.description or (offer.name if offer else data.description),
        quantity=line.quantity,
        unit_price=price,
        tax_rate=rate,
        discount=line.discount,
        tax_category=line.tax_category,
        exemption_code=line.exemption_code,
        regime_key=line.regime_key,
        not_subject_reason=line.not_subject_reason,
        surcharge_rate=line.surcharge_rate,
        purchase_cost=line.purchase_cost,
        catalog_item_id=line.catalog_item_id,
        variant_index=line.variant_index,
    )


def _price_missing(number: int, offer: offers.Offer | None) -> Invalid:
    why, por_que = "is needed without a catalog item", "hace falta sin un artículo del catálogo"
    if offer is not None:
        why = f"is needed: the item is priced in {offer.currency}"
        por_que = f"hace falta: el precio del artículo está en {offer.currency}"
    field = f"lineItems[{number}].unitPrice"
    return bilingual_field(field, (why, f"Send {field}."), (por_que, f"Envía {field}."))


def _place(line: LineItemInput | InvoiceItemInput) -> Place | None:
    return None if line.catalog_item_id is None else (UUID(line.catalog_item_id), line.variant_index)


async def _priced(
    ctx: Context, register: Any, data: MovementInput, items: list[InvoiceItemInput], origins: Origins = NONE
) -> DraftValues:
    """A simplified invoice of the lines: tax on top or included, whichever comes nearer to the amount.

    Lines of a refund are priced as those of the invoice that it names.
    """
    on_top = await drafting.new_values(ctx, _document(ctx, register, data, items, included=False), origins)
    if on_top.columns["total"] == data.amount:
        return on_top
    within = await drafting.new_values(ctx, _document(ctx, register, data, items, included=True), origins)
    nearest = min((on_top, within), key=lambda made: abs(made.columns["total"] - data.amount))
    if abs(nearest.columns["total"] - data.amount) > TOLERANCE:
        raise _unlike(data.amount, on_top.columns["total"], within.columns["total"])
    return nearest


def _unlike(amount: Decimal, on_top: Decimal, within: Decimal) -> Invalid:
    return Invalid.field(
        "lineItems", CashRegisterMsg.LINES_DIFFER_FROM_AMOUNT, on_top=on_top, within=within, amount=amount
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
        client=data.client,
        client_id=data.client_id,
        fiscal_details=data.fiscal_details,
    )


# ---------------------------------------------------------------- invoice


async def _ticket(ctx: Context, data: MovementInput, values: dict[str, Any]) -> Any:
    """The simplified invoice of a sale: issued, paid and sealed; None where electronic invoicing is off.

    The sender finds its record after this transaction, so no sale waits for an authority.
    """
    if data.type is not Kind.SALE or not einvoicing_state.is_on(ctx):
        return None
    ctx = await numbering.lock_einvoicing_choice(ctx)
    if not einvoicing_state.is_on(ctx):
        return None
    draft = await lifecycle.insert_draft(ctx, values)
    paying = payments.RequestedPayment(amount=None, method=data.payment_method.value, paid_at=draft.issue_date)
    await payments.note(ctx, draft, draft.total, paying)
    await numbering.issue(ctx, draft, lambda owed: paying.settle(draft, owed))
    await counters.add(ctx.db, lifecycle.ONE_DRAFT)
    return draft


# ---------------------------------------------------------------- stock


def _moves(data: MovementInput, items: Sequence[InvoiceItemInput]) -> list[Move]:
    """What leaves the house with a sale and comes back with a refund."""
    sign = -1 if data.type is Kind.SALE else 1
    return [Move(*place, sign * item.quantity) for item in items if (place := _place(item)) is not None]


async def _warned(ctx: Context, items: Sequence[InvoiceItemInput]) -> list[str]:
    """The doubts about a stock that an invoice's issue has moved."""
    return await offers.shortages(ctx, [place for item in items if (place := _place(item)) is not None])


def _cause(data: MovementInput, movement_id: UUID) -> Cause:
    return Cause(data.type.value, "cash_movement", movement_id, data.description)


# ---------------------------------------------------------------- problems

_INVOICE_IT_APART = {
    "en": " Or invoice it apart: POST /api/invoices, POST /api/einvoice/emit, then the sale with invoiceId.",
    "es": " O factúrala aparte: POST /api/invoices, POST /api/einvoice/emit, y la venta con invoiceId.",
}


@contextmanager
def _in_words_of_a_sale() -> Iterator[None]:
    """Problems of the invoice within, named by the fields of the sale that the caller knows."""
    try:
        yield
    except Invalid as problem:
        names = {error.field: _field_of_sale(error.field) for error in problem.errors}
        errors = [replace(error, field=names[error.field]) for error in problem.errors]
        plain = {ENGLISH: Wording(message=problem.detail, remedy=problem.remedy or "")}
        said = {
            name: _said_of_sale(problem, name, text, names) for name, text in (plain | problem.translations).items()
        }
        detail, remedy = said[ENGLISH].message, said[ENGLISH].remedy
        raise Invalid(detail, code=problem.code, errors=errors, remedy=remedy, translations=said) from problem


def _said_of_sale(problem: Invalid, language: str, said: Wording, names: Mapping[str, str]) -> Wording:
    """Detail and remedy in one language, the sale's own way out included."""
    out = _INVOICE_IT_APART.get(language, "") if problem.code is Code.FISCAL_CHECK_FAILED else ""
    return Wording(message=_renamed(said.message, names), remedy=_renamed(said.remedy, names) + out)


def _field_of_sale(field: str) -> str:
    if field.startswith("items"):
        return f"lineItems{field.removeprefix('items')}"
    return "amount" if field == "total" else field


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """`text` with its fields (`items[0].taxRate: ...`, `Correct items.`) called by their new names."""
    for old, new in names.items():
        text = text.replace(f"{old}:", f"{new}:").replace(f" {old}.", f" {new}.")
    return text
