"""Create, number, seal and send the credit note of an emitted invoice in one step."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.einvoice import acts
from ledgerkit.core.einvoice import output as einvoice_output
from ledgerkit.core.einvoice.api import CreditNoteInput, EInvoiceResult
from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.issuance import await_answer, numbers, seals, taken_number
from ledgerkit.core.einvoice.issuance.numbers import EMISSION_ERRORS
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.einvoice.table import FiscalRecordRow, fiscal_record
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request import idempotency
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.changes import rules as change_rules
from ledgerkit.core.sales.invoices.dates import warnings
from ledgerkit.core.sales.invoices.dates.issue_and_due import issue_day
from ledgerkit.core.sales.invoices.documents import origins
from ledgerkit.core.sales.invoices.drafts import credit_notes
from ledgerkit.core.sales.invoices.drafts.credit_notes import CreditNoteRequest
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.payments import operations as payments
from ledgerkit.core.sales.invoices.payments.operations import RequestedPayment
from ledgerkit.core.sales.invoices.posting import effects
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import State

_ID = TypeAdapter(UUID)


@operation(
    Permission.EINVOICE_EMIT,
    unit=Unit.OWN,
    errors=EMISSION_ERRORS,
    effects=Effect.DESTRUCTIVE | Effect.OPEN_WORLD,
    final=[Code.AUTHORITY_REJECTED, Code.NUMBER_TAKEN],
    act=acts.CREDIT,
)
async def credit_note(ctx: Context, data: CreditNoteInput) -> EInvoiceResult:
    """Correct an emitted invoice: make its credit note, number, seal and chain it in one transaction, then send it.

    By differences it credits `items`, or everything not credited yet; by substitution `items` replace those of the
    invoice. When `invoiceId` names a prepared draft of a credit note, that draft is issued as it is; one that was
    emitted already answers with its result. Waits as `emit` does. Raises Invalid naming the field, NOT_EMITTED or
    FISCAL_CHECK_FAILED, PaymentRequired, NotFound; Rejected when the authority refuses.
    """

    async def attempt(inner: Context) -> FiscalRecordRow:
        note_id = await _once_per_key(inner, data, lambda: _seal(inner, data))
        return await _NEWEST.one(inner.db, invoice_id=note_id)

    record = await ctx.transact(attempt)
    answered_record = await await_answer.until_answered(ctx, record)
    note_result = await einvoice_output.result_after_answer(
        ctx, answered_record, await ctx.read(lambda inner: _date_warnings(inner, record.invoice_id))
    )
    if answered_record.status.state == State.REJECTED:
        raise await_answer.rejection(note_result)
    return note_result


async def issue(
    ctx: Context, original: InvoiceRow, request: CreditNoteRequest, paid: RequestedPayment | None = None
) -> InvoiceRow:
    """Create, issue and seal a credit note for the locked invoice `original` in this transaction; return its draft row.

    With `paid` the money is paid back at once, so that the note reduces no open balance. Raises as `credit_note`.
    """
    origins.require_correctable(original, "invoiceId")
    content = await credit_notes.content(ctx, original, request)
    values = content.columns() | Values(InvoiceRow, rectifies=original.id, substitutes=None)
    if paid is not None:
        values |= Values(InvoiceRow, amount_paid=content.total)
    draft = await lifecycle.insert_draft(ctx, values)
    if paid is not None:
        await payments.insert(ctx, draft, draft.total, paid)
    await numbers.issue(ctx, draft, None if paid is None else lambda _: paid.settle_paid_draft(draft))
    await counters.add(ctx.db, lifecycle.ONE_DRAFT)
    return draft


async def _once_per_key(ctx: Context, data: CreditNoteInput, work: Callable[[], Awaitable[UUID]]) -> UUID:
    """Return the id of the sealed credit note, which is created once under an idempotency key.

    The inner key, which callers cannot send, is stored with the note: it holds even if the process dies before the
    answer is stored with the caller's own key.
    """
    key = ctx.request_metadata.idempotency_key
    if key is None:
        return await work()
    keyed = replace(ctx, request_metadata=replace(ctx.request_metadata, idempotency_key=f"{key}\n"))
    note_id: UUID = await idempotency.IdempotentCall(keyed, "einvoice.crediting.made", _ID, data).run(work)
    return note_id


async def _seal(ctx: Context, data: CreditNoteInput) -> UUID:
    """Seal the requested credit note; return its id."""
    row = await lifecycle.fetch_locked(ctx, data.invoice_id, hidden=True)
    if row.rectifies is None:
        ctx = await numbers.lock_einvoicing_choice(ctx)
        await _check_original(ctx, row, data)
        channels.reporting(ctx)
        request = CreditNoteRequest(items=data.items, by_substitution=data.method == "substitution", reason=data.reason)
        return (await issue(ctx, row, request)).id
    change_rules.check_own(row)
    original = await effects.locked_original(ctx, row)
    await _check_no_original_itself(ctx, row, original, data)
    ctx = await numbers.lock_einvoicing_choice(ctx)
    await _check_original(ctx, original, data)
    if row.einvoice is None:
        await _seal_prepared(ctx, original, row, data)
    return UUID(str(row.id))


async def _seal_prepared(ctx: Context, original: InvoiceRow, note: InvoiceRow, data: CreditNoteInput) -> None:
    """Issue and seal a credit note that exists without a record: a draft, or one that was numbered without it."""
    _check_not_contradicted(note, data)
    reason = note.correction_reason or data.reason or next(iter(await origins.reasons(ctx, original)), None)
    if reason is not None:
        await origins.check_reason(ctx, original, reason, "reason")
    if note.status != "draft":
        await seals.seal(ctx, note, channels.reporting(ctx))
        return
    channels.reporting(ctx)
    await credit_notes.check(ctx, original, note)
    await numbers.issue(ctx, await lifecycle.give_reason(ctx, note, reason))


def _check_not_contradicted(note: InvoiceRow, data: CreditNoteInput) -> None:
    """Raise Invalid naming the field whose value contradicts the prepared credit note."""
    prepared_values = {"method": note.correction_method, "reason": note.correction_reason}
    for name, prepared in prepared_values.items():
        requested = getattr(data, name)
        if requested is not None and prepared is not None and requested != prepared:
            raise Invalid.field(name, IssuanceMsg.PREPARED_NOTE_SAYS, prepared=prepared)
    if data.items is not None:
        raise Invalid.field("items", IssuanceMsg.PREPARED_NOTE_HAS_ITEMS)


async def _check_no_original_itself(
    ctx: Context, note: InvoiceRow, original: InvoiceRow, data: CreditNoteInput
) -> None:
    """Raise Invalid for an emitted credit note that is described as if it were the invoice to correct."""
    records = await history.of_invoice(ctx, note.id)
    if records and data.original_fiscal_id == records[-1].record.fiscal_id:
        message = IssuanceMsg.CREDITS_CREDIT_NOTE
        raise Invalid.field("invoiceId", message, note=note.number, number=original.number)


async def _check_original(ctx: Context, original: InvoiceRow, data: CreditNoteInput) -> None:
    """Check that the invoice was emitted, is the one the caller describes, and may be corrected; even if rejected.

    One of other software has no record here: its number stands for originalFiscalId.
    """
    if original.origin == EXTERNAL:
        origins.require_correctable(original, "invoiceId")
        _require_same("originalFiscalId", data.original_fiscal_id, original.number or "")
        _require_same("originalDate", data.original_date, issue_day(original))
        return
    records = await history.of_invoice(ctx, original.id)
    if original.status == "draft" or not records:
        emit, draft = "POST /api/einvoice/emit", "POST /api/invoices {docType: credit_note, rectifies}"
        raise Invalid(IssuanceMsg.ORIGINAL_NOT_EMITTED, code=Code.NOT_EMITTED, emit=emit, draft=draft)
    origins.require_correctable(original, "invoiceId")
    taken_number.check_own(records)
    newest = records[-1].record
    _require_same("originalFiscalId", data.original_fiscal_id, newest.fiscal_id)
    _require_same("originalDate", data.original_date, newest.issue_date)


def _require_same(field: str, sent: str | date, recorded: str | date) -> None:
    if sent != recorded:
        raise Invalid.field(field, IssuanceMsg.OTHER_VALUE, recorded=recorded)


async def _date_warnings(ctx: Context, note_id: UUID) -> list[str]:
    return await warnings.of_invoice(ctx, await effects.stored(ctx, note_id))


_NEWEST = Prepared(
    select(fiscal_record)
    .where(fiscal_record.c.invoice_id == bindparam("invoice_id", type_=Uuid))
    .order_by(fiscal_record.c.id.desc())
    .limit(1),
    FiscalRecordRow,
)
