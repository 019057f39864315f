"""A record and its standing in the shape callers see."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import IN_EFFECT, RecordWithStatus
from ledgerkit.core.einvoice.qr_picture import data_url
from ledgerkit.core.einvoice.schemas import AuthorityError, EInvoiceResult, RefusedAttempt, ResultState, Translated
from ledgerkit.core.request.context import Context
from ledgerkit.texts import ENGLISH


def of_invoice(ctx: Context, records: Sequence[RecordWithStatus], *, qr: bool = False) -> EInvoiceResult:
    """How an invoice stands by all its records, oldest first; with the picture of its `qr`."""
    stands, refused = history.current(records), history.refused(records)
    picture = qr_picture(ctx, stands.record) if qr else None
    return result(ctx, stands.record, stands.status, qr=picture, refused=refused)


async def result_after_answer(ctx: Context, answered: RecordWithStatus) -> EInvoiceResult:
    """How the invoice of a record stands now that this one was `answered`; outside a transaction."""
    if answered.record.corrects_id is None:
        return result(ctx, answered.record, answered.status, qr=qr_picture(ctx, answered.record))

    async def read() -> Sequence[RecordWithStatus]:
        async with ctx.reading() as inner:
            return await history.of_invoice(inner, answered.record.invoice_id)

    return of_invoice(ctx, await retry_on_conflict(read), qr=True)


def result(
    ctx: Context, record: Any, status: Any, *, qr: str | None = None, refused: RecordWithStatus | None = None
) -> EInvoiceResult:
    """`record` is a row of fiscal_record, `status` its row of fiscal_status; `refused` is a later record."""
    base = ctx.settings.public_url
    query = f"?fiscalId={record.fiscal_id}"
    return EInvoiceResult(
        id=str(record.id),
        invoice_id=str(record.invoice_id),
        country=record.country,
        provider=record.channel,
        fiscal_id=record.fiscal_id,
        kind=record.kind,
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
        errors=_errors(ctx, record, status),
        refused=None if refused is None else _attempt(ctx, refused),
        pdf_url=f"{base}/api/einvoice/download/{record.invoice_id}{query}",
        xml_url=f"{base}/api/einvoice/xml/{record.invoice_id}{query}",
    )


def _attempt(ctx: Context, refused: RecordWithStatus) -> RefusedAttempt:
    record = refused.record
    return RefusedAttempt(
        record=str(record.id),
        kind=record.kind,
        issued_at=record.generated_at,
        errors=_errors(ctx, record, refused.status),
    )


def _errors(ctx: Context, record: Any, status: Any) -> list[AuthorityError]:
    return [authority_error(ctx, record, status)] if status.code else []


def authority_error(ctx: Context, record: Any, said: Any) -> AuthorityError:
    """What the authority found, as `said` (code, message), explained by the channel that made the record."""
    channel = ctx.kernel.countries.channel(record.country, record.channel)
    meaning = channel.explain(said.code) if channel else None
    return AuthorityError(
        code=said.code,
        message=said.message or "",
        cause=_translated(meaning.cause) if meaning else None,
        remedy=_translated(meaning.remedy) if meaning else None,
    )


def _translated(texts: Mapping[str, str] | None) -> Translated | None:
    """In both languages of ours; what the country does not say in one of them is said in English, else as it can."""
    if not texts:
        return None
    english = texts.get(ENGLISH) or next(iter(texts.values()))
    return Translated(es=texts.get("es", english), en=english)


def state_of(record: Any, status: Any) -> ResultState:
    """The record's own state; of an annulment that the authority has taken, what became of the invoice."""
    state: ResultState = status.state
    return "annulled" if record.kind == "annul" and state in IN_EFFECT else state


def stamp(ctx: Context, records: Sequence[RecordWithStatus]) -> dict[str, Any]:
    """What the invoice keeps of its records: how it stands, without the picture of the QR."""
    return of_invoice(ctx, records).model_dump(mode="json", by_alias=True)


@lru_cache(maxsize=256)
def _picture(url: str, level: str) -> str:
    """A PNG data URL of the QR; some milliseconds of work, so the latest are kept."""
    return data_url(url, level)


def qr_picture(ctx: Context, record: Any) -> str | None:
    """The record's QR, drawn as the channel that made it says."""
    channel = ctx.kernel.countries.channel(record.country, record.channel)
    if record.qr_url is None or channel is None:
        return None
    return _picture(record.qr_url, channel.qr_block(record.qr_url).error_level)
