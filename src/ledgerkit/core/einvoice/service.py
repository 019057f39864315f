"""Emit invoices to the tax authority: for the first time, or to put right what an earlier record told."""

from typing import Any

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.einvoice import channels, results
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import heads, history
from ledgerkit.core.einvoice.issuance import await_answer, correction, numbering, rejection, sealing
from ledgerkit.core.einvoice.outbox import incidents
from ledgerkit.core.einvoice.producer_statement import obligations
from ledgerkit.core.einvoice.schemas import EInvoiceResult, EmitInput, Providers
from ledgerkit.core.invoices import issued_documents, lifecycle
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
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
        einvoicing=einvoicing_state.state(ctx.kernel, ctx.account),
        off_because=einvoicing_state.off_because(ctx.kernel, ctx.account),
        started=einvoicing_state.has_started(ctx.kernel, ctx.account),
        unrecorded=await _unrecorded(ctx),
        unsent=await incidents.unsent(ctx),
        certificate=await access.certificate_in_use(ctx),
        obligations=obligations(channels.channel_of(ctx)),
    )


async def _unrecorded(ctx: Context) -> int:
    first = await heads.first_record_stored_at(ctx)
    return 0 if first is None else await issued_documents.unrecorded_since(ctx, first)


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
            return await _emitted(inner, data.invoice_id, correct=data.correct)

    record = await retry_on_conflict(attempt)
    found = await (await_answer.settled(ctx, record) if record.kind == "issue" else await_answer.now(ctx, record))
    answer = await results.result_after_answer(ctx, found)
    if found.status.state == State.REJECTED:
        raise rejection.rejection(answer)
    return answer


async def _emitted(ctx: Context, invoice_id: str, *, correct: bool) -> Any:
    """The record that answers this emission: a new one, or the one that stands. The caller sends it.

    Whoever waited for the lock while another one was made gets that one.
    What was numbered without a record gets one now: of this moment, at the end of the chain.
    Raises what `numbering.issue` does, also EINVOICING_OFF; NOT_CORRECTABLE, NotFound.
    """
    row = await lifecycle.fetch_locked(ctx, invoice_id, before=history.NEWEST_RECORD_ID)
    if row.einvoice is None:  # which it is given together with its first record
        if correct:
            raise correction.never_emitted(row)
        ctx = await numbering.decided(ctx)
        channel = channels.reporting(ctx)
        if row.status != "draft":
            return await sealing.seal(ctx, row, channel, awaited=True)
        return (await numbering.issue(ctx, row, awaited=True)).record
    records = await history.of_invoice(ctx, row.id)
    standing = history.current(records)
    if records[-1].record.id != row.newest_id or not await correction.is_due(ctx, row, records, wanted=correct):
        return standing.record
    return await sealing.seal(ctx, row, correction.channel_of(ctx, standing), earlier=records, awaited=True)
