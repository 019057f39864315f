"""/api/einvoice/mode and /api/einvoice/events: the signed mode."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.einvoice.chain.api import Position
from ledgerkit.core.einvoice.signed_mode import operations as signed_mode
from ledgerkit.core.einvoice.signed_mode import scan
from ledgerkit.core.einvoice.signed_mode.api import FiscalEvent, IssuerMode, ModeInput
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, attachment, listed, paged
from ledgerkit.routers.einvoice import XML
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/einvoice", tags=["E-invoice"])


@router.get("/mode", operation=signed_mode.mode, operation_id="getEInvoiceMode")
async def get_mode(ctx: Ctx) -> IssuerMode:
    """Return the mode of the issuer (records are reported at once, or signed and stored), and the one to come."""
    return await signed_mode.mode(ctx)


@router.put("/mode", operation=signed_mode.choose, operation_id="chooseEInvoiceMode")
async def choose_mode(ctx: Ctx, data: ModeInput) -> IssuerMode:
    """Choose the mode of every record to come; an issuer who has begun to report does so to the end of the year."""
    return await signed_mode.choose(ctx, data)


@router.get("/events", operation=scan.list_events, operation_id="getEInvoiceEvents", response_model=list[FiscalEvent])
async def list_events(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """List the events of the system in the signed mode, the newest first."""
    return listed(request, await scan.list_events(ctx, paged(page, limit)))


@router.get(
    "/events/xml", operation=scan.event_xml, operation_id="getEInvoiceEventXml", response_class=Response, responses=XML
)
async def get_event_xml(
    ctx: Ctx,
    position: Annotated[Position, Query(description="`position` of the event in the list")],
    installation: Annotated[ShortText | None, Query(description="Its `installationNumber`; default the newest")] = None,
) -> Response:
    """Return an event byte for byte as it was signed and logged."""
    return attachment(*await scan.event_xml(ctx, position, installation), "application/xml", inline=False)
