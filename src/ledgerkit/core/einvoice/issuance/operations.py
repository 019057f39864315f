"""Record the payment of an invoice, or mail it; a draft is issued and sealed first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import structlog

from ledgerkit.core.einvoice import acts
from ledgerkit.core.einvoice.api import EmailInput
from ledgerkit.core.einvoice.issuance import numbers, taken_number
from ledgerkit.core.einvoice.issuance.numbers import NUMBERING_ERRORS
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.einvoice.status import operations as status
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.mail import MailKind, address
from ledgerkit.core.platform.mail.api import WithMessage
from ledgerkit.core.platform.mail.senders import rules
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.api import Invoice, Payment, SendInput, Sent
from ledgerkit.core.sales.invoices.changes import rules as change_rules
from ledgerkit.core.sales.invoices.dates import warnings as date_warnings
from ledgerkit.core.sales.invoices.dates.issue_and_due import dates_of
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT
from ledgerkit.core.sales.invoices.mail import delivery
from ledgerkit.core.sales.invoices.mail.delivery import Outgoing
from ledgerkit.core.sales.invoices.payments import operations as payments
from ledgerkit.core.sales.invoices.pdf import PrintedDocument, printed_invoice
from ledgerkit.core.sales.invoices.pdf.printed_invoice import PRINTING_ERRORS
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import AddressUnverified, BadGateway, Code, Invalid, NotFound, Problem
from ledgerkit.texts import Joined, ProblemText, text

log = structlog.get_logger()


@operation(
    Permission.INVOICES_ISSUE,
    errors=[*NUMBERING_ERRORS, (Invalid, {Code.PAYMENT_EXCEEDS_BALANCE})],
    effects=Effect.DESTRUCTIVE,
    act=acts.PAYMENT,
)
async def pay(ctx: Context, invoice_id: str, data: Payment) -> Invoice:
    """Record a payment of `amount` (default: the balance) on `paidAt` (default today); a draft is issued first.

    The invoice is paid when nothing is owed. Paying a paid invoice again without an amount updates the date of its last
    payment. This does not wait for the authority. Raises Invalid PAYMENT_EXCEEDS_BALANCE or INVOICE_ANNULLED, and what
    issuing raises.
    """
    row = await lifecycle.fetch_locked(ctx, invoice_id)
    payment = payments.requested(ctx, row, data)
    if row.status != "draft":
        return await invoice_output.as_invoice(ctx, await payments.record_payment(ctx, row, payment))
    warnings = await date_warnings.of_invoice(ctx, row)
    issued = await numbers.issue(ctx, row, lambda owed: payment.settle(row, owed))
    await payments.insert(ctx, issued.row, issued.row.amount_paid, payment)
    return invoice_output.with_corrections(ctx, issued.row, [], warnings)


@dataclass(frozen=True, kw_only=True)
class _Issued:
    """An issued invoice and its printed document.

    `draft_dates` are the columns of its dates before it was issued in order to be sent; None if it was issued before.
    `warnings` are about these dates, or about an invoice that the authority has rejected.
    """

    row: InvoiceRow
    document: PrintedDocument
    draft_dates: Values[InvoiceRow] | None
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class _Published:
    """An invoice and the link to its public page, which was created for this mail (`is_new`) or before.

    Without a `link`: this server's address opens it on its own machine only, so that no page was created for the mail.
    `changed_meanwhile`: the invoice has been changed since it was issued in order to be sent.
    """

    row: InvoiceRow
    link: str | None
    is_new: bool
    changed_meanwhile: bool


@operation(
    Permission.INVOICES_ISSUE,
    unit=Unit.OWN,
    errors=[
        *NUMBERING_ERRORS,
        (AddressUnverified, {Code.EMAIL_UNVERIFIED}),
        (Invalid, {Code.EMAIL_MISSING, Code.INVOICE_EXTERNAL}),
        *PRINTING_ERRORS,
        (BadGateway, {Code.MAIL_FAILED}),
    ],
    effects=Effect.DESTRUCTIVE | Effect.OPEN_WORLD,
    act=acts.MAILING,
)
async def send_invoice(ctx: Context, invoice_id: str, data: SendInput) -> Sent:
    """Mail the invoice with its PDF and, above the usual words, a message of the sender, under a subject of theirs.

    A draft is issued first, since the PDF shows its number.

    This does not wait for the authority. If the mail is refused, an invoice with a fiscal record stays issued; the
    problem says so and carries the `invoice`, and only the mail has to be repeated. Without a record (e-invoicing is
    off) the invoice becomes a draft again, unless a later number has been given meanwhile or the mail may have been
    sent after all. Without a mail server nothing is mailed and `sentAt` stays null; beyond the account's mails of a day
    the mail is queued for the next one. Raises AddressUnverified before anything is issued; Invalid, also
    EMAIL_MISSING, INVOICE_ANNULLED and what issuing raises; BadGateway MAIL_FAILED or PDF_FAILED.
    """
    await rules.require_verified(ctx)
    issued = await ctx.transact(lambda inner: _issue(inner, invoice_id))
    published = await ctx.transact(lambda inner: _publish(inner, issued.row))
    to = CLIENT.decode(published.row.client).email or ""
    mail = Outgoing(
        row=published.row,
        document=issued.document,
        to=to,
        link=published.link,
        subject=data.subject,
        message=data.message,
    )
    try:
        outcome = await delivery.deliver(ctx, mail)
    except Problem as problem:
        if issued.draft_dates is not None and not await _withdraw(ctx, published, issued.draft_dates, problem):
            raise _with_issued_invoice(ctx, published.row, problem) from problem
        raise
    return await delivery.answer(ctx, mail, outcome, issued.warnings)


async def _issue(ctx: Context, invoice_id: str) -> _Issued:
    """Issue the invoice if it is a draft, and lay out its document."""
    row = await lifecycle.fetch_locked(ctx, invoice_id)
    _check_mailable(row)
    await taken_number.check_invoice(ctx, row)
    if row.status != "draft":
        document = await printed_invoice.printed_document(ctx, row)
        return _Issued(row=row, document=document, draft_dates=None, warnings=status.mailing_warnings(ctx, row))
    warnings = await date_warnings.of_invoice(ctx, row)
    issued = (await numbers.issue(ctx, row)).row
    document = await printed_invoice.printed_document(ctx, issued)
    dates = dates_of(row, ctx.account.today()).date_columns()
    return _Issued(row=issued, document=document, draft_dates=dates, warnings=warnings)


def _check_mailable(row: InvoiceRow) -> None:
    """Raise Invalid INVOICE_EXTERNAL, INVOICE_ANNULLED, EMAIL_MISSING, or for a malformed address."""
    change_rules.check_own(row)
    standing.check_in_force(row)
    email = CLIENT.decode(row.client).email
    if not email:
        raise Invalid.field("client.email", IssuanceMsg.CLIENT_WITHOUT_EMAIL, code=Code.EMAIL_MISSING)
    address(email, "client.email")


async def _publish(ctx: Context, row: InvoiceRow) -> _Published:
    """Create the invoice's public page if it has none and others can open it.

    In another transaction than issuing, since each adds one to the invoice's version.
    """
    before = await lifecycle.fetch_locked(ctx, str(row.id))
    link = None
    if not ctx.settings.is_loopback:
        link = (await public_links.share(ctx, str(row.id))).share_url
    after = await lifecycle.fetch_locked(ctx, str(row.id))
    return _Published(
        row=after,
        link=link,
        is_new=after.version != before.version,
        changed_meanwhile=before.version != row.version,
    )


async def _withdraw(ctx: Context, published: _Published, draft_dates: Values[InvoiceRow], problem: Problem) -> bool:
    """Make the invoice a draft again where that is possible; True also when it was deleted during the mailing."""
    if published.row.einvoice is not None or published.changed_meanwhile or _may_have_left(problem):
        return False
    try:
        withdrawn = await ctx.transact(lambda inner: lifecycle.withdraw(inner, published.row, draft_dates))
    except NotFound:
        return True
    if withdrawn and published.is_new:
        await ctx.transact(lambda inner: public_links.unshare(inner, str(published.row.id)))  # nobody has received it
    return withdrawn


def _may_have_left(problem: Problem) -> bool:
    return problem.extra.get("delivery") == "unknown"


def _with_issued_invoice(ctx: Context, row: InvoiceRow, problem: Problem) -> Problem:
    """Return the mail's problem with the invoice, and with the information that it stays issued."""
    message = IssuanceMsg.ISSUED_MAIL_UNKNOWN if _may_have_left(problem) else IssuanceMsg.ISSUED_MAIL_REFUSED
    first_remedy = [problem.text.remedy] if problem.text.remedy else []
    return type(problem)(
        ProblemText(
            text(message, reason=problem.text.message, number=row.number),
            Joined([*first_remedy, IssuanceMsg.REPEAT_THE_MAIL], " "),
        ),
        code=problem.code,
        errors=problem.errors,
        headers=problem.headers,
        extra={
            **problem.extra,
            "invoice": invoice_output.with_corrections(ctx, row, []).model_dump(mode="json", by_alias=True),
        },
    )


