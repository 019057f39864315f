"""Answer a request of the authority with the records that were signed and stored in a period, byte for byte.

All messages are stored before the first is sent, and every answer is stored raw. A repeated call with the same
reference sends again what has no answer yet, byte for byte.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import insert, select, tuple_

from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.ids import NO_ID, new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import channels
from ledgerkit.core.einvoice.certificates.access import authority_access, require_authority_access
from ledgerkit.core.einvoice.event_log.models import fiscal_demand, fiscal_demand_answer, fiscal_demand_message
from ledgerkit.core.einvoice.event_log.schemas import DemandAnswer, DemandInput, DemandMessage
from ledgerkit.core.einvoice.models import fiscal_record, fiscal_status
from ledgerkit.core.einvoice.signed_mode.messages import SignedModeMsg
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import (
    Access,
    AuthorityRequest,
    Delivery,
    Environment,
    FiscalChannel,
    Heading,
    Party,
    Receipt,
    Signing,
    State,
)

LONGEST_PAUSE = 60
"""Longest pause between two messages, in seconds, if the authority asks for more."""

_OPEN = {State.PENDING, State.UNKNOWN}


@dataclass(frozen=True)
class _SignedChannel:
    """A channel with a signed mode, and the environment in which requests are answered."""

    channel: FiscalChannel
    signs: Signing
    environment: Environment


@operation(
    Permission.EINVOICE_MANAGE,
    name="einvoice.inspection.requests.answer",
    unit=Unit.OWN,
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT | Effect.OPEN_WORLD,
)
async def answer(ctx: Context, data: DemandInput) -> DemandAnswer:
    """Send the records that were signed and stored in the period, in chain order, 1,000 to a message.

    Stops at the first message that the authority does not accept; a repeated call goes on from there. Raises Invalid:
    no record was stored in the period, the reference was used for another period, or the days are in the wrong order.
    """
    target = _signed_channel(ctx)
    if data.since > data.until:
        raise Invalid.field("until", SignedModeMsg.DAYS_REVERSED)
    demand_id = await retry_on_conflict(lambda: _prepare(ctx, target, data))
    pause = 0
    for message_id in await _unanswered(ctx, demand_id):
        await asyncio.sleep(pause)
        receipt = await _send(ctx, target, message_id)
        if not _is_accepted(receipt):
            break
        pause = min(receipt.wait_seconds or 0, LONGEST_PAUSE)
    return await retry_on_conflict(lambda: _progress(ctx, demand_id))


def _signed_channel(ctx: Context) -> _SignedChannel:
    """Raises Invalid EINVOICE_UNSUPPORTED for an account without a channel that has a signed mode."""
    channel = channels.active(ctx)
    if channel is None or channel.signs is None:
        raise Invalid(SignedModeMsg.NO_SIGNED_RECORDS, code=Code.EINVOICE_UNSUPPORTED)
    return _SignedChannel(channel, channel.signs, Environment(ctx.settings.einvoice_env.value))


# ---------------------------------------------------------------- what is sent


async def _prepare(ctx: Context, target: _SignedChannel, data: DemandInput) -> UUID:
    """Store the request with all its messages, unless it is stored already; return its id."""
    async with ctx.transaction() as inner:
        same_reference = (
            fiscal_demand.c.environment == target.environment.value,
            fiscal_demand.c.reference == data.reference,
            fiscal_demand.c.issuer_tax_id == ctx.account.tax_id,
        )
        demand = (await inner.db.execute(select(fiscal_demand).where(*same_reference))).one_or_none()
        if demand is None:
            return await _store_messages(inner, target, data)
        if (demand.since, demand.until) != (data.since, data.until):
            raise Invalid.field(
                "reference", SignedModeMsg.REQUEST_OF_OTHER_DAYS, since=demand.since, until=demand.until
            )
        demand_id: UUID = demand.id
        return demand_id


async def _store_messages(ctx: Context, target: _SignedChannel, data: DemandInput) -> UUID:
    demand_id = new_id()
    values = {
        "id": demand_id,
        "channel": target.channel.id,
        "environment": target.environment.value,
        "issuer_tax_id": ctx.account.tax_id,
        "reference": data.reference,
        "since": data.since,
        "until": data.until,
    }
    await ctx.db.execute(insert(fiscal_demand), values)
    ordinal, pending_batch = 0, None  # a batch is stored once it is certain whether it is the last one
    async for batch in _batches(ctx, target, data):
        if pending_batch is not None:
            ordinal += 1
            await _add(ctx, target, values, ordinal, pending_batch, last=False)
        pending_batch = batch
    if pending_batch is None:
        raise Invalid.field("since", SignedModeMsg.NO_RECORD_IN_PERIOD)
    await _add(ctx, target, values, ordinal + 1, pending_batch, last=True)
    changes = {"since": (None, data.since.isoformat()), "until": (None, data.until.isoformat())}
    await activity.record(ctx, "demand_answered", ("fiscal_demand", demand_id), data.reference, changes)
    return demand_id


async def _add(
    ctx: Context, target: _SignedChannel, demand: dict[str, Any], ordinal: int, batch: Sequence[Any], *, last: bool
) -> None:
    """Store one message; `last` says to the authority that no other message answers the request."""
    newest = batch[-1]
    issuer = Party(name=newest.issuer_name, tax_id=newest.issuer_tax_id, country=newest.country)
    representative = (
        await authority_access(ctx, target.channel, target.environment, newest.issuer_tax_id)
    ).representative
    request = AuthorityRequest(reference=demand["reference"], last=last)
    heading = Heading(issuer=issuer, representative=representative, request=request)
    values = {
        "id": new_id(),
        "demand_id": demand["id"],
        "ordinal": ordinal,
        "records": [[record.number, record.issue_date.isoformat()] for record in batch],
        "request": target.channel.message(heading, [record.content for record in batch]),
    }
    await ctx.db.execute(insert(fiscal_demand_message), values)


async def _batches(ctx: Context, target: _SignedChannel, data: DemandInput) -> AsyncIterator[Sequence[Any]]:
    """Yield the issuer's stored records of the period, chain after chain, in batches of one message."""
    zone = ZoneInfo(ctx.account.time_zone)
    begin = datetime.combine(data.since, time(), zone)
    end = datetime.combine(data.until + timedelta(days=1), time(), zone)
    record = fiscal_record.c
    wanted = (
        record.environment == target.environment.value,
        record.issuer_tax_id == ctx.account.tax_id,
        record.generated_at >= begin,
        record.generated_at < end,
        fiscal_status.c.state == State.KEPT.value,
    )
    joined = select(fiscal_record).join(fiscal_status, fiscal_status.c.record_id == record.id).where(*wanted)
    after: tuple[UUID, int] = (NO_ID, 0)
    while True:
        query = joined.where(tuple_(record.installation_id, record.position) > tuple_(*after))
        batch = (
            await ctx.db.execute(
                query.order_by(record.installation_id, record.position).limit(target.channel.max_batch)
            )
        ).all()
        if not batch:
            return
        yield batch
        after = batch[-1].installation_id, batch[-1].position


