"""Amounts of a supplier invoice: computed from its items, as for issued invoices, or derived from its total."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents.totals import TOLERANCE, Line, Totals, total
from ledgerkit.core.purchases.received_documents import input as received_documents
from ledgerkit.core.purchases.supplier_invoices.amounts.conversion import converted
from ledgerkit.core.purchases.supplier_invoices.amounts.deductions import Use, UsedLine, deductions
from ledgerkit.core.purchases.supplier_invoices.api import SupplierInvoiceInput, SupplierInvoiceItemInput
from ledgerkit.core.purchases.supplier_invoices.table import (
    CONVERTED,
    DEDUCTIONS,
    ITEMS,
    TAX_BREAKDOWN,
    StoredConvertedPurchase,
    StoredDeduction,
    StoredItem,
    StoredTaxRow,
    SupplierInvoiceRow,
)
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.money import HUNDRED, LARGEST, ZERO, RoundingPolicy, percent_of, round_cents
from ledgerkit.problems import FieldError, Invalid
from ledgerkit.providers.api import TaxCategory, TaxLine
from ledgerkit.texts import Joined, text
from ledgerkit.texts.common import CommonMsg

_ZERO_AMOUNT = Decimal("0.00")


@dataclass(frozen=True, kw_only=True)
class SupplierInvoiceAmounts:
    """Amounts of one document, two decimals, as its row holds them: total = subtotal + tax + surcharge - retention.

    `self_assessed` is the tax that the buyer owes to the authority; it is no part of the total.
    """

    subtotal: Decimal
    tax: Decimal
    surcharge: Decimal
    self_assessed: Decimal
    retention: Decimal
    items: tuple[StoredItem, ...]
    breakdown: tuple[StoredTaxRow, ...]
    deductions: tuple[StoredDeduction, ...]
    converted: StoredConvertedPurchase | None = None

    @property
    def total(self) -> Decimal:
        return self.subtotal + self.tax + self.surcharge - self.retention

    def columns(self) -> Values[SupplierInvoiceRow]:
        """Return the amounts by the table's column names."""
        return Values(
            SupplierInvoiceRow,
            items=ITEMS.encode(self.items),
            tax_breakdown=TAX_BREAKDOWN.encode(self.breakdown),
            deductions=DEDUCTIONS.encode(self.deductions),
            subtotal=self.subtotal,
            tax_amount=self.tax,
            surcharge_amount=self.surcharge,
            self_assessed_tax=self.self_assessed,
            deductible_tax_amount=sum((row.deductible_tax for row in self.deductions), _ZERO_AMOUNT),
            retention_amount=self.retention,
            total=self.total,
            converted=CONVERTED.encode(self.converted),
        )


@dataclass(frozen=True, kw_only=True)
class StatedTax:
    """Tax and surcharge of one item as its vendor rounded them."""

    tax: Decimal
    surcharge: Decimal


def compute(
    data: SupplierInvoiceInput,
    tax_rate: Decimal,
    policy: RoundingPolicy,
    stated: Sequence[StatedTax] | None = None,
    exchange_rate: Decimal | None = None,
) -> SupplierInvoiceAmounts:
    """Compute the amounts of a supplier invoice; `tax_rate` (percent) applies to items, or a total, without a rate.

    Items are computed as those of issued invoices and rounded by `policy`; amounts sent with them must agree to the
    cent. `stated` are the taxes of each item, which take the place of the computed ones. Raises Invalid naming the
    field that does not agree or is missing.
    """
    amounts, taxes, lines = _from_items(data, tax_rate, policy, stated) if data.items else _from_total(data, tax_rate)
    _check_retention(data, amounts)
    _check_bounds(data, amounts)
    if exchange_rate is None:
        return amounts
    charged = is_tax_charged(data)
    in_account_currency = converted(taxes, lines, amounts.retention, exchange_rate, charged=charged)
    return replace(amounts, converted=in_account_currency)


def is_tax_charged(data: SupplierInvoiceInput) -> bool:
    """Return True when the vendor charges the tax, False when the buyer assesses it."""
    return received_documents.is_tax_charged(reverse_charge=data.reverse_charge, intra_eu=data.intra_eu)


# ---------------------------------------------------------------- from the lines


Computed = tuple[SupplierInvoiceAmounts, Sequence[TaxLine], Sequence[UsedLine]]
"""Amounts of a document, with the tax rows and the lines that they were computed from."""


