"""/api/clients."""

from fastapi import Request, Response

from ledgerkit.core.merging import operations as merging
from ledgerkit.core.merging.api import Duplicate, MergedClient
from ledgerkit.core.platform.api_types.list_pages import UNPAGED_SIZE
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import Client, ClientChange, ClientInput
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, Search, listed, paged, tagged
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/clients", tags=["Clients"], about="Who is invoiced.")


@router.get("", operation=clients.listing, operation_id="listClients", response_model=list[Client])
async def list_clients(
    request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None, search: Search = None
) -> Response:
    """List clients by name, up to a thousand unless `page` or `limit` is given."""
    return listed(request, await clients.listing(ctx, paged(page, limit, unasked=UNPAGED_SIZE), search))


@router.post("", operation=clients.create, operation_id="createClient", status_code=201)
async def create_client(ctx: Ctx, data: ClientInput) -> Client:
    """Create a client. A doubtful foreign tax id is stored with a warning."""
    return tagged(ctx, await clients.create(ctx, data))


@router.get("/{id}", operation=clients.get, operation_id="getClient")
async def get_client(ctx: Ctx, id: str) -> Client:
    """Return one client, with its version as ETag."""
    return tagged(ctx, await clients.get(ctx, id))


@router.put("/{id}", operation=clients.update, operation_id="updateClient")
async def update_client(ctx: Ctx, id: str, data: ClientChange) -> Client:
    """Change the fields given; absent ones keep their value."""
    return tagged(ctx, await clients.update(ctx, id, data))


@router.post("/{id}/merge", operation=merging.merge_clients, operation_id="mergeClients")
async def merge_clients(ctx: Ctx, id: str, data: Duplicate) -> MergedClient:
    """Give the client the invoices and tasks of `duplicateId`, and the fields that it lacks; delete the duplicate."""
    return await merging.merge_clients(ctx, id, data)


@router.delete("/{id}", operation=clients.delete, operation_id="deleteClient")
async def delete_client(ctx: Ctx, id: str) -> Ok:
    """Delete a client. Invoices keep their copy."""
    await clients.delete(ctx, id)
    return Ok()
