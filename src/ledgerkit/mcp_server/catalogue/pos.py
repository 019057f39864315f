"""Tools about the cash register (the till)."""

from enum import StrEnum
from functools import partial
from typing import Annotated

from pydantic import Field

from ledgerkit.core.cash_register import operations as registers
from ledgerkit.core.cash_register.api import Closing, MovementInput, Opening
from ledgerkit.core.platform.api_types.fields import CurrencyCode, Day, ShortText
from ledgerkit.core.platform.api_types.json_answers import as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Confirmable, Keyed, PageQuery, RecordId, body_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.problems import Invalid

BRIEF = ("id", "userName", "status", "openedAt", "closedAt", "currency", "expectedAmount", "difference", "zNumber")


class Movement(Keyed, Confirmable, RecordId, MovementInput):
    """A movement in an open register."""


class RegisterToClose(Confirmable, RecordId, Closing):
    """The register to close."""


class NewRegister(Keyed, Opening):
    """The caller's register."""


class RegisterView(StrEnum):
    CURRENT = "current"
    REGISTER = "register"
    OPEN = "open"
    HISTORY = "history"
    SUMMARY = "summary"


class RegisterQuery(PageQuery):
    view: RegisterView = RegisterView.CURRENT
    id: Annotated[ShortText | None, Field(min_length=1)] = None
    first: Annotated[Day | None, Field(alias="from")] = None
    last: Annotated[Day | None, Field(alias="to")] = None
    currency: CurrencyCode | None = None


async def _register(ctx: Context, arguments: RegisterQuery) -> object:
    match arguments.view:
        case RegisterView.CURRENT:
            current = await registers.current(ctx)
            return {"register": None} if current is None else as_json(current)
        case RegisterView.REGISTER:
            if arguments.id is None:
                raise Invalid.field("id", McpMsg.ID_NEEDED)
            return await registers.get(ctx, arguments.id)
        case RegisterView.OPEN:
            return await paged(partial(registers.still_open, ctx), arguments, BRIEF)
        case RegisterView.HISTORY:
            return await paged(partial(registers.history, ctx), arguments, BRIEF)
        case RegisterView.SUMMARY:
            return await registers.summary(ctx, arguments.first, arguments.last, arguments.currency)


TOOLS = (
    Tool(
        name="add_cash_movement",
        title="Add a cash movement (caja)",
        description=(
            "Record a movement of the till: sale, refund, cash_in, cash_out (caja euros cajón saca cambio mete banco "
            "monedas llevo efectivo cogido retirado; cash drawer till bank change box took coins put into another "
            "take float pull back safe). A sale becomes a sealed simplified invoice, a refund the credit note of "
            "invoiceId or the sale it fits."
        ),
        scope=Scope.WRITE,
        operations=(registers.move,),
        arguments=Movement,
        described=("id", "type", "amount", "description", "paymentMethod", "invoiceId", "lineItems", "clientId"),
        hints={"id": "Of the register"},
        like={"lineItems": "create_invoice"},
        run=lambda ctx, arguments: registers.move(ctx, arguments.id, body_of(MovementInput, arguments)),
    ),
    Tool(
        name="close_cash_register",
        title="Close the till (cerrar la caja)",
        description=(
            "Close the till with the money counted in the drawer (contado euros cierra hoy cuadra cajón arqueo "
            "efectivo fin baja; cash end drawer coins shutting today off finished make wrap shift shut); difference "
            "and Z number are final."
        ),
        scope=Scope.WRITE,
        operations=(registers.close,),
        arguments=RegisterToClose,
        run=lambda ctx, arguments: registers.close(ctx, arguments.id, body_of(Closing, arguments)),
    ),
    Tool(
        name="get_cash_register",
        title="Look at the till (caja)",
        description=(
            "Read the till: is it open, the money in it, what went in and out; another by id (view register), the "
            "open ones, history of closings, summary of sales (caja hoy cajón efectivo abierta ahora ayer llevo "
            "cuadra cierra mañana semana arqueo anoche; cash till drawer much now today yesterday balance box last "
            "show moment take petty)."
        ),
        scope=Scope.READ,
        operations=(registers.current, registers.get, registers.still_open, registers.history, registers.summary),
        arguments=RegisterQuery,
        run=_register,
    ),
    Tool(
        name="open_cash_register",
        title="Open the till (abrir la caja)",
        description=(
            "Open your till with the money in the drawer; a user has one at a time (caja euros fondo cambio "
            "arrancamos cajón empezamos turno hoy; start float begin day today going kick shift)."
        ),
        scope=Scope.WRITE,
        operations=(registers.open_register,),
        arguments=NewRegister,
        run=lambda ctx, arguments: registers.open_register(ctx, body_of(Opening, arguments)),
    ),
)
