"""`ledgerkit serve` as a process of its own, to be asked over TCP and killed."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from ledgerkit.providers.api import SandboxAccess
from ledgerkit.providers.es.verifactu.settings import DEMO_PRODUCER_TAX_ID
from support.ports import free_port
from support.processes import Forked, Process, Program, ended

START_SECONDS = 60
IDLE_SECONDS = 1.0
"""A caller keeps an idle connection this long: the server may be ending it after five seconds."""

_OURS = ("LEDGERKIT_", "PYTHONDONTWRITEBYTECODE")
"""Not inherited: a server has the settings of its test only, and compiles its modules once, as it does elsewhere."""


@dataclass
class Server:
    """A running server; `log` is what it has said so far."""

    process: Process
    url: str
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text()

    async def ready(self) -> None:
        """Returns when it does its work. Raises AssertionError with its own words when it has ended instead."""
        async with httpx2.AsyncClient(base_url=self.url, verify=False) as client, asyncio.timeout(START_SECONDS):
            while not await _is_ready(client):
                assert self.process.poll() is None, self.said
                await asyncio.sleep(0.1)

    async def ended(self, seconds: float = 60) -> int:
        """The code with which it ends. Raises TimeoutError when it goes on."""
        async with asyncio.timeout(seconds):
            return await ended(self.process)

    async def kill(self) -> None:
        """End it as a power failure would: nothing of it runs any more."""
        self.process.kill()
        await self.ended()

    async def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.ended()


def start(directory: Path, program: Program = Forked, **settings: str) -> Server:
    """Start a server on the data directory `directory`; `settings` without their prefix."""
    port = int(settings.get("PORT") or free_port())
    usual = {
        "DATA_DIR": str(directory),
        "PORT": str(port),
        "RATE_LIMIT": "off",
        "BASE_URL": "https://ledgerkit.example",
    }
    own = {**usual, **settings}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    log = directory.with_name(f"{directory.name}-{port}.log")
    log.touch()
    environment = inherited | {f"LEDGERKIT_{name}": value for name, value in own.items()}
    process = program(["serve"], environment, directory.parent, log, log)
    return Server(process, f"http://127.0.0.1:{port}", log)


@asynccontextmanager
async def served(directory: Path, program: Program = Forked, **settings: str) -> AsyncIterator[Server]:
    """A ready server, stopped in order at the end if it still runs; killed if it does not stop."""
    server = start(directory, program, **settings)
    try:
        await server.ready()
        yield server
        if server.process.poll() is None:
            await server.stop()
    finally:
        server.process.kill()
        server.process.wait()


def reporting_to(access: SandboxAccess) -> dict[str, str]:
    """The settings of a server that takes a sandbox outside of it for the authority's test service."""
    return {
        "EINVOICE_ENV": "test",
        "VERIFACTU_URL": access.url,
        "VERIFACTU_CA_FILE": str(access.ca_file),
        "VERIFACTU_CERT_FILE": str(access.certificate_file),
        "VERIFACTU_PRODUCER_NAME": "Productora de pruebas",
        "VERIFACTU_PRODUCER_TAX_ID": DEMO_PRODUCER_TAX_ID,
    }


async def _is_ready(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/ready")).status_code == 200
    except httpx2.TransportError:
        return False
