"""Mails of invoices that exceeded a day's quota, sent by a job on the next day."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

import structlog

from ledgerkit import clock
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import status
from ledgerkit.core.einvoice.issuance import mailing as issued_mail
from ledgerkit.core.identity import accounts, members
from ledgerkit.core.invoices import mailing
from ledgerkit.core.invoices.mailing import Outgoing
from ledgerkit.core.jobs.worker import Again
from ledgerkit.core.mail import MailKind, quota
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.problems import BadGateway, Invalid, NotFound

log = structlog.get_logger()


async def mail_put_off(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Mail an invoice whose mail was put off, unless it must not be mailed any more or its account has been left.

    Raises Again for the next day where this day's quota is used up too, BadGateway to be tried again; what the mail
    server may have accepted is not.
    """
    ctx = await _context(kernel, payload)
    mail = None if ctx is None else await _outgoing(ctx, payload)
    if ctx is None or mail is None:
        log.warning("mail.dropped", invoice=payload["invoiceId"])
        return
    await _take_quota(ctx)
    try:
        receipt = await mailing.deliver_now(ctx, mail)
    except BadGateway as problem:
        if problem.extra.get("delivery") == "unknown":
            return  # the log of mails says so
        raise
    await mailing.answer(ctx, mail, receipt)


async def _context(kernel: Kernel, payload: Mapping[str, object]) -> Context | None:
    """Return a context of the system in the account, in the name of whoever asked; None where nobody owns it now."""
    account_id, user_id = UUID(str(payload["accountId"])), payload["userId"]
    if await members.owning_user(kernel, account_id) is None:
        return None
    ctx = await accounts.system_context(kernel, account_id)
    return replace(ctx, who=replace(ctx.actor, user_id=None if user_id is None else UUID(str(user_id))))


async def _outgoing(ctx: Context, payload: Mapping[str, object]) -> Outgoing | None:
    """Return the mail as the invoice is now, None where it is deleted, annulled, or its client has no address now."""
    invoice_id, to, kind = str(payload["invoiceId"]), str(payload["to"]), payload["kind"]
    try:
        if kind == MailKind.EINVOICE.value:
            mail = await status.outgoing(ctx, invoice_id, to)
        else:
            mail = await issued_mail.outgoing(ctx, invoice_id)
    except (NotFound, Invalid) as problem:
        log.warning("mail.impossible", invoice=invoice_id, reason=problem.detail)
        return None
    return replace(mail, key=f"{kind}-{invoice_id}-{to}-{mail.row.version}")


async def _take_quota(ctx: Context) -> None:
    async def attempt() -> None:
        async with ctx.transaction() as inner:
            until = await quota.take(inner)
            if until is not None:
                raise Again(until - clock.now())

    await retry_on_conflict(attempt)
