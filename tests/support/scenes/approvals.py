"""Proposals."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import ADMINS, MEMBERS, Ask, Failing

NEW_CLIENT = {"operation": "clients.create", "arguments": {"name": "Cliente propuesto"}, "note": None}
POLICY = {"asked": "limits", "upTo": 300, "knownClients": True, "connections": []}

ASKS: dict[str, Ask] = {
    "GET /api/approvals": Ask(allowed=MEMBERS),
    "POST /api/approvals": Ask(body=NEW_CLIENT, allowed=MEMBERS),
    "GET /api/approvals/policy": Ask(allowed=MEMBERS),
    "PUT /api/approvals/policy": Ask(body=POLICY, allowed=ADMINS),
    "GET /api/approvals/policy/connections": Ask(allowed=ADMINS),
    "GET /api/approvals/{id}": Ask("pending approval", allowed=MEMBERS),
    "POST /api/approvals/{id}/approve": Ask("approval to make", allowed=MEMBERS),
    "POST /api/approvals/{id}/reject": Ask("approval to refuse", {"reason": "Ya existe"}, allowed=MEMBERS),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/approvals", 400): Failing("POST", "/api/approvals", {"operation": "clients.vanish"}),
    ("GET /api/approvals/{id}", 404): Failing("GET", f"/api/approvals/{uuid4()}"),
    ("POST /api/approvals/{id}/approve", 404): Failing("POST", f"/api/approvals/{uuid4()}/approve"),
    ("POST /api/approvals/{id}/reject", 404): Failing("POST", f"/api/approvals/{uuid4()}/reject", {}),
}

FILLS = ("activity", "approval")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    names = ("pending approval", "approval to make", "approval to refuse")
    return {name: (await api.post("/api/approvals", NEW_CLIENT))["id"] for name in names}
