"""Answer a request of the authority with the records that were signed and stored in a period, byte for byte.

All messages are stored before the first is sent, and every answer is stored raw. A repeated call with the same
reference sends the messages without an answer again, byte for byte.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import DateTime, Integer, Text, Uuid, bindparam, insert, select, tuple_

from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates.access import authority_access, require_authority_access
from ledgerkit.core.einvoice.signed_mode.api import DemandAnswer, DemandInput, DemandMessage
from ledgerkit.core.einvoice.signed_mode.table import (
    DOCUMENT_IDENTITIES,
    DocumentIdentity,
    RecordsRequestAnswerRow,
    RecordsRequestMessageRow,
    RecordsRequestRow,
    fiscal_demand,
    fiscal_demand_answer,
    fiscal_demand_message,
)
from ledgerkit.core.einvoice.signed_mode.texts import SignedModeMsg
from ledgerkit.core.einvoice.table import FiscalRecordRow, fiscal_record, fiscal_status
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import NO_ID, new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
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
    unit=Unit.OWN,
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT | Effect.OPEN_WORLD,
    proposable=False,
)
async def answer_request(ctx: Context, data: DemandInput) -> DemandAnswer:
    """Send the records that were signed and stored in the period, in chain order, 1,000 to a message.

    Stops at the first message that the authority does not accept; a repeated call goes on from there. Raises Invalid:
    no record was stored in the period, the reference was used for another period, or the days are in the wrong order.
    """
    target = _signed_channel(ctx)
    if data.since > data.until:
        raise Invalid.field("until", SignedModeMsg.DAYS_REVERSED)
    demand_id = await ctx.transact(lambda inner: _prepare(inner, target, data))
    pause = 0
    for message in await ctx.read(lambda inner: _UNACCEPTED.rows(inner.db, demand_id=demand_id)):
        await asyncio.sleep(pause)
        receipt = await _send(ctx, target, message.id)
        if not _is_accepted(receipt):
            break
        pause = min(receipt.wait_seconds or 0, LONGEST_PAUSE)
    return await ctx.read(lambda inner: _progress(inner, demand_id))


def _signed_channel(ctx: Context) -> _SignedChannel:
    """Return the account's channel. Raises Invalid EINVOICE_UNSUPPORTED for one without a signed mode."""
    channel = channels.active(ctx)
    if channel is None or channel.signs is None:
        raise Invalid(SignedModeMsg.NO_SIGNED_RECORDS, code=Code.EINVOICE_UNSUPPORTED)
    return _SignedChannel(channel, channel.signs, Environment(ctx.settings.einvoice_env.value))


# ---------------------------------------------------------------- what is sent


async def _prepare(ctx: Context, target: _SignedChannel, data: DemandInput) -> UUID:
    """Store the request with all its messages, unless it is stored already; return its id."""
    demand = await _BY_REFERENCE.row(
        ctx.db,
        environment=target.environment.value,
        issuer_tax_id=ctx.account.tax_id,
        reference=data.reference,
    )
    if demand is None:
        return await _store_messages(ctx, target, data)
    if (demand.since, demand.until) != (data.since, data.until):
        raise Invalid.field("reference", SignedModeMsg.REQUEST_OF_OTHER_DAYS, since=demand.since, until=demand.until)
    return demand.id


async def _store_messages(ctx: Context, target: _SignedChannel, data: DemandInput) -> UUID:
    demand_id = new_id()
    values = Values(
        RecordsRequestRow,
        id=demand_id,
        channel=target.channel.id,
        environment=target.environment.value,
        issuer_tax_id=ctx.account.tax_id or "",
        reference=data.reference,
        since=data.since,
        until=data.until,
    )
    await ctx.db.execute(insert(fiscal_demand), values)
    ordinal, pending_batch = 0, None  # a batch is stored once it is certain whether it is the last one
    async for batch in _batches(ctx, target, data):
        if pending_batch is not None:
            ordinal += 1
            await _add(ctx, target, _Message(demand_id, data.reference, ordinal, last=False), pending_batch)
        pending_batch = batch
    if pending_batch is None:
        raise Invalid.field("since", SignedModeMsg.NO_RECORD_IN_PERIOD)
    await _add(ctx, target, _Message(demand_id, data.reference, ordinal + 1, last=True), pending_batch)
    changes = {"since": (None, data.since.isoformat()), "until": (None, data.until.isoformat())}
    await activity.record(ctx, "demand_answered", ("fiscal_demand", demand_id), data.reference, changes)
    return demand_id


