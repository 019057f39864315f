"""Emit invoices to the tax authority, and tell how they stand."""

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import or_, select

from ledgerkit.core.context import Context
from ledgerkit.core.db import as_id, persist
from ledgerkit.core.einvoice import incidents, results, sealing, wordings
from ledgerkit.core.einvoice.models import fiscal_outcome, fiscal_record, fiscal_status, fiscal_submission
from ledgerkit.core.einvoice.schemas import (
    EInvoiceResult,
    EInvoiceStatus,
    Emailed,
    EmailInput,
    EmitInput,
    HistoryEntry,
    Providers,
)
from ledgerkit.core.einvoice.transmission import OPEN, Chain, Transmitter
from ledgerkit.core.invoices import lifecycle, mailing, printing
from ledgerkit.core.invoices.paper import Paper, PdfPrinter
from ledgerkit.core.mail import Attachment, MailKind, address
from ledgerkit.core.mail import service as mails
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.problems import ENGLISH, Code, Invalid, Rejected
from ledgerkit.providers.api import FiscalChannel, State

_ASK_AGAIN = 0.1
"""Seconds; while the authority's pause lasts, or another process sends."""


@dataclass(frozen=True)
class _Found:
    """A record and its standing."""

    record: Any
    status: Any


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def providers(ctx: Context) -> Providers:
    """Whether the account's country has electronic invoicing here, and which countries do."""
    countries = ctx.kernel.countries.countries
    return Providers(
        country=ctx.account.country,
        has_e_invoice=ctx.country is not None and bool(ctx.country.channels),
        has_pac=False,
        supported_countries=sorted(code for code, country in countries.items() if country.channels),
        environment=ctx.settings.einvoice_env.value,
        unsent=await incidents.unsent(ctx),
    )


@operation(Permission.EINVOICE_EMIT, unit=Unit.OWN)
async def emit(ctx: Context, data: EmitInput) -> EInvoiceResult:
    """Number, seal and chain the invoice in one transaction, then send it, waiting a few seconds for the answer.

    `pending` or `unknown` when the answer takes longer: sending goes on by itself. Emitted already: its result.
    Raises Invalid before anything is numbered, PaymentRequired, NotFound; Rejected when the authority refuses.
    """

    async def attempt() -> Any:
        async with ctx.transaction() as inner:
            row = await lifecycle.locked(inner, data.invoice_id)
            known = await _latest(inner, row.id)
            return known.record if known else await sealing.seal(inner, row, _channel(ctx))

    record = await persist(attempt)
    found = await _settled(ctx, record)
    answer = results.result(ctx, record, found.status, qr=results.qr_picture(ctx, record))
    if found.status.state == State.REJECTED.value:
        raise _rejected(answer)
    return answer


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def status(ctx: Context, record_id: str) -> EInvoiceStatus:
    """How the record of an invoice stands, and how it came to that. Takes the invoice's id or the result's."""
    found = await _find(ctx, record_id)
    plain = results.result(ctx, found.record, found.status, qr=results.qr_picture(ctx, found.record))
    history = await _history(ctx, found.record)
    return EInvoiceStatus(**plain.model_dump(), history=history, unsent=await incidents.unsent(ctx))


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def xml(ctx: Context, record_id: str, fiscal_id: str) -> tuple[str, bytes]:
    """File name and the record's bytes, exactly as sealed and sent."""
    found = await _find(ctx, record_id, fiscal_id)
    return _xml_name(found.record), found.record.content


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def download(ctx: Context, record_id: str, fiscal_id: str) -> tuple[str, bytes]:
    """File name and PDF of the emitted invoice, with its QR."""

    async def attempt() -> _Found:
        async with ctx.transaction() as inner:
            return await _find(inner, record_id, fiscal_id)

    found = await persist(attempt)
    return await printing.pdf(ctx, str(found.record.invoice_id))


@operation(Permission.INVOICES_ISSUE, unit=Unit.OWN)
async def send_email(ctx: Context, record_id: str, data: EmailInput) -> Emailed:
    """Mail an emitted invoice to any address: its PDF with the QR, and its record as sent to the authority.

    Takes the invoice's id or the result's. Raises NotFound, Invalid NOT_EMITTED, BadGateway MAIL_FAILED or PDF_FAILED.
    """
    to = address(data.email, "email")

    async def read() -> tuple[Any, Any, Paper]:
        async with ctx.transaction() as inner:
            record = (await _find(inner, record_id)).record
            row = await lifecycle.require(inner, str(record.invoice_id))
            return record, row, await printing.paper(inner, row)

    record, row, page = await persist(read)
    pdf = await ctx.kernel.part(PdfPrinter).print(page)
    xml_file = Attachment(_xml_name(record), "application/xml", record.content)
    mail = mailing.letter(ctx, row, page, pdf, to, further=[xml_file])
    receipt = await mails.send(ctx, mail, MailKind.EINVOICE, ("invoice", row.id))
    noted = await mailing.note(ctx, row, receipt, to)
    return Emailed(sent_to=noted.sent_to, sent_at=noted.sent_at, delivered_to=noted.delivered_to)


def _xml_name(record: Any) -> str:
    return "".join(c if c.isalnum() else "-" for c in record.number) + ".xml"


