"""Emit invoices to the tax authority: for the first time, or to put right what an earlier record told."""

from typing import Any

from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.einvoice import channels, emitting, incidents, results, waiting, wordings
from ledgerkit.core.einvoice.papers import access
from ledgerkit.core.einvoice.papers.declarations import obligations
from ledgerkit.core.einvoice.schemas import EInvoiceResult, EmitInput, Providers
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
            return await emitting.record(inner, data.invoice_id, correct=data.correct)

    record = await persist(attempt)
    found = await (waiting.settled(ctx, record) if record.kind == "issue" else waiting.now(ctx, record))
    answer = results.result(ctx, record, found.status, qr=results.qr_picture(ctx, record))
    if found.status.state == State.REJECTED and record.kind == "issue":
        raise wordings.rejection(answer)
    return answer
