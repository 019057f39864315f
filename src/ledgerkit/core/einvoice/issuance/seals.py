"""Seal a fiscal record at the end of its issuer's chain: the checks before it, and the storage after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from hashlib import sha256

from sqlalchemy import func, select

from ledgerkit import clock
from ledgerkit.core.einvoice import output as einvoice_output
from ledgerkit.core.einvoice.authority import rejections
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import append, heads, history, links
from ledgerkit.core.einvoice.chain.append import RecordDetails
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import taken_number
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.modes.signed_mode_hooks import required_signed_mode
from ledgerkit.core.einvoice.table import ChainHeadRow, RecordColumns, fiscal_record
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.issuance import authority_answers, lifecycle
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import PaymentRequired
from ledgerkit.providers.api import (
    Document,
    DocumentRef,
    Environment,
    FiscalChannel,
    Installation,
    Mode,
    Place,
    SealedRecord,
    State,
    TaxLine,
)

TRANSMIT = "transmit"


@dataclass(frozen=True, kw_only=True)
class ReadyToSeal:
    """A checked document, a draft or an issued one, and its place at the end of the chain whose head is locked."""

    row: InvoiceRow
    document: Document
    channel: FiscalChannel
    head: ChainHeadRow
    place: Place
    details: RecordDetails

    def place_now(self, ctx: Context) -> Place:
        """Return the place with the present time, which is later than when the checks began."""
        return replace(self.place, at=_generation_time(ctx, self.head))


async def seal(
    ctx: Context,
    row: InvoiceRow,
    channel: FiscalChannel,
    *,
    earlier: Sequence[RecordWithStatus] = (),
    awaited: bool = False,
    replaces: str | None = None,
) -> RecordColumns:
    """Seal and store a record of the locked invoice `row`, which has its number already; return the record.

    The new record corrects the `earlier` ones; without any, the invoice was numbered before it had a record. With
    `awaited` the caller sends the record after the commit, so that no job is queued for it. `replaces`: fingerprint of
    somebody else's record that it replaces. Raises as `prepare`.
    """
    ready = await prepare(ctx, row, channel, earlier=earlier)
    past_records = history.as_past_records(earlier, replacing=replaces is not None)
    sealed = channel.seal(ready.document, ready.place, past_records)
    details = replace(ready.details, document_digest=content_digest(ready.document), replaces=replaces)
    return await store(ctx, ready.row, ready.head, sealed, details, awaited=awaited)


async def prepare(
    ctx: Context, row: InvoiceRow, channel: FiscalChannel, *, earlier: Sequence[RecordWithStatus] = ()
) -> ReadyToSeal:
    """Do everything that precedes the seal: all checks, then the lock on the chain.

    Raises Invalid FISCAL_CHECK_FAILED, NUMBER_TAKEN or what an incomplete draft lacks, PaymentRequired EINVOICE_LIMIT.
    """
    environment = Environment(ctx.settings.einvoice_env.value)
    if not earlier:
        await _check_limit(ctx)
    origins = await lifecycle.lock_origins(ctx, row)
    lifecycle.check_complete(row, origins)
    await taken_number.check_origins(ctx, origins)
    row = await lifecycle.with_tax_id(ctx, row, origins)
    document = await documents.document(ctx, row)
    await _check(ctx, replace(document, number=lifecycle.placeholder(ctx, row)), channel, environment)
    head = await heads.lock_open_head(ctx, channel, environment, document.issuer.tax_id or "")
    if head.last_record_id is None:
        await accounts.note_records(ctx, environment.value)
    return ReadyToSeal(
        row=row,
        document=document,
        channel=channel,
        head=head,
        place=await next_place(ctx, head, channel, environment),
        details=RecordDetails(environment, document.issuer.name, earlier),
    )


def content_digest(document: Document) -> str:
    """Return the SHA-256 (hexadecimal) of a document's whole content, which changes with any part of it."""
    return sha256((repr(document) + _fields_outside_repr(document)).encode()).hexdigest()


def _fields_outside_repr(document: Document) -> str:
    """Return the fields with a value that `repr` leaves out, each with its place; empty if there are none.

    They were added to `Document` by later versions: a document without them keeps the digest it was stored with.
    """
    # A document sealed by an earlier version that has some of them (placeOfSupply) may be corrected
    # once without need: its digest does not show whether the value was there when it was sealed or was added since.
    corrected = () if document.correction is None else document.correction.documents
    parts: list[Document | TaxLine | DocumentRef] = [document, *document.taxes, *corrected, *document.substitutes]
    values = [
        (index, part_field.name, getattr(part, part_field.name))
        for index, part in enumerate(parts)
        for part_field in fields(part)
        if not part_field.repr and getattr(part, part_field.name) is not None
    ]
    return repr(values) if values else ""


