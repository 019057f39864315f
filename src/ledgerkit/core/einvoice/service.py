"""Emit invoices to the tax authority: for the first time, or to put right what an earlier record told."""

from typing import Any

from ledgerkit.core import einvoicing
from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.einvoice import chains, channels, emitting, incidents, results, waiting, wordings
from ledgerkit.core.einvoice.papers import access
from ledgerkit.core.einvoice.papers.declarations import obligations
from ledgerkit.core.einvoice.schemas import EInvoiceResult, EmitInput, Providers
from ledgerkit.core.invoices import numbered
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.providers.api import State


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def providers(ctx: Context) -> Providers:
    """Whether e-invoicing is on for the account, which countries have it here, and from when the law wants it."""
    countries = ctx.kernel.countries.countries
    return Providers(
        country=ctx.account.country,
        has_e_invoice=ctx.country is not None and bool(ctx.country.channels),
        has_pac=False,
        supported_countries=sorted(code for code, country in countries.items() if country.channels),
        environment=ctx.settings.einvoice_env.value,
        einvoicing=einvoicing.state(ctx.kernel, ctx.account),
        off_because=einvoicing.off_because(ctx.kernel, ctx.account),
        started=einvoicing.has_started(ctx.kernel, ctx.account),
        unrecorded=await _unrecorded(ctx),
        unsent=await incidents.unsent(ctx),
        certificate=await access.standing(ctx),
        obligations=obligations(channels.channel_of(ctx)),
    )


async def _unrecorded(ctx: Context) -> int:
    first = await chains.first_record(ctx)
    return 0 if first is None else await numbered.unrecorded_since(ctx, first)


@operation(Permission.EINVOICE_EMIT, unit=Unit.OWN)
async def emit(ctx: Context, data: EmitInput) -> EInvoiceResult:
    """Number, seal and chain the invoice in one transaction, then send it, waiting a few seconds for the answer.

    `pending` or `unknown` when the answer takes longer: sending goes on by itself. Emitted already: its result; one
    whose last record was refused, or with `correct` another one too, gets a new record that tells what it says now.
    Raises Invalid before anything is numbered, also NOT_CORRECTABLE, PaymentRequired, NotFound; Rejected when the
    authority refuses.
    """

    async def attempt() -> Any:
        async with ctx.transaction() as inner:
            return await emitting.record(inner, data.invoice_id, correct=data.correct)

    record = await persist(attempt)
    found = await (waiting.settled(ctx, record) if record.kind == "issue" else waiting.now(ctx, record))
    answer = await results.after(ctx, found)
    if found.status.state == State.REJECTED:
        raise wordings.rejection(answer)
    return answer
