"""Lines under a regime that taxes only the margin: their stated cost, and the lines with which they can be mixed.

A seller of used goods, art, antiques or travel under such a regime must not state the tax on the invoice, and owes it
on the price less the purchase cost, taxes included. The country's plug-in names these regimes.
Source: Ley 37/1992, arts. 135 to 147; RD 1619/2012, art. 6.1.n and o.
"""

from collections.abc import Iterable, Sequence

from ledgerkit.core.platform.documents.totals import Line
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredLine
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import TaxCategory


def check(ctx: Context, line: Line, path: str, *, cost_optional: bool) -> None:
    """Raise Invalid, naming the field under `path`, unless the line states a purchase cost exactly where it must.

    `cost_optional`: a line under a margin scheme need not state it.
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
        _check_amounts(line, path)


def _check_amounts(line: Line, path: str) -> None:
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
