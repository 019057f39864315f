"""Lines of an invoice: from the caller's input to the checked line, which gives the totals, and its stored form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.platform.documents.totals import Line
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.api import InvoiceItemInput
from ledgerkit.core.sales.invoices.content.fields import InvoiceHead, as_input
from ledgerkit.core.sales.invoices.json_columns.codecs import LINES, StoredLine
from ledgerkit.core.sales.invoices.lines import surcharges
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import TaxCategory, TaxRate
from ledgerkit.texts.common import CommonMsg


@dataclass(frozen=True, kw_only=True)
class LineDefaults:
    """Values that lines may leave out.

    `surcharged`: positions of the lines that take the usual equivalence surcharge. `cost_optional`: lines under a
    margin scheme need not state their purchase cost.
    """

    surcharged: frozenset[int] = surcharges.NO_LINES
    cost_optional: bool = False


async def require_catalog_items(ctx: Context, items: Sequence[InvoiceItemInput] | None) -> None:
    """Raise NotFound or Invalid naming the line whose catalog item or variant does not exist."""
    places = [(item.catalog_item_id, item.variant_index) for item in items or ()]
    if any(item_id is not None or variant is not None for item_id, variant in places):
        await stock.require_items(ctx, places)


def checked_line(
    ctx: Context, head: InvoiceHead, position: int, item: InvoiceItemInput, defaults: LineDefaults
) -> Line:
    """Return the line at `position` with its rates, checked by the country's rules. Raises Invalid naming the field."""
    path = f"items[{position}]"
    if item.tax_category is not TaxCategory.STANDARD and item.tax_rate:
        raise Invalid.field(f"{path}.taxRate", InvoicesMsg.UNTAXED_LINE_WITH_RATE, tax_category=item.tax_category)
    if item.tax_category is not TaxCategory.NOT_SUBJECT and item.not_subject_reason is not None:
        raise Invalid.field(f"{path}.notSubjectReason", InvoicesMsg.REASON_NOT_SUBJECT_ONLY)
    _check_codes(ctx, item, path)
    rate = _rate(ctx, head, item, path)
    _check_rate(ctx, head, rate, item, path)
    surcharge = item.surcharge_rate
    if surcharge is None and position in defaults.surcharged and _may_take_surcharge(item):
        surcharge = surcharges.usual(ctx, head.rates_date, rate)
    line = Line(
        quantity=item.quantity,
        unit_price=item.unit_price,
        discount=item.discount or ZERO,
        category=item.tax_category,
        rate=rate,
        surcharge_rate=surcharge,
        exemption_code=item.exemption_code,
        regime_key=item.regime_key,
        tax=item.tax,
        cost_base=item.cost_base,
        not_subject_reason=item.not_subject_reason,
        purchase_cost=item.purchase_cost,
    )
    _check_margin(ctx, line, path, cost_optional=defaults.cost_optional)
    return line


def _may_take_surcharge(item: InvoiceItemInput) -> bool:
    return item.tax_category is TaxCategory.STANDARD and item.tax is None and item.purchase_cost is None


def _rate(ctx: Context, head: InvoiceHead, item: InvoiceItemInput, path: str) -> Decimal:
    """Return the line's own rate, else the invoice's; for another tax than the general one, that tax's usual rate."""
    if item.tax_category is not TaxCategory.STANDARD:
        return ZERO
    if item.tax_rate is not None or item.tax is None:
        return head.tax_rate if item.tax_rate is None else item.tax_rate
    rates = ctx.country.tax.rates(head.rates_date, item.tax) if ctx.country else ()
    if not rates:
        raise Invalid.field(f"{path}.taxRate", InvoicesMsg.TAX_RATE_NEEDED, tax=item.tax)
    return rates[0].percent


def _check_rate(ctx: Context, head: InvoiceHead, rate: Decimal, item: InvoiceItemInput, path: str) -> None:
    """Raise Invalid when the rate or the surcharge was not in force. Without a country plug-in every rate passes."""
    if ctx.country is None:
        return
    day = head.rates_date
    rates: Sequence[TaxRate] = ctx.country.tax.rates(day, item.tax)
    if not rates:
        return
    in_force = next((other for other in rates if other.percent == rate), None)
    if item.tax_category is TaxCategory.STANDARD and in_force is None:
        raise Invalid.field(
            f"{path}.taxRate" if item.tax_rate is not None else "taxRate",
            InvoicesMsg.TAX_RATE_NOT_IN_FORCE,
            code=Code.TAX_RATE_UNKNOWN,
            rate=_plain(rate),
            on=day,
            allowed=", ".join(_plain(other.percent) for other in rates),
        )
    surcharges_in_force = in_force.surcharges if in_force else ()
    if not item.surcharge_rate or item.surcharge_rate in surcharges_in_force:
        return
    field, rate_text = f"{path}.surchargeRate", _plain(rate)
    if not surcharges_in_force:
        raise Invalid.field(field, InvoicesMsg.NO_SURCHARGE, code=Code.TAX_RATE_UNKNOWN, rate=rate_text, on=day)
    raise Invalid.field(
        field,
        InvoicesMsg.SURCHARGE_NOT_IN_FORCE,
        code=Code.TAX_RATE_UNKNOWN,
        rate=rate_text,
        on=day,
        allowed=", ".join(map(_plain, surcharges_in_force)),
    )


