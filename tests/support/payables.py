"""Vendors and their invoices, as most tests of accounts payable begin."""

from datetime import date, timedelta
from typing import Any

from ledgerkit import clock
from support.api import Api

PATH = "/api/supplier-invoices"


def day(offset: int = 0) -> date:
    """So many days from today, at an account's place unless it says otherwise."""
    return clock.today("Europe/Madrid") + timedelta(days=offset)


async def vendor(api: Api, name: str = "Papelera del Sur", **fields: Any) -> str:
    """The id of a new vendor."""
    made = await api.post("/api/vendors", {"name": name, **fields})
    return str(made["id"])


def bill(vendor_id: str, total: float | None = 121, due: int = 30, **fields: Any) -> dict[str, Any]:
    """An invoice that came 60 days before `due`, which is in so many days from today."""
    said = {"total": total} if total is not None else {}
    return {"vendorId": vendor_id, "invoiceDate": f"{day(due - 60)}", "dueDate": f"{day(due)}", **said, **fields}


async def billed(api: Api, vendor_id: str, total: float | None = 121, due: int = 30, **fields: Any) -> Any:
    return await api.post(PATH, bill(vendor_id, total, due, **fields))


async def pay(api: Api, invoice: Any, amount: float, **fields: Any) -> Any:
    return await api.post(f"{PATH}/{invoice['id']}/payments", {"amount": amount, "paymentMethod": "transfer", **fields})


async def read(api: Api, invoice: Any) -> Any:
    """The invoice as it is now, without its payments."""
    found = await api.get(f"{PATH}/{invoice['id']}")
    return {name: value for name, value in found.items() if name != "payments"}
