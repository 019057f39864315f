"""The raw twin of create+issue: the very statements that the server sends, by asyncpg alone, in a process of its own.

The statements are not copied by hand. At the start the application itself runs in this process, creates and pays an
invoice twice, and every call of asyncpg on the way is written down with its text and parameters, BEGIN and COMMIT
included. Parameters that differ between the two runs are what varies: fresh ids, the number that the counter gave,
the moment. All others stay as they are, apart from the ids of the account at work.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from functools import wraps
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import asyncpg
import httpx2
from asyncpg.prepared_stmt import PreparedStatement
from load import INVOICE
from process import BenchError, measured, serve_jobs

from ledgerkit.app import create_app
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.settings import Settings
from ledgerkit.telemetry import logs

COUNTER = "invoice_counter"


class Way(Enum):
    """Form in which a statement is sent: as it is, or prepared with arguments, for all rows or for the first."""

    PLAIN = "plain"
    ROWS = "rows"
    ROW = "row"


@dataclass(frozen=True)
class Statement:
    """One call of asyncpg."""

    text: str
    arguments: tuple[Any, ...]
    way: Way
    connection: int


@dataclass(frozen=True)
class Trace:
    """The statements of one create+issue in their order, and the number that it gave."""

    statements: list[Statement]
    number: str

    def units(self) -> list[list[Statement]]:
        """The statements of each transaction, and each statement outside of one by itself."""
        units: list[list[Statement]] = []
        within = False
        for one in self.statements:
            if within:
                units[-1].append(one)
            else:
                units.append([one])
            word = one.text.lower()
            within = word.startswith("begin") or (within and not word.startswith(("commit", "rollback")))
        if any(one.connection != unit[0].connection for unit in units for one in unit):
            raise BenchError("the statements of several connections are mixed up")
        return units


# ---------------------------------------------------------------- what the server says to PostgreSQL


@contextmanager
def overheard(heard: list[Statement]) -> Iterator[None]:
    """Write down all that this process says to PostgreSQL by asyncpg: at its three narrow places, inside of it."""
    places = [
        (asyncpg.Connection, "execute", _plain),
        (asyncpg.Connection, "_execute", _cached),
        (PreparedStatement, "_PreparedStatement__bind_execute", _prepared),
    ]
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for (owner, name, original), (_, _, statement) in zip(originals, places, strict=True):
        setattr(owner, name, _noting(heard, original, statement))
    try:
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def _noting(heard: list[Statement], original: Any, statement: Callable[..., Statement | None]) -> Any:
    @wraps(original)
    async def noted(self: Any, *args: Any, **options: Any) -> Any:
        if (said := statement(self, *args)) is not None:
            heard.append(said)
        return await original(self, *args, **options)

    return noted


def _plain(connection: asyncpg.Connection, text: str, *args: Any) -> Statement | None:
    """A text without arguments; with some, it goes the way of `_cached`."""
    return None if args else Statement(text, (), Way.PLAIN, id(connection))


def _cached(connection: asyncpg.Connection, text: str, args: Any, limit: int, *_: Any) -> Statement:
    return Statement(text, tuple(args), Way.ROW if limit == 1 else Way.ROWS, id(connection))


def _prepared(prepared: PreparedStatement, args: Any, limit: int, *_: Any) -> Statement:
    connection = prepared._connection  # noqa: SLF001 - there is no public way to ask
    return Statement(prepared.get_query(), tuple(args), Way.ROW if limit == 1 else Way.ROWS, id(connection))


async def captured(settings: Settings, key: str) -> tuple[Trace, Trace]:
    """The statements of two create+issue in a row, of the account that `key` opens."""
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app)
        headers = {"x-api-key": key}
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as caller:
            await recorded(caller)  # prepares the statements and asks for types, once per connection
            return await recorded(caller), await recorded(caller)


async def recorded(caller: httpx2.AsyncClient) -> Trace:
    heard: list[Statement] = []
    with overheard(heard):
        made = (await caller.post("/api/invoices", json=INVOICE)).raise_for_status().json()
        paid = (await caller.patch(f"/api/invoices/{made['id']}/pay", json={})).raise_for_status().json()
    return Trace(heard, paid["number"])


# ---------------------------------------------------------------- the same again


@dataclass
class Turn:
    """One repetition: the account at work, its fresh ids, and the number once it is known."""

    account: dict[str, str]
    ids: dict[UUID, UUID] = field(default_factory=dict)
    number: str = ""

    def id(self, model: UUID) -> UUID:
        if model not in self.ids:
            self.ids[model] = new_id()
        return self.ids[model]


Maker = Callable[[Turn], Any]
Step = tuple[str, Way, list[Maker]]


class Script:
    """A trace that can be repeated in any account."""

    def __init__(self, first: Trace, second: Trace, account: dict[str, str]) -> None:
        self._account = account
        self._numbers = (first.number, second.number)
        self.units = [
            [self._step(a, b) for a, b in zip(one, other, strict=True)]
            for one, other in zip(first.units(), second.units(), strict=True)
        ]

    def summary(self) -> dict[str, Any]:
        texts = [[text for text, _, _ in unit] for unit in self.units]
        return {
            "transactions": sum(len(unit) > 1 for unit in texts),
            "statements": sum(len(unit) for unit in texts),
            "texts": [f"{text};" for unit in texts for text in [*unit, "--"]],
        }

    def _step(self, one: Statement, other: Statement) -> Step:
        if one.text != other.text:
            raise BenchError(f"the statements of two runs differ: {one.text!r} and {other.text!r}")
        makers = [self._maker(a, b) for a, b in zip(one.arguments, other.arguments, strict=True)]
        return one.text, one.way, makers

    def _maker(self, a: Any, b: Any) -> Maker:
        if isinstance(a, UUID) and a != b:
            return lambda turn: turn.id(a)
        if isinstance(a, list) and a != b:
            makers = [self._maker(one, other) for one, other in zip(a, b, strict=True)]
            return lambda turn: [make(turn) for make in makers]
        if isinstance(a, datetime) and a != b:
            return lambda _: datetime.now(UTC)
        if a != b:
            return self._numbered(a, b)
        if self.told_to(a, dict.fromkeys(self._account, str(UUID(int=0)))) != a:
            return lambda turn: self.told_to(a, turn.account)
        return lambda _: a

    def told_to(self, value: Any, account: dict[str, str]) -> Any:
        """`value` with the ids of `account` in place of the model's."""
        if isinstance(value, UUID):
            return UUID(self.told_to(str(value), account))
        if isinstance(value, list):
            return [self.told_to(one, account) for one in value]
        if isinstance(value, str):
            for name, own in self._account.items():
                value = value.replace(own, account[name])
        return value

    def _numbered(self, a: Any, b: Any) -> Maker:
        first, second = self._numbers
        digits = len(first) - len(first.rstrip("0123456789"))
        if isinstance(a, int) and (a, b) == (int(first[-digits:]), int(second[-digits:])):
            return lambda turn: int(turn.number)
        if (a, b) == (first[-digits:], second[-digits:]):
            return lambda turn: turn.number.zfill(digits)
        for lower in (False, True):
            old, new = (first.lower(), second.lower()) if lower else (first, second)
            if isinstance(a, str) and a.replace(old, new) == b:
                return lambda turn: a.replace(old, old[:-digits] + turn.number.zfill(digits))
        raise BenchError(f"it is not known how {a!r} becomes {b!r}")


