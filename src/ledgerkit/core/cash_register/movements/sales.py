"""Sale or refund of a movement: its lines priced, its simplified invoice or credit note, its stock."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID

from pydantic.alias_generators import to_camel

from ledgerkit.core.cash_register.api import Kind, LineItemInput, Method, MovementInput
from ledgerkit.core.cash_register.movements import refunded_sales, refunds
from ledgerkit.core.cash_register.table import CashRegisterRow
from ledgerkit.core.cash_register.texts import CashRegisterMsg
from ledgerkit.core.catalog import queries as catalog_queries
from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause, Move, Place
from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.issuance import numbers
from ledgerkit.core.platform.database.ids import as_id
from ledgerkit.core.platform.documents import einvoicing_state
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices import input as invoice_input
from ledgerkit.core.sales.invoices.api import InvoiceInput, InvoiceItemInput, LineInput
from ledgerkit.core.sales.invoices.content import country_checks
from ledgerkit.core.sales.invoices.dates.issue_and_due import issue_day
from ledgerkit.core.sales.invoices.documents.origins import NONE, Origins
from ledgerkit.core.sales.invoices.input import DraftValues
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredLine
from ledgerkit.core.sales.invoices.lines import surcharges
from ledgerkit.core.sales.invoices.payments import operations as payments
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import DocumentKind, TaxCategory
from ledgerkit.texts import Joined, Message, ProblemText, Text, text

TOLERANCE = Decimal("0.02")
"""Between the amount taken and what the lines come to (interface decisions N)."""


@dataclass(frozen=True, kw_only=True)
class Sale:
    """Result of a sale or refund that its movement stores: documents, priced lines, and warnings for the caller."""

    invoice_id: UUID | None
    credit_note_id: UUID | None = None
    lines: Sequence[StoredLine] = ()
    prices_include_tax: bool = False
    warnings: Sequence[str] = ()


async def settle(ctx: Context, register: CashRegisterRow, data: MovementInput, movement_id: UUID) -> Sale:
    """Price the lines of a movement, make the invoice that the country demands, and move the stock.

    Stock moves once: with the issue of an invoice or credit note where there is one, else by the lines of the movement.
    """
    _require_trade(data)
    if data.type is Kind.REFUND and data.invoice_id is None and einvoicing_state.is_on(ctx):
        return await _refund_of_one_sale(ctx, register, data, movement_id)
    invoice_id = await _named_invoice(ctx, register, data)
    if data.type is Kind.REFUND and invoice_id is not None:
        return await _refund(ctx, register, data, movement_id, invoice_id)
    if not _has_lines(data):
        return Sale(invoice_id=invoice_id)
    items = await _items(ctx, register, data)
    with with_fields_of_the_sale():
        draft = await _priced(ctx, register, data, items)
        simplified = await _simplified_invoice(ctx, data, draft) if invoice_id is None else None
    is_invoiced = simplified is not None or (invoice_id is not None and data.type is Kind.SALE)
    stock_warnings = await _shortages(ctx, items) if simplified is not None else []
    if not is_invoiced:
        stock_warnings = await stock.move(ctx, _moves(data, items), _cause(data, movement_id))
    line_warnings = surcharges.warnings(ctx, draft.content.items, "lineItems")
    doubts = await country_checks.doubts(ctx, draft.content) if simplified is not None else []
    return Sale(
        invoice_id=simplified.id if simplified else invoice_id,
        lines=draft.content.items,
        prices_include_tax=draft.content.prices_include_tax,
        warnings=[*draft.client_warnings, *line_warnings, *doubts, *stock_warnings],
    )


async def _refund_of_one_sale(ctx: Context, register: CashRegisterRow, data: MovementInput, movement_id: UUID) -> Sale:
    """Take back the one sale of the register that the refund fits, and name it in a warning."""
    sold = await refunded_sales.one_sale(ctx, register, data)
    named = data.model_copy(update={"invoice_id": str(sold.invoice.id)})
    refund = await _refund(ctx, register, named, movement_id, sold.invoice.id)
    return replace(refund, warnings=[refunded_sales.notice(ctx, sold), *refund.warnings])


async def _refund(
    ctx: Context, register: CashRegisterRow, data: MovementInput, movement_id: UUID, invoice_id: UUID
) -> Sale:
    """Make the credit note of an emitted invoice that a refund names; otherwise move the stock by the lines."""
    items = await _items(ctx, register, data)
    original = Origins(corrected=await lifecycle.fetch(ctx, str(invoice_id)))
    with with_fields_of_the_sale():
        content = (await _priced(ctx, register, data, items, original)).content if items else None
        lines: Sequence[StoredLine] = content.items if content else ()
        included = content is not None and content.prices_include_tax
        note = await refunds.credit_note_of(ctx, register, data, lines, prices_include_tax=included)
    if note is None and items:
        await stock.move(ctx, _moves(data, items), _cause(data, movement_id))
    return Sale(
        invoice_id=invoice_id,
        credit_note_id=None if note is None else note.id,
        lines=lines,
        prices_include_tax=included,
    )


def _require_trade(data: MovementInput) -> None:
    """Raise Invalid for fields that the kind of movement does not admit: cash in or out is cash, and sells nothing."""
    for name in ("client", "client_id", "fiscal_details"):
        if getattr(data, name) is not None and not _makes_an_invoice(data):
            raise Invalid.field(to_camel(name), CashRegisterMsg.MAKES_NO_INVOICE)
    if data.tax_rate is not None and not _is_of_one_amount(data):
        raise Invalid.field("taxRate", CashRegisterMsg.TAX_RATE_OF_NO_LINE)
    if data.type in {Kind.SALE, Kind.REFUND}:
        return
    if data.payment_method is not Method.CASH:
        raise Invalid.field("paymentMethod", CashRegisterMsg.CASH_ONLY, type=data.type)
    if data.line_items:
        raise Invalid.field("lineItems", CashRegisterMsg.LINES_OF_TRADE_ONLY, type=data.type)


def _makes_an_invoice(data: MovementInput) -> bool:
    return data.type is Kind.SALE and data.invoice_id is None


def _is_of_one_amount(data: MovementInput) -> bool:
    """Return True for a sale that is one line of its description, with the tax in its amount."""
    return _makes_an_invoice(data) and not data.line_items


def _has_lines(data: MovementInput) -> bool:
    return bool(data.line_items) or _is_of_one_amount(data)


async def _named_invoice(ctx: Context, register: CashRegisterRow, data: MovementInput) -> UUID | None:
    """Return the id of the invoice that the movement names; a sale pays what is owed on it. Raises NotFound."""
    if data.invoice_id is None:
        return None
    if data.type is Kind.SALE:
        payment = payments.RequestedPayment(
            amount=data.amount, method=data.payment_method.value, paid_at=ctx.account.today()
        )
        return await payments.receive(ctx, data.invoice_id, payment, register.currency)
    await lifecycle.fetch(ctx, data.invoice_id)
    return as_id(data.invoice_id, "invoice")


# ---------------------------------------------------------------- prices


async def _items(ctx: Context, register: CashRegisterRow, data: MovementInput) -> list[InvoiceItemInput]:
    """Return the lines as invoice lines; what they leave out is their catalog item's. Raises NotFound, Invalid."""
    if _is_of_one_amount(data):
        return [InvoiceItemInput(description=data.description, unit_price=data.amount)]
    lines = data.line_items or []
    places = [(line.catalog_item_id, line.variant_index) for line in lines]
    if any(item_id is not None or variant is not None for item_id, variant in places):
        await stock.require_items(ctx, places, "lineItems")
    catalog_places = [_place(line) for line in lines]
    by_place = await catalog_queries.offers(ctx, [place for place in catalog_places if place is not None])
    return [
        _item(register, data, position, None if place is None else by_place.get(place))
        for position, place in enumerate(catalog_places)
    ]


