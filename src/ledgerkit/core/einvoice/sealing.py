"""Number and record in one transaction: the chain's head is locked, then the number is taken, then both are stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.einvoice import chains, ends, events, history, recording, results, wordings
from ledgerkit.core.einvoice.channels import channel_of
from ledgerkit.core.einvoice.history import Found
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.einvoice.papers import access
from ledgerkit.core.einvoice.recording import Sealing
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices import lifecycle, reported
from ledgerkit.core.invoices.standing import Standing
from ledgerkit.core.jobs import service as jobs
from ledgerkit.problems import Code, PaymentRequired, bilingual, bilingual_field
from ledgerkit.providers.api import (
    Document,
    Environment,
    FiscalChannel,
    Installation,
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
    awaited: bool = False,
) -> Any:
    """The record of the locked invoice `row`, numbering it first when it is a draft.

    `settle` is for its issue, see `lifecycle.issue`. `earlier` are its records so far: the new one corrects them.
    `awaited`: the caller sends it after the commit, so that nobody else needs to be called.
    Raises Invalid before anything is numbered: ISSUER_INCOMPLETE, FISCAL_CHECK_FAILED, or an incomplete draft.
    """
    environment = Environment(ctx.settings.einvoice_env.value)
    if not earlier:
        await _check_limit(ctx)
    lifecycle.check_complete(row, await lifecycle.lock_origins(ctx, row))
    row = await lifecycle.with_tax_id(ctx, row)
    draft = await documents.document(ctx, row)
    await _check(ctx, replace(draft, number=lifecycle.placeholder(ctx, row)), channel, environment)
    head = await chains.locked_head(ctx, channel, environment, draft.issuer.tax_id or "")
    here = await place(ctx, head, channel, environment)
    past, sealing = history.past(earlier), Sealing(environment, draft.issuer.name, earlier)
    if row.status != "draft":
        sealed = channel.seal(draft, here, past)
        return await store(ctx, row, head, sealed, replace(sealing, told=digest(draft)), awaited=awaited)
    made: list[Found] = []

    async def finish(ready: Any, number: str) -> lifecycle.Settlement:
        same = draft if ready is row else await documents.document(ctx, ready)
        whole = replace(same, number=number)
        sealed = channel.seal(whole, replace(here, at=_moment(ctx, head)), past)
        told = replace(sealing, told=digest(whole))
        made.append(found := recording.made(ctx, ready, head, sealed, told))
        written = recording.beside(ctx, head, found)
        return lifecycle.Settlement(_stamped(ctx, found, told), _logged(found, told), written)

    await lifecycle.issue(ctx, row, settle, finish)
    await _passed_on(ctx, head, made[0], woken=True, awaited=awaited)
    return made[0].record


def digest(whole: Document) -> str:
    """What a document tells, as a fingerprint: equal while nothing in it changes."""
    return sha256(repr(whole).encode()).hexdigest()


async def place(ctx: Context, head: Any, channel: FiscalChannel, environment: Environment) -> Place:
    """The next place in the chain whose locked head this is."""
    around = await ends.look(ctx, head, channel, environment)
    await chains.alarm(ctx, head, around.anomaly)
    signer = await events.signer(ctx, head)
    if signer is not None and around.anomaly is not None:
        await events.flawed(ctx, head, around.anomaly)
    installation = Installation(number=head.id.hex, several_issuers=around.several_issuers, signer=signer)
    return Place(
        previous=ends.previous(head), installation=installation, at=_moment(ctx, head), environment=environment
    )


def _moment(ctx: Context, head: Any) -> datetime:
    """Now at the issuer's place, never before the chain's last record, whatever the clock does."""
    moment = clock.local_now(ctx.account.time_zone)
    return moment if head.last_generated_at is None else max(moment, head.last_generated_at.astimezone(moment.tzinfo))


async def store(
    ctx: Context, issued: Any, head: Any, sealed: SealedRecord, sealing: Sealing, *, awaited: bool = False
) -> Any:
    """Record, status, head, the issued invoice's stamp and the sender's wake-up: all or nothing."""
    made = recording.made(ctx, issued, head, sealed, sealing)
    await recording.write(ctx, head, made)
    kept = made.status.state == State.KEPT
    stamp = reported.restamp if sealing.earlier and kept else lifecycle.stamp
    await stamp(ctx, issued.id, results.stamp(ctx, made.record, made.status), _stands(made, sealing))
    await activity.record_all(ctx, ("invoice", issued.id), made.record.number, _logged(made, sealing))
    await _passed_on(ctx, head, made, woken=False, awaited=awaited)
    return made.record


async def _passed_on(ctx: Context, head: Any, made: Found, *, woken: bool, awaited: bool) -> None:
    """To the sender, whose row is locked last; `woken`: that was done when the record was written."""
    kept = made.status.state == State.KEPT
    if kept or not woken:
        await recording.woken(ctx, head, made)
    if not kept and not awaited:
        target = {"accountId": str(ctx.account.id), "installationId": str(head.id)}
        await jobs.enqueue(ctx, TRANSMIT, target, dedupe_key=str(head.id))  # which only wakes the sender up


def _stands(made: Found, sealing: Sealing) -> Standing:
    return history.standing(history.past([*sealing.earlier, made]))


def _stamped(ctx: Context, made: Found, sealing: Sealing) -> Mapping[str, Any]:
    return lifecycle.stamped(results.stamp(ctx, made.record, made.status), _stands(made, sealing))


def _logged(made: Found, sealing: Sealing) -> Mapping[str, activity.Changes]:
    """`emitted`, `corrected` or `annulment_requested`, with its reason and the record that it follows.

    What is kept instead of being reported is `annulled` at once: nobody is asked.
    """
    action = "corrected" if sealing.earlier else "emitted"
    if made.record.kind == "annul":
        action = "annulled" if made.status.state == State.KEPT else "annulment_requested"
    said = {"reason": sealing.reason, "corrects": None if sealing.corrects is None else str(sealing.corrects)}
    return {action: activity.changed({}, {name: value for name, value in said.items() if value is not None})}


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
        raise bilingual(
            PaymentRequired,
            (
                f"This server allows {limit} electronic invoices a month.",
                "Wait for the next month, or ask the operator for more (LEDGERKIT_EINVOICE_LIMIT).",
            ),
            (
                f"Este servidor permite {limit} facturas electrónicas al mes.",
                "Espera al mes que viene, o pide más al operador (LEDGERKIT_EINVOICE_LIMIT).",
            ),
            balance=0,
            topUpUrl=None,
        )


async def _check(ctx: Context, whole: Document, channel: FiscalChannel, environment: Environment) -> None:
    """Everything that can be refused before a number is taken."""
    if not whole.issuer.tax_id:
        call = "PUT /api/teams/current" if ctx.account.is_team else "POST /api/teams"
        raise bilingual_field(
            "issuer.taxId",
            ("the issuer has no tax identifier yet", f"Set it with {call} {{taxId}}, then emit again."),
            ("el emisor todavía no tiene NIF", f"Indícalo con {call} {{taxId}} y vuelve a emitir."),
            code=Code.ISSUER_INCOMPLETE,
        )
    unready = await access.unready(ctx, channel, environment)
    problems = [*unready, *channel.preflight(whole, ctx.account.today())]
    if problems:
        raise wordings.refused(problems, ready=not unready)
