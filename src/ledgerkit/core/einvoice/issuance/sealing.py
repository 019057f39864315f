"""Records, sealed at the end of their issuer's chain: what comes before the seal, and what is stored after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.einvoice import rejection_texts, results
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import append, heads, history, links
from ledgerkit.core.einvoice.chain.append import RecordDetails
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import authority_answers, lifecycle
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.jobs import service as jobs
from ledgerkit.core.request.context import Context
from ledgerkit.problems import PaymentRequired, bilingual
from ledgerkit.providers.api import (
    Document,
    Environment,
    FiscalChannel,
    Installation,
    Place,
    SealedRecord,
    State,
    TaxLine,
)

TRANSMIT = "transmit"


@dataclass(frozen=True, kw_only=True)
class Ready:
    """A checked document, a draft or an issued one, and its place at the end of the chain whose head is locked."""

    row: Any
    document: Document
    channel: FiscalChannel
    head: Any
    place: Place
    sealing: RecordDetails

    def at_once(self, ctx: Context) -> Place:
        """The place, at this very moment."""
        return replace(self.place, at=_moment(ctx, self.head))


async def seal(
    ctx: Context, row: Any, channel: FiscalChannel, *, earlier: Sequence[RecordWithStatus] = (), awaited: bool = False
) -> Any:
    """The record of the locked invoice `row`, which has its number already.

    `earlier` are its records so far: the new one corrects them; without any it is a late one. `awaited`: the caller
    sends it after the commit, so that nobody else needs to be called. Raises as `prepare`.
    """
    ready = await prepare(ctx, row, channel, earlier=earlier)
    sealed = channel.seal(ready.document, ready.place, history.as_past_records(earlier))
    sealing = replace(ready.sealing, document_digest=digest(ready.document))
    return await store(ctx, ready.row, ready.head, sealed, sealing, awaited=awaited)


async def prepare(ctx: Context, row: Any, channel: FiscalChannel, *, earlier: Sequence[RecordWithStatus] = ()) -> Ready:
    """Everything that comes before the seal: all checks, then the lock on the chain.

    Raises Invalid FISCAL_CHECK_FAILED or what an incomplete draft lacks, PaymentRequired EINVOICE_LIMIT.
    """
    environment = Environment(ctx.settings.einvoice_env.value)
    if not earlier:
        await _check_limit(ctx)
    lifecycle.check_complete(row, await lifecycle.lock_origins(ctx, row))
    row = await lifecycle.with_tax_id(ctx, row)
    document = await documents.document(ctx, row)
    await _check(ctx, replace(document, number=lifecycle.placeholder(ctx, row)), channel, environment)
    head = await heads.lock_open_head(ctx, channel, environment, document.issuer.tax_id or "")
    if head.last_record_id is None:
        await accounts.note_records(ctx, environment.value)
    return Ready(
        row=row,
        document=document,
        channel=channel,
        head=head,
        place=await place(ctx, head, channel, environment),
        sealing=RecordDetails(environment, document.issuer.name, earlier),
    )


def digest(whole: Document) -> str:
    """What a document tells, as a fingerprint: equal while nothing in it changes."""
    return sha256((repr(whole) + _added(whole)).encode()).hexdigest()


def _added(whole: Document) -> str:
    """What `repr` leaves out, each with its place; empty where nothing of it is said, as in earlier versions."""
    # A document sealed by an earlier version that says some of it (migration 0024, placeOfSupply) may be corrected once
    # without need: of its digest nobody can tell whether that was said when it was sealed or since.
    parts: list[Document | TaxLine] = [whole, *whole.taxes]
    said = [
        (place, one.name, getattr(part, one.name))
        for place, part in enumerate(parts)
        for one in fields(part)
        if not one.repr and getattr(part, one.name) is not None
    ]
    return repr(said) if said else ""


async def place(ctx: Context, head: Any, channel: FiscalChannel, environment: Environment) -> Place:
    """The next place in the chain whose locked head this is."""
    around = await links.check_end(ctx, head, channel, environment)
    await heads.raise_alarm(ctx, head, around.anomaly)
    signer = await events.signer(ctx, head)
    if signer is not None and around.anomaly is not None:
        await events.flawed(ctx, head, around.anomaly)
    installation = Installation(number=head.id.hex, several_issuers=around.several_issuers, signer=signer)
    return Place(
        previous=links.previous_link(head), installation=installation, at=_moment(ctx, head), environment=environment
    )


def _moment(ctx: Context, head: Any) -> datetime:
    """Now at the issuer's place, never before the chain's last record, whatever the clock does."""
    moment = clock.local_now(ctx.account.time_zone)
    return moment if head.last_generated_at is None else max(moment, head.last_generated_at.astimezone(moment.tzinfo))


async def store(
    ctx: Context, issued: Any, head: Any, sealed: SealedRecord, sealing: RecordDetails, *, awaited: bool = False
) -> Any:
    """Record, status, head, the issued invoice's stamp and the sender's wake-up: all or nothing."""
    made = append.new_record(ctx, issued, head, sealed, sealing)
    await append.write(ctx, head, made)
    kept = made.status.state == State.KEPT
    stamp = authority_answers.restamp if sealing.earlier and kept else lifecycle.stamp
    records = [*sealing.earlier, made]
    await stamp(ctx, issued.id, results.stamp(ctx, records), history.standing(history.as_past_records(records)))
    await activity.record_all(ctx, ("invoice", issued.id), made.record.number, _logged(made, sealing))
    await pass_on(ctx, head, made, woken=False, awaited=awaited)
    return made.record


async def pass_on(ctx: Context, head: Any, made: RecordWithStatus, *, woken: bool, awaited: bool) -> None:
    """To the sender, whose row is locked last; `woken`: that was done when the record was written."""
    kept = made.status.state == State.KEPT
    if kept or not woken:
        await append.schedule_sending(ctx, head, made)
    if not kept and not awaited:
        target = {"accountId": str(ctx.account.id), "installationId": str(head.id)}
        await jobs.enqueue(ctx, TRANSMIT, target, dedupe_key=str(head.id))  # which only wakes the sender up


def written(ctx: Context, head: Any, made: RecordWithStatus, sealing: RecordDetails) -> lifecycle.Settlement:
    """The record of a document that is being issued, as the statement that gives it its number writes it."""
    columns = lifecycle.stamped(results.stamp(ctx, [made]), history.standing(history.as_past_records([made])))
    return lifecycle.Settlement(columns, _logged(made, sealing), append.extra_writes(ctx, head, made))


def _logged(made: RecordWithStatus, sealing: RecordDetails) -> Mapping[str, activity.Changes]:
    """`emitted`, `corrected` or `annulment_requested`, with its reason and the record that it follows.

    What is kept instead of being reported is `annulled` at once: nobody is asked.
    """
    action = "corrected" if sealing.earlier else "emitted"
    if made.record.kind == "annul":
        action = "annulled" if made.status.state == State.KEPT else "annulment_requested"
    said = {"reason": sealing.reason, "corrects": None if sealing.corrects_id is None else str(sealing.corrects_id)}
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
    unready = await access.reporting_obstacles(ctx, channel, environment, whole.issuer.tax_id or "")
    problems = [*unready, *channel.preflight(whole, ctx.account.today())]
    if problems:
        raise rejection_texts.rejection(problems, ready=not unready)
