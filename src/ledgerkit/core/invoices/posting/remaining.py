"""What an issued document comes to, now that it may have been corrected.

A credit note by differences adds to it, one by substitution stands in its place. Only corrections that are in the books
count: issued, not voided, not annulled.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Uuid, and_, bindparam, or_, select

from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.posting import standing
from ledgerkit.core.invoices.posting.goods import signed
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO

Key = tuple[str | None, str, Decimal, Decimal, str | None, str | None, str | None, bool]
"""Of a tax row: tax, category, rate, surcharge, exemption, regime, why it is not subject, whether it is of a margin."""

Item = Mapping[str, Any]
"""A line as it is stored, in the names of the wire."""

AMOUNTS = ("subtotal", "tax_amount", "surcharge_amount", "retention_amount", "total")
_SUMMED = ("base", "amount", "surchargeAmount")
_SUMMED_IF_SAID = ("costBase", "untaxedAmount")
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
    """Amounts by column name, tax rows as stored, and lines whose quantities are what is left of them.

    `corrections` are the rows of the credit notes that count, in the order in which they were issued.
    """

    amounts: Mapping[str, Decimal]
    taxes: Mapping[Key, Mapping[str, Any]]
    lines: Sequence[Item]
    corrections: Sequence[Any]

    @property
    def gross(self) -> Decimal:
        return self.amounts["subtotal"] + self.amounts["tax_amount"] + self.amounts["surcharge_amount"]

    def wire(self) -> dict[str, Any]:
        """As a substitution keeps what it replaces."""
        named = {wire: self.amounts[name] for wire, name in zip(_WIRE, AMOUNTS, strict=True)}
        return {**named, "taxBreakdown": list(self.taxes.values())}

    def goods(self) -> list[dict[str, Any]]:
        """The catalog items among its lines, each with how many of it are out of the house."""
        found: dict[tuple[str, int | None], Decimal] = {}
        for line in self.lines:
            if line["catalogItemId"] is not None:
                place = (line["catalogItemId"], line["variantIndex"])
                found[place] = found.get(place, ZERO) + signed(line)
        return [
            {"catalogItemId": item_id, "variantIndex": variant, "quantity": quantity}
            for (item_id, variant), quantity in found.items()
            if quantity
        ]


async def of(ctx: Context, original: Any) -> Remainder:
    """Of an issued document; for an answer that holds, its row is locked."""
    notes = await _CORRECTIONS.rows(ctx.db, original=original.id) if original.rectifies is None else []
    lines = list(original.items)
    amounts = {name: getattr(original, name) for name in AMOUNTS}
    taxes = _added({}, original.tax_breakdown)
    for note in notes:
        own = {name: getattr(note, name) for name in AMOUNTS}
        included, wanted = note.prices_include_tax, original.prices_include_tax
        said = [priced(item, included=included, wanted=wanted) for item in note.items]
        replaces = note.replaced is not None
        amounts = own if replaces else {name: amounts[name] + own[name] for name in AMOUNTS}
        taxes = _added({} if replaces else taxes, note.tax_breakdown)
        lines = said if replaces else lines + said
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
        both = (before or {}, row)
        sums[key_of(row)] = {**row, **more, **{name: _sum(one.get(name) for one in both) for name in _SUMMED_IF_SAID}}
    return sums


def _sum(amounts: Iterable[Any]) -> Decimal | None:
    """Of those that are said; None where none is."""
    said = [Decimal(one) for one in amounts if one is not None]
    return sum(said, ZERO) if said else None


def priced(item: Item, *, included: bool, wanted: bool) -> Item:
    """The line with its price as the original has its own: with or without tax; of a margin scheme always with it."""
    if included == wanted or item["purchaseCost"] is not None:
        return item
    whole = 100 + Decimal(item["taxRate"]) + Decimal(item["surchargeRate"] or 0)
    price = Decimal(item["unitPrice"])
    moved = price * whole / 100 if wanted else price * 100 / whole
    return {**item, "unitPrice": moved.quantize(Decimal("0.0001"))}


def _summed(lines: Iterable[Item]) -> list[Item]:
    """Lines of the same thing at the same price are one; those of which nothing is left are gone."""
    sums: dict[tuple[Any, ...], Decimal] = {}
    costs: dict[tuple[Any, ...], Decimal | None] = {}
    first: dict[tuple[Any, ...], Item] = {}
    for line in lines:
        key = (abs(line["unitPrice"]), *(line[name] for name in _PRICED))
        first.setdefault(key, line)
        sums[key] = sums.get(key, ZERO) + signed(line)
        costs[key] = _sum((costs.get(key), line["purchaseCost"]))
    return [
        {**first[key], "unitPrice": abs(first[key]["unitPrice"]), "quantity": quantity, "purchaseCost": costs[key]}
        for key, quantity in sums.items()
        if quantity
    ]


def in_books() -> Any:
    """Issued documents that count: not voided, not annulled; emitted ones also when they are hidden."""
    shown = or_(invoice.c.deleted_at.is_(None), invoice.c.einvoice.is_not(None))
    return and_(invoice.c.status != constant("draft"), shown, standing.not_annulled())


_CORRECTIONS = Prepared(
    select(invoice)
    .where(invoice.c.rectifies == bindparam("original", type_=Uuid), in_books())
    .order_by(invoice.c.issued_at, invoice.c.id)
)
