"""Tools about what was done: the history, and taking back one's own writes."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.activity.operations import HistoryFilter
from ledgerkit.core.platform.api_types.fields import Day, Flag, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.undoing import operations as undoing
from ledgerkit.core.undoing.api import UndoInput
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.shapes import Confirmable, Keyed, PageQuery, body_of
from ledgerkit.mcp_server.tool import Tool

_BRIEF = ("id", "createdAt", "userName", "client", "action", "entityType", "entityId", "entityLabel", "changes")

_LONGEST = 120
"""Most characters of a value in a brief row."""


class HistoryQuery(PageQuery):
    """Filter of the history."""

    type: ShortText | None = None
    id: ShortText | None = None
    client_id: ShortText | None = None
    mine: Flag = False
    client: ShortText | None = None
    since: Annotated[Day | None, Field(alias="from")] = None
    to: Day | None = None
    search: ShortText | None = None

    def conditions(self) -> HistoryFilter:
        """Return the filter of the list."""
        return HistoryFilter(
            type=self.type,
            id=self.id,
            client_id=self.client_id,
            mine=self.mine,
            client=self.client,
            since=self.since,
            until=self.to,
            label=self.search,
        )


class Undoing(Keyed, Confirmable, UndoInput):
    """Choice of the writes to take back."""


async def _history(ctx: Context, arguments: HistoryQuery) -> Json:
    answer = await paged(lambda page: activity.look_up(ctx, page, arguments.conditions()), arguments, _BRIEF)
    if arguments.detail == "concise":
        for entry in answer["items"]:
            entry["changes"] = {name: _brief(change) for name, change in (entry["changes"] or {}).items()}
    return answer


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
        operations=(activity.look_up,),
        arguments=HistoryQuery,
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