def _channel(ctx: Context) -> FiscalChannel:
    """The account's way to its authority. Raises Invalid EINVOICE_UNSUPPORTED when its country has none here."""
    channel = sealing.channel_of(ctx)
    if channel is None:
        raise Invalid(
            f"There is no electronic invoicing for the country {ctx.account.country} on this server.",
            code=Code.EINVOICE_UNSUPPORTED,
            remedy="GET /api/einvoice/providers lists the countries; install a country's package to add it.",
        )
    return channel


async def _settled(ctx: Context, record: Any) -> _Found:
    """The record once its answer is in, or as it stands when the wait is over.

    Nothing is cancelled when the wait is over: neither the sending, which others may share, nor a statement under
    way, which would cost its connection.
    """
    chain = Chain(ctx.account.id, record.installation_id)
    transmitter = ctx.kernel.part(Transmitter)
    clock = asyncio.get_running_loop().time
    end = clock() + ctx.settings.einvoice_wait
    found = await _standing(ctx, record)
    while found.status.state in OPEN:
        attempt = transmitter.launch(chain)
        await asyncio.wait([attempt], timeout=max(0, end - clock()))
        found = await _standing(ctx, record)
        if clock() >= end or (not _answered(attempt) and not await transmitter.due_within(chain, end - clock())):
            break
        if not _answered(attempt):
            await asyncio.sleep(_ASK_AGAIN)
    return await _standing(ctx, record) if found.status.state in OPEN else found


def _answered(attempt: asyncio.Task[bool]) -> bool:
    """Whether an attempt is over and brought an answer; a failed one has been logged and will be repeated."""
    return attempt.done() and not attempt.cancelled() and attempt.exception() is None and attempt.result()


async def _standing(ctx: Context, record: Any) -> _Found:
    query = select(fiscal_status).where(fiscal_status.c.record_id == record.id)

    async def ask() -> _Found:
        async with ctx.transaction() as inner:
            return _Found(record, (await inner.db.execute(query)).one())

    return await persist(ask)


async def _latest(ctx: Context, invoice_id: UUID) -> _Found | None:
    """The newest record of an invoice."""
    query = select(fiscal_record).where(fiscal_record.c.invoice_id == invoice_id)
    record = (await ctx.db.execute(query.order_by(fiscal_record.c.id.desc()).limit(1))).one_or_none()
    if record is None:
        return None
    standing = select(fiscal_status).where(fiscal_status.c.record_id == record.id)
    return _Found(record, (await ctx.db.execute(standing)).one())


async def _find(ctx: Context, given: str, fiscal_id: str | None = None) -> _Found:
    """By the invoice's id or the record's. Raises NotFound, Invalid NOT_EMITTED or for another fiscalId."""
    known = as_id(given, "invoice")
    either = or_(fiscal_record.c.invoice_id == known, fiscal_record.c.id == known)
    newest = select(fiscal_record.c.invoice_id).where(either).order_by(fiscal_record.c.id.desc()).limit(1)
    invoice_id = (await ctx.db.execute(newest)).scalar_one_or_none()
    if invoice_id is None:
        await _explain_absence(ctx, known)
    found = await _latest(ctx, invoice_id or known)
    assert found is not None  # noqa: S101 - a record was just seen, and records are never removed
    if fiscal_id is not None and fiscal_id != found.record.fiscal_id:
        raise Invalid.field("fiscalId", f"is not the identity of this record ({found.record.fiscal_id})")
    return found


async def _explain_absence(ctx: Context, invoice_id: UUID) -> None:
    await lifecycle.require(ctx, str(invoice_id))
    raise Invalid(
        "This invoice has not been emitted.", code=Code.NOT_EMITTED, remedy="Emit it with POST /api/einvoice/emit."
    )


async def _history(ctx: Context, record: Any) -> list[HistoryEntry]:
    """Sealed, each time sent, each answer: the oldest first."""
    holds = fiscal_submission.c.first_position <= record.position, fiscal_submission.c.last_position >= record.position
    sent = select(fiscal_submission.c.created_at, fiscal_submission.c.runs).where(
        fiscal_submission.c.installation_id == record.installation_id, *holds
    )
    held = [row for row in await ctx.db.execute(sent) if any(a <= record.position <= b for a, b in row.runs)]
    said = select(fiscal_outcome).where(fiscal_outcome.c.record_id == record.id)
    entries = [_entry(record.generated_at, "sealed")]
    entries += [_entry(row.created_at, "sent") for row in held]
    entries += [_entry(row.created_at, "answered", row) for row in await ctx.db.execute(said)]
    return sorted(entries, key=lambda entry: entry.at)


def _entry(at: Any, event: Any, row: Any = None) -> HistoryEntry:
    if row is None:
        return HistoryEntry(at=at, event=event, status=None, code=None, message=None)
    return HistoryEntry(at=at, event=event, status=row.state, code=row.code, message=row.message)


def _rejected(answer: EInvoiceResult) -> Rejected:
    said = wordings.rejected(answer)
    return Rejected(
        said[ENGLISH].message,
        remedy=said[ENGLISH].remedy,
        translations=said,
        result=answer.model_dump(mode="json", by_alias=True),
    )
