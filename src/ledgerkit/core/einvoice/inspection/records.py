"""Fiscal records of an account as a list, with their states and the needed corrections."""

from collections.abc import Collection
from functools import cache

from sqlalchemy import ColumnElement, Text, and_, any_, bindparam, exists, func, or_, select
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.einvoice import output as einvoice_output
from ledgerkit.core.einvoice.api import ListedRecord, ResultState
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import IN_EFFECT, RecordWithStatus
from ledgerkit.core.einvoice.table import (
    FiscalRecordRow,
    fiscal_installation,
    fiscal_record,
    fiscal_status,
    record_kind,
)
from ledgerkit.core.platform.api_types.list_pages import LIMIT, OFFSET, Page, PageRequest
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import dumps_exact
from ledgerkit.providers.api import State


class ListedRecordRow(FiscalRecordRow):
    """A record with its standing: the `newest` of its invoice, and whether it is `faulty` and nothing follows it."""

    newest: bool
    faulty: bool


class RecordCountRow(Row):
    count: int


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def list_records(
    ctx: Context, page: PageRequest, status: ResultState | None = None, *, needs_action: bool = False
) -> Page:
    """List the account's fiscal records, the newest first: of one status, or those that need a correction."""
    filters = frozenset({*([status] if status else []), *(["needs_action"] if needs_action else [])})
    values = {"notices": mere_notices(ctx)}
    rows = await _page_statement(filters).rows(ctx.db, offset=page.offset, limit=page.size, **values)
    with_notices = values if needs_action else {}
    total = await _count_statement(filters).one(ctx.db, **with_notices)
    statuses = await history.statuses(ctx, [row.id for row in rows])
    shown = [_listed(ctx, row, RecordWithStatus(row, statuses[row.id])) for row in rows]
    body = dumps_exact([record.model_dump(mode="json", by_alias=True) for record in shown])
    return Page(body=body.encode(), total=int(total.count), number=page.number, size=page.size)


async def count_to_mend(ctx: Context, status: ResultState | None = None) -> int:
    """Return the number of records that the authority refused or remarked on and that need a correction."""
    filters = frozenset({"needs_action", *([status] if status else [])})
    counted = await _count_statement(filters).one(ctx.db, notices=mere_notices(ctx))
    return int(counted.count)


async def needing_action(ctx: Context, most: int) -> list[ListedRecord]:
    """Return the newest records that need a correction, at most so many."""
    statement = _page_statement(frozenset({"needs_action"}))
    rows = await statement.rows(ctx.db, offset=0, limit=most, notices=mere_notices(ctx))
    statuses = await history.statuses(ctx, [row.id for row in rows])
    return [_listed(ctx, row, RecordWithStatus(row, statuses[row.id])) for row in rows]


def mere_notices(ctx: Context) -> list[str]:
    """Return the codes of remarks after which nothing has to be done, of all channels."""
    countries = ctx.kernel.countries.countries.values()
    channels = [channel for country in countries for channel in country.channels]
    return sorted({code for channel in channels for code in channel.mere_notices})


def _listed(ctx: Context, row: ListedRecordRow, record: RecordWithStatus) -> ListedRecord:
    status = record.status
    return ListedRecord(
        id=str(row.id),
        invoice_id=str(row.invoice_id),
        fiscal_id=row.fiscal_id,
        installation_number=row.installation_id.hex,
        position=row.position,
        kind=record_kind(row.kind),
        number=row.number,
        issue_date=row.issue_date,
        issued_at=row.generated_at,
        submitted_at=status.submitted_at,
        status=einvoice_output.state_of(row, status),
        environment=row.environment,
        csv=status.reference,
        hash=row.fingerprint,
        reason=row.reason,
        corrects=None if row.corrects_id is None else str(row.corrects_id),
        errors=[einvoice_output.authority_error(ctx, row, status.code, status.message)] if status.code else [],
        burnt=status.burnt,
        is_newest=row.newest,
        needs_action=row.faulty,
    )


# ---------------------------------------------------------------- statements

_later = fiscal_record.alias("later")
_NEWEST = ~exists(
    select(_later.c.id)
    .where(
        _later.c.account_id == fiscal_record.c.account_id,
        _later.c.invoice_id == fiscal_record.c.invoice_id,
        _later.c.id > fiscal_record.c.id,
    )
    .correlate(fiscal_record)
)
_OF_RECORD = and_(
    fiscal_status.c.account_id == fiscal_record.c.account_id, fiscal_status.c.record_id == fiscal_record.c.id
)
_IS_NOTICE = func.coalesce(fiscal_status.c.code == any_(bindparam("notices", type_=ARRAY(Text))), False)
_REFUSED, _REMARKED = constant(State.REJECTED.value), constant(State.ACCEPTED_WITH_ERRORS.value)
_FAULTY = and_(
    fiscal_status.c.state.in_([_REFUSED, _REMARKED]),
    or_(fiscal_status.c.state == _REFUSED, ~_IS_NOTICE),
    _NEWEST,
)
_IN_EFFECT = fiscal_status.c.state.in_([constant(state.value) for state in IN_EFFECT])
_ANNULLED = or_(
    fiscal_status.c.state == constant(State.ANNULLED.value),
    and_(fiscal_record.c.kind == constant("annul"), _IN_EFFECT),
)


def _condition(filter_name: str) -> ColumnElement[bool]:
    """Return the condition of a status as callers see it, or of `needs_action`."""
    if filter_name == "needs_action":
        return _FAULTY
    if filter_name == State.ANNULLED.value:
        return _ANNULLED
    of_state = fiscal_status.c.state == constant(filter_name)
    if filter_name in {state.value for state in IN_EFFECT}:
        return and_(of_state, fiscal_record.c.kind == constant("issue"))
    return of_state


@cache
def _page_statement(filters: Collection[str]) -> Prepared[ListedRecordRow]:
    columns = (fiscal_record, _NEWEST.label("newest"), _FAULTY.label("faulty"))
    records = select(*columns).join(fiscal_status, _OF_RECORD).where(*(_condition(name) for name in sorted(filters)))
    return Prepared(records.order_by(fiscal_record.c.id.desc()).offset(OFFSET).limit(LIMIT), ListedRecordRow)


@cache
def _count_statement(filters: Collection[str]) -> Prepared[RecordCountRow]:
    """Return the statement that counts the records; without filters the chains' heads know their number."""
    if not filters:
        return Prepared(
            select(func.coalesce(func.sum(fiscal_installation.c.position), 0).label("count")), RecordCountRow
        )
    records = select(func.count().label("count")).select_from(fiscal_record).join(fiscal_status, _OF_RECORD)
    return Prepared(records.where(*(_condition(name) for name in sorted(filters))), RecordCountRow)