async def next_place(ctx: Context, head: ChainHeadRow, channel: FiscalChannel, environment: Environment) -> Place:
    """Return the next place in the chain whose locked head this is, with what signs the record there.

    An error at the chain's end raises the alarm and prevents nothing.
    """
    chain_end = await links.check_end(ctx, head, channel, environment)
    await heads.raise_alarm(ctx, head, chain_end.anomaly)
    signer = None
    if modes.mode_of(ctx, head) is Mode.SIGNING:
        hooks = required_signed_mode(ctx)
        signer = await hooks.signer(ctx, head)
        if chain_end.anomaly is not None:
            await hooks.record_flawed(ctx, head, chain_end.anomaly)
    installation = Installation(number=head.id.hex, several_issuers=chain_end.several_issuers, signer=signer)
    return Place(
        previous=links.previous_link(head),
        installation=installation,
        at=_generation_time(ctx, head),
        environment=environment,
    )


def _generation_time(ctx: Context, head: ChainHeadRow) -> datetime:
    """Return the present time in the issuer's zone; never before the last record, even if the clock was set back."""
    now = clock.local_now(ctx.account.time_zone)
    return now if head.last_generated_at is None else max(now, head.last_generated_at.astimezone(now.tzinfo))


async def store(
    ctx: Context,
    invoice: InvoiceRow,
    head: ChainHeadRow,
    sealed: SealedRecord,
    details: RecordDetails,
    *,
    awaited: bool = False,
) -> RecordColumns:
    """Store the record, its status, the chain's head, the invoice's stamp and the sender's wake-up: all or nothing."""
    sealed_record = append.new_record(ctx, invoice, head, sealed, details)
    await append.write(ctx, head, sealed_record)
    is_final = _is_final(sealed_record)
    stamp = authority_answers.restamp if details.earlier and is_final else lifecycle.stamp
    records = [*details.earlier, sealed_record]
    await stamp(
        ctx, invoice.id, einvoice_output.stamp(ctx, records), history.standing(history.as_past_records(records))
    )
    lines = _activity(sealed_record, details)
    await activity.record_all(ctx, ("invoice", invoice.id), sealed_record.record.number, lines)
    await notify_sender(ctx, head, sealed_record, already_written=False, awaited=awaited)
    return sealed_record.record


async def notify_sender(
    ctx: Context, head: ChainHeadRow, sealed_record: RecordWithStatus, *, already_written: bool, awaited: bool
) -> None:
    """Tell the sender that a record waits; its row is locked last.

    With `already_written` the statement that wrote the record has written the sender's row too.
    """
    is_final = _is_final(sealed_record)
    if is_final or not already_written:
        await append.schedule_sending(ctx, head, sealed_record)
    if not is_final and not awaited:
        target = {"accountId": str(ctx.account.id), "installationId": str(head.id)}
        await jobs.enqueue(ctx, TRANSMIT, target, dedupe_key=str(head.id))  # which only wakes the sender up


def settlement(
    ctx: Context, head: ChainHeadRow, sealed_record: RecordWithStatus, details: RecordDetails
) -> lifecycle.Settlement:
    """Return columns, activity and statements that store the record together with the issued document's number."""
    columns = lifecycle.stamped(
        einvoice_output.stamp(ctx, [sealed_record]), history.standing(history.as_past_records([sealed_record]))
    )
    return lifecycle.Settlement(
        columns, _activity(sealed_record, details), append.extra_writes(ctx, head, sealed_record)
    )


def _is_final(sealed_record: RecordWithStatus) -> bool:
    """Return True for a record that is signed and stored, which no authority has to answer."""
    return bool(sealed_record.status.state == State.SIGNED)


def _activity(sealed_record: RecordWithStatus, details: RecordDetails) -> Mapping[str, activity.Changes]:
    """Return the line of activity, with its reason and the record that it corrects.

    `emitted`, `corrected` or `annulment_requested`; `annulled` at once where records are stored instead of reported.
    """
    action = "corrected" if details.earlier else "emitted"
    if sealed_record.record.kind == "annul":
        action = "annulled" if _is_final(sealed_record) else "annulment_requested"
    values = {"reason": details.reason, "corrects": None if details.corrects_id is None else str(details.corrects_id)}
    return {action: activity.changed({}, {name: value for name, value in values.items() if value is not None})}


async def _check_limit(ctx: Context) -> None:
    """Raise PaymentRequired when the server's monthly limit of electronic invoices is reached."""
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
        raise PaymentRequired(IssuanceMsg.LIMIT_REACHED, extra={"balance": 0, "topUpUrl": None}, limit=limit)


async def _check(ctx: Context, document: Document, channel: FiscalChannel, environment: Environment) -> None:
    """Raise Invalid for everything that can be refused before a number is given."""
    unready = await access.reporting_obstacles(ctx, channel, environment, document.issuer.tax_id or "")
    problems = [*unready, *channel.preflight(document, ctx.account.today())]
    if problems:
        raise rejections.rejection(problems, ready=not unready)
