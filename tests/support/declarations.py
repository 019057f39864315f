"""A declarant with sales and purchases of 2026, and requests about declarations in the tests' own country."""

from dataclasses import dataclass
from typing import Any

from ledgerkit.core.platform.request.context import Kernel
from support.api import Api, item
from support.issuing import issued
from support.printed import texts

PATH = "/api/tax-declarations"
QUARTER = {"country": "VT", "year": 2026, "period": "Q3"}


@dataclass
class Declarant(Api):
    """Ana, who sells and buys on any day of 2026."""

    kernel: Kernel | None = None

    async def sold(self, price: float, day: str, **fields: Any) -> Any:
        """Issue an invoice over `price` net, with 21 % VAT."""
        draft = await self.invoice(items=[item(unitPrice=price)], issueDate=day, **fields)
        await issued(self.kernel, self, draft)
        return await self.get(f"/api/invoices/{draft['id']}")

    async def spent(self, amount: float, day: str, **fields: Any) -> Any:
        """Record an expense of `amount` gross, with 21 % VAT."""
        given = {"description": "Compra", "amount": amount, "taxRate": 21, "date": day, **fields}
        return await self.post("/api/expenses", given)

    async def generated(self, **fields: Any) -> Any:
        answer = await self.post(f"{PATH}/generate", QUARTER | fields)
        return answer["declaration"]

    async def changed(self, declaration: Any, **fields: Any) -> Any:
        return (await self.patch(f"{PATH}/{declaration['id']}", fields))["declaration"]

    async def submitted(self, declaration: Any) -> Any:
        return (await self.patch(f"{PATH}/{declaration['id']}/submit"))["declaration"]

    async def read(self, declaration: Any) -> Any:
        return (await self.get(f"{PATH}/{declaration['id']}"))["declaration"]


async def printed(api: Api, declaration: Any, query: str = "") -> str:
    """Return the words of the printed draft, all spaces plain."""
    answer = await api.request("GET", f"{PATH}/{declaration['id']}/pdf{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    return "\n".join(texts(answer.content)).replace("\N{NO-BREAK SPACE}", " ")
