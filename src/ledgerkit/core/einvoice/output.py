"""Results of emission: an invoice's records and their statuses, as callers see them."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any

from ledgerkit.core.einvoice.api import (
    AuthorityError,
    EInvoiceResult,
    HeldElsewhere,
    RefusedAttempt,
    ResultState,
    Translated,
)
from ledgerkit.core.einvoice.chain import history, lost_numbers
from ledgerkit.core.einvoice.chain.history import IN_EFFECT, RecordWithStatus
from ledgerkit.core.einvoice.qr.picture import data_url
from ledgerkit.core.einvoice.table import HELD, HeldDocument, RecordColumns, StatusColumns, record_kind
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.platform.request import clock_watch
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import NUMBER_TAKEN, State
from ledgerkit.texts import ENGLISH, Text
from ledgerkit.texts.messages import REMEDY, Message


def of_invoice(
    ctx: Context, records: Sequence[RecordWithStatus], *, qr: bool = False, warnings: Sequence[str] = ()
) -> EInvoiceResult:
    """Return an invoice's result by all its records, oldest first; `qr` adds the picture of its QR."""
    current = history.current(records)
    picture = qr_picture(ctx, current.record) if qr else None
    return result(
        ctx,
        current.record,
        current.status,
        qr=picture,
        refused=history.refused(records),
        taken_record=history.number_taken(records),
        replaced=_replaced_by(records, current),
        warnings=warnings,
    )


def _replaced_by(records: Sequence[RecordWithStatus], current: RecordWithStatus) -> RecordWithStatus | None:
    """Return the record with the document that the current one replaces at the authority; None for any other."""
    if current.record.replaces is None:
        return None
    earlier = takewhile(lambda record: record is not current, records)
    return next((record for record in reversed(list(earlier)) if record.status.code == NUMBER_TAKEN), None)


async def result_after_answer(
    ctx: Context, answered_record: RecordWithStatus, doubts: Sequence[str] = ()
) -> EInvoiceResult:
    """Return the result of a record's invoice after the record was `answered_record`. Runs outside any transaction.

    `doubts` come last among its warnings.
    """
    record = answered_record.record
    current = [*clock_watch.warnings(ctx), *doubts]
    if record.corrects_id is None:
        warnings = [*await _warnings(ctx, record), *current]
        return of_invoice(ctx, [answered_record], qr=True, warnings=warnings)
    return of_invoice(
        ctx, await ctx.read(lambda inner: history.of_invoice(inner, record.invoice_id)), qr=True, warnings=current
    )


def result(
    ctx: Context,
    record: RecordColumns,
    status: StatusColumns,
    *,
    qr: str | None = None,
    refused: RecordWithStatus | None = None,
    taken_record: RecordWithStatus | None = None,
    replaced: RecordWithStatus | None = None,
    warnings: Sequence[str] = (),
) -> EInvoiceResult:
    """Return the result of an invoice by its current record; `refused` is a later record that was refused.

    `taken` and `replaced`: the records whose number somebody else's document has taken, or had until it was replaced.
    """
    base = ctx.settings.public_url
    query = f"?fiscalId={record.fiscal_id}"
    return EInvoiceResult(
        id=str(record.id),
        invoice_id=str(record.invoice_id),
        country=record.country,
        provider=record.channel,
        fiscal_id=record.fiscal_id,
        kind=record_kind(record.kind),
        corrects=None if record.corrects_id is None else str(record.corrects_id),
        status=state_of(record, status),
        qr=qr,
        qr_url=record.qr_url,
        number=record.number,
        issued_at=record.generated_at,
        submitted_at=status.submitted_at,
        csv=status.reference,
        hash=record.fingerprint,
        environment=record.environment,
        errors=_all_errors(ctx, record, status, taken_record),
        refused=None if refused is None else _refused_attempt(ctx, refused),
        taken_by=None if taken_record is None else _held_elsewhere(taken_record),
        replaces=None if replaced is None else _held_elsewhere(replaced),
        pdf_url=f"{base}/api/einvoice/download/{record.invoice_id}{query}",
        xml_url=f"{base}/api/einvoice/xml/{record.invoice_id}{query}",
        warnings=list(warnings),
    )


