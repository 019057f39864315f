"""Drafts of credit notes: for everything that remains of the corrected invoice, for a part, or by substitution.

A credit note by differences gives back amounts, never more than remains after earlier corrections. The last one also
takes the cents that roundings have left, so that nothing remains. A credit note by substitution states the right
amounts. Source: RD 1619/2012, art. 15.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices import input as invoice_input
from ledgerkit.core.sales.invoices.api import InvoiceInput, InvoiceItemInput, ThirdParty
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent, as_input
from ledgerkit.core.sales.invoices.dates.issue_and_due import issue_day
from ledgerkit.core.sales.invoices.documents import origins
from ledgerkit.core.sales.invoices.documents.origins import Origins
from ledgerkit.core.sales.invoices.json_columns.codecs import LINES, TAX_ROWS, THIRD_PARTY, StoredLine, StoredTax
from ledgerkit.core.sales.invoices.posting import credit_limits, effects, remainders
from ledgerkit.core.sales.invoices.posting.credit_limits import MONEY, CreditedAmounts, money_in
from ledgerkit.core.sales.invoices.posting.remainders import Remainder, TaxKey
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO_AMOUNT, percent_of
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import DocumentKind, IssuedBy, TaxCategory

_TAX_FIELDS = {
    "tax",
    "tax_rate",
    "tax_category",
    "exemption_code",
    "regime_key",
    "not_subject_reason",
    "surcharge_rate",
}


@dataclass(frozen=True, kw_only=True)
class CreditNoteRequest:
    """A credit note as it was requested.

    `items` have positive amounts; they are given back or, by substitution, are the right ones. Without `items`
    everything that remains is given back. Without `reason` the note gets the country's usual one.
    """

    items: Sequence[InvoiceItemInput] | None = None
    by_substitution: bool = False
    reason: str | None = None
    payment_method: str | None = None


async def content(ctx: Context, original: InvoiceRow, request: CreditNoteRequest) -> InvoiceContent:
    """Return the content of a credit note for `original`, whose row is locked.

    Raises Invalid naming the field of POST /api/einvoice/credit-note.
    """
    left = await remainders.remainder(ctx, original)
    reason = await _reason(ctx, original, request.reason)
    if request.by_substitution:
        return await _substitution(ctx, original, request, reason)
    _require_remainder(original, left)
    by_differences = _whole_remainder if request.items is None else _part
    return await by_differences(ctx, original, left, request, reason)


async def check(ctx: Context, original: InvoiceRow, note: InvoiceRow) -> None:
    """Raise Invalid when a prepared draft by differences gives back more than remains of the locked `original`."""
    left = await remainders.remainder(ctx, original)
    if note.correction_method != "substitution":
        _require_remainder(original, left)
        credit_limits.limited(original, left, TAX_ROWS.decode(note.tax_breakdown), note.prices_include_tax)
        credit_limits.check_goods(original, left, LINES.decode(note.items))


async def check_copy(ctx: Context, note: InvoiceRow, copy: InvoiceContent) -> None:
    """Raise Invalid when the copy of a credit note could not be issued besides it, with the calls to use instead."""
    original = await effects.original_of(ctx, note)
    try:
        origins.require_correctable(original)
        await credit_limits.check(ctx, original, CreditedAmounts.of_content(copy))
    except Invalid as problem:
        raise Invalid(InvoicesMsg.COPY_NOT_ISSUABLE, reason=problem.text.message, number=original.number) from problem


async def _reason(ctx: Context, original: InvoiceRow, requested: str | None) -> str | None:
    if requested is not None:
        await origins.check_reason(ctx, original, requested, "reason")
        return requested
    return next(iter(await origins.reasons(ctx, original)), None)


def _require_remainder(original: InvoiceRow, left: Remainder) -> None:
    if not any(money_in(row, name) for row in left.taxes.values() for name in MONEY):
        numbers = ", ".join(note.number or "" for note in left.corrections)
        raise Invalid.field("invoiceId", InvoicesMsg.NOTHING_LEFT_TO_CREDIT, number=original.number, numbers=numbers)


# ---------------------------------------------------------------- three kinds


async def _whole_remainder(
    ctx: Context, original: InvoiceRow, left: Remainder, request: CreditNoteRequest, reason: str | None
) -> InvoiceContent:
    """Give back all remaining lines, with one more line for each tax whose lines do not sum to its remainder."""
    items = [_given_back(as_input(line)) for line in left.lines]
    content = await _drafted(ctx, original, request, items, reason, surcharging=False)
    adjustments = _adjustments(original, left, content.items)
    if adjustments:
        content = await _drafted(ctx, original, request, [*items, *adjustments], reason, surcharging=False)
    rows = [credit_limits.negated(row) for row in left.taxes.values()]
    return _with_taxes(content, rows, -left.amounts.retention_amount)


async def _part(
    ctx: Context, original: InvoiceRow, left: Remainder, request: CreditNoteRequest, reason: str | None
) -> InvoiceContent:
    items = [_given_back(_as_charged(original, item)) for item in request.items or ()]
    content = await _drafted(ctx, original, request, items, reason)
    rows = credit_limits.limited(original, left, content.tax_breakdown, original.prices_include_tax)
    credit_limits.check_goods(original, left, content.items)
    retention = percent_of(_subtotal(rows), original.retention_rate)
    if _gives_back_all(left, rows):
        retention = -left.amounts.retention_amount
    return _with_taxes(content, rows, retention)


async def _substitution(
    ctx: Context, original: InvoiceRow, request: CreditNoteRequest, reason: str | None
) -> InvoiceContent:
    if not request.items:
        raise Invalid.field("items", InvoicesMsg.SUBSTITUTION_NEEDS_ITEMS)
    content = await _drafted(ctx, original, request, request.items, reason)
    if any(row.base < 0 for row in content.tax_breakdown):
        raise Invalid.field("items", InvoicesMsg.SUBSTITUTION_BELOW_ZERO)
    return content


async def _drafted(
    ctx: Context,
    original: InvoiceRow,
    request: CreditNoteRequest,
    items: Sequence[InvoiceItemInput],
    reason: str | None,
    *,
    surcharging: bool = True,
) -> InvoiceContent:
    third_party = THIRD_PARTY.decode(original.third_party)
    data = InvoiceInput.model_construct(
        doc_type=DocumentKind.CREDIT_NOTE,
        items=list(items),
        tax_rate=original.tax_rate,
        retention_rate=original.retention_rate,
        prices_include_tax=original.prices_include_tax,
        currency=original.currency,
        operation_date=operation_date(ctx, original, items),
        payment_method=request.payment_method or original.payment_method,
        issued_by=IssuedBy(original.issued_by),
        third_party=None if third_party is None else ThirdParty.model_validate(third_party.model_dump()),
        correction_reason=reason,
        correction_method="substitution" if request.by_substitution else "differences",
    )
    draft = await invoice_input.new_values(ctx, data, Origins(corrected=original), surcharging=surcharging)
    return replace(draft.content, due_date=draft.content.issue_date, term_days=0)


def operation_date(ctx: Context, original: InvoiceRow, items: Sequence[InvoiceItemInput]) -> date | None:
    """Return the original's day if a rate that it charged is no longer in force; otherwise None."""
    if ctx.country is None:
        return None
    in_force = {rate.percent for rate in ctx.country.tax.rates(ctx.account.today())}
    general = [item for item in items if item.tax is None and item.tax_category is TaxCategory.STANDARD]
    charged = {original.tax_rate if item.tax_rate is None else item.tax_rate for item in general}
    return None if charged <= in_force else original.operation_date or issue_day(original)


