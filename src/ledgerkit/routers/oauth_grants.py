"""/api/oauth/grants: the applications that the user has connected."""

from ledgerkit.core.platform.oauth.grants import operations as grants
from ledgerkit.core.platform.oauth.grants.operations import Grant
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, whole
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/oauth/grants", tags=["Connected applications"], about="Assistants that one has connected.")


@router.get("", operation=grants.list_grants, operation_id="listGrants")
async def list_grants(ctx: Ctx) -> list[Grant]:
    """List the applications that may act for the user, in all teams of the user. API keys are refused here."""
    return whole(ctx, await grants.list_grants(ctx))


@router.delete("/{id}", operation=grants.revoke_grant, operation_id="revokeGrant")
async def revoke_grant(ctx: Ctx, id: str) -> Ok:
    """End an application's access at once, with all its tokens. API keys are refused here."""
    await grants.revoke_grant(ctx, id)
    return Ok()
