"""Invoices that are archived with a trial: cached pages of lists no longer show them."""

from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.table import CHANGES

COUNTER_OF_CHANGES = CHANGES
"""Kind of the counter that only grows: pages that were rendered before are known by it."""


async def note(ctx: Context) -> None:
    """Count a change of the account's invoices."""
    await counters.add(ctx.db, {CHANGES: 1})
