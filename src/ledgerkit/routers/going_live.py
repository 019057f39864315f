"""/api/go-live."""

from typing import Annotated

from fastapi import Query

from ledgerkit.core.operation.going_live import operations as going_live
from ledgerkit.core.operation.going_live.api import GoLiveInput, GoLiveStatus
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/go-live", tags=["E-invoice"], about="National electronic invoicing, whatever the country.")

KeepPurchases = Annotated[
    bool, Query(alias="keepPurchases", description="As if the documents of suppliers were real and stayed")
]


@router.get("", operation=going_live.status, operation_id="getGoLiveStatus")
async def status(ctx: Ctx, keep_purchases: KeepPurchases = False) -> GoLiveStatus:
    """Return whether the account is live; if not, what production lacks, what would be archived, and what stays."""
    return await going_live.status(ctx, GoLiveInput(keep_purchases=keep_purchases))


@router.post("", operation=going_live.go_live, operation_id="goLive")
async def go_live(ctx: Ctx, data: GoLiveInput) -> GoLiveStatus:
    """Archive everything that was tried out and begin anew: the first real number is 1.

    Clients, vendors, catalog, team, settings, tax profile and keys stay. For an account that is live already nothing
    is done. 400 NOT_READY_FOR_PRODUCTION names everything that is missing.
    """
    return await going_live.go_live(ctx, data)
