"""Tools about what was done: the history, and taking back one's own writes."""

from typing import Annotated

from pydantic import AfterValidator, Field

from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.activity.operations import HistoryFilter
from ledgerkit.core.platform.api_types.fields import Day, Flag, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.list_pages import PageRequest
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.undoing import operations as undoing
from ledgerkit.core.undoing.api import UndoInput
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.catalogue.names import client_id_of
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Confirmable, Keyed, PageQuery, body_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.problems import NotFound
from ledgerkit.texts.refusals import refusal

_BRIEF = ("id", "createdAt", "userName", "client", "action", "entityType", "entityId", "entityLabel", "changes")

_LONGEST = 120
"""Most characters of a value in a brief row."""


KINDS = frozenset(
    {
        *("api_key", "approval", "approval_policy", "cash_register", "catalog_item", "client", "context"),
        *("context_entry", "draft", "expense", "fiscal_certificate", "fiscal_demand", "fiscal_installation"),
        *(
            "invitation",
            "invoice",
            "member",
            "messaging_link",
            "oauth_grant",
            "supplier_invoice",
            "task",
            "tax_declaration",
        ),
        *("tax_profile", "team", "vendor"),
    }
)
"""Kinds of records that the history has entries of."""


def _known(kind: str) -> str:
    """Return a kind of records. Raises PydanticCustomError for one that the history has no entries of."""
    if kind not in KINDS:
        raise refusal("kind_unknown", McpMsg.NO_SUCH_KIND, known=", ".join(sorted(KINDS)))
    return kind


class HistoryQuery(PageQuery):
    """Filter of the history."""

    type: Annotated[ShortText, AfterValidator(_known)] | None = None
    id: ShortText | None = None
    client_id: ShortText | None = None
    mine: Flag = False
    application: ShortText | None = None
    since: Annotated[Day | None, Field(alias="from")] = None
    to: Day | None = None
    search: ShortText | None = None

    def conditions(self, client_id: str | None) -> HistoryFilter:
        """Return the filter of the list, of the client that was named."""
        return HistoryFilter(
            type=self.type,
            id=self.id,
            client_id=client_id,
            mine=self.mine,
            client=self.application,
            since=self.since,
            until=self.to,
            label=self.search,
        )


class Undoing(Keyed, Confirmable, UndoInput):
    """Choice of the writes to take back."""


async def _history(ctx: Context, arguments: HistoryQuery) -> Json:
    conditions = arguments.conditions(await _client_id(ctx, arguments.client_id))
    answer = await paged(lambda page: activity.look_up(ctx, page, conditions), arguments, _BRIEF)
    if arguments.detail == "concise":
        for entry in answer["items"]:
            entry["application"] = entry.pop("client")
            entry["changes"] = {name: _brief(change) for name, change in (entry["changes"] or {}).items()}
    return answer


async def _client_id(ctx: Context, named: str | None) -> str | None:
    """Return the id of the client that was named, who may have been removed. Raises NotFound for one who never was."""
    try:
        return await client_id_of(ctx, named)
    except NotFound:
        page = await activity.look_up(ctx, PageRequest(1, 1), HistoryFilter(type="client", id=named))
        if page.total == 0:
            raise
        return named


def _brief(change: dict[str, object]) -> dict[str, object]:
    return {side: _short(value) for side, value in change.items()}


def _short(value: object) -> object:
    """Return a value of the log in brief: long texts are cut, and of lists and objects only the size is told."""
    if isinstance(value, list | dict):
        return f"({len(value)})"
    return f"{value[:_LONGEST]}…" if isinstance(value, str) and len(value) > _LONGEST else value


async def _undo(ctx: Context, arguments: Undoing) -> Json:
    return as_json(await undoing.undo(ctx, body_of(UndoInput, arguments)))


TOOLS = (
    Tool(
        name="get_history",
        title="Who changed what (historial)",
        description=(
            "Read what was changed, by whom and when, by record or person (cambio toca precio programa factura "
            "modificó ayer ficha hoy tenemos dirección semana haber; altered somebody price last yesterday trail "
            "touch see week bank edit rate date). To take back: undo."
        ),
        scope=Scope.READ,
        operations=(activity.look_up, clients.get, clients.listing),
        arguments=HistoryQuery,
        hints={"application": "App or key"},
        run=_history,
    ),
    Tool(
        name="undo",
        title="Undo the last changes (deshacer)",
        description=(
            "Take back your last changes, or hear what the law allows instead (atrás hacer estaba deshaz última "
            "acabo vuelve; back put reverse wrong step revert mistake scratch)."
        ),
        scope=Scope.WRITE,
        operations=(undoing.undo,),
        arguments=Undoing,
        hints={"count": "How many calls", "type": "With id: kind of the record, as client"},
        run=_undo,
    ),
)
