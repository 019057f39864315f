"""Vendors."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import EVERYBODY, FINANCE, OPERATIONS, Ask, Failing, Of

ASKS: dict[str, Ask] = {
    "GET /api/vendors": Ask(allowed=EVERYBODY),
    "POST /api/vendors": Ask(body={"name": "Imprenta Nueva", "taxId": "B29805314"}, allowed=OPERATIONS),
    "GET /api/vendors/{id}": Ask("vendor", allowed=EVERYBODY),
    "GET /api/vendors/{id}/expenses": Ask("vendor", allowed=EVERYBODY),
    "PUT /api/vendors/{id}": Ask("vendor", {"city": "Bilbao"}, allowed=OPERATIONS),
    "POST /api/vendors/{id}/merge": Ask("vendor", {"duplicateId": Of("duplicate vendor")}, allowed=FINANCE),
    "DELETE /api/vendors/{id}": Ask("doomed vendor", allowed=FINANCE),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/vendors", 400): Failing("POST", "/api/vendors", {"taxId": "B12345674"}),
    ("GET /api/vendors/{id}", 404): Failing("GET", f"/api/vendors/{uuid4()}"),
    ("PUT /api/vendors/{id}", 400): Failing("PUT", f"/api/vendors/{uuid4()}", {"paymentTermDays": -1}),
    ("PUT /api/vendors/{id}", 404): Failing("PUT", f"/api/vendors/{uuid4()}", {"city": "Bilbao"}),
    ("POST /api/vendors/{id}/merge", 404): Failing(
        "POST", f"/api/vendors/{uuid4()}/merge", {"duplicateId": str(uuid4())}
    ),
    ("DELETE /api/vendors/{id}", 404): Failing("DELETE", f"/api/vendors/{uuid4()}"),
    ("GET /api/vendors/{id}/expenses", 404): Failing("GET", f"/api/vendors/{uuid4()}/expenses"),
}

FILLS = ("activity", "tally", "vendor")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    kept = await api.post("/api/vendors", {"name": "Proveedor fiel", "taxId": "B12345674"})
    gone = await api.post("/api/vendors", {"name": "Proveedor de paso"})
    bought = {"description": "Tóner", "amount": 60.5, "taxRate": 21, "date": "2026-11-02", "vendorId": kept["id"]}
    await api.post("/api/expenses", bought)
    twice = await api.post("/api/vendors", {"name": "Proveedor repetido"})
    return {"vendor": kept["id"], "doomed vendor": gone["id"], "duplicate vendor": twice["id"]}