@dataclass(frozen=True)
class _Message:
    """Place of a message in the answer to a request; `last` says that no other message follows."""

    demand_id: UUID
    reference: str
    ordinal: int
    last: bool


async def _add(ctx: Context, target: _SignedChannel, message: _Message, batch: Sequence[FiscalRecordRow]) -> None:
    """Store one message with the records of `batch`."""
    newest = batch[-1]
    access = await authority_access(ctx, target.channel, target.environment, newest.issuer_tax_id)
    heading = Heading(
        issuer=Party(name=newest.issuer_name, tax_id=newest.issuer_tax_id, country=newest.country),
        representative=access.representative,
        request=AuthorityRequest(reference=message.reference, last=message.last),
    )
    values = Values(
        RecordsRequestMessageRow,
        id=new_id(),
        demand_id=message.demand_id,
        ordinal=message.ordinal,
        records=DOCUMENT_IDENTITIES.encode(tuple((record.number, record.issue_date) for record in batch)),
        request=target.channel.message(heading, [record.content for record in batch]),
    )
    await ctx.db.execute(insert(fiscal_demand_message), values)


async def _batches(ctx: Context, target: _SignedChannel, data: DemandInput) -> AsyncIterator[Sequence[FiscalRecordRow]]:
    """Yield the issuer's stored records of the period, chain after chain, in batches of one message."""
    zone = ZoneInfo(ctx.account.time_zone)
    parameters = {
        "environment": target.environment.value,
        "issuer_tax_id": ctx.account.tax_id,
        "since": datetime.combine(data.since, time(), zone),
        "until": datetime.combine(data.until + timedelta(days=1), time(), zone),
        "most": target.channel.max_batch,
    }
    installation_id, position = NO_ID, 0
    while batch := await _SIGNED_RECORDS.rows(ctx.db, **parameters, installation_id=installation_id, position=position):
        yield batch
        installation_id, position = batch[-1].installation_id, batch[-1].position


# ---------------------------------------------------------------- sending


async def _send(ctx: Context, target: _SignedChannel, message_id: UUID) -> Receipt:
    """Send one stored message, store the answer, and return it as read."""

    async def read(inner: Context) -> tuple[RecordsRequestMessageRow, Access | None]:
        credentials = (
            await require_authority_access(inner, target.channel, target.environment, ctx.account.tax_id or "")
        ).access
        return await _MESSAGE.one(inner.db, message_id=message_id), credentials

    message, credentials = await ctx.read(read)
    delivery = await target.signs.submit_on_request(
        message.request, target.environment, timeout_seconds=ctx.settings.einvoice_timeout, access=credentials
    )
    receipt = target.channel.read(delivery, DOCUMENT_IDENTITIES.decode(message.records))
    await ctx.transact(lambda inner: _store_answer(inner, message_id, delivery, receipt))
    return receipt


async def _store_answer(ctx: Context, message_id: UUID, delivery: Delivery, receipt: Receipt) -> None:
    values = Values(
        RecordsRequestAnswerRow,
        id=new_id(),
        message_id=message_id,
        http_status=delivery.status,
        body=delivery.body,
        error=delivery.error,
        fault=receipt.fault or _first_error(receipt),
        reference=receipt.reference,
        delivered=_is_accepted(receipt),
    )
    await ctx.db.execute(insert(fiscal_demand_answer), values)


def _is_accepted(receipt: Receipt) -> bool:
    return receipt.fault is None and all(outcome.state not in _OPEN for outcome in receipt.outcomes)


def _first_error(receipt: Receipt) -> str | None:
    """Return code and message of the first error that the authority reports for a record."""
    outcome = next((each for each in receipt.outcomes if each.code or each.message), None)
    return None if outcome is None else " ".join(filter(None, [outcome.code, outcome.message]))


