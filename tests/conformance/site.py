"""A real server on a loopback port, a person who lets applications in, and a way in for tools without credentials."""

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2

from support.api import PASSWORD, Api
from support.browsers import Browser
from support.ports import free_port
from support.processes import begun_anew
from support.serving import served

HOST = "127.0.0.1"


@dataclass
class Site:
    """A running server and a person with a company, one client and one draft."""

    url: str
    person: Api
    draft: dict[str, Any]

    @property
    def endpoint(self) -> str:
        return f"{self.url}/mcp"

    async def let_in(self, address: str) -> None:
        """Open an authorization request, log in, allow what is asked, and follow the way back to the application."""
        browser = Browser(None)
        async with browser.http:
            login = await browser.open(address)
            consent = await browser.log_in(login, self.person.email, PASSWORD)
            answer = await browser.press(consent, "allow", scope_fiscal="on", scope_team="on")
            if answer.status_code != 303:
                message = f"the consent page answered {answer.status_code}: {consent.alert or answer.text[:500]}"
                raise AssertionError(message)
            await browser.http.get(answer.headers["location"])

    async def registered_client(self, redirect_uri: str) -> str:
        """Register a public client and return its id."""
        body = {
            "client_name": "Conformance suite",
            "redirect_uris": [redirect_uri],
            "token_endpoint_auth_method": "none",
        }
        answer = await self.person.client.post("/oauth/register", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["client_id"])


@asynccontextmanager
async def site(directory: Path) -> AsyncIterator[Site]:
    """Serve with an embedded PostgreSQL below `directory`."""
    port = str(free_port())
    url = f"http://{HOST}:{port}"
    async with (
        served(directory / "data", begun_anew, PORT=port, BASE_URL=url) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        person = await Api.with_team(client, f"{uuid4().hex}@example.com", "Ana Ruiz", "50000001W")
        yield Site(url, person, await person.invoice())


@asynccontextmanager
async def with_key(site: Site) -> AsyncIterator[str]:
    """Yield the address of a forwarder that adds an API key: the suite's server scenarios send no credentials.

    Everything else goes through byte for byte, malformed headers too; each connection carries one request.
    """
    added = f"x-api-key: {site.person.api_key}\r\nconnection: close\r\n".encode()

    async def forward(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            request_line, _, headers = head.partition(b"\r\n")
            kept = re.sub(rb"(?im)^connection:.*\r\n", b"", headers)
            server_reader, server_writer = await asyncio.open_connection(HOST, urlsplit(site.url).port)
            server_writer.write(request_line + b"\r\n" + added + kept)
            upwards = asyncio.create_task(_copied(reader, server_writer))
            await _copied(server_reader, writer)
            upwards.cancel()
            server_writer.close()
        writer.close()

    async with await asyncio.start_server(forward, HOST, 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://{HOST}:{port}/mcp"


async def _copied(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