async def _warnings(ctx: Context, record: RecordColumns) -> list[str]:
    """Return what the first record of a chain tells of numbers that a restore has lost."""
    if record.position != 1:
        return []
    return await ctx.read(lambda inner: lost_numbers.warnings_of(inner, record.installation_id))


def _refused_attempt(ctx: Context, refused: RecordWithStatus) -> RefusedAttempt:
    record = refused.record
    return RefusedAttempt(
        record=str(record.id),
        kind=record_kind(record.kind),
        issued_at=record.generated_at,
        errors=_errors(ctx, record, refused.status),
    )


def _all_errors(
    ctx: Context, record: RecordColumns, status: StatusColumns, taken_record: RecordWithStatus | None
) -> list[AuthorityError]:
    """Return the errors of a record; first that its number is taken, where another one of the invoice found that."""
    errors = _errors(ctx, record, status)
    if taken_record is None or taken_record.record.id == record.id or status.state != State.REJECTED:
        return errors
    return [*_errors(ctx, taken_record.record, taken_record.status), *errors]


def _errors(ctx: Context, record: RecordColumns, status: StatusColumns) -> list[AuthorityError]:
    return [authority_error(ctx, record, status.code, status.message)] if status.code else []


def authority_error(ctx: Context, record: RecordColumns, code: str, message: str | None) -> AuthorityError:
    """Return the authority's error with its cause and remedy, as the channel that made the record explains the code."""
    if code == NUMBER_TAKEN:
        cause, remedy = Message(EInvoiceMsg.NUMBER_TAKEN), Message(EInvoiceMsg.NUMBER_TAKEN, part=REMEDY)
        return AuthorityError(code=code, message=message or "", cause=_translated(cause), remedy=_translated(remedy))
    channel = ctx.kernel.countries.channel(record.country, record.channel)
    meaning = channel.explain(code) if channel else None
    return AuthorityError(
        code=code,
        message=message or "",
        cause=_translated(meaning.cause) if meaning else None,
        remedy=_translated(meaning.remedy) if meaning else None,
    )


def _translated(words: Text | None) -> Translated | None:
    """Return a text in all its languages, Spanish and English among them."""
    if words is None:
        return None
    return Translated(**{language: words.in_language(language) for language in {"es", ENGLISH, *words.languages}})


def _held_elsewhere(taken_record: RecordWithStatus) -> HeldElsewhere:
    document = HELD.decode(taken_record.status.held) or HeldDocument()
    return HeldElsewhere(
        status=document.state,
        issue_date=document.issue_date,
        total=document.total,
        recipient=document.recipient,
        hash=document.fingerprint,
        changed_at=document.changed_at,
        asked_at=document.asked_at,
    )


def state_of(record: RecordColumns, status: StatusColumns) -> ResultState:
    """Return the record's state; `annulled` for an annulment that has taken effect."""
    state = State(status.state)
    return State.ANNULLED.value if record.kind == "annul" and state in IN_EFFECT else state.value


def stamp(ctx: Context, records: Sequence[RecordWithStatus]) -> dict[str, Any]:
    """Return the stamp that is stored with the invoice: its result as JSON, without the picture of the QR."""
    return of_invoice(ctx, records).model_dump(mode="json", by_alias=True, exclude={"warnings"})


@lru_cache(maxsize=256)
def _picture(url: str, level: str) -> str:
    """Return a PNG data URL of the QR. It takes some milliseconds, so the latest are cached."""
    return data_url(url, level)


def qr_picture(ctx: Context, record: RecordColumns) -> str | None:
    """Return the record's QR as a data URL, drawn as its channel requires; None for a record without one."""
    channel = ctx.kernel.countries.channel(record.country, record.channel)
    if record.qr_url is None or channel is None:
        return None
    return _picture(record.qr_url, channel.qr_block(record.qr_url).error_level)
