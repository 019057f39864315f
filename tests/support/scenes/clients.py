"""Clients."""

from uuid import uuid4

from support.api import CLIENT, Api
from support.scenes.ask import EVERYBODY, FINANCE, MEMBERS, Ask, Failing, Of

ASKS: dict[str, Ask] = {
    "GET /api/clients": Ask(allowed=EVERYBODY),
    "POST /api/clients": Ask(body=CLIENT, allowed=MEMBERS),
    "GET /api/clients/{id}": Ask("client", allowed=EVERYBODY),
    "PUT /api/clients/{id}": Ask("client", {"city": "Bilbao"}, allowed=MEMBERS),
    "POST /api/clients/{id}/merge": Ask("client", {"duplicateId": Of("duplicate client")}, allowed=FINANCE),
    "DELETE /api/clients/{id}": Ask("doomed client", allowed=FINANCE),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/clients/{id}/merge", 404): Failing(
        "POST", f"/api/clients/{uuid4()}/merge", {"duplicateId": str(uuid4())}
    ),
}

FILLS = ("activity", "client", "search_word", "tally")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    kept = await api.post("/api/clients", {"name": "Cliente fiel"})
    gone = await api.post("/api/clients", {"name": "Cliente de paso"})
    twice = await api.post("/api/clients", {"name": "Cliente repetido"})
    return {"client": kept["id"], "doomed client": gone["id"], "duplicate client": twice["id"]}
