"""Documents with a number, for checks that compare them with the fiscal records."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime
from typing import Any, TypeAlias
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import BigInteger, Date, DateTime, Select, bindparam, func, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.table import invoice

FirstRecord: TypeAlias = Callable[[Context], Awaitable[datetime | None]]
"""Returns when the account's first record was stored; None without any."""

_FIRST_RECORDS: list[FirstRecord] = []


def register_first_record(source: FirstRecord) -> None:
    """Register a function of a domain above that knows when the first record was stored."""
    _FIRST_RECORDS.append(source)


async def first_recorded_day(ctx: Context) -> date | None:
    """Return the day of the account's first record, in the account's time zone; None without any."""
    moments = [moment for source in _FIRST_RECORDS if (moment := await source(ctx)) is not None]
    return min(moments).astimezone(ZoneInfo(ctx.account.time_zone)).date() if moments else None


def issued_documents() -> Select[Any]:
    """Select every document that the account issued here, deleted or not, to be joined with its records."""
    document = invoice.c
    columns = (
        document.id,
        document.number,
        document.issue_date,
        document.issued_at,
        document.deleted_at,
        document.unrecorded,
    )
    return select(*columns).where(document.number.is_not(None), document.origin == constant("own"))


async def imported_since(ctx: Context, day: date, most: int) -> Sequence["ImportedRow"]:
    """Return the first `most` documents of other software that are dated on or after `day`, with their count."""
    return await _IMPORTED.rows(ctx.db, day=day, most=most)


async def unrecorded_since(ctx: Context, moment: datetime) -> int:
    """Count the documents that were numbered at or after `moment` without the fiscal record that they owe."""
    return (await _UNRECORDED.one(ctx.db, moment=moment)).count


class UnrecordedCountRow(Row):
    count: int


class ImportedRow(Row):
    """Imported document, and the number of all of them."""

    id: UUID
    number: str
    issue_date: date
    created_at: datetime
    count: int


_IMPORTED = Prepared(
    select(
        invoice.c.id,
        invoice.c.number,
        invoice.c.issue_date,
        invoice.c.created_at,
        func.count().over().label("count"),
    )
    .where(
        invoice.c.origin == constant(EXTERNAL),
        invoice.c.deleted_at.is_(None),
        invoice.c.issue_date >= bindparam("day", type_=Date),
    )
    .order_by(invoice.c.issue_date, invoice.c.id)
    .limit(bindparam("most", type_=BigInteger)),
    ImportedRow,
)


_UNRECORDED = Prepared(
    select(func.count().label("count"))
    .select_from(invoice)
    .where(
        invoice.c.unrecorded.is_not(None),
        invoice.c.unrecorded != constant(Off.REGIME.value),
        invoice.c.issued_at >= bindparam("moment", type_=DateTime(timezone=True)),
    ),
    UnrecordedCountRow,
)
