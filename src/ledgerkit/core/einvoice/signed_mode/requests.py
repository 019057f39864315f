"""Answering a demand of the authority: the records that were kept in a period, exactly as they were signed.

All messages are stored before the first is sent; each answer is kept raw. Asked again with the same reference, what
has no answer yet is sent again, byte for byte.
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
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_field
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
"""Seconds; what the authority asks for between two messages is kept up to this."""

_OPEN = {State.PENDING, State.UNKNOWN}


@dataclass(frozen=True)
class _Way:
    """How demands are answered here."""

    channel: FiscalChannel
    signs: Signing
    environment: Environment


@operation(Permission.EINVOICE_MANAGE, unit=Unit.OWN)
async def answer(ctx: Context, data: DemandInput) -> DemandAnswer:
    """Send the records that were made and kept in the period, in chain order, 1,000 a message; go on where it ended.

    Stops at the first message that the authority does not take. Raises Invalid: nothing was kept then, a reference
    that was used for another period, or days in the wrong order.
    """
    way = _way(ctx)
    if data.since > data.until:
        raise bilingual_field(
            "until",
            ("lies before `since`", "Give the first day as since, the last one as until."),
            ("es anterior a `since`", "Indica el primer día en since y el último en until."),
        )
    demand_id = await retry_on_conflict(lambda: _prepared(ctx, way, data))
    pause = 0
    for message_id in await _unanswered(ctx, demand_id):
        await asyncio.sleep(pause)
        receipt = await _sent(ctx, way, message_id)
        if not _taken(receipt):
            break
        pause = min(receipt.wait_seconds or 0, LONGEST_PAUSE)
    return await retry_on_conflict(lambda: _shown(ctx, demand_id))


def _way(ctx: Context) -> _Way:
    channel = channels.active(ctx)
    if channel is None or channel.signs is None:
        raise bilingual(
            Invalid,
            (
                "Nothing is kept here that an authority could demand.",
                "Set the tax identifier with PUT /api/teams/current {taxId}.",
            ),
            (
                "Aquí no se conserva nada que una administración pudiera requerir.",
                "Indica el NIF con PUT /api/teams/current {taxId}.",
            ),
            code=Code.EINVOICE_UNSUPPORTED,
        )
    return _Way(channel, channel.signs, Environment(ctx.settings.einvoice_env.value))


# ---------------------------------------------------------------- what is sent


async def _prepared(ctx: Context, way: _Way, data: DemandInput) -> UUID:
    """The demand with all its messages, stored; the one that is there already when it is the same."""
    async with ctx.transaction() as inner:
        known = fiscal_demand.c.environment == way.environment.value, fiscal_demand.c.reference == data.reference
        mine = fiscal_demand.c.issuer_tax_id == ctx.account.tax_id
        found = (await inner.db.execute(select(fiscal_demand).where(*known, mine))).one_or_none()
        if found is None:
            return await _stored(inner, way, data)
        if (found.since, found.until) != (data.since, data.until):
            raise bilingual_field(
                "reference",
                (f"was answered for {found.since} to {found.until}", "Answer it for the same days, or correct it."),
                (f"se atendió del {found.since} al {found.until}", "Atiéndela con los mismos días, o corrígela."),
            )
        stored: UUID = found.id
        return stored


async def _stored(ctx: Context, way: _Way, data: DemandInput) -> UUID:
    demand_id = new_id()
    values = {
        "id": demand_id,
        "channel": way.channel.id,
        "environment": way.environment.value,
        "issuer_tax_id": ctx.account.tax_id,
        "reference": data.reference,
        "since": data.since,
        "until": data.until,
    }
    await ctx.db.execute(insert(fiscal_demand), values)
    ordinal, waiting = 0, None
    async for batch in _batches(ctx, way, data):
        if waiting is not None:
            ordinal += 1
            await _add(ctx, way, values, ordinal, waiting, last=False)
        waiting = batch
    if waiting is None:
        raise bilingual_field(
            "since",
            (
                "no record that was made in these days was kept here",
                "Choose days on which records were kept; those that were reported are with the authority already.",
            ),
            (
                "no se conservó aquí ningún registro hecho en estos días",
                "Elige días en que se conservaran registros; los que se remitieron ya los tiene la administración.",
            ),
        )
    await _add(ctx, way, values, ordinal + 1, waiting, last=True)
    changes = {"since": (None, data.since.isoformat()), "until": (None, data.until.isoformat())}
    await activity.record(ctx, "demand_answered", ("fiscal_demand", demand_id), data.reference, changes)
    return demand_id


async def _add(
    ctx: Context, way: _Way, demand: dict[str, Any], ordinal: int, batch: Sequence[Any], *, last: bool
) -> None:
    newest = batch[-1]
    issuer = Party(name=newest.issuer_name, tax_id=newest.issuer_tax_id, country=newest.country)
    acting = (await authority_access(ctx, way.channel, way.environment, newest.issuer_tax_id)).representative
    request = AuthorityRequest(reference=demand["reference"], last=last)
    heading = Heading(issuer=issuer, representative=acting, request=request)
    values = {
        "id": new_id(),
        "demand_id": demand["id"],
        "ordinal": ordinal,
        "records": [[record.number, record.issue_date.isoformat()] for record in batch],
        "request": way.channel.message(heading, [record.content for record in batch]),
    }
    await ctx.db.execute(insert(fiscal_demand_message), values)


async def _batches(ctx: Context, way: _Way, data: DemandInput) -> AsyncIterator[Sequence[Any]]:
    """The issuer's kept records that were made in the period, chain after chain, a message's worth at a time."""
    zone = ZoneInfo(ctx.account.time_zone)
    begin = datetime.combine(data.since, time(), zone)
    end = datetime.combine(data.until + timedelta(days=1), time(), zone)
    record = fiscal_record.c
    wanted = (
        record.environment == way.environment.value,
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
            await ctx.db.execute(query.order_by(record.installation_id, record.position).limit(way.channel.max_batch))
        ).all()
        if not batch:
            return
        yield batch
        after = batch[-1].installation_id, batch[-1].position


# ---------------------------------------------------------------- sending


async def _unanswered(ctx: Context, demand_id: UUID) -> Sequence[UUID]:
    """The messages that the authority has not taken yet, in order."""
    taken = (
        select(fiscal_demand_answer.c.id)
        .where(fiscal_demand_answer.c.message_id == fiscal_demand_message.c.id, fiscal_demand_answer.c.delivered)
        .exists()
    )
    query = (
        select(fiscal_demand_message.c.id)
        .where(fiscal_demand_message.c.demand_id == demand_id, ~taken)
        .order_by(fiscal_demand_message.c.ordinal)
    )

    async def ask() -> Sequence[UUID]:
        async with ctx.reading() as inner:
            return (await inner.db.execute(query)).scalars().all()

    return await retry_on_conflict(ask)


async def _sent(ctx: Context, way: _Way, message_id: UUID) -> Receipt:
    async def read() -> tuple[Any, Access | None]:
        async with ctx.reading() as inner:
            query = select(fiscal_demand_message).where(fiscal_demand_message.c.id == message_id)
            shown = (
                await require_authority_access(inner, way.channel, way.environment, ctx.account.tax_id or "")
            ).access
            return (await inner.db.execute(query)).one(), shown

    message, shown = await retry_on_conflict(read)
    delivery = await way.signs.submit_on_request(
        message.request, way.environment, timeout_seconds=ctx.settings.einvoice_timeout, access=shown
    )
    identities = [(number, date.fromisoformat(day)) for number, day in message.records]
    receipt = way.channel.read(delivery, identities)
    await retry_on_conflict(lambda: _kept(ctx, message_id, delivery, receipt))
    return receipt


async def _kept(ctx: Context, message_id: UUID, delivery: Delivery, receipt: Receipt) -> None:
    values = {
        "id": new_id(),
        "message_id": message_id,
        "http_status": delivery.status,
        "body": delivery.body,
        "error": delivery.error,
        "fault": receipt.fault or _complaint(receipt),
        "reference": receipt.reference,
        "delivered": _taken(receipt),
    }
    async with ctx.transaction() as inner:
        await inner.db.execute(insert(fiscal_demand_answer), values)


def _taken(receipt: Receipt) -> bool:
    return receipt.fault is None and all(outcome.state not in _OPEN for outcome in receipt.outcomes)


def _complaint(receipt: Receipt) -> str | None:
    """The first thing that the authority says against a record."""
    said = next((one for one in receipt.outcomes if one.code or one.message), None)
    return None if said is None else " ".join(filter(None, [said.code, said.message]))


async def _shown(ctx: Context, demand_id: UUID) -> DemandAnswer:
    async with ctx.reading() as inner:
        demand = (await inner.db.execute(select(fiscal_demand).where(fiscal_demand.c.id == demand_id))).one()
        columns = fiscal_demand_message.c.id, fiscal_demand_message.c.ordinal, fiscal_demand_message.c.records
        mine = fiscal_demand_message.c.demand_id == demand_id
        stored = (await inner.db.execute(select(*columns).where(mine).order_by(columns[1]))).all()
        messages = [await _message(inner, row) for row in stored]
    return DemandAnswer(
        reference=demand.reference,
        records=sum(one.records for one in messages),
        messages=messages,
        complete=all(one.delivered for one in messages),
    )


async def _message(ctx: Context, row: Any) -> DemandMessage:
    said = fiscal_demand_answer.c
    query = select(said.delivered, said.reference, said.fault, said.error).where(said.message_id == row.id)
    latest = (await ctx.db.execute(query.order_by(said.id.desc()).limit(1))).one_or_none()
    return DemandMessage(
        ordinal=row.ordinal,
        records=len(row.records),
        delivered=latest is not None and latest.delivered,
        csv=latest.reference if latest is not None else None,
        problem=(latest.fault or latest.error) if latest is not None else None,
    )
