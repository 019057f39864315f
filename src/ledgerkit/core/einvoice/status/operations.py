"""Fiscal status of an emitted invoice, the history of its records, and its files: XML, PDF, mail."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, and_, any_, bindparam, or_, select

from ledgerkit.core.einvoice import acts
from ledgerkit.core.einvoice import output as einvoice_output
from ledgerkit.core.einvoice.api import EInvoiceStatus, Emailed, EmailInput, HistoryEntry
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.outbox import incidents
from ledgerkit.core.einvoice.table import RecordColumns, fiscal_record
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.einvoice.transmission.table import RUNS, OutcomeRow, PositionRun, fiscal_outcome, fiscal_submission
from ledgerkit.core.platform.database.ids import as_id, missing
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.mail import Attachment, MailKind, address
from ledgerkit.core.platform.mail.api import MailOutcome, WithMessage
from ledgerkit.core.platform.mail.senders import rules
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.mail import delivery
from ledgerkit.core.sales.invoices.mail.delivery import Outgoing
from ledgerkit.core.sales.invoices.pdf import printed_invoice
from ledgerkit.core.sales.invoices.pdf.printed_invoice import PRINTING_ERRORS
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import AddressUnverified, BadGateway, Code, Invalid
from ledgerkit.texts import text


@operation(Permission.EINVOICE_READ, unit=Unit.READING, errors=[(Invalid, {Code.NOT_EMITTED})])
async def status(ctx: Context, record_id: str) -> EInvoiceStatus:
    """Return the fiscal status of an emitted invoice and the history of its records; by its id or a record's."""
    records = await _records(ctx, record_id)
    result = einvoice_output.of_invoice(ctx, records, qr=True)
    entries = await _history(ctx, records)
    return EInvoiceStatus(**result.model_dump(), history=entries, unsent=await incidents.unsent(ctx))


@operation(Permission.EINVOICE_READ, unit=Unit.READING, errors=[(Invalid, {Code.NOT_EMITTED})])
async def xml(ctx: Context, record_id: str, fiscal_id: str, chosen_id: str | None = None) -> tuple[str, bytes]:
    """Return file name and bytes of a record, exactly as sealed: the newest one, or the one with `chosen_id`."""
    records = await _records(ctx, record_id, fiscal_id)
    record = (records[-1] if chosen_id is None else _with_id(records, chosen_id)).record
    return _xml_name(record), record.content


@operation(
    Permission.EINVOICE_READ,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.NOT_EMITTED}), *PRINTING_ERRORS],
    effects=Effect.READ_ONLY,
)
async def download(ctx: Context, record_id: str, fiscal_id: str) -> tuple[str, bytes]:
    """Return file name and PDF of the emitted invoice, with its QR."""

    async def attempt(inner: Context) -> UUID:
        return (await _records(inner, record_id, fiscal_id))[0].record.invoice_id

    return await printed_invoice.pdf(ctx, str(await ctx.transact(attempt)))


@operation(
    Permission.INVOICES_ISSUE,
    unit=Unit.OWN,
    errors=[
        (AddressUnverified, {Code.EMAIL_UNVERIFIED}),
        (Invalid, {Code.NOT_EMITTED, Code.NUMBER_TAKEN}),
        *PRINTING_ERRORS,
        (BadGateway, {Code.MAIL_FAILED}),
    ],
    effects=Effect.OPEN_WORLD,
    act=acts.MAILING_ANYWHERE,
)
async def send_email(ctx: Context, record_id: str, data: EmailInput) -> Emailed:
    """Mail an emitted invoice to any address: its PDF with the QR, and the XML of its record.

    Takes the invoice's id or that of a record. Beyond the account's mails of a day it is queued for the next one.
    Raises NotFound, AddressUnverified, Invalid NOT_EMITTED or NUMBER_TAKEN, BadGateway MAIL_FAILED or PDF_FAILED.
    """
    await rules.require_verified(ctx)
    to = address(data.email, "email")
    mail = await ctx.transact(lambda inner: _outgoing(inner, record_id, to, data))
    sent = await delivery.answer(ctx, mail, await delivery.deliver(ctx, mail))
    outcome = sent.model_dump(include=set(MailOutcome.model_fields))
    return Emailed(**outcome, warnings=mailing_warnings(ctx, mail.row))


def mailing_warnings(ctx: Context, row: InvoiceRow) -> list[str]:
    """Return a warning about mailing an invoice that the authority has rejected; none about any other."""
    if row.fiscal_standing != Standing.REFUSED:
        return []
    return [text(EInvoiceMsg.REJECTED_IS_MAILED, number=row.number).in_language(ctx.request_metadata.language)]


async def _outgoing(ctx: Context, record_id: str, to: str, written: WithMessage) -> Outgoing:
    """Return the mail of an emitted invoice with its record in force.

    Raises NotFound, Invalid NOT_EMITTED, Invalid NUMBER_TAKEN when somebody else's document has its number.
    """
    records = await _records(ctx, record_id)
    if history.number_taken(records) is not None:
        raise Invalid(EInvoiceMsg.NUMBER_TAKEN, code=Code.NUMBER_TAKEN)
    record = history.current(records).record
    link = None
    if not ctx.settings.is_loopback:
        link = (await public_links.share(ctx, str(record.invoice_id))).share_url
    row = await lifecycle.fetch(ctx, str(record.invoice_id))
    return Outgoing(
        row=row,
        document=await printed_invoice.printed_document(ctx, row),
        to=to,
        link=link,
        kind=MailKind.EINVOICE,
        further=[Attachment(_xml_name(record), record.media_type, record.content)],
        subject=written.subject,
        message=written.message,
    )


