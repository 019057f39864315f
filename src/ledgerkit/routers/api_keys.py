"""/api/keys."""

from ledgerkit.core.platform.api_keys import operations as api_keys
from ledgerkit.core.platform.api_keys.api import ApiKey, ApiKeyInput, NewApiKey
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, whole
from ledgerkit.routers.routing import Router

router = Router(
    prefix="/api/keys",
    tags=["API keys"],
    about="One's own keys for programs and assistants: with scopes, an end, and the time of their last use.",
)


@router.get("", operation=api_keys.listing, operation_id="listApiKeys")
async def list_api_keys(ctx: Ctx) -> list[ApiKey]:
    """List the caller's keys in the active team, without the keys themselves. API keys are refused here."""
    return whole(ctx, await api_keys.listing(ctx))


@router.post("", operation=api_keys.create, operation_id="createApiKey", status_code=201)
async def create_api_key(ctx: Ctx, data: ApiKeyInput) -> NewApiKey:
    """Create a key for one program in the active team; the answer shows it once. API keys are refused here.

    It covers its scopes only, acts with one's role of the moment, and ends with one's membership of the team.
    """
    return await api_keys.create(ctx, data)


@router.delete("/{id}", operation=api_keys.revoke, operation_id="revokeApiKey")
async def revoke_api_key(ctx: Ctx, id: str) -> Ok:
    """Revoke one of the caller's keys at once. API keys are refused here."""
    await api_keys.revoke(ctx, id)
    return Ok()
