"""Whether a new record has to put an earlier one right."""

from collections.abc import Sequence
from typing import Any

from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import sealing
from ledgerkit.core.einvoice.outbox.retry_policy import AWAITING_ANSWER
from ledgerkit.core.invoices import authority_answers
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices.posting.standing import is_annulled
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid, bilingual
from ledgerkit.providers.api import FiscalChannel, State


async def is_due(ctx: Context, row: Any, records: Sequence[RecordWithStatus], *, wanted: bool) -> bool:
    """Whether the invoice `row`, standing as it does by its `records`, is to be told anew.

    One whose last record was refused is whenever it is emitted; any other one when that is `wanted`.
    While a correction is on its way nothing can change, so that whoever wants it again gets that one.
    Raises Invalid NOT_CORRECTABLE when it is wanted and there is nothing to correct, or not yet.
    """
    standing = history.current(records)
    if standing.record.environment != ctx.settings.einvoice_env.value:
        return _refused_or_not(wanted, _elsewhere(ctx, standing))
    state = State(standing.status.state)
    if state in AWAITING_ANSWER:
        asked_before = standing.record.kind == "issue" and standing.record.corrects_id is not None
        return _refused_or_not(wanted and not asked_before, _on_its_way(standing))
    refused = state is State.REJECTED or history.refused(records) is not None
    if is_annulled(row) and (wanted or refused):
        await authority_answers.check_reactivatable(ctx, row)
    elif wanted and not refused and not await _differs(ctx, row, standing):
        raise _nothing_new(standing)
    return wanted or refused


def channel_of(ctx: Context, found: RecordWithStatus) -> FiscalChannel:
    """The channel that made a record, whatever country the account says it is in now."""
    record = found.record
    channel = ctx.kernel.countries.channel(record.country, record.channel)
    if channel is None:
        raise bilingual(
            Invalid,
            (
                f"{record.number} was reported by {record.channel}, which is not installed here any more.",
                "Ask the operator to install the country's package again.",
            ),
            (
                f"{record.number} se comunicó por {record.channel}, que ya no está instalado aquí.",
                "Pide al operador que vuelva a instalar el paquete del país.",
            ),
            code=Code.EINVOICE_UNSUPPORTED,
        )
    return channel


def never_emitted(row: Any) -> Invalid:
    return bilingual(
        Invalid,
        (f"{row.number or 'This invoice'} has no record yet that could be corrected.", "Emit it without `correct`."),
        (f"{row.number or 'Esta factura'} aún no tiene ningún registro que corregir.", "Emítela sin `correct`."),
        code=Code.NOT_EMITTED,
    )


async def _differs(ctx: Context, row: Any, standing: RecordWithStatus) -> bool:
    """Whether there is something to tell: the invoice says something else now, or the authority found an error."""
    status = standing.status
    notices = channel_of(ctx, standing).mere_notices
    if status.state == State.ACCEPTED_WITH_ERRORS and status.code not in notices:
        return True
    return bool(sealing.digest(await documents.document(ctx, row)) != standing.record.told)


def _refused_or_not(wanted: bool, problem: Invalid) -> bool:
    if wanted:
        raise problem
    return False


def _elsewhere(ctx: Context, standing: RecordWithStatus) -> Invalid:
    number, there, here = standing.record.number, standing.record.environment, ctx.settings.einvoice_env.value
    return bilingual(
        Invalid,
        (
            f"{number} was reported in the environment `{there}`, this server reports to `{here}` now.",
            "Make a new invoice: what was reported elsewhere cannot be corrected here.",
        ),
        (
            f"{number} se comunicó en el entorno `{there}`, y este servidor comunica ahora a `{here}`.",
            "Haz una factura nueva: lo que se comunicó en otro sitio no se puede corregir aquí.",
        ),
        code=Code.NOT_CORRECTABLE,
    )


def _on_its_way(standing: RecordWithStatus) -> Invalid:
    number = standing.record.number
    return bilingual(
        Invalid,
        (
            f"The authority has not answered yet to what it was told of {number}.",
            "Wait for it (GET /api/einvoice/status/{id}), then ask again.",
        ),
        (
            f"La administración tributaria aún no ha contestado a lo que se le comunicó de {number}.",
            "Espera su respuesta (GET /api/einvoice/status/{id}) y vuelve a pedirlo.",
        ),
        code=Code.NOT_CORRECTABLE,
    )


def _nothing_new(standing: RecordWithStatus) -> Invalid:
    number = standing.record.number
    return bilingual(
        Invalid,
        (
            f"The authority holds {number} as it is: there is nothing to correct.",
            "Change first what is wrong (PUT /api/invoices/{id}); what the paper shows takes a credit note.",
        ),
        (
            f"La administración tributaria tiene {number} tal como está: no hay nada que corregir.",
            "Cambia antes lo que esté mal (PUT /api/invoices/{id}); para lo que se ve en el papel, rectifícala.",
        ),
        code=Code.NOT_CORRECTABLE,
    )
