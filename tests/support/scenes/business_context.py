"""Business context."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import ADMINS, EVERYBODY, Ask, Failing

ASKS: dict[str, Ask] = {
    "GET /api/context": Ask(allowed=EVERYBODY),
    "GET /api/context/markdown": Ask(allowed=EVERYBODY),
    "PUT /api/context/entry": Ask(body={"key": "horario", "content": "De 9 a 18"}, allowed=ADMINS),
    "DELETE /api/context/entry/{key}": Ask("doomed entry", allowed=ADMINS),
    "PUT /api/context/summary": Ask(body={"summary": "Un estudio de diseño"}, allowed=ADMINS),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("PUT /api/context/entry", 400): Failing("PUT", "/api/context/entry", {"key": "horario"}),
    ("DELETE /api/context/entry/{key}", 404): Failing("DELETE", "/api/context/entry/nada"),
    ("PUT /api/context/summary", 400): Failing("PUT", "/api/context/summary", {}),
}

FILLS = ("business_context", "context_entry")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    """An entry is named by its key; this one looks like an id, as those of all other records do."""
    doomed = str(uuid4())
    await api.put("/api/context/entry", {"key": doomed, "content": "Nada"})
    return {"doomed entry": doomed}