# ---------------------------------------------------------------- sending


async def _unanswered(ctx: Context, demand_id: UUID) -> Sequence[UUID]:
    """Ids of the messages that the authority has not accepted yet, in order."""
    accepted = (
        select(fiscal_demand_answer.c.id)
        .where(fiscal_demand_answer.c.message_id == fiscal_demand_message.c.id, fiscal_demand_answer.c.delivered)
        .exists()
    )
    query = (
        select(fiscal_demand_message.c.id)
        .where(fiscal_demand_message.c.demand_id == demand_id, ~accepted)
        .order_by(fiscal_demand_message.c.ordinal)
    )

    async def read() -> Sequence[UUID]:
        async with ctx.reading() as inner:
            return (await inner.db.execute(query)).scalars().all()

    return await retry_on_conflict(read)


async def _send(ctx: Context, target: _SignedChannel, message_id: UUID) -> Receipt:
    """Send one stored message, store the answer, and return it as read."""

    async def read() -> tuple[Any, Access | None]:
        async with ctx.reading() as inner:
            query = select(fiscal_demand_message).where(fiscal_demand_message.c.id == message_id)
            credentials = (
                await require_authority_access(inner, target.channel, target.environment, ctx.account.tax_id or "")
            ).access
            return (await inner.db.execute(query)).one(), credentials

    message, credentials = await retry_on_conflict(read)
    delivery = await target.signs.submit_on_request(
        message.request, target.environment, timeout_seconds=ctx.settings.einvoice_timeout, access=credentials
    )
    identities = [(number, date.fromisoformat(day)) for number, day in message.records]
    receipt = target.channel.read(delivery, identities)
    await retry_on_conflict(lambda: _store_answer(ctx, message_id, delivery, receipt))
    return receipt


async def _store_answer(ctx: Context, message_id: UUID, delivery: Delivery, receipt: Receipt) -> None:
    values = {
        "id": new_id(),
        "message_id": message_id,
        "http_status": delivery.status,
        "body": delivery.body,
        "error": delivery.error,
        "fault": receipt.fault or _first_error(receipt),
        "reference": receipt.reference,
        "delivered": _is_accepted(receipt),
    }
    async with ctx.transaction() as inner:
        await inner.db.execute(insert(fiscal_demand_answer), values)


def _is_accepted(receipt: Receipt) -> bool:
    return receipt.fault is None and all(outcome.state not in _OPEN for outcome in receipt.outcomes)


def _first_error(receipt: Receipt) -> str | None:
    """Code and message of the first error that the authority reports for a record."""
    outcome = next((each for each in receipt.outcomes if each.code or each.message), None)
    return None if outcome is None else " ".join(filter(None, [outcome.code, outcome.message]))


async def _progress(ctx: Context, demand_id: UUID) -> DemandAnswer:
    """Messages of the request with their last answers."""
    async with ctx.reading() as inner:
        demand = (await inner.db.execute(select(fiscal_demand).where(fiscal_demand.c.id == demand_id))).one()
        columns = fiscal_demand_message.c.id, fiscal_demand_message.c.ordinal, fiscal_demand_message.c.records
        of_demand = fiscal_demand_message.c.demand_id == demand_id
        rows = (await inner.db.execute(select(*columns).where(of_demand).order_by(columns[1]))).all()
        messages = [await _message(inner, row) for row in rows]
    return DemandAnswer(
        reference=demand.reference,
        records=sum(message.records for message in messages),
        messages=messages,
        complete=all(message.delivered for message in messages),
    )


async def _message(ctx: Context, row: Any) -> DemandMessage:
    answers = fiscal_demand_answer.c
    query = select(answers.delivered, answers.reference, answers.fault, answers.error)
    of_message = query.where(answers.message_id == row.id)
    latest = (await ctx.db.execute(of_message.order_by(answers.id.desc()).limit(1))).one_or_none()
    return DemandMessage(
        ordinal=row.ordinal,
        records=len(row.records),
        delivered=latest is not None and latest.delivered,
        csv=latest.reference if latest is not None else None,
        problem=(latest.fault or latest.error) if latest is not None else None,
    )
