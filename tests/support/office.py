"""The whole application in process, on a committed database, with the inside of its authority at hand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx2
import pytest
from sqlalchemy import text

import ledgerkit.providers.es.sandbox as spanish_sandbox
from ledgerkit.app import create_app
from ledgerkit.core.einvoice.transmission.sender import ChainKey, Transmitter
from ledgerkit.core.platform.database.targets import Target
from ledgerkit.core.platform.identity.persons.passwords import Passwords
from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.embedded_postgres import EmbeddedPostgres
from ledgerkit.providers.es.sandbox import VerifactuSandbox
from ledgerkit.providers.es.sandbox import server as sandbox_server
from ledgerkit.providers.es.sandbox.authority import Reply
from ledgerkit.settings import Settings
from support.api import Api
from support.database import as_owner
from support.migrated_cluster import TEMPLATE
from support.office_owners import new_owner
from support.ports import free_port
from support.sandboxes import certify

BASE = "http://127.0.0.1:8000"

_NIF_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def nif(number: int) -> str:
    """A valid NIF of a person; another one for each number."""
    return f"{number:08d}{_NIF_LETTERS[number % 23]}"


@dataclass
class Office:
    """A running application: its clients, its database, and the sandbox authority that it reports to."""

    client: httpx2.AsyncClient
    kernel: Kernel
    authority: VerifactuSandbox
    _number: Iterator[int] = field(default_factory=lambda: count(20_000_101))

    async def account(self, name: str = "Ana Ruiz") -> Api:
        """A new user with a team and a tax id of its own."""
        number = next(self._number)
        return await new_owner(self.client, f"user{number}@example.com", name, nif(number))

    @property
    def name(self) -> str:
        """Name of its database."""
        assert self.kernel.settings.database_url is not None
        return Target.parse(self.kernel.settings.database_url.get_secret_value()).database

    async def rows(self, statement: str, **values: Any) -> list[Any]:
        """Rows of all accounts, read past row-level security."""
        async with as_owner(self.kernel) as connection:
            return list(await connection.execute(text(statement), values))

    async def records(self, api: Api) -> list[Any]:
        """The fiscal records of an account with their standing, by place in their chain, then as they were made."""
        return await self.rows(
            "select r.*, s.state, s.code, s.attempts, s.reference, s.in_doubt, s.aside_until from fiscal_record r"
            " join fiscal_status s on s.account_id = r.account_id and s.record_id = r.id"
            " where r.account_id = :account order by r.position, r.created_at",
            account=api.team["id"],
        )


async def emit(api: Api, invoice: Any) -> Any:
    return await api.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})


async def eventually(condition: Callable[[], Awaitable[object]], seconds: float = 60, pause: float = 0.05) -> None:
    """Returns as soon as something is so. Raises TimeoutError when it is not within `seconds`."""
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(pause)


async def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """`eventually` for what can be looked at without waiting."""

    async def is_so() -> object:
        return condition()

    await eventually(is_so, seconds, pause=0.01)


async def settled(api: Api, invoice: Any) -> Any:
    """The status of an emitted invoice once the authority has answered for good."""
    standing: dict[str, Any] = {}

    async def answered() -> bool:
        standing.update(await api.get(f"/api/einvoice/status/{invoice['id']}"))
        return standing["status"] not in {"pending", "unknown"}

    await eventually(answered)
    return standing


@asynccontextmanager
async def cloned(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """The address of a migrated database that is dropped at the end."""
    name = f"office_{uuid4().hex}"
    await postgres.clone(TEMPLATE, name)
    try:
        yield postgres.url(name)
    finally:
        await postgres.drop_database(name)


@asynccontextmanager
async def locked(url: str, table: str) -> AsyncIterator[None]:
    """Nobody else reads or writes the table for the time of the block."""
    holder = await asyncpg.connect(url.replace("+asyncpg", ""))
    async with holder.transaction():
        await holder.execute(f"lock table {table} in access exclusive mode")
        yield
    await holder.close()


class TravellersWatch(ClockWatch):
    """Hears other clocks only where a test is about them: tests travel in time, which is a wrong clock to it."""

    hears = False

    def note(self, reference: Reference, moment: datetime) -> None:
        if self.hears:
            super().note(reference, moment)


@asynccontextmanager
async def opened(url: str, directory: Path, passwords: Passwords, **settings: Any) -> AsyncIterator[Office]:
    """The application over the database at `url`; `settings` are those that differ from the tests' usual ones."""
    usual = {
        "database_url": url,
        "data_dir": directory,
        "rate_limit": "off",
        "secret_key": "a secret of the tests, forty characters long",
    }
    chosen = Settings(_env_file=None, **(usual | settings))
    certify(chosen)
    app = create_app(chosen)
    with watched() as authorities:
        async with app.router.lifespan_context(app):
            kernel = app.state.kernel
            kernel.services[ClockWatch] = TravellersWatch(kernel.database)
            app.state.kernel = replace(kernel, services={**kernel.services, Passwords: passwords})
            transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
            async with httpx2.AsyncClient(transport=transport, base_url=BASE) as client:
                yield Office(client, app.state.kernel, authorities[0])


@contextmanager
def withheld() -> Iterator[None]:
    """While it lasts, authorities in this process judge and store what is sent to them, and answer only at its end."""
    ended, genuine = asyncio.Event(), sandbox_server._answer

    async def late(reply: Reply, writer: asyncio.StreamWriter) -> bool:
        await ended.wait()
        return await genuine(reply, writer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox_server, "_answer", late)
        try:
            yield
        finally:
            ended.set()


@contextmanager
def waiting(office: Office) -> Iterator[set[object]]:
    """`withheld`, with the tasks of callers who wait for the office's sender to have an answer."""
    transmitter, callers = office.kernel.service(Transmitter), set[object]()
    genuine = transmitter.launch

    def launch(chain: ChainKey) -> asyncio.Task[bool]:
        callers.add(asyncio.current_task())
        return genuine(chain)

    with pytest.MonkeyPatch.context() as patch, withheld():
        patch.setattr(transmitter, "launch", launch)
        yield callers


class watched:  # noqa: N801 - read as a word: `with watched() as authorities`
    """While it lasts, every sandbox authority that the application makes is noted."""

    def __init__(self) -> None:
        self._patch = pytest.MonkeyPatch()

    def __enter__(self) -> list[VerifactuSandbox]:
        sandboxes: list[VerifactuSandbox] = []
        genuine = spanish_sandbox.sandbox

        def noted(directory: Path, *, port: int = 0) -> VerifactuSandbox:
            sandboxes.append(genuine(directory, port=port or free_port()))
            return sandboxes[-1]

        self._patch.setattr(spanish_sandbox, "sandbox", noted)
        return sandboxes

    def __exit__(self, *_: object) -> None:
        self._patch.undo()