def _from_items(
    data: SupplierInvoiceInput, tax_rate: Decimal, policy: RoundingPolicy, stated: Sequence[StatedTax] | None
) -> Computed:
    lines = list(_lines(data, tax_rate))
    sums = total(lines, data.retention_rate or ZERO, policy)
    if stated is not None:
        sums = _with_stated(sums, lines, stated)
    used_lines = list(_used_lines(data, lines, sums))
    amounts = SupplierInvoiceAmounts(
        subtotal=sums.subtotal,
        tax=sums.tax if is_tax_charged(data) else _ZERO_AMOUNT,
        surcharge=sums.surcharge if is_tax_charged(data) else _ZERO_AMOUNT,
        self_assessed=_ZERO_AMOUNT if is_tax_charged(data) else sums.tax,
        retention=sums.retention if data.retention_amount is None else data.retention_amount,
        items=_stored_items(data, lines, sums),
        breakdown=tuple(StoredTaxRow.of(tax) for tax in sums.taxes),
        deductions=deductions(sums.taxes, used_lines, surcharged=is_tax_charged(data)),
    )
    _check_agreement(data, amounts)
    return amounts, sums.taxes, used_lines


def _with_stated(sums: Totals, lines: Sequence[Line], stated: Sequence[StatedTax]) -> Totals:
    """Return the totals with the taxes that the items state, added up by rate."""
    taxes = tuple(
        replace(
            row,
            amount=sum((tax.tax for line, tax in zip(lines, stated, strict=True) if _is_of(line, row)), _ZERO_AMOUNT),
            surcharge_amount=sum(
                (tax.surcharge for line, tax in zip(lines, stated, strict=True) if _is_of(line, row)), _ZERO_AMOUNT
            ),
        )
        for row in sums.taxes
    )
    tax = sum((row.amount for row in taxes), _ZERO_AMOUNT)
    return replace(sums, taxes=taxes, tax=tax, surcharge=sum((row.surcharge_amount for row in taxes), _ZERO_AMOUNT))


def _is_of(line: Line, row: TaxLine) -> bool:
    return (line.rate, line.surcharge_rate or None) == (row.rate, row.surcharge_rate)


def _lines(data: SupplierInvoiceInput, tax_rate: Decimal) -> Iterator[Line]:
    for item in data.items or ():
        yield Line(
            quantity=item.quantity,
            unit_price=item.unit_price,
            discount=item.discount or ZERO,
            category=TaxCategory.STANDARD,
            rate=tax_rate if item.tax_rate is None else item.tax_rate,
            surcharge_rate=item.surcharge_rate,
        )


def _stored_items(data: SupplierInvoiceInput, lines: Sequence[Line], sums: Totals) -> tuple[StoredItem, ...]:
    return tuple(
        StoredItem(
            description=item.description,
            quantity=line.quantity,
            unit_price=line.unit_price,
            tax_rate=line.rate,
            discount=line.discount,
            surcharge_rate=line.surcharge_rate,
            line_total=net,
            deductible_percent=item.deductible_percent,
            investment_good=item.investment_good,
            useful_life_years=item.useful_life_years,
        )
        for item, line, net in zip(data.items or (), lines, sums.lines, strict=True)
    )


def default_use(data: SupplierInvoiceInput) -> Use:
    """Return the use that the invoice states, which is that of lines that state none."""
    return Use(
        deductible_percent=HUNDRED if data.deductible_percent is None else data.deductible_percent,
        investment_good=data.investment_good,
        useful_life_years=data.useful_life_years,
    )


def _used_lines(data: SupplierInvoiceInput, lines: Sequence[Line], sums: Totals) -> Iterator[UsedLine]:
    default = default_use(data)
    for item, line, net in zip(data.items or (), lines, sums.lines, strict=True):
        yield UsedLine(net=net, rate=line.rate, surcharge_rate=line.surcharge_rate, use=_use(item, default))


def _use(item: SupplierInvoiceItemInput, default: Use) -> Use:
    """Return the use of a line. One that states to be no investment good has only a useful life of its own."""
    percent, life = item.deductible_percent, item.useful_life_years
    investment = default.investment_good if item.investment_good is None else item.investment_good
    if life is None and item.investment_good is not False:
        life = default.useful_life_years
    return Use(
        deductible_percent=default.deductible_percent if percent is None else percent,
        investment_good=investment,
        useful_life_years=life,
    )


def _check_agreement(data: SupplierInvoiceInput, amounts: SupplierInvoiceAmounts) -> None:
    compared = {
        "total": (data.total, amounts.total),
        "subtotal": (data.subtotal, amounts.subtotal),
        "taxAmount": (data.tax_amount, amounts.tax),
    }
    wrong = {field: pair for field, pair in compared.items() if pair[0] is not None and pair[0] != pair[1]}
    if wrong:
        raise _disagreeing(wrong)


def _disagreeing(wrong: Mapping[str, tuple[Decimal | None, Decimal]]) -> Invalid:
    """Return the problem that names each wrong field with the amount sent and the amount computed from the items."""
    sentences = [
        Joined([field, text(SupplierInvoicesMsg.AMOUNT_DISAGREES, sent=sent, computed=computed)], separator=" ")
        for field, (sent, computed) in wrong.items()
    ]
    remedy = SupplierInvoicesMsg.SEND_AMOUNTS_ALONE
    errors = [
        FieldError.of(
            field, "disagrees", SupplierInvoicesMsg.AMOUNT_DISAGREES, remedy=remedy, sent=sent, computed=computed
        )
        for field, (sent, computed) in wrong.items()
    ]
    differences = Joined(sentences, separator="; ")
    return Invalid(SupplierInvoicesMsg.AMOUNTS_DISAGREE, errors=errors, remedy=remedy, differences=differences)


