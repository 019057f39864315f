"""A logged-in caller of the REST interface, and the requests that most tests begin with."""

from dataclasses import dataclass, field
from typing import Any

import httpx2

from ledgerkit.core.platform.request.context import Kernel
from support.description import undescribed

PASSWORD = "a long enough secret"


@dataclass
class Api:
    """One user (or key) at work; `headers` go with every request."""

    client: httpx2.AsyncClient
    headers: dict[str, str]
    email: str = ""
    api_key: str = ""
    team: dict[str, Any] = field(default_factory=dict)

    @classmethod
    async def register(cls, client: httpx2.AsyncClient, email: str, **fields: Any) -> "Api":
        answer = await client.post("/auth/register", json={"email": email, "password": PASSWORD, **fields})
        assert answer.status_code == 200, answer.text
        body = answer.json()
        return cls(client, {"Authorization": f"Bearer {body['token']}"}, email, body["apiKey"])

    @classmethod
    async def with_team(cls, client: httpx2.AsyncClient, email: str, name: str, tax_id: str | None) -> "Api":
        api = await cls.register(client, email)
        api.team = await api.post("/api/teams", {"name": name, "country": "ES", "taxId": tax_id, **ADDRESS})
        return api

    async def log_in(self, password: str = PASSWORD) -> None:
        """Go on with a new login."""
        answer = await self.client.post("/auth/login", json={"email": self.email, "password": password})
        assert answer.status_code == 200, answer.text
        self.headers, self.api_key = {"Authorization": f"Bearer {answer.json()['token']}"}, answer.json()["apiKey"]

    async def request(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        sent = {**self.headers, **headers}
        rest = {} if body is None else {"json": body}
        answer = await self.client.request(method, path, headers=sent, **rest)
        if answer.status_code >= 400:
            assert undescribed(method, path.partition("?")[0], answer) == [], answer.text
        return answer

    async def get(self, path: str) -> Any:
        return await self._ok("GET", path)

    async def post(self, path: str, body: Any = None) -> Any:
        return await self._ok("POST", path, body)

    async def put(self, path: str, body: Any) -> Any:
        return await self._ok("PUT", path, body)

    async def patch(self, path: str, body: Any = None) -> Any:
        return await self._ok("PATCH", path, body)

    async def delete(self, path: str) -> Any:
        return await self._ok("DELETE", path)

    async def refused(self, status: int, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The problem that this request is answered with; its status is asserted."""
        answer = await self.request(method, path, body, **headers)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        return answer.json()

    async def invoice(self, **fields: Any) -> Any:
        return await self.post("/api/invoices", invoice_body(**fields))

    async def _ok(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.request(method, path, body)
        assert answer.is_success, answer.text
        return answer.json()


def kernel_of(client: httpx2.AsyncClient) -> Kernel:
    """The inside of the application that a client speaks to in process."""
    found: Kernel = client._transport.app.state.kernel
    return found


ADDRESS = {"address": "Calle Mayor 1", "postalCode": "28013", "city": "Madrid", "province": "Madrid"}

CLIENT = {
    "name": "Talleres Norte, S.L.",
    "taxId": "B12345674",
    "country": "ES",
    "email": "pagos@norte.example",
    "address": "Polígono Norte 2",
    "postalCode": "48001",
    "city": "Bilbao",
}


def item(**fields: Any) -> dict[str, Any]:
    return {"description": "Identidad visual", "quantity": 1, "unitPrice": 1200, **fields}


def invoice_body(**fields: Any) -> dict[str, Any]:
    return {"client": CLIENT, "items": [item()], "taxRate": 21, **fields}
