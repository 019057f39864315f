"""A studio in November 2026, and short ways to what it sells and buys."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from ledgerkit.core.request.context import Kernel
from support.api import Api, item
from support.issuing import issued


@dataclass
class Studio(Api):
    """Ana by her key, which no travel in time outdates."""

    kernel: Kernel | None = None

    async def sell(self, price: float, day: str, **fields: Any) -> Any:
        """A draft over `price` net of VAT."""
        lines = fields.pop("items", [item(unitPrice=price)])
        return await self.invoice(items=lines, issueDate=day, **fields)

    async def sold(self, price: float, day: str, paid_at: str | None = None, **fields: Any) -> Any:
        """An issued invoice, paid in full on that day or not at all."""
        made = await self.sell(price, day, **fields)
        if paid_at:
            return await self.patch(f"/api/invoices/{made['id']}/pay", {"paidAt": paid_at})
        await issued(self.kernel, self, made)
        return await self.get(f"/api/invoices/{made['id']}")

    async def spend(self, amount: float, day: str, **fields: Any) -> Any:
        """An expense, gross, with 21 % VAT unless it says otherwise."""
        given = {"description": "Compra", "amount": amount, "taxRate": 21, "date": day, **fields}
        return await self.post("/api/expenses", given)

    async def owe(self, day: str, vendor: str = "Papelera, S.A.", **fields: Any) -> Any:
        """A supplier invoice of a vendor of that name: 121 gross with 21 % VAT unless it says otherwise."""
        known = {one["name"]: one["id"] for one in await self.get("/api/vendors")}
        vendor_id = known.get(vendor) or (await self.post("/api/vendors", {"name": vendor}))["id"]
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
