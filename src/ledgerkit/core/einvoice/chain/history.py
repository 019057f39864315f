"""The records of an invoice so far, and what they amount to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.database.row_types import AccountRow
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.einvoice.models import fiscal_record, fiscal_status
from ledgerkit.core.einvoice.outbox.retry_policy import OPEN
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.core.records import ValueBeforeLock
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import PastRecord, State

TAKEN = (State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.KEPT)
"""A record that is only kept has its effect when it is made: nobody is asked."""


@dataclass(frozen=True)
class RecordWithStatus:
    """A record and its standing: rows of fiscal_record and fiscal_status."""

    record: Any
    status: Any

    @property
    def is_open(self) -> bool:
        """Whether the authority's answer is still awaited."""
        return self.status.state in OPEN


async def of_invoice(ctx: Context, invoice_id: UUID) -> list[RecordWithStatus]:
    """All records of an invoice, oldest first."""
    rows = await _OF_INVOICE.rows(ctx.db, invoice_id=invoice_id)
    if not rows:
        return []
    query = select(fiscal_status).where(fiscal_status.c.record_id.in_([row.id for row in rows]))
    known = {status.record_id: status for status in await ctx.db.execute(query)}
    return [RecordWithStatus(row, known[row.id]) for row in rows]


_MINE = fiscal_record.c.invoice_id == bindparam("invoice_id", type_=Uuid)
_OF_INVOICE = Prepared(select(fiscal_record).where(_MINE).order_by(fiscal_record.c.id))
NEWEST = ValueBeforeLock[Any](
    select(fiscal_record.c.id)
    .where(fiscal_record.c.invoice_id == bindparam("record_id", type_=Uuid))
    .order_by(fiscal_record.c.id.desc())
    .limit(1)
    .scalar_subquery()
    .label("newest_id"),
    AccountRow,
)
"""The id of an invoice's newest record, beside the invoice itself (`lifecycle.locked`)."""


async def corrected(ctx: Context, invoice_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the invoices that have more than one record."""
    later = fiscal_record.c.corrects_id.is_not(None)
    query = select(fiscal_record.c.invoice_id).where(fiscal_record.c.invoice_id.in_(invoice_ids), later)
    return set((await ctx.db.execute(query)).scalars())


def current(records: Sequence[RecordWithStatus]) -> RecordWithStatus:
    """The record that says how the invoice stands: the newest that was not refused.

    Of an invoice that the authority does not hold, the newest that was to tell of it.
    """
    told = _told(records)
    return next((one for one in reversed(told) if not _is_refused(one)), told[-1])


def refused(records: Sequence[RecordWithStatus]) -> RecordWithStatus | None:
    """The correction or revival that was refused last, where the invoice goes on standing by an earlier record."""
    newest = _told(records)[-1]
    return newest if _is_refused(newest) and newest is not current(records) else None


def _told(records: Sequence[RecordWithStatus]) -> list[RecordWithStatus]:
    """All but refused annulments, which change nothing."""
    return [one for one in records if one.record.kind == "issue" or not _is_refused(one)]


def _is_refused(one: RecordWithStatus) -> bool:
    return bool(one.status.state == State.REJECTED)


def past(records: Sequence[RecordWithStatus]) -> tuple[PastRecord, ...]:
    """The same as the country sees them."""
    return tuple(
        PastRecord(
            kind=one.record.kind,
            state=State(one.status.state),
            code=one.status.code,
            reported=one.status.state != State.KEPT,
        )
        for one in records
    )


def standing(records: Sequence[PastRecord]) -> Standing:
    """What these records, oldest first, amount to; there is at least one.

    What the authority holds of an invoice is what it last took; a refusal changes nothing of that.
    """
    held = next((one for one in map(_held_after, reversed(records)) if one is not None), Standing.REFUSED)
    newest = records[-1]
    if newest.state not in OPEN:
        return held
    if newest.kind == "annul":
        return Standing.ANNULLING
    return Standing.REACTIVATING if held is Standing.ANNULLED else Standing.OPEN


def _held_after(one: PastRecord) -> Standing | None:
    """What the authority holds once it has taken this record; None when it has not."""
    if one.state is State.ANNULLED:
        return Standing.ANNULLED
    if one.state not in TAKEN:
        return None
    return Standing.ANNULLED if one.kind == "annul" else Standing.HELD
