"""Mail an invoice to its client: a draft is issued first, and what is issued gets its fiscal record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.issuance import numbering
from ledgerkit.core.invoices import lifecycle, mailing, representation, sharing
from ledgerkit.core.invoices.posting import standing
from ledgerkit.core.invoices.rendering import PrintedDocument, printed_invoice
from ledgerkit.core.invoices.schemas import Sent
from ledgerkit.core.mail import address
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, NotFound, Problem, bilingual_field
from ledgerkit.texts import ENGLISH, Wording


@dataclass(frozen=True, kw_only=True)
class _ToSend:
    """An issued invoice and its paper; `was_draft`: it was issued to be sent."""

    row: Any
    paper: PrintedDocument
    was_draft: bool


@dataclass(frozen=True, kw_only=True)
class _Published:
    """The invoice with its public page, which was made for this mail (`is_new`) or before.

    `changed_meanwhile`: somebody has changed the invoice since it was issued to be sent.
    """

    row: Any
    link: str
    is_new: bool
    changed_meanwhile: bool


@operation(Permission.INVOICES_ISSUE, unit=Unit.OWN)
async def send(ctx: Context, invoice_id: str) -> Sent:
    """Mail the invoice with its PDF; a draft is issued first, since the paper carries its number.

    The authority is not waited for. When the mail is refused, what was issued with a fiscal record stays issued, and
    the problem says so and carries the `invoice`: only the mail is to be repeated. Without a record (e-invoicing is
    off) it is a draft again, unless a later number has been given meanwhile or the mail may have left after all.
    Raises Invalid, also EMAIL_MISSING, INVOICE_ANNULLED and what issuing raises; BadGateway MAIL_FAILED or PDF_FAILED.
    """
    ready = await _issued(ctx, invoice_id)
    page = await _published(ctx, ready.row)
    try:
        receipt = await mailing.deliver(ctx, page.row, ready.paper, page.link)
    except Problem as problem:
        if ready.was_draft and not await _taken_back(ctx, page, problem):
            raise _issued_all_the_same(ctx, page.row, problem) from problem
        raise
    return await mailing.note(ctx, page.row, receipt, page.row.client["email"])


async def _issued(ctx: Context, invoice_id: str) -> _ToSend:
    async def attempt() -> _ToSend:
        async with ctx.transaction() as inner:
            row = await lifecycle.fetch_locked(inner, invoice_id)
            _check_addressed(row)
            was_draft = row.status == "draft"
            issued = (await numbering.issue(inner, row)).row if was_draft else row
            return _ToSend(row=issued, paper=await printed_invoice.printed_document(inner, issued), was_draft=was_draft)

    return await retry_on_conflict(attempt)


def _check_addressed(row: Any) -> None:
    """Raises Invalid INVOICE_ANNULLED, EMAIL_MISSING, or for an address that cannot be one."""
    standing.check_in_force(row)
    if not row.client["email"]:
        raise bilingual_field(
            "client.email",
            ("this invoice's client has no e-mail address", "Set it with PUT /api/invoices/{id} {client}."),
            ("el cliente de esta factura no tiene correo", "Indícalo con PUT /api/invoices/{id} {client}."),
            code=Code.EMAIL_MISSING,
        )
    address(row.client["email"], "client.email")


async def _published(ctx: Context, row: Any) -> _Published:
    """Give the invoice a public page if it has none; in a transaction of its own, since both count changes."""

    async def attempt() -> _Published:
        async with ctx.transaction() as inner:
            before = await lifecycle.fetch_locked(inner, str(row.id))
            link = (await sharing.share(inner, str(row.id))).share_url
            now = await lifecycle.fetch_locked(inner, str(row.id))
        return _Published(
            row=now,
            link=link,
            is_new=now.version != before.version,
            changed_meanwhile=before.version != row.version,
        )

    return await retry_on_conflict(attempt)


async def _taken_back(ctx: Context, page: _Published, problem: Problem) -> bool:
    """Whether the invoice is a draft again, or has been deleted while its mail was on the way."""
    if page.row.einvoice is not None or page.changed_meanwhile or _may_have_left(problem):
        return False

    async def attempt() -> bool:
        async with ctx.transaction() as inner:
            return await lifecycle.withdraw(inner, page.row)

    try:
        taken_back = await retry_on_conflict(attempt)
    except NotFound:
        return True
    if taken_back and page.is_new:
        await _unpublished(ctx, page.row)
    return taken_back


async def _unpublished(ctx: Context, row: Any) -> None:
    """Revoke the link that was made for the mail: nobody has it."""

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await sharing.unshare(inner, str(row.id))

    await retry_on_conflict(attempt)


def _may_have_left(problem: Problem) -> bool:
    return problem.extra.get("delivery") == "unknown"


def _issued_all_the_same(ctx: Context, row: Any, problem: Problem) -> Problem:
    """What went wrong with the mail of an invoice that stays issued."""
    plain = Wording(message=problem.detail, remedy=problem.remedy or "")
    told = {language: problem.translations.get(language, plain) for language in _STAYS}
    fate = "unknown" if _may_have_left(problem) else "refused"
    said = {language: _stays(row.number, one, _STAYS[language], fate) for language, one in told.items()}
    return type(problem)(
        said[ENGLISH].message,
        code=problem.code,
        remedy=said[ENGLISH].remedy,
        errors=problem.errors,
        headers=problem.headers,
        translations=said,
        extra={**problem.extra, "invoice": representation.shape(ctx, row, []).model_dump(mode="json", by_alias=True)},
    )


def _stays(number: str, said: Wording, words: Mapping[str, str], fate: str) -> Wording:
    message = f"{said.message} {words['issued'].format(number=number)} {words[fate]}"
    return Wording(message=message, remedy=f"{said.remedy} {words['again']}".strip())


_STAYS = {
    "en": {
        "issued": "{number} is issued and keeps its number.",
        "refused": "Its mail did not leave.",
        "unknown": "Its mail may have left.",
        "again": "Repeat only the mail, with the same call.",
    },
    "es": {
        "issued": "{number} está expedida y conserva su número.",
        "refused": "Su correo no ha salido.",
        "unknown": "Puede que su correo haya salido.",
        "again": "Repite solo el correo, con la misma llamada.",
    },
}
