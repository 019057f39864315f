"""The load generator, a process of its own: HTTP/1.1 keep-alive connections, each asking again once it has its answer.

A request costs it some 30 us of CPU, against milliseconds in the server: it is not the bottleneck.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

import process

HOST = "127.0.0.1"
INVOICE = {
    "client": {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES", "email": "pagos@norte.example"},
    "items": [
        {"description": "Identidad visual", "quantity": 1, "unitPrice": 1200},
        {"description": "Horas de consultoría", "quantity": 7.5, "unitPrice": 65},
        {"description": "Alojamiento web, un año", "quantity": 1, "unitPrice": 119.9},
    ],
    "taxRate": 21,
}
PROPOSAL = {"operation": "invoices.create", "arguments": INVOICE}

TODAY = datetime.now(UTC).date()
EXPENSE = {"description": "Compra", "amount": 60.5, "taxRate": 21, "category": "office", "date": str(TODAY)}
CATEGORIZED = {"description": "Resma de papel", "vendor": "Papelería Sol", "amount": 12.5}
BILL = {"invoiceDate": str(TODAY), "total": 121, "taxRate": 21, "invoiceNumber": "B1"}
FORM = {"country": "ES", "year": TODAY.year, "period": f"Q{(TODAY.month + 2) // 3}"}
ITEM = {"type": "product", "name": "Producto", "sku": "P1", "unitPrice": 10, "stock": 3, "lowStockThreshold": 1}


class RefusedError(Exception):
    """The server answered something else than success."""


class Caller(asyncio.Protocol):
    """One keep-alive connection; one request at a time."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._expected = 0  # length of head and body, once the head is in
        self._answer: asyncio.Future[bytes] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._expected and (end := self._received.find(b"\r\n\r\n")) >= 0:
            self._expected = end + 4 + _content_length(bytes(self._received[:end]))
        if self._expected and len(self._received) >= self._expected:
            head, _, body = bytes(self._received).partition(b"\r\n\r\n")
            self._received.clear()
            self._expected = 0
            self._conclude(head, body)

    def _conclude(self, head: bytes, body: bytes) -> None:
        if head[9:10] == b"2":
            self._answer.set_result(body)
        else:
            self._answer.set_exception(RefusedError(f"{head.splitlines()[0].decode()}: {body[:500].decode()}"))

    async def ask(self, request: bytes) -> bytes:
        """The body of a successful answer. Raises RefusedError."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        self._transport.close()


def _content_length(head: bytes) -> int:
    return next(int(line[15:]) for line in head.splitlines() if line[:15].lower() == b"content-length:")


def request(method: str, path: str, key: str | None, body: Any = None, **headers: str) -> bytes:
    sent = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Content-Length: {len(sent)}"]
    lines += [f"{name}: {value}" for name, value in {"Host": HOST, **headers}.items()]
    lines += [f"x-api-key: {key}"] if key else []
    lines += ["Content-Type: application/json"] if sent else []
    return "\r\n".join([*lines, "", ""]).encode() + sent


def tool_call(port: int, key: str, tool: str, arguments: Any) -> bytes:
    """A call in the newest revision of the protocol: one request, without a session."""
    revision = "2026-07-28"
    meta = {"io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    headers = {
        "Host": f"{HOST}:{port}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": revision,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    return request(
        "POST", "/mcp", key, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, **headers
    )


Turn = Callable[[Caller], Awaitable[None]]


async def issue(job: dict[str, Any]) -> dict[str, Any]:
    """Create a draft and pay it, which issues it; the accounts take turns."""
    keys = cycle(job["keys"])

    async def turn(caller: Caller) -> None:
        key = next(keys)
        made = json.loads(await caller.ask(request("POST", "/api/invoices", key, INVOICE)))
        await caller.ask(request("PATCH", f"/api/invoices/{made['id']}/pay", key, {}))

    return await _measured(job, turn)


async def emit(job: dict[str, Any]) -> dict[str, Any]:
    """Create a draft and emit it; the accounts take turns, `times` each when `seconds` is absent."""
    keys = cycle(job["keys"]) if job.get("seconds") else iter(job["keys"] * job["times"])

    async def turn(caller: Caller) -> None:
        key = next(keys, None)
        if key is None:
            raise StopAsyncIteration
        made = json.loads(await caller.ask(request("POST", "/api/invoices", key, INVOICE)))
        await caller.ask(request("POST", "/api/einvoice/emit", key, {"invoiceId": made["id"]}))

    return await _measured(job, turn)


async def get(job: dict[str, Any]) -> dict[str, Any]:
    """Get the paths in turn: all of them once when `seconds` is absent."""
    paths: Iterator[str] = iter(job["paths"]) if job.get("seconds") is None else cycle(job["paths"])
    key = job.get("key")

    async def turn(caller: Caller) -> None:
        path = next(paths, None)
        if path is None:
            raise StopAsyncIteration
        await caller.ask(request("GET", path, key))

    return await _measured(job, turn)


async def call(job: dict[str, Any]) -> dict[str, Any]:
    """Call a tool; the keys take turns. Raises RefusedError when a result is an error."""
    calls = cycle([tool_call(job["port"], key, job["tool"], job.get("arguments", INVOICE)) for key in job["keys"]])

    async def turn(caller: Caller) -> None:
        result = json.loads(await caller.ask(next(calls)))["result"]
        if result["isError"]:
            raise RefusedError(str(result)[:500])

    return await _measured(job, turn)


async def draft(job: dict[str, Any]) -> dict[str, Any]:
    """Create drafts by REST."""

    async def turn(caller: Caller) -> None:
        json.loads(await caller.ask(request("POST", "/api/invoices", job["key"], INVOICE)))

    return await _measured(job, turn)


async def propose(job: dict[str, Any]) -> dict[str, Any]:
    """Propose a draft with a key, and approve it with the login of its person, by REST."""
    login = {"Authorization": f"Bearer {job['login']}"}

    async def turn(caller: Caller) -> None:
        proposed = json.loads(await caller.ask(request("POST", "/api/approvals", job["key"], PROPOSAL)))
        await caller.ask(request("POST", f"/api/approvals/{proposed['id']}/approve", None, {}, **login))

    return await _measured(job, turn)


_waiting: set[asyncio.Task[None]] = set()


async def wait(job: dict[str, Any]) -> dict[str, Any]:
    """Have so many connections ask for a category again and again, which waits for the model, until `stop_waiting`."""

    async def repeat(caller: Caller) -> None:
        try:
            while True:
                await caller.ask(request("POST", "/api/expenses/categorize", job["key"], CATEGORIZED))
        finally:
            caller.close()

    for _ in range(job["connections"]):
        _waiting.add(asyncio.create_task(repeat(await _connected(job["port"]))))
    return {}


async def stop_waiting(_: dict[str, Any]) -> dict[str, Any]:
    """Raises RefusedError when one of those that waited was refused."""
    ended = [task for task in _waiting if task.done()]
    for task in _waiting:
        task.cancel()
    _waiting.clear()
    for task in ended:
        task.result()
    return {}


async def make(job: dict[str, Any]) -> dict[str, Any]:
    """One issued invoice per key: their ids."""
    caller = await _connected(job["port"])
    ids = []
    for key in job["keys"]:
        made = json.loads(await caller.ask(request("POST", "/api/invoices", key, INVOICE)))
        await caller.ask(request("PATCH", f"/api/invoices/{made['id']}/pay", key, {}))
        ids.append(made["id"])
    caller.close()
    return {"ids": ids}


async def buy(job: dict[str, Any]) -> dict[str, Any]:
    """One expense, one catalog item and one proposal per key."""
    caller = await _connected(job["port"])
    for key in job["keys"]:
        await caller.ask(request("POST", "/api/expenses", key, EXPENSE))
        await caller.ask(request("POST", "/api/catalog", key, ITEM))
        await caller.ask(request("POST", "/api/approvals", key, PROPOSAL))
    caller.close()
    return {}


async def owe(job: dict[str, Any]) -> dict[str, Any]:
    """One supplier invoice per key."""
    caller = await _connected(job["port"])
    for key in job["keys"]:
        vendor = json.loads(await caller.ask(request("POST", "/api/vendors", key, {"name": "Papelera del Sur"})))
        await caller.ask(request("POST", "/api/supplier-invoices", key, {**BILL, "vendorId": vendor["id"]}))
    caller.close()
    return {}


async def declare(job: dict[str, Any]) -> dict[str, Any]:
    """Generate the VAT form of this quarter once with each of the keys."""
    keys = iter(job["keys"])

    async def turn(caller: Caller) -> None:
        key = next(keys, None)
        if key is None:
            raise StopAsyncIteration
        await caller.ask(request("POST", "/api/tax-declarations/generate", key, FORM))

    return await _measured(job, turn)


async def register(job: dict[str, Any]) -> dict[str, Any]:
    caller = await _connected(job["port"])
    person = {"email": "bench@example.com", "password": "a password of the bench", "country": "ES", "name": "Ana Ruiz"}
    answer = json.loads(await caller.ask(request("POST", "/auth/register", None, person)))
    caller.close()
    return {"key": answer["apiKey"]}


async def _connected(port: int) -> Caller:
    _, caller = await asyncio.get_running_loop().create_connection(Caller, HOST, port)
    return caller


async def _measured(job: dict[str, Any], turn: Turn) -> dict[str, Any]:
    callers = [await _connected(job["port"]) for _ in range(job["connections"])]
    try:
        return await process.measured([lambda one=one: turn(one) for one in callers], job.get("seconds"))
    finally:
        for one in callers:
            one.close()


if __name__ == "__main__":
    jobs = {"issue": issue, "emit": emit, "get": get, "make": make, "buy": buy, "owe": owe, "declare": declare}
    jobs |= {
        "register": register,
        "call": call,
        "draft": draft,
        "propose": propose,
        "wait": wait,
        "stop_waiting": stop_waiting,
    }
    process.serve_jobs(jobs)
