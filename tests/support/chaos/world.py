"""A server with a PostgreSQL of its own, both of which can be killed, and callers that do not give up."""

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Protocol
from uuid import UUID

import httpx2
import psutil

from support.serving import Server, start

PATIENCE_SECONDS = 90
_AGAIN = 0.1
_TRY_LATER = {502, 503, 504}


class World:
    """The server of a directory; `kills` names what was killed so far."""

    def __init__(self, directory: Path, settings: Mapping[str, str]) -> None:
        self._directory, self._settings = directory, dict(settings)
        self._server: Server | None = None
        self._there = asyncio.Event()
        self.client = httpx2.AsyncClient(timeout=30, limits=httpx2.Limits(max_connections=64))
        self.kills: list[str] = []

    async def up(self) -> None:
        self._server = start(self._directory, **self._settings)
        await self._server.ready()
        self.client.base_url = self._server.url
        self._there.set()

    async def down(self) -> None:
        await self.client.aclose()
        if self._server is not None and self._server.process.poll() is None:
            await self._server.stop()

    async def kill_server(self) -> None:
        """A process of the server ends as in a power failure; another one begins on what it left."""
        self.kills.append("server")
        self._there.clear()
        assert self._server is not None
        await self._server.kill()
        await self.up()

    async def kill_postgres(self, dice: Random) -> None:
        """Kill PostgreSQL: all of it with its postmaster, or a backend that takes the others along."""
        with suppress(
            FileNotFoundError, ProcessLookupError, psutil.NoSuchProcess
        ):  # one that is starting at the moment
            postmaster = psutil.Process(int(self._pid_file.read_text().split()[0]))
            backends = postmaster.children()
            whole = dice.random() < 0.5 or not backends
            os.kill(postmaster.pid if whole else dice.choice(backends).pid, signal.SIGKILL)
            self.kills.append("postmaster" if whole else "backend")

    @property
    def _pid_file(self) -> Path:
        return next(self._directory.glob("postgres/**/postmaster.pid"), self._directory / "none")

    async def request(self, method: str, path: str, **sent: Any) -> httpx2.Response:
        """The answer, whatever it is, as soon as there is a server that gives one. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                await self._there.wait()
                with suppress(httpx2.TransportError):
                    answer = await self.client.request(method, path, **sent)
                    if answer.status_code not in _TRY_LATER:
                        return answer
                await asyncio.sleep(_AGAIN)

    @property
    def said(self) -> str:
        """The last lines that the server has logged."""
        return "" if self._server is None else self._server.said[-5000:]


class Asked(Protocol):
    """Whatever answers requests: a world, or a client of one server."""

    async def request(self, method: str, path: str, /, **sent: Any) -> httpx2.Response: ...


class Caller:
    """Somebody who asks for one team; of a world, again what was not answered."""

    def __init__(self, world: Asked, headers: dict[str, str], dice: Random) -> None:
        self._world, self._headers, self._dice = world, headers, dice

    async def post(self, path: str, body: Any, *, once: bool = False) -> httpx2.Response:
        """`once`: under a key, so that a repetition does nothing again; what is emitted needs none."""
        key = {"Idempotency-Key": str(UUID(int=self._dice.getrandbits(128)))} if once else {}
        return await self._world.request("POST", path, json=body, headers=self._headers | key)

    async def put(self, path: str, body: Any) -> httpx2.Response:
        return await self._world.request("PUT", path, json=body, headers=self._headers)

    async def get(self, path: str) -> Any:
        answer = await self._asked(path)
        return answer.json()

    async def content(self, path: str) -> bytes:
        return (await self._asked(path)).content

    async def every(self, path: str) -> list[Any]:
        """All entries of a list, page by page."""
        rows: list[Any] = []
        while True:
            page = await self.get(f"{path}?limit=100&page={len(rows) // 100 + 1}")
            rows += page
            if len(page) < 100:
                return rows

    async def _asked(self, path: str) -> httpx2.Response:
        answer = await self._world.request("GET", path, headers=self._headers)
        assert answer.is_success, f"GET {path}: {answer.status_code} {answer.text}"
        return answer
