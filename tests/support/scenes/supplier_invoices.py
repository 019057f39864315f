"""Supplier invoices."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import FINANCE, OPERATIONS, Ask, Failing, Of

READERS = OPERATIONS | {"viewer"}

IMPORTED = {"number": "P-1", "invoiceDate": "2026-03-05", "vendorName": "Luz", "base": "100,00", "taxRate": "21"}

ASKS: dict[str, Ask] = {
    "GET /api/supplier-invoices": Ask(query={"vendorId": Of("supplier")}, allowed=READERS),
    "POST /api/supplier-invoices": Ask(
        body={"vendorId": Of("supplier"), "invoiceDate": "2026-11-02", "total": 121, "taxRate": 21}, allowed=OPERATIONS
    ),
    "POST /api/supplier-invoices/import": Ask(body={"rows": [IMPORTED]}, allowed=OPERATIONS),
    "GET /api/supplier-invoices/summary": Ask(allowed=READERS),
    "GET /api/supplier-invoices/aging": Ask(allowed=READERS),
    "GET /api/supplier-invoices/accounts-payable": Ask(allowed=READERS),
    "GET /api/supplier-invoices/alerts": Ask(allowed=READERS),
    "GET /api/supplier-invoices/payments/all": Ask(query={"vendorId": Of("supplier")}, allowed=READERS),
    "GET /api/supplier-invoices/{id}": Ask("supplier invoice", allowed=READERS),
    "GET /api/supplier-invoices/{id}/payments": Ask("supplier invoice", allowed=READERS),
    "POST /api/supplier-invoices/{id}/payments": Ask(
        "supplier invoice", {"amount": 0.01, "paymentMethod": "transfer"}, allowed=FINANCE
    ),
    "PUT /api/supplier-invoices/{id}/cancel": Ask("doomed supplier invoice", allowed=FINANCE),
}

_MISSING = f"/api/supplier-invoices/{uuid4()}"
_PAYMENT = {"amount": 1, "paymentMethod": "cash"}
_INVOICE = {"vendorId": str(uuid4()), "invoiceDate": "2026-11-02", "total": 1}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/supplier-invoices", 400): Failing("POST", "/api/supplier-invoices", {}),
    ("POST /api/supplier-invoices/import", 400): Failing("POST", "/api/supplier-invoices/import", {"rows": "x"}),
    ("POST /api/supplier-invoices", 404): Failing("POST", "/api/supplier-invoices", _INVOICE),
    ("GET /api/supplier-invoices/{id}", 404): Failing("GET", _MISSING),
    ("GET /api/supplier-invoices/{id}/payments", 404): Failing("GET", f"{_MISSING}/payments"),
    ("POST /api/supplier-invoices/{id}/payments", 400): Failing("POST", f"{_MISSING}/payments", {"amount": 0}),
    ("POST /api/supplier-invoices/{id}/payments", 404): Failing("POST", f"{_MISSING}/payments", _PAYMENT),
    ("PUT /api/supplier-invoices/{id}/cancel", 400): Failing("PUT", f"{_MISSING}/cancel", {"reason": 7}),
    ("PUT /api/supplier-invoices/{id}/cancel", 404): Failing("PUT", f"{_MISSING}/cancel"),
}

FILLS = ("supplier_invoice", "supplier_payment", "vendor_payable")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    vendor = await api.post("/api/vendors", {"name": "Papelera del Sur", "taxId": "A58818501"})
    given = {"vendorId": vendor["id"], "invoiceDate": "2026-11-02", "total": 242, "taxRate": 21}
    kept, gone = [await api.post("/api/supplier-invoices", given | {"invoiceNumber": n}) for n in ("F-1", "F-2")]
    await api.post(f"/api/supplier-invoices/{kept['id']}/payments", {"amount": 42, "paymentMethod": "transfer"})
    return {"supplier": vendor["id"], "supplier invoice": kept["id"], "doomed supplier invoice": gone["id"]}
