"""Amounts, taxes and lines that remain of an issued document after its corrections.

The amounts of a credit note by differences are added to it, one by substitution replaces it. Only posted corrections
count: issued, neither voided nor annulled.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.posting import standing
from ledgerkit.core.invoices.posting.stock_moves import signed
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO

Key = tuple[str | None, str, Decimal, Decimal, str | None, str | None, str | None, bool]
"""Attributes that identify a tax row: tax, category, rate, surcharge rate, exemption code, regime key, reason for not
being subject, and True under a margin scheme."""

Item = Mapping[str, Any]
"""A line as it is stored, in wire names."""

AMOUNTS = ("subtotal", "tax_amount", "surcharge_amount", "retention_amount", "total")
_SUMMED = ("base", "amount", "surchargeAmount")
_SUMMED_IF_PRESENT = ("costBase", "untaxedAmount")
_PRICED = (
    "description",
    "taxRate",
    "discount",
    "taxCategory",
    "exemptionCode",
    "regimeKey",
    "notSubjectReason",
    "surchargeRate",
    "catalogItemId",
    "variantIndex",
    "unit",
    "tax",
)
_WIRE = ("subtotal", "taxAmount", "surchargeAmount", "retentionAmount", "total")


@dataclass(frozen=True, kw_only=True)
class Remainder:
    """Remainder of a document: amounts by column name, tax rows as stored, and lines with their remaining quantities.

    `corrections` are the rows of the posted credit notes, in the order in which they were issued.
    """

    amounts: Mapping[str, Decimal]
    taxes: Mapping[Key, Mapping[str, Any]]
    lines: Sequence[Item]
    corrections: Sequence[Any]

    @property
    def gross(self) -> Decimal:
        return self.amounts["subtotal"] + self.amounts["tax_amount"] + self.amounts["surcharge_amount"]

    def wire(self) -> dict[str, Any]:
        """Return the amounts in the form that a credit note by substitution stores as `replaced`."""
        named = {wire: self.amounts[name] for wire, name in zip(_WIRE, AMOUNTS, strict=True)}
        return {**named, "taxBreakdown": list(self.taxes.values())}

    def goods(self) -> list[dict[str, Any]]:
        """Return the catalog items among the lines, each with the quantity that was sold and not brought back."""
        quantities: dict[tuple[str, int | None], Decimal] = {}
        for line in self.lines:
            if line["catalogItemId"] is not None:
                place = (line["catalogItemId"], line["variantIndex"])
                quantities[place] = quantities.get(place, ZERO) + signed(line)
        return [
            {"catalogItemId": item_id, "variantIndex": variant, "quantity": quantity}
            for (item_id, variant), quantity in quantities.items()
            if quantity
        ]


async def remainder(ctx: Context, original: Any) -> Remainder:
    """Compute what remains of an issued document. Lock its row first for a result that no other transaction changes."""
    notes = await _CORRECTIONS.rows(ctx.db, original=original.id) if original.rectifies is None else []
    lines = list(original.items)
    amounts = {name: getattr(original, name) for name in AMOUNTS}
    taxes = _added({}, original.tax_breakdown)
    for note in notes:
        note_amounts = {name: getattr(note, name) for name in AMOUNTS}
        included, wanted = note.prices_include_tax, original.prices_include_tax
        note_lines = [priced(item, included=included, wanted=wanted) for item in note.items]
        replaces = note.replaced is not None
        amounts = note_amounts if replaces else {name: amounts[name] + note_amounts[name] for name in AMOUNTS}
        taxes = _added({} if replaces else taxes, note.tax_breakdown)
        lines = note_lines if replaces else lines + note_lines
    return Remainder(amounts=amounts, taxes=taxes, lines=_summed(lines), corrections=notes)


def key_of(row: Mapping[str, Any]) -> Key:
    surcharge = row["surchargeRate"]
    rate, extra = Decimal(row["rate"]), ZERO if surcharge is None else Decimal(surcharge)
    taxed = row["tax"], row["category"], rate, extra, row["exemptionCode"], row["regimeKey"]
    return *taxed, row["notSubjectReason"], row["untaxedAmount"] is not None


def _added(taxes: Mapping[Key, Mapping[str, Any]], rows: Iterable[Mapping[str, Any]]) -> dict[Key, Mapping[str, Any]]:
    sums = dict(taxes)
    for row in rows:
        before = sums.get(key_of(row))
        more = {} if before is None else {name: Decimal(before[name]) + Decimal(row[name]) for name in _SUMMED}
        optional = {name: _sum((before or {}).get(name), row.get(name)) for name in _SUMMED_IF_PRESENT}
        sums[key_of(row)] = {**row, **more, **optional}
    return sums


def _sum(*amounts: Decimal | int | None) -> Decimal | None:
    """Sum of the amounts that are present; None when none is."""
    present = [Decimal(amount) for amount in amounts if amount is not None]
    return sum(present, ZERO) if present else None


def priced(item: Item, *, included: bool, wanted: bool) -> Item:
    """Return the line with its price as the original states prices: with or without tax.

    `included`: the line's price contains the tax; `wanted`: the original's prices do. Under a margin scheme a price
    always contains the tax. Rounds to four decimals, half even.
    """
    if included == wanted or item["purchaseCost"] is not None:
        return item
    whole = 100 + Decimal(item["taxRate"]) + Decimal(item["surchargeRate"] or 0)
    price = Decimal(item["unitPrice"])
    converted = price * whole / 100 if wanted else price * 100 / whole
    return {**item, "unitPrice": converted.quantize(Decimal("0.0001"))}


def _summed(lines: Iterable[Item]) -> list[Item]:
    """Add up the lines of one item at one price, and leave out those of which nothing remains."""
    sums: dict[tuple[Any, ...], Decimal] = {}
    costs: dict[tuple[Any, ...], Decimal | None] = {}
    first: dict[tuple[Any, ...], Item] = {}
    for line in lines:
        key = (abs(line["unitPrice"]), *(line[name] for name in _PRICED))
        first.setdefault(key, line)
        sums[key] = sums.get(key, ZERO) + signed(line)
        costs[key] = _sum(costs.get(key), line["purchaseCost"])
    return [
        {**first[key], "unitPrice": abs(first[key]["unitPrice"]), "quantity": quantity, "purchaseCost": costs[key]}
        for key, quantity in sums.items()
        if quantity
    ]


_CORRECTIONS = Prepared(
    select(invoice)
    .where(invoice.c.rectifies == bindparam("original", type_=Uuid), standing.is_posted())
    .order_by(invoice.c.issued_at, invoice.c.id)
)
