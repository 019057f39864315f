"""Public links: a random token that opens one invoice, read-only, until it is revoked."""

import re
import secrets
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core import records, tally
from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import printing, shapes
from ledgerkit.core.invoices.models import CHANGES, invoice, share_link
from ledgerkit.core.invoices.paper import Paper, PdfPrinter
from ledgerkit.core.invoices.schemas import Ok, Shared
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.problems import NotFound, bilingual

TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@operation(Permission.INVOICES_ISSUE)
async def share(ctx: Context, invoice_id: str) -> Shared:
    """The invoice's public link, made on the first call and the same afterwards."""
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    token = row.share_token or secrets.token_urlsafe(TOKEN_BYTES)
    if row.share_token is None:
        link = {"token": token, "account_id": ctx.account.id, "invoice_id": row.id}
        await ctx.db.execute(insert(share_link).values(link))
        await records.change(ctx, invoice, row.id, {"share_token": token})
        await tally.add(ctx.db, {CHANGES: 1})
        await activity.record(ctx, "shared", ("invoice", row.id), row.number or row.client["name"])
    return Shared(share_token=token, share_url=shapes.share_url(ctx, token))


@operation(Permission.INVOICES_ISSUE)
async def unshare(ctx: Context, invoice_id: str) -> Ok:
    """Revoke the link; the next call of it finds nothing. Raises NotFound when there is none."""
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    if row.share_token is None:
        raise bilingual(
            NotFound,
            ("This invoice has no public link.", "Nothing needs to be done."),
            ("Esta factura no tiene enlace público.", "No hay que hacer nada."),
        )
    await ctx.db.execute(delete(share_link).where(share_link.c.token == row.share_token))
    await records.change(ctx, invoice, row.id, {"share_token": None})
    await tally.add(ctx.db, {CHANGES: 1})
    await activity.record(ctx, "unshared", ("invoice", row.id), row.number or row.client["name"])
    return Ok()


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def shared_paper(ctx: Context, token: str) -> Paper:
    """The invoice behind a public link. Raises NotFound for an unknown, revoked or deleted one."""
    visitor, invoice_id = await _visitor(ctx, token)

    async def attempt() -> Paper:
        async with visitor.transaction() as inner:
            row = await records.fetch(inner, invoice, invoice_id, "invoice")
            return await printing.paper(inner, row)

    return await persist(attempt)


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def shared_pdf(ctx: Context, token: str) -> tuple[str, bytes]:
    """File name and PDF of the invoice behind a public link."""
    page = await shared_paper(ctx, token)
    return printing.file_name(page), await ctx.kernel.part(PdfPrinter).print(page)


async def revoke_all(db: AsyncConnection, account_id: UUID) -> None:
    """End every public link of the transaction's account."""
    await db.execute(delete(share_link).where(share_link.c.account_id == account_id))
    shared = invoice.c.share_token.is_not(None)
    await db.execute(update(invoice).where(shared).values(share_token=None, version=invoice.c.version + 1))


async def _visitor(ctx: Context, token: str) -> tuple[Context, str]:
    """A context of the link's account with a viewer's rights, and the invoice's id."""
    query = select(share_link.c.account_id, share_link.c.invoice_id).where(share_link.c.token == token)

    async def ask() -> Any:
        async with ctx.kernel.database.asking() as connection:
            return (await connection.execute(query)).one_or_none()

    found = await persist(ask) if _TOKEN.fullmatch(token) else None
    if found is None:
        raise bilingual(
            NotFound,
            ("This link does not exist or has been revoked.", "Ask the sender for a new link."),
            ("Este enlace no existe o se ha revocado.", "Pide un enlace nuevo a quien te lo envió."),
        )
    return await accounts.visitor_context(ctx, found.account_id), str(found.invoice_id)