# ---------------------------------------------------------------- lines


def _as_charged(original: InvoiceRow, item: InvoiceItemInput) -> InvoiceItemInput:
    """Complete the tax fields that a line leaves out, where all agreeing lines of the invoice have one value."""
    stated_fields = {name for name in _TAX_FIELDS & item.model_fields_set if getattr(item, name) is not None}
    lines = [as_input(line) for line in LINES.decode(original.items)]
    agreeing = [line for line in lines if all(getattr(line, name) == getattr(item, name) for name in stated_fields)]
    charged = {name: {getattr(line, name) for line in agreeing} for name in _TAX_FIELDS - stated_fields}
    return item.model_copy(update={name: values.pop() for name, values in charged.items() if len(values) == 1})


def _given_back(item: InvoiceItemInput) -> InvoiceItemInput:
    """Return the line with the sign of its price turned, as goods come back."""
    quantity, price = item.quantity, item.unit_price
    if quantity < 0:
        quantity, price = -quantity, -price
    costs = {"cost_base": _turned(item.cost_base), "purchase_cost": _turned(item.purchase_cost)}
    return item.model_copy(update={"quantity": quantity, "unit_price": -price, **costs})


def _turned(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else -amount


def _adjustments(original: InvoiceRow, left: Remainder, lines: Sequence[StoredLine]) -> list[InvoiceItemInput]:
    """Return a line for each tax whose lines do not sum to its remainder: cents, or corrections in other words."""
    line_sums: dict[TaxKey, Decimal] = {}
    for line in lines:
        key = TaxKey.of_line(line)
        line_sums[key] = line_sums.get(key, ZERO_AMOUNT) + line.line_total
    adjustments = []
    for key, row in left.taxes.items():
        remaining_amount = -credit_limits.amount_of(row, included=original.prices_include_tax)
        difference = remaining_amount - line_sums.get(key, ZERO_AMOUNT)
        if difference:
            adjustments.append(_adjustment(original, key, difference))
    return adjustments


def _adjustment(original: InvoiceRow, key: TaxKey, amount: Decimal) -> InvoiceItemInput:
    return InvoiceItemInput.model_construct(
        description=original.number or "",
        quantity=Decimal(1),
        unit_price=amount,
        tax_rate=key.rate,
        discount=None,
        tax_category=key.category,
        exemption_code=key.exemption_code,
        regime_key=key.regime_key,
        not_subject_reason=key.not_subject_reason,
        surcharge_rate=key.surcharge_rate or None,
        tax=key.tax,
        purchase_cost=amount if key.under_margin_scheme else None,
    )


# ---------------------------------------------------------------- amounts


def _gives_back_all(left: Remainder, rows: Sequence[StoredTax]) -> bool:
    """Return True when the tax rows give back everything that remains."""
    given_back = {TaxKey.of(row): row for row in rows}
    return all(
        money_in(row, name) + (money_in(given_back[key], name) if key in given_back else ZERO_AMOUNT) == 0
        for key, row in left.taxes.items()
        for name in MONEY
    )


def _with_taxes(content: InvoiceContent, rows: Sequence[StoredTax], retention: Decimal) -> InvoiceContent:
    """Return the content with these tax rows, and with the sums of them."""
    tax_rows = tuple(row for row in rows if any(money_in(row, name) for name in MONEY))
    tax = sum((row.amount for row in tax_rows), ZERO_AMOUNT)
    surcharge = sum((row.surcharge_amount for row in tax_rows), ZERO_AMOUNT)
    base = _subtotal(tax_rows)
    return replace(
        content,
        tax_breakdown=tax_rows,
        subtotal=base,
        tax_amount=tax,
        surcharge_amount=surcharge,
        retention_amount=retention,
        total=base + tax + surcharge - retention,
    )


def _subtotal(rows: Sequence[StoredTax]) -> Decimal:
    return sum((row.base + money_in(row, "untaxed_amount") for row in rows), ZERO_AMOUNT)
