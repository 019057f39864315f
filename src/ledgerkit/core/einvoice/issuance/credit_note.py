"""Credit notes of what was reported: made, numbered, sealed and sent in one step."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import select

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import channels, results
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.issuance import await_answer, numbering, rejection, sealing
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.einvoice.schemas import CreditNoteInput, EInvoiceResult
from ledgerkit.core.invoices import credit_notes, lifecycle, origins, payments
from ledgerkit.core.invoices.credit_notes import CreditNoteRequest
from ledgerkit.core.invoices.payments import RequestedPayment
from ledgerkit.core.invoices.posting import effects
from ledgerkit.core.records import counters
from ledgerkit.core.request import idempotency
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_field
from ledgerkit.providers.api import State

_ID = TypeAdapter(UUID)


@operation(Permission.EINVOICE_EMIT, unit=Unit.OWN, final=[Code.AUTHORITY_REJECTED])
async def credit_note(ctx: Context, data: CreditNoteInput) -> EInvoiceResult:
    """Correct an emitted invoice: make its credit note, number, seal and chain it in one transaction, then send it.

    By differences it gives back `items`, or all that is left; by substitution `items` are what is right instead. A
    prepared draft of a credit note is taken as it is; one that was emitted already gives its result. Waits as `emit`
    does. Raises Invalid naming the field, NOT_EMITTED or FISCAL_CHECK_FAILED, PaymentRequired, NotFound; Rejected
    when the authority refuses.
    """

    async def attempt() -> Any:
        async with ctx.transaction() as inner:
            return await _record(inner, await _once(inner, data, lambda: _sealed(inner, data)))

    record = await retry_on_conflict(attempt)
    found = await await_answer.settled(ctx, record)
    answer = await results.result_after_answer(ctx, found)
    if found.status.state == State.REJECTED:
        raise rejection.rejection(answer)
    return answer


async def issue(ctx: Context, original: Any, wish: CreditNoteRequest, paid: RequestedPayment | None = None) -> Any:
    """The draft of a credit note for the locked invoice `original`, made, issued and sealed in this transaction.

    `paid`: it is paid back at once, and so sets nothing off. Raises as `credit_note` does.
    """
    origins.require_correctable(original, "invoiceId")
    values = await credit_notes.values(ctx, original, wish)
    if paid is not None:
        values["amount_paid"] = values["total"]
    draft = await lifecycle.insert_draft(ctx, values)
    if paid is not None:
        await payments.note(ctx, draft, draft.total, paid)
    await numbering.issue(ctx, draft, None if paid is None else lambda _: paid.at_once(draft))
    await counters.add(ctx.db, lifecycle.ONE_DRAFT)
    return draft


async def _once(ctx: Context, data: CreditNoteInput, work: Callable[[], Awaitable[UUID]]) -> UUID:
    """Under a caller's key the note is made once, even if the process dies before its answer is kept with the key."""
    key = ctx.request_metadata.idempotency_key
    if key is None:
        return await work()
    own = replace(ctx, request_metadata=replace(ctx.request_metadata, idempotency_key=f"{key}\n"))
    made: UUID = await idempotency.IdempotentCall(own, "einvoice.crediting.made", _ID, data).run(work)
    return made


async def _sealed(ctx: Context, data: CreditNoteInput) -> UUID:
    """The id of the sealed credit note that is asked for."""
    row = await lifecycle.fetch_locked(ctx, data.invoice_id, hidden=True)
    if row.rectifies is None:
        ctx = await numbering.decided(ctx)
        await _check_original(ctx, row, data)
        note = await issue(ctx, row, _wish(data))
        known: UUID = note.id
        return known
    original = await effects.locked_original(ctx, row)
    ctx = await numbering.decided(ctx)
    await _check_original(ctx, original, data)
    if row.einvoice is None:
        await _seal_prepared(ctx, original, row, data)
    return UUID(str(row.id))


async def _seal_prepared(ctx: Context, original: Any, note: Any, data: CreditNoteInput) -> None:
    _refuse_twice(note, data)
    reason = note.correction_reason or data.reason or next(iter(await origins.reasons(ctx, original)), None)
    if reason is not None:
        await origins.check_reason(ctx, original, reason, "reason")
    if note.status != "draft":
        await sealing.seal(ctx, note, channels.reporting(ctx))
        return
    await credit_notes.check(ctx, original, note)
    await numbering.issue(ctx, await lifecycle.give_reason(ctx, note, reason))


def _refuse_twice(note: Any, data: CreditNoteInput) -> None:
    """What a prepared draft says cannot be said otherwise."""
    said = {"method": note.correction_method, "reason": note.correction_reason}
    for name, own in said.items():
        given = getattr(data, name)
        if given is not None and own is not None and given != own:
            raise bilingual_field(
                name,
                (f"the prepared credit note says {own}", f"Leave {name} out."),
                (f"la factura rectificativa preparada dice {own}", f"No indiques {name}."),
            )
    if data.items is not None:
        raise bilingual_field(
            "items",
            ("the prepared credit note has its own", "Leave items out."),
            ("la factura rectificativa preparada ya tiene las suyas", "No indiques items."),
        )


def _wish(data: CreditNoteInput) -> CreditNoteRequest:
    return CreditNoteRequest(items=data.items, by_substitution=data.method == "substitution", reason=data.reason)


async def _check_original(ctx: Context, original: Any, data: CreditNoteInput) -> None:
    """It was emitted, is what the caller means, and may be corrected; that it was rejected does not matter."""
    records = await history.of_invoice(ctx, original.id)
    if original.status == "draft" or not records:
        emit, draft = "POST /api/einvoice/emit", "POST /api/invoices {docType: credit_note, rectifies}"
        raise bilingual(
            Invalid,
            (
                "The invoice that would be corrected has not been emitted.",
                f"Emit it ({emit}), or change it; if it is older than all reporting, emit a draft ({draft}).",
            ),
            (
                "La factura que se corregiría no se ha emitido.",
                f"Emítela ({emit}), o cámbiala; si es anterior a toda remisión, emite un borrador ({draft}).",
            ),
            code=Code.NOT_EMITTED,
        )
    origins.require_correctable(original, "invoiceId")
    known = records[-1].record
    _require_same("originalFiscalId", data.original_fiscal_id, known.fiscal_id)
    _require_same("originalDate", data.original_date, known.issue_date)


def _require_same(field: str, given: str | date, known: str | date) -> None:
    if given != known:
        calls = "GET /api/einvoice/status/{id}", "GET /api/invoices/{id}"
        raise bilingual_field(
            field,
            (f"is not that of the invoice, {known}", f"Take fiscalId and issueDate from {' and '.join(calls)}."),
            (f"no es el de la factura, {known}", f"Toma fiscalId e issueDate de {' y '.join(calls)}."),
        )


async def _record(ctx: Context, note_id: UUID) -> Any:
    query = select(fiscal_record).where(fiscal_record.c.invoice_id == note_id)
    return (await ctx.db.execute(query.order_by(fiscal_record.c.id.desc()).limit(1))).one()
