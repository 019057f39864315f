"""Golden traces: scripted tool calls through the SDK's client, judged by what REST reads afterwards."""

import asyncio
import re
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from mcp import Client

from ledgerkit import clock
from ledgerkit.mcp_server.tool import Confirmed
from ledgerkit.mcp_server.tools import TOOLS
from mcp_server.conftest import Site
from support.api import Api, invoice_body

Json = dict[str, Any]
Trace = dict[str, Any]
BeforeCall = Callable[[Client, str, Json, Trace], Awaitable[Json]]

TRACES: dict[str, Trace] = {
    trace["name"]: trace for trace in tomllib.loads(Path(__file__).with_name("traces.toml").read_text())["trace"]
}
STORED = (
    "/api/invoices?limit=100",
    "/api/clients",
    "/api/expenses",
    "/api/catalog",
    "/api/vendors",
    "/api/supplier-invoices",
    "/api/supplier-invoices/payments/all",
    "/api/tasks",
    "/api/tax-declarations",
    "/api/teams/current",
    "/api/teams/current/members",
    "/api/context",
    "/api/cash-register/open",
    "/api/cash-register/history",
    "/api/einvoice/chain",
    "/api/invoices/activity/feed?limit=100",
)
"""Everything that an account shows over REST."""

_REFERENCE = re.compile(r"\$([a-z_]+(?:\.\w+)*)")


def resolved(value: Any, names: Mapping[str, Any]) -> Any:
    """Return `value` with `$name.field` replaced by the field of that answer."""
    if isinstance(value, dict):
        return {key: resolved(member, names) for key, member in value.items()}
    if isinstance(value, list):
        return [resolved(member, names) for member in value]
    if not isinstance(value, str):
        return value
    if whole := _REFERENCE.fullmatch(value):
        return reached(names, whole[1])
    return _REFERENCE.sub(lambda match: str(reached(names, match[1])), value)


def reached(value: Any, path: str) -> Any:
    """Return the field at a path as `items.0.id`; `#` is a list's length."""
    for part in path.split("."):
        if part == "#":
            return len(value)
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


@dataclass
class Player:
    """One performance of a trace by somebody new."""

    site: Site
    trace: Trace
    before_call: BeforeCall | None = None
    previewed: set[str] = field(default_factory=set)
    names: Json = field(default_factory=dict)

    async def perform(self, era: str) -> None:
        """Prepare, call, and judge. Raises AssertionError where anything is not as the trace says."""
        agent_api = await self.prepared()
        async with self.site.agent(agent_api).connected(era) as client:
            for step in self.trace["calls"]:
                await self._step(client, step)
        await self.judge()

    async def prepared(self) -> Api:
        """Make what the task begins with, and return the person whose key the assistant uses."""
        self.owner = await self.site.person()
        stranger = await Api.register(self.site.client, f"{uuid4().hex}@example.com")
        self.names = {
            "null": None,
            "today": str(clock.today("Europe/Madrid")),
            "invoice_body": invoice_body(),
            "stranger": stranger.email,
            "foreign": (await stranger.invoice())["id"],
        }
        agent_api = self.owner
        if role := self.trace.get("role", self.trace.get("colleague")):
            colleague = await self.site.colleague(self.owner, role)
            self.names["colleague"] = (await self.owner.get("/api/teams/current/members"))[1]
            agent_api = colleague if "role" in self.trace else self.owner
        for request in self.trace.get("before", ()):
            path, body = resolved(request["post"], self.names), resolved(request.get("body"), self.names)
            self.names[request.get("as", "_")] = await self.owner.post(path, body)
        return agent_api

    async def judge(self) -> None:
        """Compare what is stored with the trace's end. Raises AssertionError, LookupError for what is missing."""
        await self._settled()
        for check in self.trace["after"]:
            await self._judge(check)

    async def _step(self, client: Client, step: Trace) -> None:
        tool, arguments = step["tool"], resolved(step.get("with", {}), self.names)
        if self.before_call is not None:
            arguments = await self.before_call(client, tool, arguments, step)
        is_confirmed = TOOLS[tool].confirmed is not Confirmed.NEVER
        stored = await self.stored() if is_confirmed else None
        result = await client.call_tool(tool, arguments)
        body = result.structured_content
        if "refused" in step:
            assert (result.is_error, body.get("code")) == (True, step["refused"]), (tool, body)
            assert stored is None or await self.stored() == stored
            return
        assert not result.is_error, (tool, arguments, body)
        if body.get("confirmationRequired"):
            assert await self.stored() == stored, f"{tool} has done something before it was confirmed"
            self.previewed.add(tool)
            if step.get("unconfirmed"):
                return
            result = await client.call_tool(tool, {**arguments, "confirmation_token": body["confirmationToken"]})
            body = result.structured_content
            assert not result.is_error, (tool, arguments, body)
        assert not step.get("unconfirmed"), f"{tool} did not ask"
        assert TOOLS[tool].confirmed is not Confirmed.ALWAYS or tool in self.previewed, f"{tool} did not ask"
        self._compare(body, step.get("holds", {}))
        if "as" in step:
            self.names[step["as"]] = body

    async def stored(self) -> list[Any]:
        """Return all that the account holds, as its owner reads it, but for the moments at which members were there."""
        await self._settled()
        return [_without_presence(await self.owner.get(path)) for path in STORED]

    async def _settled(self) -> None:
        """Return when the authority has answered about every record."""
        for _ in range(300):
            if not await self._is_waiting():
                return
            await asyncio.sleep(0.1)
        raise AssertionError("the authority has not answered")

    async def _is_waiting(self) -> bool:
        records = [invoice["einvoice"] or {} for invoice in await self.owner.get(STORED[0])]
        return any(record.get("status") == "pending" for record in records)

    async def _judge(self, check: Trace) -> None:
        path = resolved(check["get"], self.names)
        if "status" in check:
            await self.owner.refused(check["status"], "GET", path)
        else:
            self._compare(await self.owner.get(path), check["holds"])

    def _compare(self, body: Any, holds: Mapping[str, Any]) -> None:
        expected = resolved(dict(holds), self.names)
        assert {path: reached(body, path) for path in expected} == expected


def _without_presence(record: Any) -> Any:
    if isinstance(record, dict):
        return {name: _without_presence(value) for name, value in record.items() if name != "lastActiveAt"}
    return [_without_presence(entry) for entry in record] if isinstance(record, list) else record
