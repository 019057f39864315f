"""Tasks."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import EVERYBODY, MEMBERS, OPERATIONS, Ask, Failing, Of

LINKED = {"assignedTo": Of("me"), "clientId": Of("client"), "invoiceId": Of("issued")}

ASKS: dict[str, Ask] = {
    "GET /api/tasks": Ask(query={"assignedTo": Of("me")}, allowed=EVERYBODY),
    "POST /api/tasks": Ask(body={"title": "Pedir precios", **LINKED}, allowed=MEMBERS),
    "GET /api/tasks/my": Ask(allowed=EVERYBODY),
    "GET /api/tasks/overview": Ask(allowed=EVERYBODY),
    "GET /api/tasks/{id}": Ask("task", allowed=EVERYBODY),
    "PUT /api/tasks/{id}": Ask("task", {"description": "Hoy", "position": 1, **LINKED}, allowed=MEMBERS),
    "PATCH /api/tasks/{id}/status": Ask("task", {"status": "in_progress"}, allowed=MEMBERS),
    "PATCH /api/tasks/{id}/assign": Ask("task", {"assignedTo": Of("me")}, allowed=MEMBERS),
    "PATCH /api/tasks/{id}/complete": Ask("reviewed task", allowed=MEMBERS),
    "GET /api/tasks/{id}/history": Ask("task", allowed=EVERYBODY),
    "DELETE /api/tasks/{id}": Ask("doomed task", allowed=OPERATIONS),
}
"""The task to delete is somebody else's; a member deletes only their own."""

FAILURES: dict[tuple[str, int], Failing] = {
    ("PATCH /api/tasks/{id}/assign", 400): Failing("PATCH", f"/api/tasks/{uuid4()}/assign", {}),
    ("PATCH /api/tasks/{id}/assign", 404): Failing("PATCH", f"/api/tasks/{uuid4()}/assign", {"assignedTo": None}),
    ("PATCH /api/tasks/{id}/complete", 404): Failing("PATCH", f"/api/tasks/{uuid4()}/complete"),
    ("GET /api/tasks/{id}/history", 404): Failing("GET", f"/api/tasks/{uuid4()}/history"),
}

FILLS = ("task", "task_board")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    me = (await api.get("/auth/me"))["user"]["id"]
    kept = await api.post("/api/tasks", {"title": "Llamar al taller", "assignedTo": me, "position": 7})
    reviewed = await api.post("/api/tasks", {"title": "Revisar el logo", "status": "review"})
    gone = await api.post("/api/tasks", {"title": "Nada"})
    return {"me": me, "task": kept["id"], "reviewed task": reviewed["id"], "doomed task": gone["id"]}
