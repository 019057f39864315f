"""Legal retention of books, and the tables that are books."""

from datetime import date, datetime

from sqlalchemy import Table, func, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of

YEARS = 6
"""Years of retention after the last entry, of correspondence and supporting documents too.

Source: Código de Comercio art. 30.1. It covers the four years of Ley 58/2003 General Tributaria arts. 66 and 70, within
which invoices and their records must be kept (RD 1619/2012 art. 19; RD 1007/2023 art. 8).
"""

_BOOKS = ("expense", "supplier_invoice", "cash_register")
_NOT_RETAINED = {
    "task",
    "task_board",
    "business_context",
    "context_entry",
    "idempotency_key",
    "approval",
    "approval_policy",
    "ai_balance",
    "ai_action",
    "ai_pack",
    "catalog_import",
}
"""Tables that no law requires to be kept; they are erased with their account in any case."""


def books() -> list[Table]:
    """Return the tables whose rows must be kept: entries, and append-only tables."""
    of_accounts = [table for table in metadata.tables.values() if not is_shared(scope_of(table))]
    return [table for table in of_accounts if table.name in _BOOKS or scope_of(table) == "append_only"]


def erased(*, retained: bool) -> list[Table]:
    """Return the tables that are emptied when an account is closed, those that refer to others first."""
    of_accounts = [table for table in reversed(metadata.sorted_tables) if not is_shared(scope_of(table))]
    if retained:
        return [table for table in of_accounts if table.name in _NOT_RETAINED]
    return [table for table in of_accounts if scope_of(table) != "append_only"]


async def kept_until(db: AsyncConnection) -> date | None:
    """Return the last day on which the books of the transaction's account must be kept; None when it has none."""
    invoice, declaration = metadata.tables["invoice"].c, metadata.tables["tax_declaration"].c
    entries = [select(func.max(table.c.created_at).label("at")) for table in books()]
    entries.append(select(func.max(invoice.issued_at).label("at")).where(invoice.number.is_not(None)))
    entries.append(select(func.max(declaration.created_at).label("at")).where(declaration.status == "submitted"))
    last: datetime | None = await db.scalar(select(func.max(union_all(*entries).subquery().c.at)))
    return None if last is None else date(last.year + YEARS, 12, 31)
