"""Vendors, supplier invoices and payments for tests of accounts payable."""

from datetime import date, timedelta
from typing import Any

from ledgerkit import clock
from support.api import Api

PATH = "/api/supplier-invoices"


def day(offset: int = 0) -> date:
    """Return the date `offset` days from today in Madrid, the default time zone of an account."""
    return clock.today("Europe/Madrid") + timedelta(days=offset)


async def create_vendor(api: Api, name: str = "Papelera del Sur", **fields: Any) -> str:
    """Create a vendor and return its id."""
    created = await api.post("/api/vendors", {"name": name, **fields})
    return str(created["id"])


def invoice_input(vendor_id: str, total: float | None = 121, due: int = 30, **fields: Any) -> dict[str, Any]:
    """Return the body of an invoice due in `due` days from today and dated 60 days before that."""
    amounts = {"total": total} if total is not None else {}
    return {"vendorId": vendor_id, "invoiceDate": f"{day(due - 60)}", "dueDate": f"{day(due)}", **amounts, **fields}


async def record_invoice(api: Api, vendor_id: str, total: float | None = 121, due: int = 30, **fields: Any) -> Any:
    return await api.post(PATH, invoice_input(vendor_id, total, due, **fields))


async def pay(api: Api, invoice: Any, amount: float, **fields: Any) -> Any:
    return await api.post(f"{PATH}/{invoice['id']}/payments", {"amount": amount, "paymentMethod": "transfer", **fields})


async def read_invoice(api: Api, invoice: Any) -> Any:
    """Return the invoice as it is now, without its payments."""
    invoice_with_payments = await api.get(f"{PATH}/{invoice['id']}")
    return {name: value for name, value in invoice_with_payments.items() if name != "payments"}
