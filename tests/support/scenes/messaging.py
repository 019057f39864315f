"""Linked chats and their settings. A bot is set up, and no messenger is reached."""

from uuid import uuid4

from ledgerkit.core.messaging.table import STATE, StoredState, messaging_link
from ledgerkit.core.platform.database.ids import new_id
from support.api import Api, kernel_of
from support.scenes.ask import EVERYBODY, Ask, Failing, Ids

SETTINGS = {"digestHour": 7, "digest": True, "quiet": True, "language": "es"}


async def linked_chat(api: Api) -> str:
    """Link a chat to the caller as their code would, and return the id of the link."""
    members = await api.get("/api/teams/current/members")
    me = await api.get("/auth/me")
    membership = next(member["id"] for member in members if member["email"] == me["user"]["email"])
    link_id = new_id()
    values = {
        "id": link_id,
        "messenger": "telegram",
        "bot": "1",
        "sender": str(link_id.int % 10**9),
        "chat": "1",
        "external_name": "Ana",
        "membership_id": membership,
        "state": STATE.encode(StoredState()),
    }
    async with kernel_of(api.client).database.transaction(None) as db:
        await db.execute(messaging_link.insert().values(values))
    return str(link_id)


async def _with_a_link_of_ones_own(caller: Api, ids: Ids) -> Ids:
    """The caller has a linked chat, if they are a member: somebody else's does not exist for them."""
    answer = await caller.request("GET", "/api/teams/current/members")
    return {**ids, "doomed chat": await linked_chat(caller)} if answer.is_success else ids


ASKS: dict[str, Ask] = {
    "GET /api/messaging/messengers": Ask(allowed=EVERYBODY),
    "GET /api/messaging/links": Ask(allowed=EVERYBODY),
    "POST /api/messaging/links": Ask(body={"messenger": "telegram"}, allowed=EVERYBODY),
    "DELETE /api/messaging/links/{id}": Ask("doomed chat", allowed=EVERYBODY, before=_with_a_link_of_ones_own),
    "GET /api/messaging/settings": Ask(allowed=EVERYBODY),
    "PUT /api/messaging/settings": Ask(body=SETTINGS, allowed=EVERYBODY),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/messaging/links", 400): Failing("POST", "/api/messaging/links", {"messenger": "carrier pigeon"}),
    ("DELETE /api/messaging/links/{id}", 404): Failing("DELETE", f"/api/messaging/links/{uuid4()}"),
}

FILLS = ("activity",)
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    return {"doomed chat": await linked_chat(api)}
