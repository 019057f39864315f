"""Invoices."""

from uuid import uuid4

from support.api import Api, invoice_body
from support.scenes.ask import EVERYBODY, FINANCE, MEMBERS, OPERATIONS, READERS_OF_FIGURES, Ask, Failing

IMPORTED = {"number": "A-1", "issueDate": "2026-03-05", "clientName": "Ana", "base": "100,00", "taxRate": "21"}

ASKS: dict[str, Ask] = {
    "GET /api/invoices": Ask(allowed=EVERYBODY),
    "POST /api/invoices": Ask(body=invoice_body(), allowed=MEMBERS),
    "POST /api/invoices/import": Ask(body={"rows": [IMPORTED]}, allowed=FINANCE),
    "GET /api/invoices/counts": Ask(allowed=EVERYBODY),
    "GET /api/invoices/context": Ask(allowed=READERS_OF_FIGURES),
    "GET /api/invoices/activity/feed": Ask(allowed=EVERYBODY),
    "GET /api/invoices/{id}": Ask("issued", allowed=EVERYBODY),
    "PUT /api/invoices/{id}": Ask("draft", {"notes": "Gracias"}, allowed=OPERATIONS),
    "PATCH /api/invoices/{id}/pay": Ask("issued", allowed=FINANCE),
    "PATCH /api/invoices/{id}/send": Ask("issued", allowed=FINANCE),
    "POST /api/invoices/{id}/duplicate": Ask("issued", allowed=MEMBERS),
    "GET /api/invoices/{id}/pdf": Ask("issued", allowed=EVERYBODY),
    "GET /api/invoices/{id}/qr": Ask("issued", allowed=EVERYBODY),
    "POST /api/invoices/{id}/share": Ask("draft", allowed=FINANCE),
    "DELETE /api/invoices/{id}/share": Ask("shared", allowed=FINANCE),
    "POST /api/invoices/preview": Ask(body=invoice_body(), allowed=MEMBERS),
    "GET /api/invoices/{id}/payments": Ask("issued", allowed=EVERYBODY),
    "POST /api/invoices/{id}/restore": Ask("deleted", allowed=FINANCE),
    "DELETE /api/invoices/{id}": Ask("doomed", allowed=FINANCE),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/invoices", 400): Failing("POST", "/api/invoices", {}),
    ("POST /api/invoices/import", 400): Failing("POST", "/api/invoices/import", {"rows": [{}] * 5001}),
    ("POST /api/invoices/preview", 400): Failing("POST", "/api/invoices/preview", {}),
    ("GET /api/invoices/{id}/payments", 404): Failing("GET", f"/api/invoices/{uuid4()}/payments"),
    ("POST /api/invoices/{id}/restore", 404): Failing("POST", f"/api/invoices/{uuid4()}/restore"),
    ("GET /api/invoices/{id}", 404): Failing("GET", f"/api/invoices/{uuid4()}"),
    ("POST /api/invoices/{id}/share", 404): Failing("POST", f"/api/invoices/{uuid4()}/share"),
    ("DELETE /api/invoices/{id}/share", 404): Failing("DELETE", f"/api/invoices/{uuid4()}/share"),
}

FILLS = (
    "invoice",
    "invoice_counter",
    "invoice_payment",
    "fiscal_installation",
    "fiscal_record",
    "fiscal_status",
)
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    draft, issued, shared, doomed, deleted = [await api.invoice() for _ in range(5)]
    await api.patch(f"/api/invoices/{issued['id']}/pay")
    await api.post(f"/api/invoices/{shared['id']}/share")
    await api.delete(f"/api/invoices/{deleted['id']}")
    known = {"draft": draft, "issued": issued, "shared": shared, "doomed": doomed, "deleted": deleted}
    return {name: one["id"] for name, one in known.items()}
