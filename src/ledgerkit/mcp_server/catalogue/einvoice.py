"""Tools about fiscal records, which are sealed and reported to the tax authority."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.einvoice import operations as einvoice
from ledgerkit.core.einvoice.api import AnnulInput, CreditNoteInput, EmitInput
from ledgerkit.core.einvoice.inspection import alerts
from ledgerkit.core.einvoice.issuance import annulment, credit_note
from ledgerkit.core.einvoice.status import operations as status
from ledgerkit.core.platform.api_types.fields import Flag, Remark, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.mcp_server.answers import brief
from ledgerkit.mcp_server.shapes import Confirmable, Detailed, Keyed, body_of
from ledgerkit.mcp_server.tool import Tool


class Emission(Confirmable):
    """The invoice to emit."""

    invoice_id: Annotated[ShortText, Field(min_length=1)]
    correct: Flag = False
    renumber: Flag = False
    replace: Flag = False


class Annulling(Confirmable):
    """The record to annul."""

    fiscal_id: Annotated[ShortText, Field(min_length=1)]
    reason: Remark


class Crediting(Keyed, Confirmable, CreditNoteInput):
    """The invoice to credit, without items everything that is not credited yet."""


class StatusQuery(Detailed):
    """An invoice; without one the state of e-invoicing itself."""

    invoice_id: ShortText | None = None


def _without_picture(record: Json) -> Json:
    """Return a record without the picture of its QR code, whose address stays, as in an invoice."""
    return {**record, "qr": None}


async def _emit(ctx: Context, arguments: Emission) -> Json:
    return _without_picture(as_json(await einvoice.emit(ctx, body_of(EmitInput, arguments))))


async def _credit(ctx: Context, arguments: Crediting) -> Json:
    return _without_picture(as_json(await credit_note.credit_note(ctx, body_of(CreditNoteInput, arguments))))


async def corrections_due(ctx: Context) -> Json:
    """Return how many records need a correction, and the newest of them with what to do."""
    shown = as_json(await alerts.alerts(ctx))
    return {name: shown[name] for name in ("needsAction", "rejected", "acceptedWithErrors", "newest")}


_OF_REGIME = ("regime", "name")
_OF_OBLIGATION = ("who", "from", "source", "announced")


def _briefly(state: Json) -> Json:
    """Return the state of e-invoicing without the explanations of all regimes, and without what the law said before."""
    regimes = [brief(regime, _OF_REGIME) for regime in state["regimes"]]
    obligations = [brief(obligation, _OF_OBLIGATION) for obligation in state["obligations"]]
    return {**state, "regimes": regimes, "obligations": obligations}


async def _status(ctx: Context, arguments: StatusQuery) -> Json:
    if arguments.invoice_id is None:
        async with ctx.reading() as inner:
            state = as_json(await einvoice.providers(inner))
            if arguments.detail == "concise":
                state = _briefly(state)
            if ctx.actor.may(Permission.EINVOICE_READ):
                state = {**state, "fiscalAlerts": await corrections_due(inner)}
            return state
    return _without_picture(as_json(await status.status(ctx, arguments.invoice_id)))


TOOLS = (
    Tool(
        name="annul_einvoice",
        title="Annul a reported invoice (anular)",
        description=(
            "Void an issued invoice at the tax office (AEAT), as it should never have existed (hacienda factura "
            "registro error baja verifactu prueba fiscal nunca agencia validez veces efecto nula; issued tax real "
            "test cancel withdraw kill got invalidate). Cannot be undone. Wrong amount or client: "
            "create_credit_note. `pending`: repeat."
        ),
        scope=Scope.FISCAL,
        operations=(annulment.annul,),
        arguments=Annulling,
        hints={"fiscalId": "`einvoice.fiscalId` of get_invoice"},
        run=lambda ctx, arguments: annulment.annul(ctx, body_of(AnnulInput, arguments)),
    ),
    Tool(
        name="create_credit_note",
        title="Credit an invoice (abono, rectificar)",
        description=(
            "Issue a corrective invoice (factura abono emitir rectificativa mal hacer euros iva devuelto salió "
            "mandado devuelven devolver; issued credit already invoice wrong need put half right refund back gone "
            "two fix correct make off against). With items a part (positive amounts), without them all that is left. "
            "Reported at once, cannot be undone. fiscalId, issueDate: get_invoice."
        ),
        scope=Scope.FISCAL,
        operations=(credit_note.credit_note,),
        arguments=Crediting,
        described=("invoiceId", "originalFiscalId", "originalDate", "reason", "method", "items"),
        hints={"reason": "R1 to R5"},
        like={"items": "create_invoice"},
        is_long=True,
        run=_credit,
    ),
    Tool(
        name="emit_einvoice",
        title="Issue an invoice officially (emitir)",
        description=(
            "Emit a draft invoice: number, sign, chain, report to the tax office (VERI*FACTU, QR) (número dale "
            "definitiva hacienda saca oficial factura pueda cierra perfecta; make draft ahead give official real "
            "register correct right lock happy fire check push aeat good). get_invoice first: afterwards it can only "
            "be annulled or credited. Repeating is safe."
        ),
        scope=Scope.FISCAL,
        operations=(einvoice.emit,),
        arguments=Emission,
        hints={
            "correct": "Report anew what only the record had wrong",
            "renumber": "After NUMBER_TAKEN: emit under the next number",
            "replace": "After NUMBER_TAKEN: overwrite `takenBy`; only if the owner says so",
        },
        is_long=True,
        run=_emit,
    ),
    Tool(
        name="get_einvoice_status",
        title="Did the tax office accept it? (factura electrónica)",
        description=(
            "Read an invoice's fiscal state: accepted or rejected by the tax office (AEAT), why (hacienda verifactu "
            "agencia ayer enviado registro algo mandado aceptado llegado qr rojo; aeat stuck record still back "
            "invoices taxman agency bounce issued know). Without invoiceId: VERI*FACTU on or off, since when "
            "compulsory, certificate, unsent ones."
        ),
        scope=Scope.READ,
        operations=(alerts.alerts, einvoice.providers, status.status),
        arguments=StatusQuery,
        is_long=True,
        run=_status,
    ),
)
