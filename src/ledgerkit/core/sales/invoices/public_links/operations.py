"""Public links: a token that opens one invoice, read-only, until it is revoked."""

import hmac
from uuid import UUID

from sqlalchemy import LargeBinary, bindparam, delete, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.limits.throttle import LINKS, Throttle
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import acts
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.api import Ok, Shared
from ledgerkit.core.sales.invoices.changes import rules as change_rules
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT
from ledgerkit.core.sales.invoices.link_tokens import tokens
from ledgerkit.core.sales.invoices.pdf import PdfPrinter, PrintedDocument, Reader, printed_invoice
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, ShareLinkRow, invoice, share_link
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid, NotFound


@operation(
    Permission.INVOICES_ISSUE, errors=[(Invalid, {Code.INVOICE_EXTERNAL})], effects=Effect.IDEMPOTENT, act=acts.SHARING
)
async def share(ctx: Context, invoice_id: str) -> Shared:
    """Return the invoice's public link; the first call makes it. Raises Invalid INVOICE_EXTERNAL."""
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    change_rules.check_own(row)
    seed = row.share_seed or tokens.new_seed()
    if row.share_seed is None:
        link = {"seed": seed, "account_id": ctx.account.id, "invoice_id": row.id}
        await ctx.db.execute(insert(share_link).values(link))
        await records.change(ctx, invoice, row.id, Values(InvoiceRow, share_seed=seed))
        await counters.add(ctx.db, {CHANGES: 1})
        await activity.record(ctx, "shared", ("invoice", row.id), row.number or CLIENT.decode(row.client).name)
    token = tokens.token(ctx.kernel.secret, ctx.account.id, seed)
    return Shared(share_token=token, share_url=invoice_output.share_url(ctx, token))


@operation(Permission.INVOICES_ISSUE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT, act=acts.END_OF_SHARING)
async def unshare(ctx: Context, invoice_id: str) -> Ok:
    """Revoke the link; from then on it finds nothing. Raises NotFound when there is none."""
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    if row.share_seed is None:
        raise NotFound(InvoicesMsg.NOT_SHARED)
    await ctx.db.execute(delete(share_link).where(share_link.c.seed == row.share_seed))
    await records.change(ctx, invoice, row.id, Values(InvoiceRow, share_seed=None))
    await counters.add(ctx.db, {CHANGES: 1})
    await activity.record(ctx, "unshared", ("invoice", row.id), row.number or CLIENT.decode(row.client).name)
    return Ok()


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.IDEMPOTENT)
async def shared_document(ctx: Context, token: str, *, by_recipient: bool) -> PrintedDocument:
    """Return the invoice behind a public link. Raises NotFound for an unknown, revoked or deleted one.

    `by_recipient`: the reader is not logged in here. The first such opening of an issued invoice is recorded.
    """
    return (await _shared(ctx, token, by_recipient=by_recipient))[1]


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.IDEMPOTENT)
async def shared_pdf(ctx: Context, token: str, *, by_recipient: bool) -> tuple[str, bytes]:
    """Return file name and PDF of what `shared_document` returns. Raises NotFound, RateLimited."""
    visitor, printed = await _shared(ctx, token, by_recipient=by_recipient)
    reader = Reader(visitor.account.id, stranger=True)
    return printed_invoice.file_name(printed), await ctx.kernel.service(PdfPrinter).print(printed, reader)


async def _shared(ctx: Context, token: str, *, by_recipient: bool) -> tuple[Context, PrintedDocument]:
    visitor, invoice_id = await _visitor(ctx, token)

    async def attempt() -> PrintedDocument:
        async with visitor.transaction() as inner:
            row = await records.fetch(inner, invoice, invoice_id, "invoice")
            if by_recipient and row.number is not None and row.viewed_at is None:
                await _note_opening(inner, invoice_id)
            return await printed_invoice.printed_document(inner, row)

    return visitor, await retry_on_conflict(attempt)


async def _note_opening(ctx: Context, invoice_id: str) -> None:
    """Store the moment of the first opening; not for drafts, whose version an open editor compares with."""
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    if row.viewed_at is not None:
        return
    await records.change(ctx, invoice, row.id, Values(InvoiceRow, viewed_at=clock.now()))
    await counters.add(ctx.db, {CHANGES: 1})
    await activity.record(ctx, "opened", ("invoice", row.id), row.number)


async def revoke_all(db: AsyncConnection, account_id: UUID) -> None:
    """End every public link of the transaction's account."""
    await db.execute(delete(share_link).where(share_link.c.account_id == account_id))
    shared = invoice.c.share_seed.is_not(None)
    await db.execute(update(invoice).where(shared).values(share_seed=None, version=invoice.c.version + 1))


async def _visitor(ctx: Context, token: str) -> tuple[Context, str]:
    """Return a context of the link's account with a viewer's rights, and the invoice's id.

    Raises NotFound, RateLimited.
    """
    link = await _link(ctx, token)
    if link is None:
        raise NotFound(InvoicesMsg.LINK_UNKNOWN)
    await ctx.kernel.service(Throttle).spend(LINKS, str(link.invoice_id))
    return await accounts.visitor_context(ctx, link.account_id), str(link.invoice_id)


_BY_TOKEN = Prepared(
    select(share_link).where(
        or_(
            share_link.c.seed == bindparam("seed", type_=LargeBinary),
            share_link.c.earlier_hash == bindparam("earlier", type_=LargeBinary),
        )
    ),
    ShareLinkRow,
)


async def _link(ctx: Context, token: str) -> ShareLinkRow | None:
    """Return the link that this token opens: its seed finds the link, and its proof is then checked."""
    seed = tokens.seed_of(token)
    if seed is None:
        return None
    earlier = tokens.earlier_hash(token)

    async def read() -> ShareLinkRow | None:
        async with ctx.kernel.database.asking() as connection:
            return await _BY_TOKEN.row(connection, seed=seed, earlier=earlier)

    link = await retry_on_conflict(read)
    if link is None or link.earlier_hash == earlier:
        return link
    expected = tokens.token(ctx.kernel.secret, link.account_id, link.seed)
    return link if hmac.compare_digest(token, expected) else None