def _item(
    register: CashRegisterRow, data: MovementInput, position: int, offer: catalog_queries.Offer | None
) -> InvoiceItemInput:
    line = (data.line_items or [])[position]
    price, rate = line.unit_price, line.tax_rate
    if offer is not None:
        price = offer.unit_price if price is None and offer.currency == register.currency else price
        is_standard = line.tax_category is TaxCategory.STANDARD
        rate = offer.tax_rate if rate is None and is_standard else rate
    if price is None:
        raise _price_missing(position, offer)
    return InvoiceItemInput(
        **{name: getattr(line, name) for name in LineInput.model_fields},
        description=line.description or (offer.name if offer else data.description),
        unit_price=price,
        tax_rate=rate,
    )


def _price_missing(position: int, offer: catalog_queries.Offer | None) -> Invalid:
    field = f"lineItems[{position}].unitPrice"
    if offer is None:
        return Invalid.field(field, CashRegisterMsg.PRICE_NEEDED)
    return Invalid.field(field, CashRegisterMsg.PRICE_IN_OTHER_CURRENCY, currency=offer.currency)


def _place(line: LineItemInput | InvoiceItemInput) -> Place | None:
    return None if line.catalog_item_id is None else (UUID(line.catalog_item_id), line.variant_index)


async def _priced(
    ctx: Context,
    register: CashRegisterRow,
    data: MovementInput,
    items: list[InvoiceItemInput],
    origins: Origins = NONE,
) -> DraftValues:
    """Return a simplified invoice of the lines: tax on top or included, whichever comes nearer to the amount.

    Lines of a refund are priced as those of the invoice that it names. The one line of a sale that states none contains
    its tax. Raises Invalid when both differ by more than TOLERANCE from the amount.
    """
    if _is_of_one_amount(data):
        return await invoice_input.new_values(ctx, _document(ctx, register, data, items, included=True), origins)
    on_top = await invoice_input.new_values(ctx, _document(ctx, register, data, items, included=False), origins)
    if on_top.content.total == data.amount:
        return on_top
    within = await invoice_input.new_values(ctx, _document(ctx, register, data, items, included=True), origins)
    nearest = min((on_top, within), key=lambda draft: abs(draft.content.total - data.amount))
    if abs(nearest.content.total - data.amount) > TOLERANCE:
        raise Invalid.field(
            "lineItems",
            CashRegisterMsg.LINES_DIFFER_FROM_AMOUNT,
            on_top=on_top.content.total,
            within=within.content.total,
            amount=data.amount,
        )
    return nearest


