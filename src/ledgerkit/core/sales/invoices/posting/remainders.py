"""Amounts, taxes and lines that remain of an issued document after its corrections.

The amounts of a credit note by differences are added to it, one by substitution replaces it. Only posted corrections
count: issued, neither voided nor annulled.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.json_columns.codecs import (
    LINES,
    TAX_ROWS,
    StoredGoods,
    StoredLine,
    StoredReplaced,
    StoredTax,
)
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.money import ZERO
from ledgerkit.providers.api import TaxCategory


class TaxKey(NamedTuple):
    """Attributes that identify a tax row of a document. Rates in percent, 0 for no surcharge."""

    tax: str | None
    category: TaxCategory
    rate: Decimal
    surcharge_rate: Decimal
    exemption_code: str | None
    regime_key: str | None
    not_subject_reason: str | None
    under_margin_scheme: bool

    @classmethod
    def of(cls, row: StoredTax) -> "TaxKey":
        """Return the key of a tax row."""
        return cls(row.tax, row.category, row.rate, *_codes(row), row.untaxed_amount is not None)

    @classmethod
    def of_line(cls, line: StoredLine) -> "TaxKey":
        """Return the key of the tax row that a line belongs to."""
        return cls(line.tax, line.tax_category, line.tax_rate, *_codes(line), line.purchase_cost is not None)


def _codes(part: StoredTax | StoredLine) -> tuple[Decimal, str | None, str | None, str | None]:
    return part.surcharge_rate or ZERO, part.exemption_code, part.regime_key, part.not_subject_reason


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """Amounts of a document, in its currency, two decimals."""

    subtotal: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    retention_amount: Decimal
    total: Decimal

    @classmethod
    def of(cls, row: InvoiceRow) -> "Amounts":
        """Return the amounts of a stored document."""
        return cls(**{name: getattr(row, name) for name in cls.__dataclass_fields__})

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(**{name: amount + getattr(other, name) for name, amount in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class Remainder:
    """Remainder of a document: amounts, tax rows, and lines with their remaining quantities.

    `corrections` are the rows of the posted credit notes, in the order in which they were issued.
    """

    amounts: Amounts
    taxes: Mapping[TaxKey, StoredTax]
    lines: Sequence[StoredLine]
    corrections: Sequence[InvoiceRow]

    @property
    def gross(self) -> Decimal:
        """Taxable bases with taxes, retention not deducted."""
        return self.amounts.subtotal + self.amounts.tax_amount + self.amounts.surcharge_amount

    def replaced(self) -> StoredReplaced:
        """Return the amounts in the form that a credit note by substitution stores."""
        return StoredReplaced(**vars(self.amounts), tax_breakdown=tuple(self.taxes.values()))

    def goods(self) -> tuple[StoredGoods, ...]:
        """Return the catalog items among the lines, each with the quantity that was sold and not brought back."""
        quantities: dict[tuple[str, int | None], Decimal] = {}
        for line in self.lines:
            if line.catalog_item_id is not None:
                item = (line.catalog_item_id, line.variant_index)
                quantities[item] = quantities.get(item, ZERO) + line.signed_quantity
        return tuple(
            StoredGoods(catalog_item_id=item_id, variant_index=variant, quantity=quantity)
            for (item_id, variant), quantity in quantities.items()
            if quantity
        )


async def remainder(ctx: Context, original: InvoiceRow) -> Remainder:
    """Compute what remains of an issued document. Lock its row first for a result that no other transaction changes."""
    [left] = await remainders(ctx, [original])
    return left


async def remainders(ctx: Context, originals: Sequence[InvoiceRow]) -> list[Remainder]:
    """Compute what remains of each issued document, as `remainder`."""
    corrected = [original.id for original in originals if original.rectifies is None]
    notes = await _CORRECTIONS.rows(ctx.db, originals=corrected) if corrected else []
    return [_left(original, [note for note in notes if note.rectifies == original.id]) for original in originals]


def _left(original: InvoiceRow, notes: Sequence[InvoiceRow]) -> Remainder:
    """Compute what remains of a document after its posted credit notes, in the order in which they were issued."""
    lines = list(LINES.decode(original.items))
    amounts = Amounts.of(original)
    taxes = _added({}, TAX_ROWS.decode(original.tax_breakdown))
    for note in notes:
        included, target_includes_tax = note.prices_include_tax, original.prices_include_tax
        note_lines = [
            priced(line, included=included, target_includes_tax=target_includes_tax)
            for line in LINES.decode(note.items)
        ]
        replaces = note.replaced is not None
        amounts = Amounts.of(note) if replaces else amounts + Amounts.of(note)
        taxes = _added({} if replaces else taxes, TAX_ROWS.decode(note.tax_breakdown))
        lines = note_lines if replaces else lines + note_lines
    return Remainder(amounts=amounts, taxes=taxes, lines=_summed(lines), corrections=notes)


def _added(taxes: Mapping[TaxKey, StoredTax], rows: Iterable[StoredTax]) -> dict[TaxKey, StoredTax]:
    sums = dict(taxes)
    for row in rows:
        key = TaxKey.of(row)
        before = sums.get(key)
        sums[key] = row if before is None else _sum_of_rows(before, row)
    return sums


def _sum_of_rows(before: StoredTax, row: StoredTax) -> StoredTax:
    return row.model_copy(
        update={
            "base": before.base + row.base,
            "amount": before.amount + row.amount,
            "surcharge_amount": before.surcharge_amount + row.surcharge_amount,
            "cost_base": _sum(before.cost_base, row.cost_base),
            "untaxed_amount": _sum(before.untaxed_amount, row.untaxed_amount),
        }
    )


def _sum(*amounts: Decimal | None) -> Decimal | None:
    """Sum of the amounts that are present; None when none is."""
    present = [amount for amount in amounts if amount is not None]
    return sum(present, ZERO) if present else None


def priced(line: StoredLine, *, included: bool, target_includes_tax: bool) -> StoredLine:
    """Return the line with its price as another document states prices: with or without tax.

    `included`: the line's price contains the tax; `target_includes_tax`: the prices of the other document do. Under a
    margin scheme a price always contains the tax. Four decimals.
    """
    if included == target_includes_tax or line.purchase_cost is not None:
        return line
    whole = 100 + line.tax_rate + (line.surcharge_rate or ZERO)
    price = line.unit_price * whole / 100 if target_includes_tax else line.unit_price * 100 / whole
    return line.model_copy(update={"unit_price": price.quantize(Decimal("0.0001"))})


class _PricedItem(NamedTuple):
    """Attributes by which lines are of one item at one price."""

    unit_price: Decimal
    description: str
    discount: Decimal
    tax_rate: Decimal
    tax_category: TaxCategory
    exemption_code: str | None
    regime_key: str | None
    not_subject_reason: str | None
    surcharge_rate: Decimal | None
    catalog_item_id: str | None
    variant_index: int | None
    unit: str | None
    tax: str | None


def _summed(lines: Iterable[StoredLine]) -> list[StoredLine]:
    """Add up the lines of one item at one price, and leave out those of which nothing remains."""
    quantities: dict[_PricedItem, Decimal] = {}
    costs: dict[_PricedItem, Decimal | None] = {}
    first: dict[_PricedItem, StoredLine] = {}
    for line in lines:
        attributes = (getattr(line, name) for name in _PricedItem._fields[1:])
        item = _PricedItem(abs(line.unit_price), *attributes)
        first.setdefault(item, line)
        quantities[item] = quantities.get(item, ZERO) + line.signed_quantity
        costs[item] = _sum(costs.get(item), line.purchase_cost)
    return [
        first[item].model_copy(
            update={"unit_price": item.unit_price, "quantity": quantity, "purchase_cost": costs[item]}
        )
        for item, quantity in quantities.items()
        if quantity
    ]


_CORRECTIONS = Prepared(
    select(invoice)
    .where(invoice.c.rectifies == any_(bindparam("originals", type_=ARRAY(Uuid))), standing.is_posted())
    .order_by(invoice.c.issued_at, invoice.c.id),
    InvoiceRow,
)
