"""Annul an invoice that should never have been issued.

The invoice leaves the accounts when the authority accepts the annulment, not when it is requested. Until then the
authority has the invoice, and it must be declared. So a refusal leaves nothing to undo, neither stock sold meanwhile
nor money received.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Text, bindparam, select

from ledgerkit.core.einvoice import acts
from ledgerkit.core.einvoice import output as einvoice_output
from ledgerkit.core.einvoice.api import AnnulInput, Annulled
from ledgerkit.core.einvoice.authority import rejections
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import heads, history
from ledgerkit.core.einvoice.chain.append import RecordDetails
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import await_answer, correction, seals, taken_number
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.einvoice.table import RecordColumns, fiscal_record
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request import clock_watch
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.issuance import authority_answers, lifecycle
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import Code, Invalid, Rejected, Unavailable
from ledgerkit.providers.api import Annulling, Environment, FiscalChannel, State
from ledgerkit.texts import text


@operation(
    Permission.EINVOICE_EMIT,
    unit=Unit.OWN,
    errors=[
        (
            Invalid,
            {
                Code.NOT_EMITTED,
                Code.NOT_ANNULLABLE,
                Code.NUMBER_TAKEN,
                Code.FISCAL_CHECK_FAILED,
                Code.EINVOICE_UNSUPPORTED,
                Code.INVOICE_LOCKED,
            },
        ),
        (Rejected, {Code.AUTHORITY_REJECTED, Code.NUMBER_TAKEN}),
        (Unavailable, {Code.CLOCK_WRONG}),
    ],
    effects=Effect.DESTRUCTIVE | Effect.OPEN_WORLD,
    act=acts.ANNULMENT,
)
async def annul(ctx: Context, data: AnnulInput) -> Annulled:
    """Seal and send the annulment of an emitted invoice, waiting a few seconds for the answer.

    The status is `pending` or `unknown` when that takes longer: the invoice is annulled, and leaves the accounts, when
    the authority accepts. A repeated request meanwhile answers with the annulment under way. Raises Invalid for an
    unknown fiscalId, NOT_ANNULLABLE, FISCAL_CHECK_FAILED; Rejected when the authority refuses, and the invoice stands
    as before.
    """

    async def attempt(inner: Context) -> tuple[InvoiceRow, RecordColumns]:
        newest = await _newest_record(inner, data.fiscal_id)
        row = await lifecycle.fetch_locked(inner, str(newest.invoice_id), hidden=True)
        records = await history.of_invoice(inner, row.id)
        taken_number.check_own(records, data.fiscal_id)
        under_way = _annulment_under_way(records, newest)
        return row, under_way or await _seal(inner, row, records, data.reason)

    row, record = await ctx.transact(attempt)
    answered_record = await await_answer.until_answered(ctx, record)
    taken_record = history.number_taken([answered_record])
    annulment_result = einvoice_output.result(ctx, record, answered_record.status, taken_record=taken_record)
    if answered_record.status.state == State.REJECTED:
        raise await_answer.rejection(annulment_result)
    return Annulled(
        fiscal_id=annulment_result.fiscal_id,
        status=annulment_result.status,
        reason=record.reason,
        invoice_id=annulment_result.invoice_id,
        number=annulment_result.number,
        csv=annulment_result.csv,
        warning=_warning(ctx, row),
    )


class _RecordOfInvoiceRow(Row):
    id: UUID
    invoice_id: UUID


async def _newest_record(ctx: Context, fiscal_id: str) -> _RecordOfInvoiceRow:
    """Return the newest record of this fiscalId, which all records of an invoice share."""
    record = await _NEWEST.row(ctx.db, fiscal_id=fiscal_id)
    if record is None:
        raise Invalid.field("fiscalId", IssuanceMsg.UNKNOWN_FISCAL_ID, code=Code.NOT_EMITTED)
    return record


_NEWEST = Prepared(
    select(fiscal_record.c.id, fiscal_record.c.invoice_id)
    .where(fiscal_record.c.fiscal_id == bindparam("fiscal_id", type_=Text))
    .order_by(fiscal_record.c.id.desc())
    .limit(1),
    _RecordOfInvoiceRow,
)


def _annulment_under_way(
    records: Sequence[RecordWithStatus], newest_before_lock: _RecordOfInvoiceRow
) -> RecordColumns | None:
    """Return the annulment that awaits its answer, or that another request sealed before this one had the lock."""
    newest = records[-1]
    if newest.record.kind == "annul" and (newest.is_open or newest.record.id != newest_before_lock.id):
        return newest.record
    return None


async def _seal(ctx: Context, row: InvoiceRow, records: Sequence[RecordWithStatus], reason: str) -> RecordColumns:
    """Seal and store the record that annuls the locked invoice `row`; return it. Raises Unavailable CLOCK_WRONG."""
    await clock_watch.check_day(ctx)
    current = history.current(records)
    await _check_annullable(ctx, row, current)
    channel = correction.channel_of(ctx, current)
    annulling, past_records = _annulling_of(channel), history.as_past_records(records)
    environment = Environment(current.record.environment)
    annulment = documents.annulment(ctx, row)
    unready = await access.reporting_obstacles(ctx, channel, environment, current.record.issuer_tax_id)
    problems = [*unready, *annulling.preflight(annulment, past_records, ctx.account.today())]
    if problems:
        raise rejections.rejection(problems)
    head = await heads.lock_open_head(ctx, channel, environment, current.record.issuer_tax_id)
    sealed = annulling.seal(annulment, await seals.next_place(ctx, head, channel, environment), past_records)
    return await seals.store(
        ctx, row, head, sealed, RecordDetails(environment, annulment.issuer.name, records, reason=reason)
    )


def _annulling_of(channel: FiscalChannel) -> Annulling:
    """Return the channel's annulments. Raises Invalid EINVOICE_UNSUPPORTED for a channel without them."""
    if channel.annuls is None:
        raise Invalid(IssuanceMsg.NO_ANNULMENTS, code=Code.EINVOICE_UNSUPPORTED, title=channel.title)
    return channel.annuls


async def _check_annullable(ctx: Context, row: InvoiceRow, current: RecordWithStatus) -> None:
    """Raise Invalid NOT_ANNULLABLE: annulled already, awaiting an answer, of another environment, or corrected."""
    environment = current.record.environment
    if environment != ctx.settings.einvoice_env.value:
        raise Invalid(
            IssuanceMsg.ANNULMENT_OF_OTHER_ENVIRONMENT,
            code=Code.NOT_ANNULLABLE,
            number=row.number,
            environment=environment,
        )
    if current.is_open:
        raise Invalid(IssuanceMsg.AWAITS_ANSWER, code=Code.NOT_ANNULLABLE, number=row.number)
    if einvoice_output.state_of(current.record, current.status) == State.ANNULLED.value:
        raise Invalid(IssuanceMsg.ALREADY_ANNULLED, code=Code.NOT_ANNULLABLE, number=row.number)
    await authority_answers.check_annullable(ctx, row)


def _warning(ctx: Context, row: InvoiceRow) -> str | None:
    if not row.amount_paid:
        return None
    warning = text(IssuanceMsg.PAYMENT_TO_RETURN, number=row.number, amount=row.amount_paid, currency=row.currency)
    return warning.in_language(ctx.request_metadata.language)
