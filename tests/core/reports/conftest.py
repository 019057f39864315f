"""A studio in November 2026, with short ways to enter its sales and purchases."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from ledgerkit.core.platform.request.context import Kernel
from support.api import Api, item
from support.issuing import issued


@dataclass
class Studio(Api):
    """Ana by her API key, which does not expire when a test travels in time."""

    kernel: Kernel | None = None

    async def sell(self, price: float, day: str, **fields: Any) -> Any:
        """Create a draft over `price` net of VAT."""
        lines = fields.pop("items", [item(unitPrice=price)])
        return await self.invoice(items=lines, issueDate=day, **fields)

    async def sold(self, price: float, day: str, paid_at: str | None = None, **fields: Any) -> Any:
        """Issue an invoice, paid in full on the day `paid_at` or not at all."""
        draft = await self.sell(price, day, **fields)
        if paid_at:
            return await self.patch(f"/api/invoices/{draft['id']}/pay", {"paidAt": paid_at})
        await issued(self.kernel, self, draft)
        return await self.get(f"/api/invoices/{draft['id']}")

    async def spend(self, amount: float, day: str, **fields: Any) -> Any:
        """Create an expense, gross, with 21 % VAT by default."""
        given = {"description": "Compra", "amount": amount, "taxRate": 21, "date": day, **fields}
        return await self.post("/api/expenses", given)

    async def owe(self, day: str, vendor: str = "Papelera, S.A.", **fields: Any) -> Any:
        """Create a supplier invoice of a vendor of that name: 121 gross with 21 % VAT by default."""
        by_name = {one["name"]: one["id"] for one in await self.get("/api/vendors")}
        vendor_id = by_name.get(vendor) or (await self.post("/api/vendors", {"name": vendor}))["id"]
        amounts = {} if "items" in fields else {"total": 121}
        given = {"vendorId": vendor_id, "invoiceDate": day, "taxRate": 21, **amounts, **fields}
        return await self.post("/api/supplier-invoices", given)

    async def settle(self, owed: Any, amount: float, day: str) -> Any:
        payment = {"amount": amount, "paymentMethod": "transfer", "paymentDate": day}
        return await self.post(f"/api/supplier-invoices/{owed['id']}/payments", payment)

    async def report(self, name: str, **query: Any) -> Any:
        asked = "&".join(f"{key}={value}" for key, value in query.items())
        return await self.get(f"/api/expenses/{name}?{asked}")


@pytest.fixture
def november():
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=True):
        yield


@pytest.fixture
async def studio(november, kernel, ana) -> Studio:
    return Studio(ana.client, {"x-api-key": ana.team["apiKey"]}, team=ana.team, kernel=kernel)


@pytest.fixture
async def other(november, kernel, berta) -> Studio:
    return Studio(berta.client, {"x-api-key": berta.team["apiKey"]}, team=berta.team, kernel=kernel)
