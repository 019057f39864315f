"""How an emitted invoice stands, how it came to that, and its records and paper as files."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import and_, or_, select

from ledgerkit.core.database.ids import as_id, missing
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import results
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.einvoice.outbox import incidents
from ledgerkit.core.einvoice.schemas import EInvoiceStatus, Emailed, EmailInput, HistoryEntry
from ledgerkit.core.einvoice.transmission.models import fiscal_outcome, fiscal_submission
from ledgerkit.core.invoices import lifecycle, mailing, sharing
from ledgerkit.core.invoices.rendering import PdfPrinter, PrintedDocument, Reader, printed_invoice
from ledgerkit.core.mail import Attachment, MailKind, address
from ledgerkit.core.mail import service as mails
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_field


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def status(ctx: Context, record_id: str) -> EInvoiceStatus:
    """How an emitted invoice stands, and what happened to all its records. Takes its id or that of a record."""
    records = await _records(ctx, record_id)
    plain = results.of_invoice(ctx, records, qr=True)
    told = await _told(ctx, records)
    return EInvoiceStatus(**plain.model_dump(), history=told, unsent=await incidents.unsent(ctx))


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def xml(ctx: Context, record_id: str, fiscal_id: str, chosen: str | None = None) -> tuple[str, bytes]:
    """File name and a record's bytes, exactly as sealed and sent: the newest, or the one with the id `chosen`."""
    records = await _records(ctx, record_id, fiscal_id)
    found = records[-1] if chosen is None else _chosen(records, chosen)
    return _xml_name(found.record), found.record.content


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def download(ctx: Context, record_id: str, fiscal_id: str) -> tuple[str, bytes]:
    """File name and PDF of the emitted invoice, with its QR."""

    async def attempt() -> UUID:
        async with ctx.transaction() as inner:
            found: UUID = (await _records(inner, record_id, fiscal_id))[0].record.invoice_id
            return found

    return await printed_invoice.pdf(ctx, str(await retry_on_conflict(attempt)))


@operation(Permission.INVOICES_ISSUE, unit=Unit.OWN)
async def send_email(ctx: Context, record_id: str, data: EmailInput) -> Emailed:
    """Mail an emitted invoice to any address: its PDF with the QR, and its record as sent to the authority.

    Takes the invoice's id or that of a record. Raises NotFound, Invalid NOT_EMITTED, BadGateway MAIL_FAILED or
    PDF_FAILED.
    """
    to = address(data.email, "email")

    async def read() -> tuple[Any, Any, PrintedDocument, str]:
        async with ctx.transaction() as inner:
            record = history.current(await _records(inner, record_id)).record
            link = (await sharing.share(inner, str(record.invoice_id))).share_url
            row = await lifecycle.fetch(inner, str(record.invoice_id))
            return record, row, await printed_invoice.printed_document(inner, row), link

    record, row, page, link = await retry_on_conflict(read)
    pdf = await ctx.kernel.service(PdfPrinter).print(page, Reader(ctx.account.id))
    xml_file = Attachment(_xml_name(record), record.media_type, record.content)
    mail = mailing.compose(ctx, row, page, pdf, to, link=link, further=[xml_file])
    receipt = await mails.send(ctx, mail, MailKind.EINVOICE, ("invoice", row.id))
    noted = await mailing.note(ctx, row, receipt, to)
    return Emailed(sent_to=noted.sent_to, sent_at=noted.sent_at, delivered_to=noted.delivered_to)


def _xml_name(record: Any) -> str:
    name = "".join(c if c.isalnum() else "-" for c in record.number)
    return f"{name}-annulment.xml" if record.kind == "annul" else f"{name}.xml"


async def _records(ctx: Context, given: str, fiscal_id: str | None = None) -> Sequence[RecordWithStatus]:
    """All records of an invoice, by its id or by that of one of them, oldest first.

    Raises NotFound, Invalid NOT_EMITTED, or for a fiscalId that is not theirs.
    """
    known = as_id(given, "invoice")
    either = or_(fiscal_record.c.invoice_id == known, fiscal_record.c.id == known)
    query = select(fiscal_record.c.invoice_id).where(either).limit(1)
    invoice_id = (await ctx.db.execute(query)).scalar_one_or_none()
    if invoice_id is None:
        raise await _absence(ctx, known)
    records = await history.of_invoice(ctx, invoice_id)
    own = records[0].record.fiscal_id
    if fiscal_id is not None and fiscal_id != own:
        raise bilingual_field(
            "fiscalId",
            (f"is not the identity of this invoice's records ({own})", f"Ask with fiscalId {own}."),
            (f"no es el de los registros de esta factura ({own})", f"Pídelo con fiscalId {own}."),
        )
    return records


async def _absence(ctx: Context, invoice_id: UUID) -> Invalid:
    await lifecycle.fetch(ctx, str(invoice_id))
    return bilingual(
        Invalid,
        ("This invoice has not been emitted.", "Emit it with POST /api/einvoice/emit."),
        ("Esta factura no se ha emitido.", "Emítela con POST /api/einvoice/emit."),
        code=Code.NOT_EMITTED,
    )


def _chosen(records: Sequence[RecordWithStatus], wanted: str) -> RecordWithStatus:
    found = next((one for one in records if str(one.record.id) == wanted), None)
    if found is None:
        raise missing("record", wanted)
    return found


# ---------------------------------------------------------------- history


async def _told(ctx: Context, records: Sequence[RecordWithStatus]) -> list[HistoryEntry]:
    """Each record sealed, each time sent, each answer: record by record, the oldest first."""
    sent, said = await _sendings(ctx, records), await _answers(ctx, records)
    entries: list[HistoryEntry] = []
    for one in records:
        record = one.record
        own = [_entry(record, record.generated_at, "sealed")]
        own += [_entry(record, at, "sent") for at in sent.get(record.id, ())]
        own += [_entry(record, row.created_at, "answered", row) for row in said.get(record.id, ())]
        entries += sorted(own, key=lambda entry: entry.at)
    return entries


async def _sendings(ctx: Context, records: Sequence[RecordWithStatus]) -> dict[UUID, list[Any]]:
    """When each record was sent: a message holds runs of the chain."""
    holds = and_(
        fiscal_submission.c.installation_id == fiscal_record.c.installation_id,
        fiscal_record.c.position.between(fiscal_submission.c.first_position, fiscal_submission.c.last_position),
    )
    mine = fiscal_record.c.id.in_([one.record.id for one in records])
    columns = (fiscal_record.c.id, fiscal_record.c.position, fiscal_submission.c.created_at, fiscal_submission.c.runs)
    found: dict[UUID, list[Any]] = {}
    for row in await ctx.db.execute(select(*columns).join(fiscal_submission, holds).where(mine)):
        if any(first <= row.position <= last for first, last in row.runs):
            found.setdefault(row.id, []).append(row.created_at)
    return found


async def _answers(ctx: Context, records: Sequence[RecordWithStatus]) -> dict[UUID, list[Any]]:
    query = select(fiscal_outcome).where(fiscal_outcome.c.record_id.in_([one.record.id for one in records]))
    found: dict[UUID, list[Any]] = {}
    for row in await ctx.db.execute(query):
        found.setdefault(row.record_id, []).append(row)
    return found


def _entry(record: Any, at: Any, event: Literal["sealed", "sent", "answered"], row: Any = None) -> HistoryEntry:
    return HistoryEntry(
        at=at,
        event=event,
        record=str(record.id),
        kind=record.kind,
        flags=record.flags or {},
        reason=record.reason,
        status=None if row is None else row.state,
        code=None if row is None else row.code,
        message=None if row is None else row.message,
    )
