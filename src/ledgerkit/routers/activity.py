"""/api/activity."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.activity.operations import HistoryFilter
from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.undoing import operations as undoing
from ledgerkit.core.undoing.api import UndoInput, Undone
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, listed, paged
from ledgerkit.routers.routing import Router

router = Router(
    prefix="/api/activity", tags=["Activity"], about="What was done, by whom and which way, and taking back your own."
)

RecordType = Annotated[ShortText | None, Query(alias="type", description="Kind of record, as invoice or client")]
RecordId = Annotated[ShortText | None, Query(alias="id", description="Id of the record, with its type")]
ClientId = Annotated[
    ShortText | None,
    Query(alias="clientId", description="Id of a client: it, its invoices with their payments and mails, its tasks"),
]
Mine = Annotated[bool, Query(alias="mine", description="True: only what you have done, by whatever channel")]
Application = Annotated[ShortText | None, Query(description="Name of a connected application or of a key")]
From = Annotated[Day | None, Query(alias="from", description="First day, in the account's time zone")]
To = Annotated[Day | None, Query(description="Last day, in the account's time zone")]
Words = Annotated[ShortText | None, Query(description="Part of the record's number or name")]


@router.get("/history", operation=activity.look_up, operation_id="getActivityHistory", response_model=list[ActivityLog])
async def get_activity_history(
    request: Request,
    ctx: Ctx,
    page: PageNumber = None,
    limit: Limit = None,
    kind: RecordType = None,
    record_id: RecordId = None,
    client_id: ClientId = None,
    by_me: Mine = False,
    client: Application = None,
    since: From = None,
    to: To = None,
    search: Words = None,
) -> Response:
    """List what was done in the account, the latest first; in a personal workspace as well."""
    history_filter = HistoryFilter(
        type=kind,
        id=record_id,
        client_id=client_id,
        mine=by_me,
        client=client,
        since=since,
        until=to,
        label=search,
    )
    return listed(request, await activity.look_up(ctx, paged(page, limit), history_filter))


@router.post("/undo", operation=undoing.undo, operation_id="undo")
async def undo(ctx: Ctx, data: UndoInput) -> Undone:
    """Take back your last writes, or those of one record: each call whole or not at all, and say why where not."""
    return await undoing.undo(ctx, data)