# ---------------------------------------------------------------- from the total


def _from_total(data: SupplierInvoiceInput, tax_rate: Decimal) -> Computed:
    """Split a total into the parts sent and those computed from the rates; the tax takes the rounding difference."""
    if data.total is None:
        raise Invalid.field("total", SupplierInvoicesMsg.TOTAL_OR_ITEMS)
    rate = tax_rate if is_tax_charged(data) else ZERO
    subtotal = _base(data, data.total, rate) if data.subtotal is None else data.subtotal
    retention = data.retention_amount
    if retention is None:
        retention = percent_of(subtotal, data.retention_rate or ZERO)
    tax = data.total - subtotal + retention if data.tax_amount is None else data.tax_amount
    if subtotal + tax - retention != data.total:
        computed_total = subtotal + tax - retention
        raise Invalid.field(
            "total",
            SupplierInvoicesMsg.PARTS_DISAGREE,
            total=data.total,
            computed_total=computed_total,
        )
    _check_tax(data, subtotal, tax, rate)
    self_assessed = _ZERO_AMOUNT if is_tax_charged(data) else percent_of(subtotal, tax_rate)
    tax_line = TaxLine(category=TaxCategory.STANDARD, rate=tax_rate, base=subtotal, amount=tax + self_assessed)
    used_line = UsedLine(net=subtotal, rate=tax_rate, surcharge_rate=None, use=default_use(data))
    amounts = SupplierInvoiceAmounts(
        subtotal=subtotal,
        tax=tax,
        surcharge=_ZERO_AMOUNT,
        self_assessed=self_assessed,
        retention=retention,
        items=(),
        breakdown=(StoredTaxRow.of(tax_line),),
        deductions=deductions([tax_line], [used_line], surcharged=False),
    )
    return amounts, [tax_line], [used_line]


def _base(data: SupplierInvoiceInput, owed: Decimal, rate: Decimal) -> Decimal:
    """Return the base for which base plus tax minus retention is `owed`, rounded to cents."""
    fixed, share = owed, HUNDRED
    if data.tax_amount is None:
        share += rate
    else:
        fixed -= data.tax_amount
    if data.retention_amount is None:
        share -= data.retention_rate or ZERO
    else:
        fixed += data.retention_amount
    if share <= 0:
        raise Invalid.field("subtotal", SupplierInvoicesMsg.SUBTOTAL_UNKNOWN, retention_rate=data.retention_rate)
    return round_cents(fixed * HUNDRED / share)


def _check_tax(data: SupplierInvoiceInput, subtotal: Decimal, tax: Decimal, rate: Decimal) -> None:
    """Raise Invalid when the tax is more than two cents away from its rate, or is charged though the buyer owes it."""
    if not is_tax_charged(data) and tax:
        raise Invalid.field("taxAmount", SupplierInvoicesMsg.TAX_NOT_CHARGED)
    if abs(tax - percent_of(subtotal, rate)) > (TOLERANCE if rate else ZERO):
        raise Invalid.field(
            "taxRate", SupplierInvoicesMsg.TAX_DISAGREES, tax=tax, rate=f"{rate.normalize():f}", subtotal=subtotal
        )


# ---------------------------------------------------------------- of both


def _check_retention(data: SupplierInvoiceInput, amounts: SupplierInvoiceAmounts) -> None:
    if data.retention_rate is None or data.retention_amount is None:
        return
    if abs(data.retention_amount - percent_of(amounts.subtotal, data.retention_rate)) > TOLERANCE:
        percent = f"{data.retention_rate.normalize():f} %"
        raise Invalid.field(
            "retentionAmount", SupplierInvoicesMsg.RETENTION_DISAGREES, percent=percent, subtotal=amounts.subtotal
        )


def _check_bounds(data: SupplierInvoiceInput, amounts: SupplierInvoiceAmounts) -> None:
    field = "items" if data.items else "total"
    parts = (amounts.subtotal, amounts.tax, amounts.self_assessed, amounts.retention, amounts.total)
    rows = [amount for row in amounts.breakdown for amount in (row.base, row.amount, row.surcharge_amount)]
    lines = [item.line_total for item in amounts.items]
    if max(map(abs, (*parts, amounts.surcharge, *rows, *lines))) > LARGEST:
        raise Invalid.field(field, SupplierInvoicesMsg.TOO_LARGE, remedy=CommonMsg.CORRECT_FIELD, largest=LARGEST)
    if data.rectifies is None and min(*parts, amounts.surcharge) < 0:
        raise Invalid.field(field, SupplierInvoicesMsg.NEGATIVE)
    if data.rectifies is not None and (amounts.total >= 0 or max(*parts, amounts.surcharge) > 0):
        raise Invalid.field(field, SupplierInvoicesMsg.NOT_NEGATIVE)
