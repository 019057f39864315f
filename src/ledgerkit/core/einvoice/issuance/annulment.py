"""Strike out an invoice that should never have been issued.

The invoice leaves the books when the authority takes the annulment, not when it is asked for: until then the authority
holds it, it has to be declared, and a refusal leaves nothing to undo, neither stock sold meanwhile nor money received.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import rejection_texts, results
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import heads, history
from ledgerkit.core.einvoice.chain.append import RecordDetails
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import await_answer, correction, rejection, sealing
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.einvoice.schemas import AnnulInput, Annulled
from ledgerkit.core.invoices import authority_answers, lifecycle
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, Words, bilingual, bilingual_field
from ledgerkit.providers.api import Annulling, Environment, FiscalChannel, State

_LOOK = "GET /api/einvoice/status/{id}"


@operation(Permission.EINVOICE_EMIT, unit=Unit.OWN)
async def annul(ctx: Context, data: AnnulInput) -> Annulled:
    """Seal and send the annulment of an emitted invoice, waiting a few seconds for the answer.

    `pending` or `unknown` when that takes longer: the invoice is annulled, and leaves the books, with the authority's
    yes. Asked again meanwhile, the same annulment answers. Raises Invalid for an unknown fiscalId, NOT_ANNULLABLE,
    FISCAL_CHECK_FAILED; Rejected when the authority refuses, and the invoice stands as before.
    """

    async def attempt() -> tuple[Any, Any]:
        async with ctx.transaction() as inner:
            seen = await _named(inner, data.fiscal_id)
            row = await lifecycle.fetch_locked(inner, str(seen.invoice_id), hidden=True)
            records = await history.of_invoice(inner, row.id)
            asked = _asked_already(records, seen)
            return row, asked or await _sealed(inner, row, records, data.reason)

    row, record = await retry_on_conflict(attempt)
    found = await await_answer.settled(ctx, record)
    answer = results.result(ctx, record, found.status)
    if found.status.state == State.REJECTED:
        raise rejection.rejection(answer)
    return Annulled(
        fiscal_id=answer.fiscal_id,
        status=answer.status,
        reason=record.reason,
        invoice_id=answer.invoice_id,
        number=answer.number,
        csv=answer.csv,
        warning=_warning(ctx, row),
    )


async def _named(ctx: Context, fiscal_id: str) -> Any:
    """The newest record of this fiscalId, which all records of an invoice share."""
    known = select(fiscal_record.c.id, fiscal_record.c.invoice_id).where(fiscal_record.c.fiscal_id == fiscal_id)
    found = (await ctx.db.execute(known.order_by(fiscal_record.c.id.desc()).limit(1))).one_or_none()
    if found is None:
        raise bilingual_field(
            "fiscalId",
            (
                "no invoice of yours was reported under it",
                "Take fiscalId from the invoice's `einvoice`, or from GET /api/einvoice/status/{id}.",
            ),
            (
                "ninguna factura tuya se comunicó con él",
                "Toma fiscalId del `einvoice` de la factura, o de GET /api/einvoice/status/{id}.",
            ),
            code=Code.NOT_EMITTED,
        )
    return found


def _asked_already(records: Sequence[RecordWithStatus], seen: Any) -> Any:
    """The annulment that is on its way, or that somebody else made while the invoice's lock was waited for."""
    newest = records[-1]
    if newest.record.kind == "annul" and (newest.is_open or newest.record.id != seen.id):
        return newest.record
    return None


async def _sealed(ctx: Context, row: Any, records: Sequence[RecordWithStatus], reason: str) -> Any:
    """The record that annuls the locked invoice `row`."""
    standing = history.current(records)
    await _check(ctx, row, standing)
    channel = correction.channel_of(ctx, standing)
    annulling, past = _annulling(channel), history.as_past_records(records)
    environment = Environment(standing.record.environment)
    annulment = documents.annulment(ctx, row)
    unready = await access.reporting_obstacles(ctx, channel, environment, standing.record.issuer_tax_id)
    problems = [*unready, *annulling.preflight(annulment, past, ctx.account.today())]
    if problems:
        raise rejection_texts.rejection(problems)
    head = await heads.lock_open_head(ctx, channel, environment, standing.record.issuer_tax_id)
    sealed = annulling.seal(annulment, await sealing.place(ctx, head, channel, environment), past)
    kept = RecordDetails(environment, annulment.issuer.name, records, reason=reason)
    return await sealing.store(ctx, row, head, sealed, kept)


def _annulling(channel: FiscalChannel) -> Annulling:
    if channel.annuls is None:
        raise bilingual(
            Invalid,
            (f"{channel.title} has no annulments.", "Issue a credit note instead."),
            (f"{channel.title} no tiene anulaciones.", "Emite en su lugar una factura rectificativa."),
            code=Code.EINVOICE_UNSUPPORTED,
        )
    return channel.annuls


async def _check(ctx: Context, row: Any, standing: RecordWithStatus) -> None:
    """Raises Invalid NOT_ANNULLABLE for what is annulled, is on its way, was reported elsewhere, or is corrected."""
    if standing.record.environment != ctx.settings.einvoice_env.value:
        where = standing.record.environment
        raise _refusal(
            (
                f"{row.number} was reported in the environment `{where}`, not in this server's.",
                "It has no effect here; delete it if it should not be seen.",
            ),
            (
                f"{row.number} se comunicó en el entorno `{where}`, que no es el de este servidor.",
                "Aquí no tiene ningún efecto; bórrala si no debe verse.",
            ),
        )
    if standing.is_open:
        raise _refusal(
            (
                f"{row.number} is on its way to the authority, which has not answered yet.",
                f"Wait for the answer ({_LOOK}), then annul it.",
            ),
            (
                f"{row.number} va camino de la administración tributaria, que aún no ha contestado.",
                f"Espera la respuesta ({_LOOK}) y anúlala después.",
            ),
        )
    if results.state_of(standing.record, standing.status) == State.ANNULLED.value:
        again = "POST /api/einvoice/emit {invoiceId, correct: true}"
        raise _refusal(
            (f"{row.number} is annulled already.", f"Nothing is left to do. If it holds after all, {again}."),
            (f"{row.number} ya está anulada.", f"No queda nada por hacer. Si al final vale, {again}."),
        )
    await authority_answers.check_annullable(ctx, row)


def _refusal(english: Words, spanish: Words) -> Invalid:
    return bilingual(Invalid, english, spanish, code=Code.NOT_ANNULLABLE)


def _warning(ctx: Context, row: Any) -> str | None:
    if not row.amount_paid:
        return None
    if ctx.request_metadata.language == "es":
        return f"Lo cobrado de {row.number}, {row.amount_paid} {row.currency}, ya no cuenta: ocúpate de devolverlo."
    return f"{row.amount_paid} {row.currency} was paid on {row.number} and counts no more: see that it goes back."