def _document(
    ctx: Context, register: CashRegisterRow, data: MovementInput, items: list[InvoiceItemInput], *, included: bool
) -> InvoiceInput:
    today = ctx.account.today()
    return InvoiceInput(
        doc_type=DocumentKind.SIMPLIFIED,
        items=items,
        prices_include_tax=included,
        tax_rate=data.tax_rate,
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


async def _simplified_invoice(ctx: Context, data: MovementInput, draft: DraftValues) -> InvoiceRow | None:
    """Issue, pay and seal the simplified invoice of a sale; None where electronic invoicing is off.

    Raises Invalid ISSUER_INCOMPLETE, also where it is off: outside the sandbox nobody sells without a tax identifier.

    The sender finds its record after this transaction, so no sale waits for an authority.
    """
    if data.type is not Kind.SALE:
        return None
    channels.require_issuer(ctx)
    if not einvoicing_state.documents_sales(ctx):
        return None
    ctx = await numbers.lock_einvoicing_choice(ctx)
    if not einvoicing_state.documents_sales(ctx):
        return None
    row = await lifecycle.insert_draft(ctx, draft.columns())
    payment = payments.RequestedPayment(amount=None, method=data.payment_method.value, paid_at=issue_day(row))
    await payments.insert(ctx, row, row.total, payment)
    await numbers.issue(ctx, row, lambda owed: payment.settle(row, owed))
    await counters.add(ctx.db, lifecycle.ONE_DRAFT)
    return row


# ---------------------------------------------------------------- stock


def _moves(data: MovementInput, items: Sequence[InvoiceItemInput]) -> list[Move]:
    """Return the stock movements: out with a sale, back with a refund."""
    sign = -1 if data.type is Kind.SALE else 1
    return [Move(*place, sign * item.quantity) for item in items if (place := _place(item)) is not None]


async def _shortages(ctx: Context, items: Sequence[InvoiceItemInput]) -> list[str]:
    """Return the warnings about the stock that the issue of an invoice has moved."""
    return await catalog_queries.shortages(ctx, [place for item in items if (place := _place(item)) is not None])


def _cause(data: MovementInput, movement_id: UUID) -> Cause:
    return Cause(data.type.value, "cash_movement", movement_id, data.description)


_PATH_VALUES = ("field", "path")
"""Names of the values of texts that are paths of fields."""


@contextmanager
def with_fields_of_the_sale() -> Iterator[None]:
    """Raise problems of the invoice within under the names of the sale's fields: `items` is `lineItems` there."""
    try:
        yield
    except Invalid as problem:
        names = {error.field: _field_of_sale(error.field) for error in problem.errors}
        errors = [_renamed_error(error, names) for error in problem.errors]
        renamed = _renamed_problem(problem.text, names)
        if problem.code is Code.FISCAL_CHECK_FAILED:
            renamed = ProblemText(renamed.message, _with_way_out(renamed.remedy))
        raise Invalid(renamed, code=problem.code, errors=errors) from problem


def _field_of_sale(field: str) -> str:
    if field.startswith("items"):
        return f"lineItems{field.removeprefix('items')}"
    return "amount" if field == "total" else field


def _renamed_error(error: FieldError, names: Mapping[str, str]) -> FieldError:
    return replace(error, field=names[error.field], text=_renamed_problem(error.text, names))


def _renamed_problem(problem: ProblemText, names: Mapping[str, str]) -> ProblemText:
    remedy = None if problem.remedy is None else _renamed(problem.remedy, names)
    return ProblemText(_renamed(problem.message, names), remedy)


def _renamed(words: Text, names: Mapping[str, str]) -> Text:
    """Return the text with other values where it is filled with the names of fields."""
    match words:
        case Joined():
            return replace(words, parts=[_renamed_part(part, names) for part in words.parts])
        case Message():
            paths = {name: path for name in _PATH_VALUES if isinstance(path := words.values.get(name), str)}
            changed = {name: names.get(path, path) for name, path in paths.items()}
            return replace(words, values={**words.values, **changed})
        case _:
            return words


def _renamed_part(part: object, names: Mapping[str, str]) -> object:
    if isinstance(part, Text):
        return _renamed(part, names)
    return names.get(part, part) if isinstance(part, str) else part


def _with_way_out(remedy: Text | None) -> Text:
    """Return the remedy, followed by the other way to sell what no simplified invoice can be made for."""
    invoice_apart = text(CashRegisterMsg.INVOICE_APART)
    return invoice_apart if remedy is None else Joined((remedy, invoice_apart), " ")
