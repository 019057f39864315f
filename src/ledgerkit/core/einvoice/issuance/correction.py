"""Decide when an emitted invoice needs a new record that corrects an earlier one."""

from collections.abc import Sequence

from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import seals
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.einvoice.outbox.retry_policy import AWAITING_ANSWER
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.issuance import authority_answers
from ledgerkit.core.sales.invoices.posting.standing import is_annulled
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import FiscalChannel, State


async def is_due(ctx: Context, row: InvoiceRow, records: Sequence[RecordWithStatus], *, requested: bool) -> bool:
    """Return True when emitting the invoice `row`, which has these `records`, has to seal a new record.

    An invoice whose last record was refused gets one whenever it is emitted; any other invoice only when it is
    `requested`. While a correction awaits its answer nothing can change, and a repeated request gets that correction.
    Raises Invalid NOT_CORRECTABLE when it is requested and there is nothing to correct, or not yet.
    """
    current = history.current(records)
    if current.record.environment != ctx.settings.einvoice_env.value:
        return _false_unless(requested, _of_other_environment(ctx, current))
    state = State(current.status.state)
    if state in AWAITING_ANSWER:
        is_correction = current.record.kind == "issue" and current.record.corrects_id is not None
        return _false_unless(
            requested and not is_correction,
            Invalid(IssuanceMsg.CORRECTION_AWAITS_ANSWER, code=Code.NOT_CORRECTABLE, number=current.record.number),
        )
    refused = state is State.REJECTED or history.refused(records) is not None
    if is_annulled(row) and (requested or refused):
        await authority_answers.check_reactivatable(ctx, row)
    elif requested and not refused and not await _differs(ctx, row, current):
        raise Invalid(IssuanceMsg.NOTHING_TO_CORRECT, code=Code.NOT_CORRECTABLE, number=current.record.number)
    return requested or refused


def channel_of(ctx: Context, sealed: RecordWithStatus) -> FiscalChannel:
    """Return the channel that made a record, whatever country the account is in now.

    Raises Invalid EINVOICE_UNSUPPORTED when that channel is not installed any more.
    """
    record = sealed.record
    channel = ctx.kernel.countries.channel(record.country, record.channel)
    if channel is None:
        raise Invalid(
            IssuanceMsg.CHANNEL_NOT_INSTALLED,
            code=Code.EINVOICE_UNSUPPORTED,
            number=record.number,
            channel=record.channel,
        )
    return channel


def never_emitted(row: InvoiceRow) -> Invalid:
    """Problem of a correction that is requested for an invoice without any record."""
    if row.number is None:
        return Invalid(IssuanceMsg.NEVER_EMITTED_DRAFT, code=Code.NOT_EMITTED)
    return Invalid(IssuanceMsg.NEVER_EMITTED, code=Code.NOT_EMITTED, number=row.number)


def check_environment(ctx: Context, taken_record: RecordWithStatus) -> None:
    """Raise Invalid NOT_CORRECTABLE for a record of another environment than the server's."""
    if taken_record.record.environment != ctx.settings.einvoice_env.value:
        raise _of_other_environment(ctx, taken_record)


async def _differs(ctx: Context, row: InvoiceRow, current: RecordWithStatus) -> bool:
    """Return True when the invoice's content has changed since its record, or the authority found an error in it."""
    status = current.status
    notices = channel_of(ctx, current).mere_notices
    if status.state == State.ACCEPTED_WITH_ERRORS and status.code not in notices:
        return True
    return bool(seals.content_digest(await documents.document(ctx, row)) != current.record.told)


def _false_unless(requested: bool, problem: Invalid) -> bool:
    """Return False, or raise the problem when a correction was requested."""
    if requested:
        raise problem
    return False


def _of_other_environment(ctx: Context, current: RecordWithStatus) -> Invalid:
    return Invalid(
        IssuanceMsg.CORRECTION_OF_OTHER_ENVIRONMENT,
        code=Code.NOT_CORRECTABLE,
        number=current.record.number,
        reported_to=current.record.environment,
        reports_to=ctx.settings.einvoice_env.value,
    )
