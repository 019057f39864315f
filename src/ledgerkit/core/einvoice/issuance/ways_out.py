"""Ways out when somebody else's document has an invoice's number: the next number, or a replacement on demand.

With the next number, the old one is not used any more: its record stays in the chain with the reason, and the invoice
counts once, under its new number. A replacement permanently overwrites the authority's document: only the owner may
demand it, and only for the document that was shown.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import func, update

from ledgerkit.core.einvoice import output as einvoice_output
from ledgerkit.core.einvoice.api import EmitInput
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import await_answer, seals
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.einvoice.table import HELD, HeldDocument, RecordColumns, fiscal_status
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.einvoice.transmission import fiscal_messages, number_recovery, unknown_outcomes
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import as_id
from ledgerkit.core.platform.request import clock_watch
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.issuance import authority_answers, order, series
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import BadGateway, Code, Invalid
from ledgerkit.providers.api import FiscalChannel
from ledgerkit.texts import text


def check_request(ctx: Context, data: EmitInput) -> None:
    """Raise Forbidden unless the actor may demand a replacement, Invalid when several ways out are demanded at once."""
    if data.replace:
        ctx.require(Permission.EINVOICE_REPLACE)
    if data.correct + data.renumber + data.replace > 1:
        raise Invalid.field("replace" if data.replace else "renumber", IssuanceMsg.ONE_WAY_OUT)


def not_taken(number: str | None) -> Invalid:
    """Problem of a way out that is demanded for an invoice whose number nobody else has."""
    return Invalid(IssuanceMsg.NUMBER_NOT_TAKEN, code=Code.NOT_CORRECTABLE, number=number or "")


async def look_again(ctx: Context, invoice_id: str, *, must_be_seen: bool) -> None:
    """Ask the authority again which document has an invoice's number, before anything is decided.

    The record may prove to be ours after all. Does nothing if the number is not taken, and in a dry run. Runs outside
    any transaction. With `must_be_seen` it raises BadGateway when the authority does not answer, and Rejected with the
    authority's present document when that is not the one that was shown before.
    """
    if ctx.kernel.dry_run is not None:
        return
    shown_record = await _taken(ctx, invoice_id)
    if shown_record is None:
        return
    unknown = await ctx.read(lambda inner: fiscal_messages.rejected_as_taken(inner, shown_record.record))
    asks = None if unknown is None else unknown.channel.asks
    has_answered = unknown is not None and asks is not None and await unknown_outcomes.ask_again(ctx, unknown, asks)
    if not must_be_seen:
        return
    if not has_answered:
        raise BadGateway(EInvoiceMsg.AUTHORITY_SILENT, code=Code.AUTHORITY_SILENT, failure=IssuanceMsg.NOT_SHOWN)
    seen_record = await _taken(ctx, invoice_id)
    if seen_record is not None and _held(seen_record).fingerprint != _held(shown_record).fingerprint:
        raise await_answer.rejection(einvoice_output.of_invoice(ctx, await _records(ctx, invoice_id)))


async def renumber(
    ctx: Context, row: InvoiceRow, channel: FiscalChannel, records: Sequence[RecordWithStatus]
) -> RecordColumns:
    """Give the locked invoice the next number of its series and seal its record under it; the old number stays unused.

    The date of issue stays if the series allows it; otherwise it becomes today, and the old date the day of operation.
    Raises Invalid NOT_CORRECTABLE when the authority has accepted a record of it, or other documents name it; also what
    `seals.prepare` raises.
    """
    if history.standing(history.as_past_records(records)) is not Standing.REFUSED:
        raise Invalid(IssuanceMsg.HELD_UNDER_ITS_NUMBER, code=Code.NOT_CORRECTABLE, number=row.number)
    await _check_unnamed(ctx, row)
    await clock_watch.check_day(ctx)
    ready = await seals.prepare(ctx, row, channel)
    number_recovery.require_known(ctx, ready.head, ready.channel)
    row = await order.redate(ctx, await series.settled(ctx, ready.row))
    ready = await seals.prepare(ctx, row, channel)
    renumbered = await order.take_next_number(ctx, ready.row)
    assert renumbered.number is not None  # noqa: S101 - it has just been given
    reason = text(IssuanceMsg.BURNT, number=renumbered.number).in_language(ctx.request_metadata.language)
    burnt = [record.record.id for record in records]
    values = {"burnt": reason, "updated_at": func.now(), "version": fiscal_status.c.version + 1}
    await ctx.db.execute(update(fiscal_status).where(fiscal_status.c.record_id.in_(burnt)).values(values))
    changes = {"number": (row.number, renumbered.number), "reason": (None, reason)}
    await activity.record(ctx, "renumbered", ("invoice", row.id), renumbered.number, changes)
    document = replace(ready.document, number=renumbered.number)
    sealed = channel.seal(document, ready.place_now(ctx))
    details = replace(ready.details, document_digest=seals.content_digest(document))
    return await seals.store(ctx, renumbered, ready.head, sealed, details, awaited=True)


async def replace_theirs(
    ctx: Context, row: InvoiceRow, channel: FiscalChannel, records: Sequence[RecordWithStatus]
) -> RecordColumns:
    """Seal a record of the locked invoice that replaces the authority's document under its number.

    Raises Invalid NUMBER_TAKEN when nobody knows what that is; also what `seals.prepare` raises.
    """
    taken_record = history.number_taken(records)
    document = HeldDocument() if taken_record is None else _held(taken_record)
    if document.fingerprint is None:
        raise Invalid(IssuanceMsg.REPLACES_UNSEEN, code=Code.NUMBER_TAKEN, number=row.number)
    lost_values = document.model_dump(mode="json", include={"state", "issue_date", "total", "recipient", "fingerprint"})
    changes = activity.changed(lost_values, dict.fromkeys(lost_values))
    await activity.record(ctx, "replaced", ("invoice", row.id), row.number, changes)
    return await seals.seal(ctx, row, channel, earlier=records, awaited=True, replaces=document.fingerprint)


async def _check_unnamed(ctx: Context, row: InvoiceRow) -> None:
    """Raise Invalid NOT_CORRECTABLE while other documents name this one by its number."""
    try:
        await authority_answers.check_annullable(ctx, row)
    except Invalid as problem:
        raise Invalid(
            IssuanceMsg.NAMED_BY_OTHERS, code=Code.NOT_CORRECTABLE, number=row.number, reason=problem.text.message
        ) from problem


async def _taken(ctx: Context, invoice_id: str) -> RecordWithStatus | None:
    records = await _records(ctx, invoice_id)
    return history.number_taken(records) if records else None


async def _records(ctx: Context, invoice_id: str) -> Sequence[RecordWithStatus]:
    return await ctx.read(lambda inner: history.of_invoice(inner, as_id(invoice_id, "invoice")))


def _held(taken_record: RecordWithStatus) -> HeldDocument:
    return HELD.decode(taken_record.status.held) or HeldDocument()
