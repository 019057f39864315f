"""Numbers of what a trial consists of, and of what stays with the account."""

from sqlalchemy import ColumnElement, ScalarSelect, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.operation.going_live.api import KeptContent, TrialContent
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.tables import metadata

NOTHING = TrialContent(**dict.fromkeys(TrialContent.model_fields, 0))


class TrialCountsRow(Row):
    drafts: int
    invoices: int
    fiscal_records: int
    payments: int
    cash_registers: int
    expenses: int
    supplier_invoices: int
    tax_declarations: int
    clients: int
    vendors: int
    catalog_items: int
    tasks: int


_EVERY = literal(1) == 1
_INVOICES = metadata.tables["invoice"].c


def _count(table: str, condition: ColumnElement[bool] = _EVERY) -> ScalarSelect[int]:
    return select(func.count()).select_from(metadata.tables[table]).where(condition).scalar_subquery()


def _not_deleted(table: str) -> ScalarSelect[int]:
    return _count(table, metadata.tables[table].c.deleted_at.is_(None))


_COUNTS = Prepared(
    select(
        _count("invoice", _INVOICES.number.is_(None) & _INVOICES.deleted_at.is_(None)).label("drafts"),
        _count("invoice", _INVOICES.number.is_not(None)).label("invoices"),
        _count("fiscal_record").label("fiscal_records"),
        _count("invoice_payment").label("payments"),
        _count("cash_register").label("cash_registers"),
        _not_deleted("expense").label("expenses"),
        _count("supplier_invoice").label("supplier_invoices"),
        _count("tax_declaration").label("tax_declarations"),
        _not_deleted("client").label("clients"),
        _count("vendor").label("vendors"),
        _count("catalog_item", metadata.tables["catalog_item"].c.is_active).label("catalog_items"),
        _not_deleted("task").label("tasks"),
    ),
    TrialCountsRow,
)


async def counts(db: AsyncConnection) -> TrialCountsRow:
    """Count the rows of the account that `db` is bound to."""
    return await _COUNTS.one(db)


def set_aside(row: TrialCountsRow, *, keep_purchases: bool) -> TrialContent:
    """Return what would be set aside."""
    shown = {name: getattr(row, name) for name in TrialContent.model_fields}
    return TrialContent(**shown | ({"expenses": 0, "supplier_invoices": 0} if keep_purchases else {}))


def kept(row: TrialCountsRow, *, keep_purchases: bool) -> KeptContent:
    """Return what would stay."""
    shown = {name: getattr(row, name) for name in KeptContent.model_fields}
    return KeptContent(**shown | ({} if keep_purchases else {"expenses": 0, "supplier_invoices": 0}))