async def _progress(ctx: Context, demand_id: UUID) -> DemandAnswer:
    """Return the messages of the request with their last answers."""
    demand = await _DEMAND.one(ctx.db, demand_id=demand_id)
    messages = [await _message(ctx, row) for row in await _MESSAGES.rows(ctx.db, demand_id=demand_id)]
    return DemandAnswer(
        reference=demand.reference,
        records=sum(message.records for message in messages),
        messages=messages,
        complete=all(message.delivered for message in messages),
    )


class _MessageRecordsRow(Row):
    id: UUID
    ordinal: int
    records: StoredJson[tuple[DocumentIdentity, ...]]


class _AnswerRow(Row):
    delivered: bool
    reference: str | None
    fault: str | None
    error: str | None


async def _message(ctx: Context, row: _MessageRecordsRow) -> DemandMessage:
    latest = await _LATEST_ANSWER.row(ctx.db, message_id=row.id)
    return DemandMessage(
        ordinal=row.ordinal,
        records=len(DOCUMENT_IDENTITIES.decode(row.records)),
        delivered=latest is not None and latest.delivered,
        csv=latest.reference if latest is not None else None,
        problem=(latest.fault or latest.error) if latest is not None else None,
    )


# ---------------------------------------------------------------- statements


class _IdRow(Row):
    id: UUID


_BY_REFERENCE = Prepared(
    select(fiscal_demand).where(
        *(
            fiscal_demand.c[name] == bindparam(name, type_=Text)
            for name in ("environment", "issuer_tax_id", "reference")
        )
    ),
    RecordsRequestRow,
)
_DEMAND = Prepared(
    select(fiscal_demand).where(fiscal_demand.c.id == bindparam("demand_id", type_=Uuid)), RecordsRequestRow
)
_MESSAGE = Prepared(
    select(fiscal_demand_message).where(fiscal_demand_message.c.id == bindparam("message_id", type_=Uuid)),
    RecordsRequestMessageRow,
)
_OF_DEMAND = fiscal_demand_message.c.demand_id == bindparam("demand_id", type_=Uuid)
_MESSAGES = Prepared(
    select(fiscal_demand_message.c.id, fiscal_demand_message.c.ordinal, fiscal_demand_message.c.records)
    .where(_OF_DEMAND)
    .order_by(fiscal_demand_message.c.ordinal),
    _MessageRecordsRow,
)
_ACCEPTED = (
    select(fiscal_demand_answer.c.id)
    .where(fiscal_demand_answer.c.message_id == fiscal_demand_message.c.id, fiscal_demand_answer.c.delivered)
    .exists()
)
_UNACCEPTED = Prepared(
    select(fiscal_demand_message.c.id).where(_OF_DEMAND, ~_ACCEPTED).order_by(fiscal_demand_message.c.ordinal), _IdRow
)
"""Ids of the messages that the authority has not accepted yet, in order."""
_LATEST_ANSWER = Prepared(
    select(*(fiscal_demand_answer.c[name] for name in ("delivered", "reference", "fault", "error")))
    .where(fiscal_demand_answer.c.message_id == bindparam("message_id", type_=Uuid))
    .order_by(fiscal_demand_answer.c.id.desc())
    .limit(1),
    _AnswerRow,
)
_RECORD = fiscal_record.c
_PLACE = _RECORD.installation_id, _RECORD.position
_AFTER = bindparam("installation_id", type_=Uuid), bindparam("position", type_=Integer)
_SIGNED_RECORDS = Prepared(
    select(fiscal_record)
    .join(fiscal_status, fiscal_status.c.record_id == _RECORD.id)
    .where(
        _RECORD.environment == bindparam("environment", type_=Text),
        _RECORD.issuer_tax_id == bindparam("issuer_tax_id", type_=Text),
        _RECORD.generated_at >= bindparam("since", type_=DateTime(timezone=True)),
        _RECORD.generated_at < bindparam("until", type_=DateTime(timezone=True)),
        fiscal_status.c.state == State.SIGNED.value,
        tuple_(*_PLACE) > tuple_(*_AFTER),
    )
    .order_by(*_PLACE)
    .limit(bindparam("most", type_=Integer)),
    FiscalRecordRow,
)
