"""Equivalence surcharge of clients under that scheme: the lines that take it by default, and the warning about it.

Goods and lines without a catalog item get the surcharge that usually goes with their rate; services do not. A line's
own surcharge has priority, even 0 (interface decisions C). Source: Ley 37/1992, arts. 154, 156 and 161.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from uuid import UUID

from ledgerkit.core.catalog import queries as catalog_queries
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices.api import InvoiceInput, InvoiceItemInput
from ledgerkit.core.sales.invoices.content.buyers import Buyer
from ledgerkit.core.sales.invoices.documents.origins import Origins
from ledgerkit.core.sales.invoices.json_columns.codecs import LINES, StoredLine
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.texts import Number, text

NO_LINES: frozenset[int] = frozenset()


async def lines_of_new(
    ctx: Context, data: InvoiceInput, origins: Origins, client: Buyer, items: Sequence[InvoiceItemInput]
) -> frozenset[int]:
    """Return the positions of the lines of a new draft that take the surcharge by default.

    A credit note by differences takes it if its invoice did, because it gives back what was charged. An invoice that is
    exchanged for simplified ones has their taxes.
    """
    if origins.exchanged:
        return NO_LINES
    corrected = origins.corrected
    if corrected is not None and data.correction_method != "substitution":
        return await lines_of_goods(ctx, items) if surcharged_lines(LINES.decode(corrected.items)) else NO_LINES
    return await lines_for(ctx, client, items)


async def lines_for(ctx: Context, client: Buyer, items: Sequence[InvoiceItemInput]) -> frozenset[int]:
    """Return the positions of the lines that take the surcharge when they are sold to `client`."""
    bears = client.bears_surcharge
    if bears is None:
        bears = await clients.bears_surcharge(ctx, client.client_id)
    return await lines_of_goods(ctx, items) if bears else NO_LINES


async def lines_of_goods(ctx: Context, items: Sequence[InvoiceItemInput]) -> frozenset[int]:
    """Return the positions of the lines of goods, and of those without a catalog item."""
    item_ids = [None if item.catalog_item_id is None else UUID(item.catalog_item_id) for item in items]
    services = await catalog_queries.services(ctx, [item_id for item_id in item_ids if item_id is not None])
    return frozenset(position for position, item_id in enumerate(item_ids) if item_id not in services)


def surcharged_lines(lines: Iterable[StoredLine]) -> frozenset[int]:
    """Return the positions of the stored lines that took the surcharge by default."""
    return frozenset(position for position, line in enumerate(lines) if line.surcharge_by_default)


def usual(ctx: Context, day: date, rate: Decimal) -> Decimal | None:
    """Return the surcharge that usually goes with a rate of the general tax on a day, in percent; None without one."""
    rates = ctx.country.tax.rates(day) if ctx.country else ()
    return next((other.surcharges[0] for other in rates if other.percent == rate and other.surcharges), None) or None


def warnings(ctx: Context, lines: Iterable[StoredLine], field: str = "items") -> list[str]:
    """Return one warning for each surcharge rate that lines took by default; it names them as items of `field`."""
    positions: dict[Decimal, list[str]] = {}
    for position, line in enumerate(lines):
        if line.surcharge_by_default and line.surcharge_rate is not None:
            positions.setdefault(line.surcharge_rate, []).append(f"{field}[{position}]")
    added = (
        text(InvoicesMsg.SURCHARGE_ADDED, lines=", ".join(paths), percent=Number(rate))
        for rate, paths in positions.items()
    )
    return [warning.in_language(ctx.request_metadata.language) for warning in added]