async def perform(pool: "Pool", script: Script, account: dict[str, str]) -> None:
    turn = Turn(account)
    for unit in script.units:
        async with pool.taken() as connection:
            for text, way, makers in unit:
                if way is Way.PLAIN:
                    await connection.execute(script.told_to(text, turn.account))
                    continue
                ask = connection.fetchrow if way is Way.ROW else connection.fetch
                found = await ask(text, *[make(turn) for make in makers])
                if COUNTER in text and found:
                    turn.number = str(found[0] if way is Way.ROW else found[0][0])


class Pool:
    """As many connections as the server's pool has, the one used last first, nothing reset in between."""

    def __init__(self, connections: Sequence[asyncpg.Connection]) -> None:
        self._free = list(connections)
        self._turns = asyncio.Semaphore(len(connections))  # first come, first served

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[asyncpg.Connection]:
        async with self._turns:
            connection = self._free.pop()
            yield connection
            self._free.append(connection)


class Twin:
    def __init__(self, owner_url: str, app_url: str) -> None:
        self._owner_url, self._app_url = owner_url, app_url
        self._script: Script | None = None
        self._pool: Pool | None = None

    async def prepare(self, job: dict[str, Any]) -> dict[str, Any]:
        """Learn the statements with the account of the job, which is not used for anything else."""
        with TemporaryDirectory(prefix="ledgerkit-") as directory:
            settings = Settings(
                data_dir=Path(directory),
                database_url=self._owner_url,
                database_app_url=self._app_url,
                secret_key=job["secret"],
                rate_limit="off",
                worker="apart",
                log_level="ERROR",
            )
            logs.configure(settings)
            self._script = Script(*await captured(settings, job["account"]["key"]), job["account"])
        opened = [
            await asyncpg.connect(self._app_url, server_settings={"application_name": "bench", "jit": "off"})
            for _ in range(job["pool"])
        ]
        self._pool = Pool(opened)
        return self._script.summary()

    async def issue(self, job: dict[str, Any]) -> dict[str, Any]:
        accounts = cycle(job["accounts"])

        async def turn() -> None:
            await perform(self._pool, self._script, next(accounts))

        return await measured([turn] * job["connections"], job["seconds"])


if __name__ == "__main__":
    twin = Twin(*sys.argv[1:])
    serve_jobs({"prepare": twin.prepare, "issue": twin.issue})
