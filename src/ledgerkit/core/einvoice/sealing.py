"""Number and record in one transaction: the chain's head is locked, then the number is taken, then both are stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, func, insert, select

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.db import new_id
from ledgerkit.core.einvoice import chains, events, history, pacing, results, wordings
from ledgerkit.core.einvoice.channels import channel_of
from ledgerkit.core.einvoice.history import Found
from ledgerkit.core.einvoice.models import (
    fiscal_installation,
    fiscal_record,
    fiscal_status,
)
from ledgerkit.core.einvoice.papers import access
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices import lifecycle, reported
from ledgerkit.core.jobs import service as jobs
from ledgerkit.core.statements import Prepared
from ledgerkit.problems import Code, Invalid, PaymentRequired
from ledgerkit.providers.api import (
    Document,
    Environment,
    FiscalChannel,
    Installation,
    Mode,
    Place,
    SealedRecord,
    State,
)

TRANSMIT = "transmit"


def active(ctx: Context) -> FiscalChannel | None:
    """`channel_of` for an account that reports by itself what it sells: one with a tax identifier.

    An operator's unfinished configuration does not switch it off: what then cannot be reported is refused.
    """
    return channel_of(ctx) if ctx.account.tax_id else None


async def seal(
    ctx: Context,
    row: Any,
    channel: FiscalChannel,
    settle: Callable[[Decimal], lifecycle.Settlement] | None = None,
    *,
    earlier: Sequence[Found] = (),
) -> Any:
    """The record of the locked invoice `row`, numbering it first when it is a draft.

    `settle` is for its issue, see `lifecycle.issue`. `earlier` are its records so far: the new one corrects them.
    Raises Invalid before anything is numbered: ISSUER_INCOMPLETE, FISCAL_CHECK_FAILED, or an incomplete draft.
    """
    environment = Environment(ctx.settings.einvoice_env.value)
    if not earlier:
        await _check_limit(ctx)
    lifecycle.check_complete(row, await lifecycle.lock_origins(ctx, row))
    row = await lifecycle.with_tax_id(ctx, row)
    draft = await documents.document(ctx, row)
    await _check(ctx, replace(draft, number=lifecycle.placeholder(ctx, row)), channel, environment)
    head = await chains.locked_head(ctx, channel, environment, documents.issuer(ctx, row).tax_id or "")
    issued = await lifecycle.issue(ctx, row, settle) if row.status == "draft" else row
    whole = await documents.document(ctx, issued)
    sealed = channel.seal(whole, await place(ctx, head, channel, environment), history.past(earlier))
    return await store(ctx, issued, head, sealed, Sealing(environment, earlier, told=digest(whole)))


def digest(whole: Document) -> str:
    """What a document tells, as a fingerprint: equal while nothing in it changes."""
    return sha256(repr(whole).encode()).hexdigest()


async def place(ctx: Context, head: Any, channel: FiscalChannel, environment: Environment) -> Place:
    """The next place in the chain whose locked head this is."""
    around = await chains.look_around(ctx, head, channel, environment)
    await chains.alarm(ctx, head, around.anomaly)
    signer = await events.signer(ctx, head)
    installation = Installation(number=head.id.hex, several_issuers=around.several_issuers, signer=signer)
    return Place(
        previous=chains.previous(head), installation=installation, at=_moment(ctx, head), environment=environment
    )


def _moment(ctx: Context, head: Any) -> datetime:
    """Now at the issuer's place, never before the chain's last record, whatever the clock does."""
    moment = clock.local_now(ctx.account.time_zone)
    return moment if head.last_generated_at is None else max(moment, head.last_generated_at.astimezone(moment.tzinfo))


@dataclass(frozen=True)
class Sealing:
    """What is stored beside a sealed record: the invoice's earlier records, a digest of what it tells, and a reason."""

    environment: Environment
    earlier: Sequence[Found] = ()
    told: str | None = None
    reason: str | None = None

    @property
    def corrects(self) -> UUID | None:
        found: UUID | None = history.current(self.earlier).record.id if self.earlier else None
        return found


