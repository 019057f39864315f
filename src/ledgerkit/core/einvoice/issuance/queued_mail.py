"""Mails of invoices that exceeded a day's quota, sent by a job on the next day."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

import structlog

from ledgerkit.core.einvoice.api import EmailInput
from ledgerkit.core.einvoice.issuance import mails
from ledgerkit.core.einvoice.status import operations as status
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.mail import MailKind
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.problems import AddressUnverified, BadGateway, Invalid, NotFound

log = structlog.get_logger()


async def mail_put_off(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Mail an invoice whose mail was put off, with the present rights of the person who asked for it.

    It is not mailed if the invoice was deleted or annulled, if there is no address, or if the person has left the
    account meanwhile. If this day's quota is used up too, it is put off again. Raises BadGateway to be tried again,
    unless the mail server may have accepted the mail.
    """
    ctx = await _context(kernel, payload)
    if ctx is None:
        log.warning("mail.dropped", invoice=payload["invoiceId"], reason="nobody owns the account")
        return
    try:
        await _send(ctx, payload)
    except (NotFound, Invalid, AddressUnverified) as problem:
        log.warning("mail.dropped", invoice=payload["invoiceId"], reason=problem.detail)
    except BadGateway as problem:
        if problem.extra.get("delivery") != "unknown":
            raise


async def _context(kernel: Kernel, payload: Mapping[str, object]) -> Context | None:
    """Return a context of the system in the account, in the name of whoever asked; None where nobody owns it now."""
    account_id, user_id = UUID(str(payload["accountId"])), payload["userId"]
    if await members.owning_user(kernel, account_id) is None:
        return None
    ctx = await accounts.system_context(kernel, account_id)
    return replace(ctx, who=replace(ctx.actor, user_id=None if user_id is None else UUID(str(user_id))))


async def _send(ctx: Context, payload: Mapping[str, object]) -> None:
    invoice_id = str(payload["invoiceId"])
    if payload["kind"] == MailKind.EINVOICE.value:
        await status.send_email(ctx, invoice_id, EmailInput(email=str(payload["to"])))
    else:
        await mails.send_invoice(ctx, invoice_id)
