"""Connected applications."""

from uuid import UUID, uuid4

from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.oauth.authorization.requests import AuthorizationRequest
from ledgerkit.core.platform.oauth.protocol import server
from ledgerkit.core.platform.request.scopes import Scope
from support.api import Api, kernel_of
from support.scenes.ask import EVERYBODY, Ask, Failing, Ids


async def granted(api: Api, client_name: str = "Asistente", account: str = "", *scopes: Scope) -> None:
    """Let an application work for a person in one of their accounts, by default the team that is active for them."""
    kernel = kernel_of(api.client)
    user = (await api.get("/auth/me"))["user"]
    request = AuthorizationRequest(
        client_id="https://assistant.example/client.json",
        client_name=client_name,
        redirect_uri="https://assistant.example/callback",
        scopes=scopes or (Scope.READ, Scope.WRITE),
        resource=server.resource(kernel.settings),
    )
    request_id = await requests.store(kernel, request, "challenge")
    await requests.approve(kernel, request_id, UUID(user["id"]), UUID(account or user["activeTeamId"]), request.scopes)


async def _with_a_grant(caller: Api, ids: Ids) -> Ids:
    """The caller has connected an application; a key and a person without a team have none."""
    if "Authorization" not in caller.headers or not caller.email:
        return ids
    await granted(caller)
    return {**ids, "grant": (await caller.get("/api/oauth/grants"))[0]["id"]}


ASKS = {
    "GET /api/oauth/grants": Ask(allowed=EVERYBODY),
    "DELETE /api/oauth/grants/{id}": Ask(of="grant", allowed=EVERYBODY, before=_with_a_grant),
}
FAILURES = {
    ("DELETE /api/oauth/grants/{id}", 404): Failing("DELETE", f"/api/oauth/grants/{uuid4()}"),
}


async def scene(api: Api) -> dict[str, str]:
    return dict(await _with_a_grant(api, {}))
