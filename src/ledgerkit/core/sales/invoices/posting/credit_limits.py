"""Limits of a credit note: of each tax, and of each item sold, it gives back at most what remains of its invoice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents.totals import TOLERANCE
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.json_columns.codecs import LINES, TAX_ROWS, StoredLine, StoredTax
from ledgerkit.core.sales.invoices.posting import remainders as remaining
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.posting.remainders import Remainder, TaxKey
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO, ZERO_AMOUNT
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import TaxCategory

MONEY = ("base", "amount", "surcharge_amount", "untaxed_amount")
"""Fields of a tax row that are money of the document; the last only under a margin scheme."""


@dataclass(frozen=True, kw_only=True)
class CreditedAmounts:
    """Taxes and lines of a credit note that is about to be issued, or of one that is about to count again."""

    by_substitution: bool
    prices_include_tax: bool
    taxes: Sequence[StoredTax]
    lines: Sequence[StoredLine]

    @classmethod
    def of(cls, note: InvoiceRow) -> "CreditedAmounts":
        """Return the taxes and lines of a stored credit note."""
        return cls(
            by_substitution=note.correction_method == "substitution",
            prices_include_tax=note.prices_include_tax,
            taxes=TAX_ROWS.decode(note.tax_breakdown),
            lines=LINES.decode(note.items),
        )

    @classmethod
    def of_content(cls, content: InvoiceContent) -> "CreditedAmounts":
        """Return the taxes and lines of a credit note that is not stored yet."""
        return cls(
            by_substitution=content.correction_method == "substitution",
            prices_include_tax=content.prices_include_tax,
            taxes=content.tax_breakdown,
            lines=content.items,
        )


async def check(ctx: Context, original: InvoiceRow, credited: CreditedAmounts) -> None:
    """Raise Invalid when a credit note that is about to count gives back more than remains of the locked `original`.

    By differences it may raise the charged amount; by substitution it gives nothing back. Also raises Invalid while
    another, annulled credit note is being emitted again, because that one may take what remains.
    """
    await _require_no_reactivation(ctx, original)
    if credited.by_substitution:
        return
    left, included = await remaining.remainder(ctx, original), credited.prices_include_tax
    given_back = [row for row in credited.taxes if amount_of(row, included=included) < 0]
    limited(original, left, given_back, included)
    check_goods(original, left, credited.lines)


async def _require_no_reactivation(ctx: Context, original: InvoiceRow) -> None:
    note = await _REACTIVATING.row(ctx.db, original=original.id)
    if note is not None:
        standing.check_in_force(note)


def money_in(row: StoredTax, name: str) -> Decimal:
    """Return one field of MONEY; zero where the row has none."""
    amount: Decimal | None = getattr(row, name)
    return ZERO_AMOUNT if amount is None else amount


def amount_of(row: StoredTax, *, included: bool) -> Decimal:
    """Return the sum of the lines of this tax: the base, or all of its money where the prices contain the tax."""
    whole = included or row.untaxed_amount is not None
    return sum((money_in(row, name) for name in MONEY), ZERO_AMOUNT) if whole else row.base


def negated(row: StoredTax) -> StoredTax:
    """Return the tax row with its amounts negated, as a credit note has it."""
    changed = {name: -getattr(row, name) or ZERO_AMOUNT for name in _present(row)}
    return row.model_copy(update={**changed, "cost_base": None if row.cost_base is None else -row.cost_base})


def _present(row: StoredTax) -> list[str]:
    return [name for name in MONEY if getattr(row, name) is not None]


def limited(original: InvoiceRow, left: Remainder, rows: Iterable[StoredTax], included: bool) -> list[StoredTax]:
    """Return the tax rows of a credit note, each at most what remains; a row that takes all of it also takes its cents.

    Raises Invalid for a row that gives back more than remains, or raises what was charged.
    """
    limited_rows = []
    for row in rows:
        remaining_row = left.taxes.get(TaxKey.of(row))
        back = -amount_of(row, included=included)
        remaining = ZERO if remaining_row is None else amount_of(remaining_row, included=included)
        if remaining_row is None or back > remaining or back < 0:
            raise _too_much(original, row, back, remaining)
        _check_cost(row, remaining_row)
        limited_rows.append(negated(remaining_row) if back == remaining else _within(row, remaining_row))
    return limited_rows


def _within(row: StoredTax, rest_row: StoredTax) -> StoredTax:
    """Return a part whose taxes, rounded on their own, stay within what remains."""
    return row.model_copy(update={name: max(getattr(row, name), -money_in(rest_row, name)) for name in _present(row)})


def _check_cost(row: StoredTax, remaining_row: StoredTax) -> None:
    """Raise Invalid when more of a margin, or of its cost, is given back than remains of each."""
    if row.untaxed_amount is None:
        return
    remaining_cost, back = money_in(remaining_row, "untaxed_amount"), -row.untaxed_amount
    margin, margin_back = (
        amount_of(remaining_row, included=True) - remaining_cost,
        -amount_of(row, included=True) - back,
    )
    if max(back - remaining_cost, margin_back - margin) > TOLERANCE:
        raise Invalid.field("items", InvoicesMsg.CREDITS_ANOTHER_MARGIN)


def _too_much(original: InvoiceRow, row: StoredTax, back: Decimal, remaining: Decimal) -> Invalid:
    tax = f"{row.rate.normalize():f} %" if row.category is TaxCategory.STANDARD else row.category
    if back < 0:
        return Invalid.field("items", InvoicesMsg.CREDIT_RAISES_CHARGE, tax=tax)
    return Invalid.field(
        "items",
        InvoicesMsg.CREDITS_TOO_MUCH,
        back=f"{back:.2f}",
        tax=tax,
        rest=f"{remaining:.2f}",
        number=original.number,
    )


def check_goods(original: InvoiceRow, left: Remainder, lines: Iterable[StoredLine]) -> None:
    """Raise Invalid when more of a catalog item comes back than was sold and not brought back yet."""
    sold = {(goods.catalog_item_id, goods.variant_index): goods.quantity for goods in left.goods()}
    brought_back: dict[tuple[str, int | None], Decimal] = {}
    for line in lines:
        if line.catalog_item_id is None:
            continue
        item = (line.catalog_item_id, line.variant_index)
        brought_back[item] = brought_back.get(item, ZERO) - line.signed_quantity
        if brought_back[item] > sold.get(item, ZERO):
            raise Invalid.field(
                "items",
                InvoicesMsg.RETURNS_TOO_MANY,
                count=f"{brought_back[item].normalize():f}",
                name=line.description,
                rest=f"{sold.get(item, ZERO).normalize():f}",
                number=original.number,
            )


_REACTIVATING = Prepared(
    select(invoice)
    .where(
        invoice.c.rectifies == bindparam("original", type_=Uuid),
        invoice.c.fiscal_standing == Standing.REACTIVATING.value,
    )
    .limit(1),
    InvoiceRow,
)
