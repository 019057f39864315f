"""Alerts about fiscal records: those that need a correction, and those that wait for the authority's answer."""

from ledgerkit.core.einvoice.api import FiscalAlert, FiscalAlerts, ListedRecord, Translated
from ledgerkit.core.einvoice.inspection import records
from ledgerkit.core.einvoice.inspection.texts import InspectionMsg
from ledgerkit.core.einvoice.outbox import incidents
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.providers.api import NUMBER_TAKEN, State
from ledgerkit.texts import text

MOST_NAMED = 3


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def alerts(ctx: Context) -> FiscalAlerts:
    """Count the records that need a correction and those that wait, and name the newest ones to be corrected."""
    needing_action = await records.count_to_mend(ctx)
    rejected = await records.count_to_mend(ctx, State.REJECTED.value) if needing_action else 0
    newest = await records.needing_action(ctx, MOST_NAMED) if needing_action else []
    unsent = await incidents.unsent(ctx)
    return FiscalAlerts(
        needs_action=needing_action,
        rejected=rejected,
        accepted_with_errors=needing_action - rejected,
        waiting=unsent.count,
        waiting_since=unsent.oldest_at,
        troubles=unsent.troubles,
        newest=[_alert(ctx, record) for record in newest],
    )


def _alert(ctx: Context, record: ListedRecord) -> FiscalAlert:
    language = ctx.request_metadata.language
    error = record.errors[0] if record.errors else None
    is_held = record.status != State.REJECTED.value or record.corrects is not None
    cause = _in_language(error.cause, language) if error else None
    return FiscalAlert(
        invoice_id=record.invoice_id,
        number=record.number,
        kind=record.kind,
        status=record.status,
        code=error.code if error else None,
        message=cause or (error.message if error else None),
        remedy=_in_language(error.remedy, language) if error else None,
        next_step=text(next_step(record.kind, error.code if error else None, is_held=is_held)).in_language(language),
    )


def next_step(kind: str, code: str | None, *, is_held: bool) -> InspectionMsg:
    """Return what corrects a record with this error; `is_held`: the authority has a record of the document."""
    if kind == "annul":
        return InspectionMsg.ANNUL_AGAIN
    if code == NUMBER_TAKEN:
        return InspectionMsg.EMIT_RENUMBERED
    return InspectionMsg.EMIT_CORRECTED if is_held else InspectionMsg.EMIT_AGAIN


def _in_language(words: Translated | None, language: str) -> str | None:
    if words is None:
        return None
    by_language: dict[str, str] = words.model_dump()
    return by_language.get(language, words.en)
