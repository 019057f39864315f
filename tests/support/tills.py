"""Open cash registers, used through the API."""

from typing import Any

from support.api import Api

REGISTERS = "/api/cash-register"


def line(price: float, **fields: Any) -> dict[str, Any]:
    return {"description": "Camiseta", "unitPrice": price, **fields}


def movement(kind: str, amount: float, *lines: Any, **fields: Any) -> dict[str, Any]:
    body = {"type": kind, "amount": amount, "description": "Mostrador", **fields}
    return {**body, "lineItems": list(lines)} if lines else body


def sale(amount: float, *lines: Any, **fields: Any) -> dict[str, Any]:
    return movement("sale", amount, *lines, **fields)


class Till:
    """An open register, and the API of its user."""

    def __init__(self, api: Api, path: str) -> None:
        self.api, self.path = api, path

    @classmethod
    async def of(cls, api: Api, **fields: Any) -> "Till":
        register = await api.post(REGISTERS, {"openingAmount": 100, **fields})
        return cls(api, f"{REGISTERS}/{register['id']}")

    async def takes(self, body: Any) -> Any:
        """Add a movement and return it as the register shows it."""
        return (await self.api.post(f"{self.path}/movement", body))["movements"][-1]

    async def refuses(self, body: Any, status: int = 400) -> Any:
        return await self.api.refused(status, "POST", f"{self.path}/movement", body)

    async def sells(self, amount: float, *lines: Any, **fields: Any) -> Any:
        return await self.takes(sale(amount, *lines, **fields))

    async def refunds(self, sold: Any, amount: float, *lines: Any, **fields: Any) -> Any:
        return await self.takes(movement("refund", amount, *lines, invoiceId=sold["invoiceId"], **fields))

    async def refuses_to_refund(self, sold: Any, amount: float, *lines: Any, status: int = 400) -> Any:
        return await self.refuses(movement("refund", amount, *lines, invoiceId=sold["invoiceId"]), status)