def _plain(rate: Decimal) -> str:
    return f"{rate.normalize():f}"


def _check_codes(ctx: Context, item: InvoiceItemInput, path: str) -> None:
    if ctx.country is None:
        return
    for name, value, defined in (
        ("exemptionCode", item.exemption_code, ctx.country.tax.exemption_codes),
        ("regimeKey", item.regime_key, ctx.country.tax.regime_keys),
        ("tax", item.tax, ctx.country.tax.taxes),
        ("notSubjectReason", item.not_subject_reason, ctx.country.not_subject_reasons),
    ):
        if value is not None and value not in defined:
            listed = ", ".join(defined)
            raise Invalid.field(f"{path}.{name}", InvoicesMsg.UNKNOWN_TAX_CODE, listed=listed or CommonMsg.NONE)


def _check_margin(ctx: Context, line: Line, path: str, *, cost_optional: bool) -> None:
    """Raise Invalid, naming the field under `path`, unless the line states a purchase cost exactly where it must.

    It must under a regime that taxes only the margin, unless `cost_optional`: a seller of used goods, art, antiques or
    travel under such a regime must not state the tax on the invoice, and owes it on the price less the purchase cost,
    taxes included. The country's plug-in names these regimes.
    Source: Ley 37/1992, arts. 135 to 147; RD 1619/2012, art. 6.1.n and o.
    """
    if ctx.country is None:
        return
    needs_cost = line.category is TaxCategory.STANDARD and line.regime_key in ctx.country.margin_regimes
    regimes = ", ".join(sorted(ctx.country.margin_regimes)) or "-"
    if line.purchase_cost is None and needs_cost and not cost_optional:
        raise Invalid.field(f"{path}.purchaseCost", InvoicesMsg.PURCHASE_COST_NEEDED, regime_key=line.regime_key)
    if line.purchase_cost is not None and not needs_cost:
        raise Invalid.field(f"{path}.purchaseCost", InvoicesMsg.PURCHASE_COST_UNEXPECTED, regimes=regimes)
    if line.purchase_cost is not None:
        _check_cost(line, path)


def _check_cost(line: Line, path: str) -> None:
    if line.surcharge_rate:
        raise Invalid.field(f"{path}.surchargeRate", InvoicesMsg.MARGIN_WITH_SURCHARGE)
    if (line.purchase_cost or 0) * line.amount < 0:
        raise Invalid.field(f"{path}.purchaseCost", InvoicesMsg.PURCHASE_COST_SIGN)


def check_not_mixed(lines: Sequence[Line]) -> None:
    """Raise Invalid when lines under a margin scheme are mixed with others: such an invoice may not state any tax."""
    regimes = {line.regime_key if line.purchase_cost is not None else None for line in lines}
    if len(regimes) > 1:
        raise Invalid.field("items", InvoicesMsg.MARGIN_LINES_MIXED)


def lack_cost(ctx: Context, lines: Iterable[StoredLine]) -> bool:
    """Return True when stored lines under a margin scheme state no cost, as lines of earlier versions do not."""
    regimes = ctx.country.margin_regimes if ctx.country else frozenset()
    return any(
        line.regime_key in regimes and line.tax_category is TaxCategory.STANDARD and line.purchase_cost is None
        for line in lines
    )


def stored_line(item: InvoiceItemInput, line: Line, amount: Decimal) -> StoredLine:
    """Return the stored form of a line: the caller's `item`, the checked `line` and its amount."""
    return StoredLine(
        description=item.description,
        quantity=line.quantity,
        unit_price=line.unit_price,
        tax_rate=line.rate,
        discount=line.discount,
        tax_category=line.category,
        exemption_code=line.exemption_code,
        regime_key=line.regime_key,
        not_subject_reason=line.not_subject_reason,
        surcharge_rate=line.surcharge_rate,
        surcharge_by_default=line.surcharge_rate is not None and item.surcharge_rate is None,
        catalog_item_id=item.catalog_item_id,
        variant_index=item.variant_index,
        unit=item.unit,
        tax=line.tax,
        cost_base=line.cost_base,
        purchase_cost=line.purchase_cost,
        line_total=amount,
    )


def items_of(old: InvoiceRow, *, tax_rate: Decimal) -> list[InvoiceItemInput]:
    """Return the stored lines as input again; lines at the invoice's old rate follow it to the new `tax_rate`.

    A surcharge that a line took by default is left open, to be computed again.
    """
    items = [_with_open_surcharge(line) for line in LINES.decode(old.items)]
    if tax_rate == old.tax_rate:
        return items
    return [
        item.model_copy(update={"tax_rate": None}) if item.tax is None and item.tax_rate == old.tax_rate else item
        for item in items
    ]


def _with_open_surcharge(line: StoredLine) -> InvoiceItemInput:
    item = as_input(line)
    return item.model_copy(update={"surcharge_rate": None}) if line.surcharge_by_default else item
