"""Clients."""

from support.api import CLIENT, Api
from support.scenes.ask import EVERYBODY, FINANCE, MEMBERS, Ask, Failing

ASKS: dict[str, Ask] = {
    "GET /api/clients": Ask(allowed=EVERYBODY),
    "POST /api/clients": Ask(body=CLIENT, allowed=MEMBERS),
    "GET /api/clients/{id}": Ask("client", allowed=EVERYBODY),
    "PUT /api/clients/{id}": Ask("client", {"city": "Bilbao"}, allowed=MEMBERS),
    "DELETE /api/clients/{id}": Ask("doomed client", allowed=FINANCE),
}

FAILURES: dict[tuple[str, int], Failing] = {}

FILLS = ("activity", "client", "search_word", "tally")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    kept = await api.post("/api/clients", {"name": "Cliente fiel"})
    gone = await api.post("/api/clients", {"name": "Cliente de paso"})
    return {"client": kept["id"], "doomed client": gone["id"]}
