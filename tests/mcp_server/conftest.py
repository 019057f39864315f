"""The whole application on a loopback port, and MCP clients that speak to it over real HTTP."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.extension import ClientExtension
from mcp.client.streamable_http import streamable_http_client
from sqlalchemy import insert

from ledgerkit.app import create_app
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity.persons.passwords import Passwords
from ledgerkit.core.platform.identity.table import membership
from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.scopes import Scope, scopes_named
from ledgerkit.settings import Settings
from support.api import Api
from support.eras import MODERN
from support.oauth import Application, ids, query_of
from support.office import cloned, nif

TAX_IDS = (nif(number) for number in count(30_000_101))
"""One for each person: the sandbox knows an issuer by it, whoever the account."""


class Served(uvicorn.Server):
    """uvicorn that says when it answers, and leaves signals to pytest."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answering = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.answering.set()


@dataclass
class Site:
    """A running server, and an anonymous caller of it."""

    app: Any
    client: httpx2.AsyncClient

    @property
    def url(self) -> str:
        return f"{str(self.client.base_url).rstrip('/')}/mcp"

    @property
    def kernel(self) -> Kernel:
        return self.app.state.kernel

    async def person(self, name: str = "Ana Ruiz", tax_id: str | None = "") -> Api:
        """Somebody new, with a team of their own, and a tax id of their own unless one (or None) is given."""
        own = next(TAX_IDS) if tax_id == "" else tax_id
        return await Api.with_team(self.client, f"{uuid4().hex}@example.com", name, own)

    async def colleague(self, of: Api, role: str) -> Api:
        """Somebody new who works in the team of another person, in this role."""
        api = await Api.register(self.client, f"{uuid4().hex}@example.com")
        user = (await api.get("/auth/me"))["user"]["id"]
        row = {"id": new_id(), "account_id": of.team["id"], "user_id": user, "role": role}
        async with self.kernel.database.transaction(None) as connection:
            await connection.execute(insert(membership).values(row))
        await api.post(f"/api/teams/switch/{of.team['id']}")
        return api

    async def access_token(self, owner: Api, *scopes: str) -> str:
        """An access token for /mcp with which an application works in the owner's team."""
        application = await Application.registered(self.client, scope=" ".join(Scope))
        asked = await application.asked(scope=" ".join(scopes))
        redirect = await requests.approve(self.kernel, asked, *await ids(owner), scopes_named(scopes))
        answer = await application.exchange(query_of(redirect)["code"])
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    def agent(self, api: Api, **headers: str) -> "Agent":
        return Agent(self.url, {"Authorization": f"Bearer {api.api_key}", **headers}, self.client)


@dataclass
class Answer:
    """Result of one tool call."""

    failed: bool
    body: Any


@dataclass
class Agent:
    """Somebody's key at work on /mcp."""

    url: str
    headers: dict[str, str] = field(repr=False)
    http: httpx2.AsyncClient = field(repr=False)
    detail: str | None = None

    @property
    def in_full(self) -> "Agent":
        """Copy whose answers are in full detail: those of REST."""
        return replace(self, detail="full")

    @asynccontextmanager
    async def connected(self, era: str = MODERN, extensions: Sequence[ClientExtension] = ()) -> AsyncIterator[Client]:
        """The SDK's own client; it checks every answer against the output schema."""
        async with (
            httpx2.AsyncClient(headers=self.headers, timeout=60, verify=False) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=era, extensions=extensions) as client,
        ):
            yield client

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """One call as a single request, which is all that the modern era needs."""
        arguments = arguments if self.detail is None else {"detail": self.detail, **arguments}
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN}
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": tool, **self.headers}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = await self.http.post(self.url, headers=headers, json=call)
        assert answer.status_code == 200, answer.text
        done = answer.json()["result"]
        text, *_ = done["content"]
        assert json.loads(text["text"]) == done["structuredContent"]
        return Answer(done["isError"], done["structuredContent"])

    async def ok(self, tool: str, **arguments: Any) -> Any:
        """One call that succeeds, confirmed where it is asked for."""
        answer = await self.call(tool, **arguments)
        assert not answer.failed, answer.body
        if answer.body.get("confirmationRequired"):
            token = answer.body["confirmationToken"]
            answer = await self.call(tool, **arguments, confirmation_token=token)
            assert not answer.failed, answer.body
        return answer.body

    async def preview(self, tool: str, **arguments: Any) -> Any:
        """Answer of a call that asks for a confirmation."""
        answer = await self.call(tool, **arguments)
        assert answer.body.get("confirmationRequired"), answer.body
        return answer.body

    async def refused(self, tool: str, **arguments: Any) -> Any:
        answer = await self.call(tool, **arguments)
        assert answer.failed, answer.body
        return answer.body


@pytest.fixture(scope="session")
async def site(postgres, cheap_passwords, tmp_path_factory) -> AsyncIterator[Site]:
    """The application as an operator runs it: sandbox, sender and worker included."""
    async with cloned(postgres) as url:
        settings = Settings(
            _env_file=None,
            data_dir=tmp_path_factory.mktemp("mcp_site"),
            database_url=url,
            rate_limit="off",
            secret_key="a secret of the tests, forty characters long",
        )
        async with served(settings, cheap_passwords) as made:
            yield made


@pytest.fixture(scope="session")
def served_site():
    """Serve an application with other settings: `async with served_site(settings, passwords) as site`."""
    return served


@asynccontextmanager
async def served(settings: Settings, passwords: Passwords) -> AsyncIterator[Site]:
    """The application on a port of its own, or on that of the configured base URL."""
    app = create_app(settings)
    port = urlsplit(settings.base_url or "").port or 0
    server = Served(uvicorn.Config(app, port=port, lifespan="on", log_config=None, access_log=False))
    task = asyncio.create_task(server.serve())
    started = asyncio.create_task(server.answering.wait())
    await asyncio.wait({task, started}, return_when=asyncio.FIRST_COMPLETED)
    app.state.kernel = replace(app.state.kernel, services={**app.state.kernel.services, Passwords: passwords})
    host, port = server.servers[0].sockets[0].getsockname()
    async with httpx2.AsyncClient(base_url=f"http://{host}:{port}", timeout=60) as client:
        yield Site(app, client)
    server.should_exit = True
    await task