async def mail_put_off(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Mail an invoice whose mail was put off, with the present rights of the person who asked for it.

    It is not mailed if the invoice was deleted or annulled, if there is no address, or if the person has left the
    account meanwhile. If this day's quota is used up too, it is put off again. Raises BadGateway to be tried again,
    unless the mail server may have accepted the mail.
    """
    ctx = await _context_of_mail(kernel, payload)
    if ctx is None:
        log.warning("mail.dropped", invoice=payload["invoiceId"], reason="nobody owns the account")
        return
    try:
        await _send_put_off(ctx, payload)
    except (NotFound, Invalid, AddressUnverified) as problem:
        log.warning("mail.dropped", invoice=payload["invoiceId"], reason=problem.detail)
    except BadGateway as problem:
        if problem.extra.get("delivery") != "unknown":
            raise


async def _context_of_mail(kernel: Kernel, payload: Mapping[str, object]) -> Context | None:
    """Return a context of the system in the account, in the name of whoever asked; None where nobody owns it now."""
    account_id, user_id = UUID(str(payload["accountId"])), payload["userId"]
    if await members.owning_user(kernel, account_id) is None:
        return None
    ctx = await accounts.system_context(kernel, account_id)
    return replace(ctx, who=replace(ctx.actor, user_id=None if user_id is None else UUID(str(user_id))))


async def _send_put_off(ctx: Context, payload: Mapping[str, object]) -> None:
    invoice_id = str(payload["invoiceId"])
    written = {name: str(payload[name]) for name in WithMessage.model_fields if payload.get(name) is not None}
    if payload["kind"] == MailKind.EINVOICE.value:
        await status.send_email(ctx, invoice_id, EmailInput(email=str(payload["to"]), **written))
    else:
        await send_invoice(ctx, invoice_id, SendInput(**written))