def _xml_name(record: RecordColumns) -> str:
    name = "".join(c if c.isalnum() else "-" for c in record.number)
    return f"{name}-annulment.xml" if record.kind == "annul" else f"{name}.xml"


async def _records(ctx: Context, id_text: str, fiscal_id: str | None = None) -> Sequence[RecordWithStatus]:
    """Return all records of an invoice, oldest first, by the id of the invoice or of one of its records.

    Raises NotFound, Invalid NOT_EMITTED, or Invalid for another `fiscal_id` than that of the records.
    """
    invoice_or_record_id = as_id(id_text, "invoice")
    of_invoice = await _INVOICE_ID.row(ctx.db, invoice_or_record_id=invoice_or_record_id)
    if of_invoice is None:
        await lifecycle.fetch(ctx, str(invoice_or_record_id))
        raise Invalid(EInvoiceMsg.NOT_EMITTED, code=Code.NOT_EMITTED)
    records = await history.of_invoice(ctx, of_invoice.invoice_id, fiscal_id)
    issued_under = records[0].record.fiscal_id
    if fiscal_id is not None and fiscal_id != issued_under:
        raise Invalid.field("fiscalId", EInvoiceMsg.OTHER_FISCAL_ID, issued_under=issued_under)
    return records


class _InvoiceIdRow(Row):
    invoice_id: UUID


_GIVEN_ID = bindparam("invoice_or_record_id", type_=Uuid)
_INVOICE_ID = Prepared(
    select(fiscal_record.c.invoice_id)
    .where(or_(fiscal_record.c.invoice_id == _GIVEN_ID, fiscal_record.c.id == _GIVEN_ID))
    .limit(1),
    _InvoiceIdRow,
)


def _with_id(records: Sequence[RecordWithStatus], record_id: str) -> RecordWithStatus:
    """Return the record with this id. Raises NotFound for a record that is not the invoice's."""
    chosen = next((each for each in records if str(each.record.id) == record_id), None)
    if chosen is None:
        raise missing("record", record_id)
    return chosen


# ---------------------------------------------------------------- history


async def _history(ctx: Context, records: Sequence[RecordWithStatus]) -> list[HistoryEntry]:
    """Return the details, sendings and answers of each record, by time; the oldest record first."""
    submitted_at, outcomes = await _submission_times(ctx, records), await _outcomes(ctx, records)
    entries: list[HistoryEntry] = []
    for record in (each.record for each in records):
        of_record = [_entry(record, record.generated_at, "sealed")]
        of_record += [_entry(record, at, "sent") for at in submitted_at.get(record.id, ())]
        of_record += [_entry(record, row.created_at, "answered", row) for row in outcomes.get(record.id, ())]
        entries += sorted(of_record, key=lambda entry: entry.at)
    return entries


class _SubmittedRow(Row):
    id: UUID
    position: int
    created_at: datetime
    runs: StoredJson[tuple[PositionRun, ...]]


async def _submission_times(ctx: Context, records: Sequence[RecordWithStatus]) -> dict[UUID, list[datetime]]:
    """Return the times at which each record was sent, by its id. A message holds runs of positions in the chain."""
    times: dict[UUID, list[datetime]] = {}
    for row in await _SUBMITTED.rows(ctx.db, record_ids=[each.record.id for each in records]):
        if any(first <= row.position <= last for first, last in RUNS.decode(row.runs)):
            times.setdefault(row.id, []).append(row.created_at)
    return times


async def _outcomes(ctx: Context, records: Sequence[RecordWithStatus]) -> dict[UUID, list[OutcomeRow]]:
    """Return the authority's answers to each record, by its id."""
    outcomes: dict[UUID, list[OutcomeRow]] = {}
    for row in await _OUTCOMES.rows(ctx.db, record_ids=[each.record.id for each in records]):
        outcomes.setdefault(row.record_id, []).append(row)
    return outcomes


_RECORD_IDS = bindparam("record_ids", type_=ARRAY(Uuid))
_IN_MESSAGE = and_(
    fiscal_submission.c.installation_id == fiscal_record.c.installation_id,
    fiscal_record.c.position.between(fiscal_submission.c.first_position, fiscal_submission.c.last_position),
)
_SUBMITTED = Prepared(
    select(fiscal_record.c.id, fiscal_record.c.position, fiscal_submission.c.created_at, fiscal_submission.c.runs)
    .join(fiscal_submission, _IN_MESSAGE)
    .where(fiscal_record.c.id == any_(_RECORD_IDS)),
    _SubmittedRow,
)
_OUTCOMES = Prepared(select(fiscal_outcome).where(fiscal_outcome.c.record_id == any_(_RECORD_IDS)), OutcomeRow)


def _entry(
    record: RecordColumns,
    at: datetime,
    event: Literal["sealed", "sent", "answered"],
    outcome: OutcomeRow | None = None,
) -> HistoryEntry:
    return HistoryEntry(
        at=at,
        event=event,
        record=str(record.id),
        kind=record.kind,
        flags=record.flags or {},
        reason=record.reason,
        status=None if outcome is None else outcome.state,
        code=None if outcome is None else outcome.code,
        message=None if outcome is None else outcome.message,
    )
