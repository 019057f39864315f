"""What a credit note may give back at most: of each tax, and of each thing sold, what is left of its invoice."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from ledgerkit.core.documents.totals import TOLERANCE
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.posting import remaining, standing, stock_moves
from ledgerkit.core.invoices.posting.remaining import Remainder
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import TaxCategory

_NOTHING = Decimal("0.00")
TAXES = ("base", "amount", "surchargeAmount", "untaxedAmount")
"""What of a tax row is money of the document; the last only under a margin scheme."""


async def check_back(ctx: Context, original: Any, note: Any) -> None:
    """Whether a credit note that is about to count gives back no more than is left of the locked `original`.

    By differences it may raise what was charged; one by substitution gives nothing back. Raises Invalid, also while
    another credit note that was annulled is being emitted again: it may take what is left.
    """
    await _require_settled(ctx, original)
    if note.correction_method == "substitution":
        return
    left, included = await remaining.remainder(ctx, original), note.prices_include_tax
    back = [row for row in rows_of(note.tax_breakdown) if amount_of(row, included=included) < 0]
    limited(original, left, back, included)
    check_goods(original, left, note.items)


async def _require_settled(ctx: Context, original: Any) -> None:
    pending = invoice.c.fiscal_standing == Standing.REACTIVATING.value
    query = select(invoice).where(invoice.c.rectifies == original.id, pending).limit(1)
    for note in (await ctx.db.execute(query)).all():
        standing.check_in_force(note)


def rows_of(breakdown: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, **{name: Decimal(row[name]) for name in _said(row)}} for row in breakdown]


def _said(row: Mapping[str, Any]) -> list[str]:
    return [name for name in TAXES if row[name] is not None]


def amount_in(row: Mapping[str, Any], name: str) -> Decimal:
    """One of TAXES; nothing where the row does not say it."""
    return _NOTHING if row[name] is None else Decimal(row[name])


def amount_of(row: Mapping[str, Any], *, included: bool) -> Decimal:
    """What lines of this tax come to: the base, or all of it where the prices contain the tax."""
    whole = included or row["untaxedAmount"] is not None
    return sum((amount_in(row, name) for name in TAXES), _NOTHING) if whole else Decimal(row["base"])


def negated(row: Mapping[str, Any]) -> dict[str, Any]:
    cost = row["costBase"]
    return {
        **row,
        **{name: -Decimal(row[name]) or _NOTHING for name in _said(row)},
        "costBase": None if cost is None else -Decimal(cost),
    }


def limited(original: Any, left: Remainder, rows: Sequence[dict[str, Any]], included: bool) -> list[dict[str, Any]]:
    """The rows of a credit note, each at most what is left of its tax; what takes all of it takes its cents too."""
    found = []
    for row in rows:
        has = left.taxes.get(remaining.key_of(row))
        back = -amount_of(row, included=included)
        rest = ZERO if has is None else amount_of(has, included=included)
        if has is None or back > rest or back < 0:
            raise _too_much(original, row, back, rest)
        _check_cost(row, has)
        found.append(negated(has) if back == rest else _within(row, has))
    return found


def _within(row: dict[str, Any], has: Mapping[str, Any]) -> dict[str, Any]:
    """A part whose taxes, rounded on their own, stay within what is left."""
    return {**row, **{name: max(row[name], -Decimal(has[name])) for name in _said(row)}}


def _check_cost(row: Mapping[str, Any], has: Mapping[str, Any]) -> None:
    """Of a margin and of its cost no more comes back than is left of each."""
    rest, back = amount_in(has, "untaxedAmount"), -amount_in(row, "untaxedAmount")
    margin, margin_back = amount_of(has, included=True) - rest, -amount_of(row, included=True) - back
    if row["untaxedAmount"] is not None and max(back - rest, margin_back - margin) > TOLERANCE:
        raise Invalid.field("items", InvoicesMsg.CREDITS_ANOTHER_MARGIN)


def _too_much(original: Any, row: Mapping[str, Any], back: Decimal, rest: Decimal) -> Invalid:
    what = f"{Decimal(row['rate']).normalize():f} %" if row["category"] == TaxCategory.STANDARD else row["category"]
    if back < 0:
        return Invalid.field("items", InvoicesMsg.CREDIT_RAISES_CHARGE, what=what)
    return Invalid.field(
        "items",
        InvoicesMsg.CREDITS_TOO_MUCH,
        back=f"{back:.2f}",
        what=what,
        rest=f"{rest:.2f}",
        number=original.number,
    )


def check_goods(original: Any, left: Remainder, items: Sequence[Mapping[str, Any]]) -> None:
    """No more of a catalog item comes back than was sold and is not back yet."""
    out = {(one["catalogItemId"], one["variantIndex"]): one["quantity"] for one in left.goods()}
    back: dict[tuple[str, int | None], Decimal] = {}
    for item in items:
        if item["catalogItemId"] is not None:
            place = (item["catalogItemId"], item["variantIndex"])
            back[place] = back.get(place, ZERO) - stock_moves.signed(item)
            if back[place] > out.get(place, ZERO):
                rest = f"{out.get(place, ZERO).normalize():f}"
                count, name = f"{back[place].normalize():f}", item["description"]
                raise Invalid.field(
                    "items", InvoicesMsg.RETURNS_TOO_MANY, count=count, name=name, rest=rest, number=original.number
                )
