"""Expenses."""

from support.api import Api
from support.scenes.ask import EVERYBODY, FINANCE, MEMBERS, OPERATIONS, Ask, Failing, Of

EXPENSE = {"description": "Licencia anual", "amount": 121, "taxRate": 21, "date": "2026-11-02", "category": "software"}

ASKS: dict[str, Ask] = {
    "GET /api/expenses": Ask(query={"vendorId": Of("vendor")}, allowed=EVERYBODY),
    "POST /api/expenses": Ask(body={**EXPENSE, "vendorId": Of("vendor")}, allowed=MEMBERS),
    "GET /api/expenses/{id}": Ask("expense", allowed=EVERYBODY),
    "PUT /api/expenses/{id}": Ask("expense", {"vendorId": Of("vendor")}, allowed=OPERATIONS),
    "DELETE /api/expenses/{id}": Ask("doomed expense", allowed=FINANCE),
    "GET /api/expenses/vendors": Ask(allowed=EVERYBODY),
    "POST /api/expenses/scan-receipt": Ask(body={"image": "data:image/png;base64,"}, allowed=MEMBERS),
    "POST /api/expenses/categorize": Ask(body={"description": "Gasóleo", "vendor": "Repsol"}, allowed=MEMBERS),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/expenses/categorize", 400): Failing("POST", "/api/expenses/categorize", {"description": " "}),
}

FILLS = ("expense", "expense_vendor")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    kept = await api.post("/api/expenses", {**EXPENSE, "vendor": "Proveedor fiel"})
    gone = await api.post("/api/expenses", EXPENSE)
    return {"expense": kept["id"], "doomed expense": gone["id"]}
