"""Emit invoices to the tax authority: for the first time, or to put right what an earlier record told."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from ledgerkit.core.context import Context
from ledgerkit.core.db import as_id, persist
from ledgerkit.core.einvoice import channels, correcting, history, incidents, results, sealing, waiting, wordings
from ledgerkit.core.einvoice.history import Found
from ledgerkit.core.einvoice.papers import access
from ledgerkit.core.einvoice.papers.declarations import obligations
from ledgerkit.core.einvoice.schemas import EInvoiceResult, EmitInput, Providers
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.providers.api import State


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
        certificate=await access.standing(ctx),
        obligations=obligations(channels.channel_of(ctx)),
    )


@operation(Permission.EINVOICE_EMIT, unit=Unit.OWN)
async def emit(ctx: Context, data: EmitInput) -> EInvoiceResult:
    """Number, seal and chain the invoice in one transaction, then send it, waiting a few seconds for the answer.

    `pending` or `unknown` when the answer takes longer: sending goes on by itself. Emitted already: its result; one
    that was rejected, or with `correct` another one too, gets a new record that tells what the invoice says now.
    Raises Invalid before anything is numbered, also NOT_CORRECTABLE, PaymentRequired, NotFound; Rejected when the
    authority refuses.
    """

    async def attempt() -> Any:
        async with ctx.transaction() as inner:
            seen = await history.newest_id(inner, as_id(data.invoice_id, "invoice"))
            row = await lifecycle.locked(inner, data.invoice_id)
            records = await history.of_invoice(inner, row.id)
            return await _record(inner, row, records, seen, correct=data.correct)

    record = await persist(attempt)
    found = await (waiting.settled(ctx, record) if record.kind == "issue" else waiting.now(ctx, record))
    answer = results.result(ctx, record, found.status, qr=results.qr_picture(ctx, record))
    if found.status.state == State.REJECTED and record.kind == "issue":
        raise wordings.rejection(answer)
    return answer


async def _record(ctx: Context, row: Any, records: Sequence[Found], seen: UUID | None, *, correct: bool) -> Any:
    """The record that answers this emission: a new one, or the one that stands.

    `seen` was the newest before the invoice was locked: whoever waited for the lock while another one was made gets
    that one.
    """
    if not records:
        if correct:
            raise correcting.never_emitted(row)
        return await sealing.seal(ctx, row, channels.required(ctx))
    standing = history.current(records)
    if records[-1].record.id != seen or not await correcting.is_due(ctx, row, standing, wanted=correct):
        return standing.record
    return await sealing.seal(ctx, row, correcting.channel_of(ctx, standing), earlier=records)
