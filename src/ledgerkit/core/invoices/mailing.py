"""Mail an invoice to its client. Its standing changes only once the mail server has accepted it."""

from collections.abc import Sequence
from typing import Any

from ledgerkit.core import records, tally
from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.invoices import lifecycle, printing, shapes, standing
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.paper import Paper, PdfPrinter
from ledgerkit.core.invoices.schemas import Sent
from ledgerkit.core.mail import Attachment, InvoiceNotice, Mail, MailKind, MailReceipt, address, invoice_mail
from ledgerkit.core.mail import service as mails
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.problems import BadGateway, Code, Invalid, NotFound, Problem
from ledgerkit.providers.api import DocumentKind


@operation(Permission.INVOICES_ISSUE, unit=Unit.OWN)
async def send(ctx: Context, invoice_id: str) -> Sent:
    """Mail the invoice with its PDF; a draft is issued first, since the paper carries its number.

    Refused mail leaves everything as it was: a draft that was numbered for this is a draft again, unless a later
    number has been given meanwhile or the mail may have left after all; then it stays issued and the problem says so.
    Raises Invalid, also EMAIL_MISSING and INVOICE_ANNULLED, BadGateway MAIL_FAILED or PDF_FAILED.
    """
    row, was_draft, page = await _issued(ctx, invoice_id)
    try:
        receipt = await _delivered(ctx, row, page)
    except Problem as problem:
        if was_draft:
            raise await _taken_back(ctx, row, problem) from problem
        raise
    return await note(ctx, row, receipt, row.client["email"])


async def _issued(ctx: Context, invoice_id: str) -> tuple[Any, bool, Paper]:
    """The invoice, issued; whether it was a draft until now; and its paper."""

    async def attempt() -> tuple[Any, bool, Paper]:
        async with ctx.transaction() as inner:
            row = await lifecycle.locked(inner, invoice_id)
            standing.check_alive(row)
            if not row.client["email"]:
                raise Invalid.field(
                    "client.email",
                    "this invoice's client has no e-mail address",
                    code=Code.EMAIL_MISSING,
                    remedy="Set it with PUT /api/invoices/{id} {client}.",
                )
            address(row.client["email"], "client.email")
            was_draft = row.status == "draft"
            issued = await lifecycle.issue(inner, row) if was_draft else row
            return issued, was_draft, await printing.paper(inner, issued)

    return await persist(attempt)


async def _delivered(ctx: Context, row: Any, page: Paper) -> MailReceipt:
    pdf = await ctx.kernel.part(PdfPrinter).print(page)
    mail = letter(ctx, row, page, pdf, row.client["email"])
    return await mails.send(ctx, mail, MailKind.INVOICE, ("invoice", row.id))


def letter(ctx: Context, row: Any, page: Paper, pdf: bytes, to: str, *, further: Sequence[Attachment] = ()) -> Mail:
    """The mail that brings an issued invoice to an address, in the language of its paper."""
    return invoice_mail(
        InvoiceNotice(
            to=to,
            language=page.language,
            team_name=page.sender.name,
            client_name=row.client["name"] or "",
            reply_to=ctx.account.email,
            number=row.number,
            is_credit_note=page.kind is DocumentKind.CREDIT_NOTE,
            total=row.total,
            outstanding=shapes.owed(row),
            currency=row.currency,
            due_date=row.due_date,
            iban=row.iban,
            link=None if row.share_token is None else shapes.share_url(ctx, row.share_token),
            pdf=pdf,
            file_name=printing.file_name(page),
            further=further,
        )
    )


async def _taken_back(ctx: Context, row: Any, problem: Problem) -> Problem:
    """The problem to answer with, once the number has been taken back where that is safe."""
    uncertain = problem.extra.get("delivery") == "unknown"

    async def attempt() -> bool:
        async with ctx.transaction() as inner:
            return await lifecycle.withdraw(inner, row)

    try:
        if not uncertain and await persist(attempt):
            return problem
    except NotFound:  # deleted while its mail was on the way
        return problem
    doubt = " and the mail may have left" if uncertain else ""
    answer = BadGateway(
        f"{problem.detail} The invoice was issued as {row.number}{doubt}; it keeps that number.",
        code=problem.code,
        remedy=f"{problem.remedy or 'Try again.'} Send it again with the same call.",
    )
    answer.extra.update(problem.extra)
    return answer


async def note(ctx: Context, row: Any, receipt: MailReceipt, to: str) -> Sent:
    """Write down, in a transaction of its own, that an invoice's mail was accepted."""

    async def attempt() -> Sent:
        async with ctx.transaction() as inner:
            now = await records.change(inner, invoice, row.id, {"sent_at": receipt.accepted_at})
            await tally.add(inner.db, {CHANGES: 1})
            await activity.record(inner, "sent", ("invoice", row.id), row.number, {"sentTo": (None, to)})
            shown = await shapes.as_invoice(inner, now)
        return Sent(sent_to=to, sent_at=receipt.accepted_at, delivered_to=receipt.delivered_to.value, invoice=shown)

    return await persist(attempt)
