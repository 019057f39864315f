"""History of an invoice: its records so far, oldest first, and the resulting state of the invoice."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Uuid, any_, bindparam, select

from ledgerkit.core.einvoice.outbox.retry_policy import AWAITING_ANSWER
from ledgerkit.core.einvoice.table import (
    FiscalRecordRow,
    RecordColumns,
    RecordStatusRow,
    StatusColumns,
    fiscal_record,
    fiscal_status,
    record_kind,
)
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import ValueBeforeLock
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.providers.api import NUMBER_TAKEN, PastRecord, State

IN_EFFECT = (State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.SIGNED)
"""States of a record that has taken effect. One that is only kept does so when it is made: no authority answers."""


@dataclass(frozen=True)
class RecordWithStatus:
    """A record and its status, stored or about to be."""

    record: RecordColumns
    status: StatusColumns

    @property
    def is_open(self) -> bool:
        """True while the authority's answer is awaited."""
        return self.status.state in AWAITING_ANSWER


async def of_invoice(ctx: Context, invoice_id: UUID, fiscal_id: str | None = None) -> list[RecordWithStatus]:
    """Return the records of an invoice under its present number with their statuses, oldest first.

    An invoice whose number was taken may have records under earlier numbers. `fiscal_id` selects the records of one of
    these numbers; any other value has no effect.
    """
    rows = await _OF_INVOICE.rows(ctx.db, invoice_id=invoice_id)
    if not rows:
        return []
    number = next((row.number for row in rows if row.fiscal_id == fiscal_id), rows[-1].number)
    rows = [row for row in rows if row.number == number]
    status_rows = await statuses(ctx, [row.id for row in rows])
    return [RecordWithStatus(row, status_rows[row.id]) for row in rows]


async def statuses(ctx: Context, record_ids: Sequence[UUID]) -> dict[UUID, RecordStatusRow]:
    """Return the statuses of records, by the records' ids."""
    return {row.record_id: row for row in await _STATUSES.rows(ctx.db, record_ids=record_ids)}


async def record_at(ctx: Context, installation_id: UUID, position: int | None) -> FiscalRecordRow | None:
    """Return the record at a position of an installation's chain; None where none is stored."""
    return await _RECORD_AT.row(ctx.db, installation_id=installation_id, position=position)


_RECORD_AT = Prepared(
    select(fiscal_record).where(
        fiscal_record.c.installation_id == bindparam("installation_id", type_=Uuid),
        fiscal_record.c.position == bindparam("position", type_=Integer),
    ),
    FiscalRecordRow,
)
_IS_OF_INVOICE = fiscal_record.c.invoice_id == bindparam("invoice_id", type_=Uuid)
_OF_INVOICE = Prepared(select(fiscal_record).where(_IS_OF_INVOICE).order_by(fiscal_record.c.id), FiscalRecordRow)
_IS_OF_RECORD = fiscal_status.c.record_id == any_(bindparam("record_ids", type_=ARRAY(Uuid)))
_STATUSES = Prepared(select(fiscal_status).where(_IS_OF_RECORD), RecordStatusRow)


class InvoiceWithRecordRow(InvoiceRow):
    """An invoice's row with the id of its newest record, None without any."""

    newest_id: UUID | None


NEWEST_RECORD_ID = ValueBeforeLock(
    select(fiscal_record.c.id)
    .where(fiscal_record.c.invoice_id == bindparam("record_id", type_=Uuid))
    .order_by(fiscal_record.c.id.desc())
    .limit(1)
    .scalar_subquery()
    .label("newest_id"),
    InvoiceWithRecordRow,
)
"""Id of an invoice's newest record: a column to read together with the invoice (`lifecycle.fetch_locked`)."""


async def invoices_with_several_records(ctx: Context, invoice_ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids of the invoices that have more than one record."""
    is_correction = fiscal_record.c.corrects_id.is_not(None)
    query = select(fiscal_record.c.invoice_id).where(fiscal_record.c.invoice_id.in_(invoice_ids), is_correction)
    return set((await ctx.db.execute(query)).scalars())


def current(records: Sequence[RecordWithStatus]) -> RecordWithStatus:
    """Return the record that decides the invoice's state: the newest one that the authority has not refused.

    If the authority has refused all, and so has none, it is the newest one that is not an annulment.
    """
    candidates = _without_refused_annulments(records)
    return next((record for record in reversed(candidates) if not _is_refused(record)), candidates[-1])


def refused(records: Sequence[RecordWithStatus]) -> RecordWithStatus | None:
    """Return the newest record if it was refused while an earlier one is still in effect; else None.

    Such a record is a correction, or the revival of an annulled invoice.
    """
    newest = _without_refused_annulments(records)[-1]
    return newest if _is_refused(newest) and newest is not current(records) else None


def number_taken(records: Sequence[RecordWithStatus]) -> RecordWithStatus | None:
    """Return the record that was refused because the authority has somebody else's document under the number.

    None once a later record was accepted, or awaits its answer.
    """
    refused_lately = takewhile(_is_refused, reversed(records))
    return next((record for record in refused_lately if record.status.code == NUMBER_TAKEN), None)


def _without_refused_annulments(records: Sequence[RecordWithStatus]) -> list[RecordWithStatus]:
    """Leave out refused annulments, which change nothing."""
    return [record for record in records if record.record.kind == "issue" or not _is_refused(record)]


def _is_refused(record: RecordWithStatus) -> bool:
    return bool(record.status.state == State.REJECTED)


def as_past_records(records: Sequence[RecordWithStatus], *, replacing: bool = False) -> tuple[PastRecord, ...]:
    """Convert an invoice's records to the values that a country's channel receives.

    `replacing`: the next record replaces the document of somebody else that has taken the number.
    """
    taken_record = number_taken(records) if replacing else None
    return tuple(
        PastRecord(
            kind=record_kind(record.record.kind),
            state=State(record.status.state),
            code=record.status.code,
            reported=record.status.state != State.SIGNED,
            to_replace=record is taken_record,
        )
        for record in records
    )


def standing(records: Sequence[PastRecord]) -> Standing:
    """Return the state of an invoice by its records, oldest first; there is at least one.

    The authority has the record that it accepted last; a refusal does not change that.
    """
    effects = (_effect(record) for record in reversed(records))
    in_effect = next((effect for effect in effects if effect is not None), Standing.REFUSED)
    newest = records[-1]
    if newest.state not in AWAITING_ANSWER:
        return in_effect
    if newest.kind == "annul":
        return Standing.ANNULLING
    return Standing.REACTIVATING if in_effect is Standing.ANNULLED else Standing.OPEN


def _effect(record: PastRecord) -> Standing | None:
    """Return how the invoice stands once the authority has accepted this record; None when it has not."""
    if record.state is State.ANNULLED:
        return Standing.ANNULLED
    if record.state not in IN_EFFECT:
        return None
    return Standing.ANNULLED if record.kind == "annul" else Standing.HELD
