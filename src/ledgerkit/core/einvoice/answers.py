"""What an authority's answer changes: the raw answer kept, each record's standing, the pace of the next message."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import and_, exists, func, insert, select, update

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.db import new_id
from ledgerkit.core.einvoice import results
from ledgerkit.core.einvoice.models import (
    fiscal_answer,
    fiscal_outcome,
    fiscal_sender,
    fiscal_status,
)
from ledgerkit.core.invoices import lifecycle
from ledgerkit.providers.api import Delivery, Outcome, Receipt, State

FIRST_PAUSE = timedelta(seconds=2)
LONGEST_PAUSE = timedelta(hours=1)
"""Sending is tried again at least hourly. Source: Orden HAC/1177/2024 art. 16.4."""

OPEN = (State.PENDING, State.UNKNOWN)


@dataclass(frozen=True)
class Answered:
    """The message that an answer belongs to: its id, whose lease it was sent under, and the records in it."""

    message_id: UUID
    holder: UUID
    records: Sequence[Any]


async def keep(ctx: Context, answered: Answered, delivery: Delivery, receipt: Receipt) -> None:
    """Store the answer to a message and everything it says, in the transaction of `ctx`."""
    answer = {
        "id": new_id(),
        "submission_id": answered.message_id,
        "http_status": delivery.status,
        "body": delivery.body,
        "error": delivery.error,
        "fault": receipt.fault,
        "reference": receipt.reference,
    }
    await ctx.db.execute(insert(fiscal_answer), answer)
    for record, outcome in zip(answered.records, receipt.outcomes, strict=True):
        await _apply(ctx, answered.message_id, record, _owned(record, outcome), receipt.reference)
    await _set_pace(ctx, answered, receipt)


def _owned(record: Any, outcome: Outcome) -> Outcome:
    """A duplicate is our own record only when an earlier answer to it was lost; else it is somebody else's."""
    if not outcome.duplicate or record.again:
        return outcome
    text = "The authority already holds another record of this issuer, number and date."
    return Outcome(state=State.REJECTED, code="3000", message=text)


async def _apply(ctx: Context, message_id: UUID, record: Any, outcome: Outcome, reference: str | None) -> None:
    """Note what was said of a record; a final standing is never undone by an answer that comes later."""
    said = {"state": outcome.state.value, "code": outcome.code, "message": outcome.message}
    row = {"id": new_id(), "record_id": record.id, "submission_id": message_id, **said}
    await ctx.db.execute(insert(fiscal_outcome), row)
    stored = outcome.state not in {*OPEN, State.REJECTED}
    change = {**said, "reference": reference if stored else None, "updated_at": func.now()}
    still_open = fiscal_status.c.state.in_([state.value for state in OPEN])
    statement = update(fiscal_status).where(fiscal_status.c.record_id == record.id, still_open).values(change)
    status = (await ctx.db.execute(statement.returning(*fiscal_status.c))).one_or_none()
    if status is None:
        return
    await lifecycle.stamp(ctx, record.invoice_id, results.stamp(ctx, record, status))
    if outcome.state not in OPEN:
        await activity.record(ctx, outcome.state.value, ("invoice", record.invoice_id), record.number)


async def _set_pace(ctx: Context, answered: Answered, receipt: Receipt) -> None:
    """When the next message may go, and when one is due; the lease ends, if it is still ours."""
    installation_id = answered.records[0].installation_id
    mine = and_(fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == installation_id)
    before = (await ctx.db.execute(select(fiscal_sender).where(mine).with_for_update())).one()
    failed = receipt.fault is not None or any(outcome.state in OPEN for outcome in receipt.outcomes)
    failures = before.failures + 1 if failed else 0
    wait = before.wait_seconds if receipt.wait_seconds is None else receipt.wait_seconds
    heard = receipt.wait_seconds is not None or not failed
    allowed = clock.now() + (timedelta(seconds=wait) if heard else _pause(failures))
    pace = {
        "wait_seconds": wait,
        "failures": failures,
        "allowed_at": allowed,
        "due_at": await _next_due(ctx, installation_id, max(allowed, clock.now() + _pause(failures))),
    }
    if before.lease_holder == answered.holder:
        pace |= {"lease_until": None, "lease_holder": None}
    await ctx.db.execute(update(fiscal_sender).where(mine).values(pace))


async def _next_due(ctx: Context, installation_id: UUID, soonest: datetime) -> datetime | None:
    """`soonest` when records are still open, None when there is nothing to send."""
    states = [state.value for state in OPEN]
    still = and_(fiscal_status.c.installation_id == installation_id, fiscal_status.c.state.in_(states))
    pending = (await ctx.db.execute(select(exists().where(still)))).scalar_one()
    return soonest if pending else None


def _pause(failures: int) -> timedelta:
    """Two seconds after the first failure, doubling, an hour at most; none after a success."""
    if not failures:
        return timedelta()
    doubled: int = 1 << min(failures - 1, 12)
    return min(LONGEST_PAUSE, FIRST_PAUSE * doubled)
