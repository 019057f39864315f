"""The time for which the law wants books to be kept, and the tables that are books."""

from datetime import date
from typing import Any

from sqlalchemy import Table, func, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.database.tables import metadata
from ledgerkit.core.database.tenancy import is_shared, scope_of

YEARS = 6
"""From the last entry, correspondence and supporting documents included.

Source: Código de Comercio art. 30.1. It covers the four years of Ley 58/2003 General Tributaria arts. 66 and 70, within
which invoices and their records must be kept (RD 1619/2012 art. 19; RD 1007/2023 art. 8).
"""

_BOOKS = ("expense", "supplier_invoice", "cash_register")
_BESIDE_BOOKS = {
    "task",
    "task_board",
    "business_context",
    "context_entry",
    "idempotency_key",
    "ai_balance",
    "catalog_import",
}
"""Tables that no law wants kept, and that go with their owner in any case."""


def books() -> list[Table]:
    """The tables of which any row must be kept: entries, and what the application can only add to."""
    of_accounts = [one for one in metadata.tables.values() if not is_shared(scope_of(one))]
    return [one for one in of_accounts if one.name in _BOOKS or scope_of(one) == "append_only"]


def erased(*, kept: bool) -> list[Table]:
    """The tables that are emptied when an account is closed, those that point to others first."""
    of_accounts = [one for one in reversed(metadata.sorted_tables) if not is_shared(scope_of(one))]
    if kept:
        return [one for one in of_accounts if one.name in _BESIDE_BOOKS]
    return [one for one in of_accounts if scope_of(one) != "append_only"]


async def kept_until(db: AsyncConnection) -> date | None:
    """The last day on which the books of the transaction's account must be kept; None when it has none."""
    invoice: Any = metadata.tables["invoice"].c
    entries = [select(func.max(one.c.created_at).label("at")) for one in books()]
    entries.append(select(func.max(invoice.issued_at).label("at")).where(invoice.number.is_not(None)))
    last = (await db.execute(select(func.max(union_all(*entries).subquery().c.at)))).scalar_one()
    return None if last is None else date(last.year + YEARS, 12, 31)
