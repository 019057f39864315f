"""Reasons in the stored data for which a write is not taken back, and acts of somebody that others have approved."""

import datetime as dt
from decimal import Decimal
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, bindparam, exists, or_, select

from ledgerkit import clock
from ledgerkit.core.catalog.table import catalog_import
from ledgerkit.core.platform.activity.table import ActivityRow, activity
from ledgerkit.core.platform.activity.writes import calls
from ledgerkit.core.platform.approvals.table import approval
from ledgerkit.core.platform.database.ids import first_id_at
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Author, Context
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice
from ledgerkit.core.sales.invoices.table import invoice
from ledgerkit.core.tasks.table import task


async def last_approved(ctx: Context, author: Author) -> ActivityRow | None:
    """Return the entry of the newest act that this author proposed and somebody else has approved, not taken back.

    It is the entry of the approval: the log has the act under whoever approved it.
    """
    floor = first_id_at(clock.now() - calls.LOOKED_BACK)
    return await _APPROVED.row(ctx.db, **author._asdict(), floor=floor)


async def is_goods_import(ctx: Context, moment: dt.datetime) -> bool:
    """Return True for the moment of a call that imported the goods of a supplier's invoice into the catalogue."""
    return await _IMPORTED.row(ctx.db, moment=moment) is not None


async def client_is_used(ctx: Context, client_id: UUID) -> bool:
    """Return True where an invoice or a task that is not deleted refers to the client."""
    return (await _CLIENT_USED.one(ctx.db, client_id=client_id)).used


async def bears_withholding(ctx: Context, bill_id: UUID) -> bool:
    """Return True for a supplier invoice with a retention, a credit note, and an invoice that has a credit note."""
    return (await _WITHHELD.one(ctx.db, bill_id=bill_id)).used


class BillDays(Row):
    """Days on which a supplier invoice counts."""

    invoice_date: dt.date
    reception_date: dt.date
    deduction_date: dt.date


async def days_of_bill(ctx: Context, bill_id: UUID) -> list[dt.date]:
    row = await _BILL_DAYS.row(ctx.db, bill_id=bill_id)
    return [] if row is None else [row.invoice_date, row.reception_date, row.deduction_date]


class ExpenseDays(Row):
    """Days on which an expense counts."""

    date: dt.date
    reception_date: dt.date
    deduction_date: dt.date
    paid_at: dt.date | None


async def days_of_expense(ctx: Context, expense_id: UUID) -> list[dt.date]:
    """Return the days of an expense, deleted or not."""
    row = await _EXPENSE_DAYS.row(ctx.db, expense_id=expense_id)
    if row is None:
        return []
    return [day for day in (row.date, row.reception_date, row.deduction_date, row.paid_at) if day is not None]


def as_number(value: object) -> Decimal | None:
    """Return a number of the log; None for none."""
    return None if value is None else Decimal(str(value))


class _FlagRow(Row):
    used: bool


class _MomentRow(Row):
    created_at: dt.datetime


_NOTE, _MARK, _WRITE = activity.alias("note"), activity.alias("mark"), activity.alias("write")
_MARKED = _MARK.c.changes.op("->")(constant("entry")).op("->>")(constant("from"))


def _approved() -> Prepared[ActivityRow]:
    floor = bindparam("floor", type_=Uuid)
    proposer = (approval.c.proposed_by, approval.c.proposed_with, approval.c.proposed_by_client)
    actor = (_NOTE.c.user_id, _NOTE.c.key_prefix, _NOTE.c.client)
    author = tuple(
        bindparam(name, type_=kind) for name, kind in (("user_id", Uuid), ("key_prefix", Text), ("client", Text))
    )
    by_other = or_(*(column.is_distinct_from(value) for column, value in zip(actor, author, strict=True)))
    has_undone = exists().where(
        _MARK.c.action == constant("undone"), _MARK.c.id >= floor, _MARK.c.created_at == _NOTE.c.created_at
    )
    was_undone = exists().where(
        _MARK.c.action == constant("undone"),
        _MARK.c.id >= floor,
        _WRITE.c.id >= floor,
        _WRITE.c.created_at == _NOTE.c.created_at,
        _WRITE.c.account_id == _MARK.c.account_id,
        _WRITE.c.entity_id == _MARK.c.entity_id,
        _WRITE.c.id.cast(Text) == _MARKED,
    )
    statement = (
        select(_NOTE)
        .select_from(approval.join(_NOTE, _NOTE.c.entity_id == approval.c.id))
        .where(
            *(column.is_not_distinct_from(value) for column, value in zip(proposer, author, strict=True)),
            approval.c.status.in_([constant("done"), constant("approved")]),
            _NOTE.c.entity_type == constant("approval"),
            _NOTE.c.action == constant("approved"),
            _NOTE.c.id >= floor,
            by_other,
            ~has_undone,
            ~was_undone,
        )
    )
    return Prepared(statement.order_by(_NOTE.c.id.desc()).limit(1), ActivityRow)


_APPROVED = _approved()
_IMPORTED = Prepared(
    select(catalog_import.c.created_at)
    .where(
        catalog_import.c.created_at == bindparam("moment", type_=DateTime(timezone=True)), catalog_import.c.hash != ""
    )
    .limit(1),
    _MomentRow,
)
_CLIENT = bindparam("client_id", type_=Uuid)
_CLIENT_USED = Prepared(
    select(
        or_(
            exists().where(invoice.c.client_id == _CLIENT, invoice.c.deleted_at.is_(None)),
            exists().where(task.c.client_id == _CLIENT, task.c.deleted_at.is_(None)),
        ).label("used")
    ),
    _FlagRow,
)
_BILL = bindparam("bill_id", type_=Uuid)
_CREDIT_NOTE = supplier_invoice.alias("credit_note")
_WITHHELD = Prepared(
    select(
        or_(
            exists().where(
                supplier_invoice.c.id == _BILL,
                or_(
                    supplier_invoice.c.retention_amount != 0,
                    supplier_invoice.c.total < 0,
                    supplier_invoice.c.rectifies.is_not(None),
                ),
            ),
            exists().where(_CREDIT_NOTE.c.rectifies == _BILL, _CREDIT_NOTE.c.cancelled_at.is_(None)),
            exists().where(expense.c.rectifies == _BILL, expense.c.deleted_at.is_(None)),
        ).label("used")
    ),
    _FlagRow,
)
_BILL_DAYS = Prepared(
    select(*(supplier_invoice.c[name] for name in BillDays.__annotations__)).where(supplier_invoice.c.id == _BILL),
    BillDays,
)
_EXPENSE_DAYS = Prepared(
    select(*(expense.c[name] for name in ExpenseDays.__annotations__)).where(
        expense.c.id == bindparam("expense_id", type_=Uuid)
    ),
    ExpenseDays,
)
