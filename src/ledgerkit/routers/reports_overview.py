"""/api/reports: the business at a glance."""

from ledgerkit.core.reports.overview import operations as overviews
from ledgerkit.core.reports.overview.api import Overview
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/reports", tags=["Reports"], about="The business at a glance, on one screen.")


@router.get("/overview", operation=overviews.overview, operation_id="getOverview")
async def get_overview(ctx: Ctx) -> Overview:
    """Summarise today: amounts owed, the month, the VAT due next, open work; null for what the role may not read."""
    return await overviews.overview(ctx)