async def store(ctx: Context, issued: Any, head: Any, sealed: SealedRecord, sealing: Sealing) -> Any:
    """Record, status, head, the invoice's stamp and the sender's wake-up: all or nothing."""
    record_id, position = new_id(), head.position + 1
    values = {
        "id": record_id,
        "installation_id": head.id,
        "position": position,
        "previous_id": head.last_record_id,
        "kind": sealed.kind,
        "invoice_id": issued.id,
        "country": sealing.earlier[0].record.country if sealing.earlier else ctx.account.country,
        "channel": sealed.channel,
        "channel_version": sealed.channel_version,
        "environment": sealing.environment.value,
        "fiscal_id": sealed.fiscal_id,
        "issuer_tax_id": sealed.issuer_tax_id,
        "number": sealed.number,
        "issue_date": sealed.issue_date,
        "content": sealed.content,
        "media_type": sealed.media_type,
        "fingerprint": sealed.fingerprint,
        "qr_url": sealed.qr_url,
        "generated_at": sealed.generated_at,
        "digest": chains.digest(head.last_digest, sealed.content),
        "issuer_name": documents.issuer(ctx, issued).name,
        "operated_on": issued.operation_date or sealed.issue_date,
        "corrects_id": sealing.corrects,
        "reason": sealing.reason,
        "told": sealing.told,
        "flags": dict(sealed.flags) or None,
    }
    record = await records.add(ctx, fiscal_record, values)
    state = State.KEPT if events.mode_of(ctx, head) is Mode.KEEPING else State.PENDING
    status = {"record_id": record_id, "installation_id": head.id, "position": position, "state": state.value}
    stored = await _STATUS.one(ctx.db, **status)
    await _advance(ctx, head, sealed, values)
    stands = history.standing(history.past([*sealing.earlier, Found(record, stored)]))
    stamped = reported.restamp if sealing.earlier and state is State.KEPT else lifecycle.stamp
    await stamped(ctx, issued.id, results.stamp(ctx, record, stored), stands)
    await _log(ctx, record, sealing, state)
    place = {"position": position, "database_identity": head.database_identity}
    if state is State.KEPT:
        await pacing.passed(ctx, head.id, place)
        return record
    await pacing.wake(ctx, head.id, sealed.generated_at, _whole_message(ctx), place)
    target = {"accountId": str(ctx.account.id), "installationId": str(head.id)}
    await jobs.enqueue(ctx, TRANSMIT, target, dedupe_key=str(head.id))  # which only wakes the sender up
    return record


_STATUS = Prepared(
    insert(fiscal_status)
    .values(
        {
            name: bindparam(name, type_=fiscal_status.c[name].type)
            for name in ("record_id", "installation_id", "position", "state")
        }
    )
    .returning(*fiscal_status.c)
)


async def _log(ctx: Context, record: Any, sealing: Sealing, state: State) -> None:
    """`emitted`, `corrected` or `annulment_requested`, with its reason and the record that it follows.

    What is kept instead of being reported is `annulled` at once: nobody is asked.
    """
    action = "corrected" if sealing.earlier else "emitted"
    if record.kind == "annul":
        action = "annulled" if state is State.KEPT else "annulment_requested"
    said = {"reason": sealing.reason, "corrects": None if sealing.corrects is None else str(sealing.corrects)}
    changes = activity.changed({}, {name: value for name, value in said.items() if value is not None})
    await activity.record(ctx, action, ("invoice", record.invoice_id), record.number, changes)


async def _advance(ctx: Context, head: Any, sealed: SealedRecord, values: dict[str, Any]) -> None:
    last = {
        "position": values["position"],
        "last_record_id": values["id"],
        "last_number": sealed.number,
        "last_issue_date": sealed.issue_date,
        "last_fingerprint": sealed.fingerprint,
        "last_generated_at": sealed.generated_at,
        "last_digest": values["digest"],
    }
    await records.change(ctx, fiscal_installation, head.id, last)


def _whole_message(ctx: Context) -> int:
    """As many records as one message takes."""
    channel = channel_of(ctx)
    return channel.max_batch if channel else 1


async def _check_limit(ctx: Context) -> None:
    limit = ctx.settings.einvoice_limit
    if limit < 0:
        return
    month = func.date_trunc("month", func.now())
    query = (
        select(func.count())
        .select_from(fiscal_record)
        .where(fiscal_record.c.created_at >= month, fiscal_record.c.corrects_id.is_(None))
    )
    if (await ctx.db.execute(query)).scalar_one() >= limit:
        raise PaymentRequired(
            f"This server allows {limit} electronic invoices a month.",
            remedy="Wait for the next month, or ask the operator for more (LEDGERKIT_EINVOICE_LIMIT).",
            balance=0,
            topUpUrl=None,
        )


async def _check(ctx: Context, whole: Document, channel: FiscalChannel, environment: Environment) -> None:
    """Everything that can be refused before a number is taken."""
    if not whole.issuer.tax_id:
        call = "PUT /api/teams/current" if ctx.account.is_team else "POST /api/teams"
        raise Invalid.field(
            "issuer.taxId",
            "the issuer has no tax identifier yet",
            code=Code.ISSUER_INCOMPLETE,
            remedy=f"Set it with {call} {{taxId}}, then emit again.",
        )
    unready = await access.unready(ctx, channel, environment)
    problems = [*unready, *channel.preflight(whole, ctx.account.today())]
    if problems:
        raise wordings.refused(problems, ready=not unready)
