"""API keys with scopes."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import EVERYBODY, Ask, Failing, Ids

NEW_KEY = {"name": "Informes", "scopes": ["read", "write"], "expiresAt": "2090-01-01T00:00:00.000Z"}


async def _with_a_key_to_revoke(caller: Api, ids: Ids) -> Ids:
    """The caller has a key, if they may have one: somebody else's does not exist for them."""
    answer = await caller.request("POST", "/api/keys", NEW_KEY)
    return {**ids, "doomed key": answer.json()["id"]} if answer.is_success else ids


ASKS: dict[str, Ask] = {
    "GET /api/keys": Ask(allowed=EVERYBODY),
    "POST /api/keys": Ask(body=NEW_KEY, allowed=EVERYBODY),
    "DELETE /api/keys/{id}": Ask("doomed key", allowed=EVERYBODY, before=_with_a_key_to_revoke),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/keys", 400): Failing("POST", "/api/keys", {"name": "Nada", "scopes": []}),
    ("DELETE /api/keys/{id}", 404): Failing("DELETE", f"/api/keys/{uuid4()}"),
}

FILLS = ("activity",)
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    return {"doomed key": (await api.post("/api/keys", NEW_KEY))["id"]}
