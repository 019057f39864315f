"""A company with a record of every kind, so that each screen has something to show."""

from typing import Any

from ledgerkit import clock
from support.api import CLIENT, Api, item
from support.payables import create_vendor, record_invoice
from support.periods import quarter
from support.tills import Till, line

LONG = "Mantenimiento de aplicaciones interdepartamentales para la Administración"


async def filled(ana: Api) -> dict[str, str]:
    """Fill the books; return by route the id of the record that stands for its `:id`."""
    client = await ana.post("/api/clients", {**CLIENT, "name": f"Norte {LONG}"})
    invoice = await _issued(ana, clientId=client["id"], items=[item(description=LONG)])
    draft = await ana.post("/api/invoices", {"clientId": client["id"], "items": [item(quantity=3)]})
    today = clock.today("Europe/Madrid")
    vendor = await create_vendor(ana, f"Papelera del Sur {LONG}", taxId="B12345674")
    expense = await ana.post(
        "/api/expenses", {"description": LONG, "amount": 121, "taxRate": 21, "date": f"{today}", "vendorId": vendor}
    )
    payable = await record_invoice(ana, vendor)
    product = await ana.post("/api/catalog", {"name": LONG, "unitPrice": 12.5, "stock": 3, "lowStockThreshold": 5})
    await ana.post("/api/tasks", {"title": LONG, "dueDate": f"{today}", "priority": "high"})
    till = await Till.of(ana)
    await till.sells(12.1, line(12.1))
    period = {"country": "ES", "year": today.year, "period": quarter(today), "form": "303"}
    declaration = (await ana.post("/api/tax-declarations/generate", period))["declaration"]
    proposal = await ana.post(
        "/api/approvals",
        {"operation": "invoices.create", "arguments": {"clientId": client["id"], "items": [item(description=LONG)]}},
    )
    return {
        "/approve/:id": proposal["id"],
        "/invoices/:id": invoice["id"],
        "/invoices/:id/edit": draft["id"],
        "/clients/:id": client["id"],
        "/vendors/:id": vendor,
        "/expenses/:id": expense["id"],
        "/payables/:id": payable["id"],
        "/catalog/:id": product["id"],
        "/till/:id": till.path.rpartition("/")[2],
        "/tax/:id": declaration["id"],
    }


async def _issued(ana: Api, **fields: Any) -> Any:
    invoice = await ana.post("/api/invoices", {"taxRate": 21, **fields})
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return invoice
