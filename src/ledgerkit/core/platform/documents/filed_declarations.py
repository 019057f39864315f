"""Declarations that were filed, for domains below the one that files them."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import date, datetime
from typing import NamedTuple, TypeAlias

from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import PurchaseFacts


def _all_days(purchase: PurchaseFacts) -> Collection[date]:
    return purchase.days


class FiledDeclaration(NamedTuple):
    """Declaration that was submitted: `label` is its form and period for people, as `303 2026 Q3`.

    `counts_sales` is False for one of a form that sales never change. `purchase_days` are the days in whose periods its
    form counts a purchase.
    """

    label: str
    submitted_at: datetime
    counts_sales: bool = True
    purchase_days: Callable[[PurchaseFacts], Collection[date]] = _all_days


FiledDeclarations: TypeAlias = Callable[[Context, date], Awaitable[Sequence[FiledDeclaration]]]
"""Returns the filed declarations, of any form, whose periods hold a day."""

_SOURCES: list[FiledDeclarations] = []


def register_filed_declarations(source: FiledDeclarations) -> None:
    """Register a function of a domain above that knows which declarations have been filed."""
    _SOURCES.append(source)


async def all_filed_on(ctx: Context, day: date) -> list[FiledDeclaration]:
    """Return the declarations of any form that were filed for periods with this day."""
    return [declaration for source in _SOURCES for declaration in await source(ctx, day)]


async def filed_on(ctx: Context, day: date) -> list[FiledDeclaration]:
    """Return the declarations that count sales and were filed for periods with this day."""
    return [declaration for declaration in await all_filed_on(ctx, day) if declaration.counts_sales]


async def filed_with(ctx: Context, purchase: PurchaseFacts) -> list[FiledDeclaration]:
    """Return the filed declarations in whose periods their forms count a purchase, each once."""
    listed = [
        declaration
        for day in sorted(purchase.days)
        for declaration in await all_filed_on(ctx, day)
        if day in declaration.purchase_days(purchase)
    ]
    return list({declaration.label: declaration for declaration in listed}.values())
