"""Lines under a regime that taxes only the margin: what such a line must state, and what may stand beside it.

Whoever sells used goods, art, antiques or travels under such a regime may not state its tax on the invoice, and owes it
on the price less what was paid, taxes included. Which regimes these are is the country's to say.
Source: Ley 37/1992, arts. 135 to 147; RD 1619/2012, art. 6.1.n and o.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledgerkit.core.documents.totals import Line
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import TaxCategory


def check(ctx: Context, line: Line, where: str, *, unstated: bool) -> None:
    """Whether the line states a cost where its regime wants one, and only there; `unstated`: it need not.

    Raises Invalid naming the field under `where`.
    """
    if ctx.country is None:
        return
    wanted = line.category is TaxCategory.STANDARD and line.regime_key in ctx.country.margin_regimes
    regimes = ", ".join(sorted(ctx.country.margin_regimes)) or "-"
    if line.purchase_cost is None and wanted and not unstated:
        raise Invalid.field(f"{where}.purchaseCost", InvoicesMsg.PURCHASE_COST_NEEDED, regime_key=line.regime_key)
    if line.purchase_cost is not None and not wanted:
        raise Invalid.field(f"{where}.purchaseCost", InvoicesMsg.PURCHASE_COST_UNEXPECTED, regimes=regimes)
    if line.purchase_cost is not None:
        _check_amounts(line, where)


def _check_amounts(line: Line, where: str) -> None:
    if line.surcharge_rate:
        raise Invalid.field(f"{where}.surchargeRate", InvoicesMsg.MARGIN_WITH_SURCHARGE)
    if (line.purchase_cost or 0) * line.amount < 0:
        raise Invalid.field(f"{where}.purchaseCost", InvoicesMsg.PURCHASE_COST_SIGN)


def check_alone(lines: Sequence[Line]) -> None:
    """Lines of a margin scheme stand on invoices of their own, which state no tax. Raises Invalid."""
    stating = {line.regime_key if line.purchase_cost is not None else None for line in lines}
    if len(stating) > 1:
        raise Invalid.field("items", InvoicesMsg.MARGIN_LINES_MIXED)


def unstated(ctx: Context, items: Iterable[Mapping[str, Any]]) -> bool:
    """Whether stored lines of such a regime state no cost, since they are of before that was asked for."""
    regimes = ctx.country.margin_regimes if ctx.country else frozenset()
    return any(
        item["regimeKey"] in regimes and item["taxCategory"] == TaxCategory.STANDARD and item["purchaseCost"] is None
        for item in items
    )
