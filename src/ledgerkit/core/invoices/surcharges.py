"""The equivalence surcharge of clients under that scheme: which lines take it by default, and what is said of it.

Goods take the surcharge that usually goes with their rate, and so do lines without a catalog item; services do not. A
line's own surcharge wins, 0 included (interface decisions C).
Source: Ley 37/1992, arts. 154, 156 and 161.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core.catalog import offers
from ledgerkit.core.clients import service as clients
from ledgerkit.core.invoices.buyers import Buyer
from ledgerkit.core.invoices.origins import Origins
from ledgerkit.core.invoices.schemas import InvoiceInput, InvoiceItemInput
from ledgerkit.core.request.context import Context

BY_DEFAULT = "surchargeByDefault"
NO_LINES: frozenset[int] = frozenset()


async def lines_of_new(
    ctx: Context, data: InvoiceInput, origins: Origins, client: Buyer, items: Sequence[InvoiceItemInput]
) -> frozenset[int]:
    """Places of the lines of a new draft that take the surcharge by default.

    A credit note by differences takes it where its invoice did, since it gives back what was charged. What is
    exchanged for simplified invoices has their taxes.
    """
    if origins.exchanged:
        return NO_LINES
    corrected = origins.corrected
    if corrected is not None and data.correction_method != "substitution":
        return await lines_of_goods(ctx, items) if lines_before(corrected.items) else NO_LINES
    return await lines_for(ctx, client, items)


async def lines_for(ctx: Context, client: Buyer, items: Sequence[InvoiceItemInput]) -> frozenset[int]:
    """Places of the lines that take the surcharge when sold to `client`, as that client stands now."""
    bears = client.bears_surcharge
    if bears is None:
        bears = await clients.bears_surcharge(ctx, client.client_id)
    return await lines_of_goods(ctx, items) if bears else NO_LINES


async def lines_of_goods(ctx: Context, items: Sequence[InvoiceItemInput]) -> frozenset[int]:
    """Places of the lines of goods, and of those without a catalog item."""
    named = [None if item.catalog_item_id is None else UUID(item.catalog_item_id) for item in items]
    services = await offers.services(ctx, [one for one in named if one is not None])
    return frozenset(place for place, one in enumerate(named) if one not in services)


def lines_before(items: Iterable[Mapping[str, Any]]) -> frozenset[int]:
    """Places of the stored lines that took the surcharge by default."""
    return frozenset(place for place, item in enumerate(items) if item[BY_DEFAULT])


def usual(ctx: Context, on: date, rate: Decimal) -> Decimal | None:
    """The surcharge that usually goes with a rate of the general tax on a day, in percent; None where none does."""
    known = ctx.country.tax.rates(on) if ctx.country else ()
    return next((row.surcharges[0] for row in known if row.percent == rate and row.surcharges), None) or None


def warnings(ctx: Context, items: Iterable[Mapping[str, Any]]) -> list[str]:
    """The text that tells which lines took the surcharge by default, one for each of its rates."""
    places: dict[Decimal, list[str]] = {}
    for place, item in enumerate(items):
        if item[BY_DEFAULT]:
            places.setdefault(Decimal(item["surchargeRate"]), []).append(f"items[{place}]")
    return [_said(ctx, rate, ", ".join(named)) for rate, named in places.items()]


def _said(ctx: Context, rate: Decimal, where: str) -> str:
    percent = f"{rate.normalize():f}"
    if ctx.request_metadata.language == "es":
        return (
            f"{where}: se ha añadido el recargo de equivalencia del {percent.replace('.', ',')} %, por el régimen del "
            "cliente; donde no corresponda, indica surchargeRate 0"
        )
    return (
        f"{where}: the equivalence surcharge of {percent} % was added, since the client is under that scheme; "
        "where it does not apply, say surchargeRate 0"
    )
