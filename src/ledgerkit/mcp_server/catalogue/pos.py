"""Tools about the cash register (the till)."""

from enum import StrEnum
from functools import partial
from typing import Annotated

from pydantic import Field

from ledgerkit.core.cash_register import operations as registers
from ledgerkit.core.cash_register.api import Closing, MovementInput, Opening
from ledgerkit.core.platform.api_types.fields import CurrencyCode, Day, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.mcp_server.answers import list_of, paged
from ledgerkit.mcp_server.catalogue.names import with_names
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Confirmable, Keyed, PageQuery, RecordId, body_of, require_filters_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.problems import Invalid

_NAMED = (clients.get, invoices.get, supplier_invoices.get)
"""Operations that find the names beside ids."""

BRIEF = ("id", "userName", "status", "openedAt", "closedAt", "currency", "expectedAmount", "difference", "zNumber")

MOVEMENT = ("id", "type", "amount", "paymentMethod", "description", "invoiceId", "creditNoteId", "createdAt")


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

    @property
    def is_of_one(self) -> bool:
        """True for a query about one register, whose movements are the list."""
        return self.view in {RegisterView.CURRENT, RegisterView.REGISTER}

    @property
    def listed(self) -> str:
        return "movements" if self.is_of_one else super().listed

    @property
    def counted(self) -> str:
        return "movementCount" if self.is_of_one else super().counted


_FILTERS = {RegisterView.REGISTER: ("id",), RegisterView.SUMMARY: ("first", "last", "currency")}
"""Filters of the views that have some."""


async def _register(ctx: Context, arguments: RegisterQuery) -> object:
    require_filters_of(arguments, arguments.view, *_FILTERS.get(arguments.view, ()))
    match arguments.view:
        case RegisterView.CURRENT:
            current = await registers.current(ctx)
            return {"register": None} if current is None else await _with_movements(ctx, as_json(current), arguments)
        case RegisterView.REGISTER:
            if arguments.id is None:
                raise Invalid.field("id", McpMsg.ID_NEEDED)
            return await _with_movements(ctx, as_json(await registers.get(ctx, arguments.id)), arguments)
        case RegisterView.OPEN:
            return await paged(partial(registers.still_open, ctx), arguments, BRIEF)
        case RegisterView.HISTORY:
            return await paged(partial(registers.history, ctx), arguments, BRIEF)
        case RegisterView.SUMMARY:
            return await registers.summary(ctx, arguments.first, arguments.last, arguments.currency)


async def _with_movements(ctx: Context, register: Json, query: RegisterQuery) -> Json:
    """Return a register with a page of its movements, the newest first; with a cursor only the page."""
    movements = register.pop("movements")[::-1]
    page = await with_names(ctx, await paged(list_of(movements), query, MOVEMENT))
    shown = {"id": register["id"], query.counted: page["total"]} if query.cursor else register
    return {**shown, query.listed: page["items"], "nextCursor": page["nextCursor"]}


async def _move(ctx: Context, arguments: Movement) -> Json:
    register = await registers.move(ctx, arguments.id, body_of(MovementInput, arguments))
    return _after_movement(as_json(register))


def _after_movement(register: Json) -> Json:
    """Return the register after a movement, with that movement only."""
    return {**_alone(register), "movement": register["movements"][-1]}


def _alone(register: Json) -> Json:
    return {name: value for name, value in register.items() if name != "movements"}


async def _close(ctx: Context, arguments: RegisterToClose) -> Json:
    return _alone(as_json(await registers.close(ctx, arguments.id, body_of(Closing, arguments))))


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
        run=_move,
        previewed=_after_movement,
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
        run=_close,
        previewed=_alone,
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
        operations=(
            *(registers.current, registers.get, registers.still_open, registers.history, registers.summary),
            *_NAMED,
        ),
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
