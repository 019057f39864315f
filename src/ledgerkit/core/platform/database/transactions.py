"""Transactions and connections that are bound to one account: the only module that begins, commits or rolls back."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

import asyncpg
from sqlalchemy import (
    text,
)
from sqlalchemy.exc import PendingRollbackError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from ledgerkit.core.platform.database import own_account, sessions
from ledgerkit.core.platform.database.connections import Connections, Usage, admitted
from ledgerkit.core.platform.database.outages import (
    DATABASE_ERRORS,
    is_full,
    is_gone,
    outage,
    sqlstate,
    storage_full,
    unavailable,
)
from ledgerkit.core.platform.database.row_types import ACCOUNT_SETTING, DriverRow
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.targets import connect
from ledgerkit.money import dumps_exact, loads_exact

T = TypeVar("T")


_ENTERED = "entered_accounts"
"""Name, in the info of a connection, of the accounts entered in a transaction that will be rolled back."""

_A_MEGABYTE = "create temporary table room on commit drop as select repeat('0', 1000) from generate_series(1, 1000)"


@dataclass(frozen=True)
class Pooling:
    """Bounds of a process's connections; `statement_limit` is that of a request's statements, None for none."""

    size: int = 20
    wait_seconds: float = 30.0
    statement_limit: timedelta | None = None

    @property
    def writers_per_account(self) -> int:
        """Number of the writing connections that one account may hold at a time.

        Writers of one account mostly wait for each other anyway (numbers, chains, stock). Beyond a few, more of them
        only cost PostgreSQL time and take connections from other accounts.
        """
        return max(2, self.size // 5)


class Database:
    """One PostgreSQL, by three ways in: `transaction` writes, `reading` reads one account, `asking` reads none.

    Each way has its own connections, so settings of one way can never appear on another. All connections log in as the
    application's role, which owns nothing and cannot become another role (docs/adr/0018).
    """

    def __init__(self, url: str, pooling: Pooling | None = None) -> None:
        pooling = pooling or Pooling()
        usual = sessions.settings(pooling.statement_limit)
        self.engine = _engine(url, usual, sessions.PLANNED_ANEW)
        self.writers = Connections(self.engine, pooling.size, pooling.wait_seconds)
        only_reads = {**usual, "default_transaction_read_only": "on"}
        reading = _engine(url, only_reads, sessions.PLANNED_ANEW)
        self._readers = Connections(reading, max(2, pooling.size // 2), pooling.wait_seconds)
        unbound = _engine(url, only_reads, sessions.PLANNED_FOR_ALL, {ACCOUNT_SETTING: ""})
        self._askers = Connections(unbound, max(2, pooling.size // 4), pooling.wait_seconds)
        self._pooling = pooling
        self._writing: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()
        self._had_no_room = False
        self._trying = asyncio.Lock()

    @asynccontextmanager
    async def transaction(self, account_id: UUID | None) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees and stamps the rows of `account_id` only, or with None reference tables only.

        Commits at the end, rolls back on any exception. The account is local to the transaction, so a
        pooled connection carries nothing over. BEGIN and entering the account are one round trip, which is why the
        pool is in AUTOCOMMIT mode and the transaction is ours to end, here and nowhere else.
        """
        async with self._turn(account_id), self.writers.taken() as connection:
            try:
                await driver(connection).execute(f"begin; {self._hurry()}{_entering(account_id)}")
                own_account.bind(connection, account_id)
                yield connection
                await _commit(connection)
            except BaseException as error:
                if is_full(error) and not isinstance(error, OSError):
                    self._had_no_room = True
                await _abandon(connection, error)
                raise

    @asynccontextmanager
    async def reading(self, account_id: UUID) -> AsyncIterator[AsyncConnection]:
        """Single statements that see the rows of `account_id` only, each on its own snapshot; nothing can be written.

        The account is bound to the connection instead of to a transaction, which spares BEGIN and COMMIT, and
        binding too when the connection's last reader was the same account.
        """
        async with self._readers.taken() as connection:
            try:
                await _bind(connection, account_id, sessions.limit_in_force(self._pooling.statement_limit))
                yield connection
            except BaseException as error:
                await _abandon(connection, error)
                raise

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[AsyncConnection]:
        """Single statements on reference tables; a statement on an account's table fails here."""
        async with self._askers.taken() as connection:
            try:
                yield connection
            except BaseException as error:
                await _abandon(connection, error)
                raise

    @asynccontextmanager
    async def rolled_back(self, account_id: UUID | None) -> AsyncIterator["RolledBack"]:
        """A database on which everything happens in one transaction of `account_id` that is rolled back at the end."""
        with suppress(_RollBackError):
            async with self.transaction(account_id) as connection:
                database = RolledBack(connection, account_id)
                connection.info[_ENTERED] = database.entered_accounts
                try:
                    yield database
                finally:
                    del connection.info[_ENTERED]
                raise _RollBackError

    def _hurry(self) -> str:
        """Return the statement that gives background work its time; nothing for requests, whose limit is the usual."""
        if not sessions.is_unhurried():
            return ""
        return f"set local statement_timeout = {sessions.limit_in_force(self._pooling.statement_limit)}; "

    @asynccontextmanager
    async def _turn(self, account_id: UUID | None) -> AsyncIterator[None]:
        """Hold one of the account's places among the writers."""
        if account_id is None:
            yield
            return
        room = self._writing.get(account_id)
        if room is None:
            room = self._writing[account_id] = asyncio.Semaphore(self._pooling.writers_per_account)
        await admitted(room, self._pooling.wait_seconds)
        try:
            yield
        finally:
            room.release()

    async def ready(self) -> None:
        """Return when PostgreSQL answers and, if its disk was full, has room again. Raises the error of either."""
        async with self.asking() as connection:
            await connection.scalar(text("select true"))
        if self._had_no_room:
            await self._try_room()

    async def _try_room(self) -> None:
        """Write a megabyte that nobody keeps; one try at a time, however many ask. Raises StorageFull."""
        if self._trying.locked():
            raise storage_full()
        async with self._trying:
            try:
                async with self.transaction(None) as connection:
                    await driver(connection).execute(_A_MEGABYTE)
            except asyncpg.InsufficientPrivilegeError:
                pass  # temporary tables are forbidden here: the next write will tell
            self._had_no_room = False

    def usage(self) -> Mapping[str, Usage]:
        """Usage of the connections: those that write, those that read one account, and those that read none."""
        kinds = {"writing": self.writers, "reading": self._readers, "asking": self._askers}
        return {name: connections.usage for name, connections in kinds.items()}

    async def close(self) -> None:
        for connections in (self.writers, self._readers, self._askers):
            await connections.close()


@asynccontextmanager
async def step(connection: AsyncConnection) -> AsyncIterator[None]:
    """A part of the open transaction that a problem takes back by itself; what was done before the part stays."""
    raw = driver(connection)
    await raw.execute("savepoint step")
    try:
        yield
    except Exception:
        await raw.execute("rollback to savepoint step; release savepoint step")
        raise
    await raw.execute("release savepoint step")


class RolledBack(Database):
    """Database whose transactions are savepoints of a single one, which is never committed.

    All three ways use its connection, so reads see earlier writes. A failed transaction is undone up to its beginning,
    as a real one would be. Locks are held until the end.
    """

    def __init__(self, connection: AsyncConnection, account_id: UUID | None) -> None:
        self.connection = connection
        self._open_accounts = [account_id]
        """Accounts of the transactions that are open, the outermost first."""
        self.entered_accounts: dict[UUID | None, None] = {account_id: None}
        """Accounts that were worked in, in the order in which they were entered."""

    @asynccontextmanager
    async def transaction(self, account_id: UUID | None) -> AsyncIterator[AsyncConnection]:
        raw, name = driver(self.connection), f"dry_run_{len(self._open_accounts)}"
        await _enter(self.connection, account_id, f"savepoint {name}; ")
        self._open_accounts.append(account_id)
        try:
            yield self.connection
        except BaseException:
            await raw.execute(f"rollback to savepoint {name}; release savepoint {name}")
            raise
        else:
            await raw.execute(f"release savepoint {name}; {_entering(self._open_accounts[-2])}")
        finally:
            self._open_accounts.pop()
            own_account.bind(self.connection, self._open_accounts[-1])

    @asynccontextmanager
    async def reading(self, account_id: UUID) -> AsyncIterator[AsyncConnection]:
        async with self.transaction(account_id) as connection:
            yield connection

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[AsyncConnection]:
        async with self.transaction(None) as connection:
            yield connection


class _RollBackError(Exception):
    """End of a transaction of which nothing may stay."""


def _engine(url: str, *session: Mapping[str, str]) -> AsyncEngine:
    settings = {name: value for part in session for name, value in part.items()}

    async def opened() -> "asyncpg.Connection[DriverRow]":
        return await connect(url, settings, server_settings={"application_name": "ledgerkit"}, record_class=DriverRow)

    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=opened,
        poolclass=NullPool,
        json_serializer=dumps_exact,
        json_deserializer=loads_exact,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
    )
    own_account.listen(engine)
    return engine


async def _bind(connection: AsyncConnection, account_id: UUID, statement_timeout: str) -> None:
    """Bind a reader's connection to an account. While that is under way it counts as bound to none."""
    connection_info = connection.info
    if connection_info.get("bound") == (account_id, statement_timeout):
        return
    connection_info["bound"] = None
    await driver(connection).execute(
        f"select set_config('{ACCOUNT_SETTING}', '{UUID(bytes=account_id.bytes)}', false),"
        f" set_config('statement_timeout', '{statement_timeout}', false)"
    )
    connection_info["bound"] = account_id, statement_timeout
    own_account.bind(connection, account_id)


async def enter(connection: AsyncConnection, account_id: UUID | None) -> None:
    """Bind the rest of this transaction to the rows of one account."""
    await _enter(connection, account_id)


async def _enter(connection: AsyncConnection, account_id: UUID | None, before: str = "") -> None:
    """Enter an account after the statement `before`, in one round trip."""
    if _ENTERED in connection.info:
        connection.info[_ENTERED][account_id] = None
    await driver(connection).execute(before + _entering(account_id))
    own_account.bind(connection, account_id)


@asynccontextmanager
async def snapshot(connection: AsyncConnection) -> AsyncIterator[None]:
    """Let all statements within see the database as the first of them does; nothing can be written.

    For connections of `reading`. Where a transaction is open already, its own isolation decides. The driver's own
    transactions are not used: one that was cancelled while it began leaves its mark on the connection for good.
    """
    raw = driver(connection)
    if raw.is_in_transaction():
        yield
        return
    await raw.execute("begin isolation level repeatable read, read only")
    try:
        yield
    finally:
        if not raw.is_closed() and raw.is_in_transaction():
            await raw.execute("rollback")


def _entering(account_id: UUID | None) -> str:
    account = "" if account_id is None else str(UUID(bytes=account_id.bytes))
    return f"set local {ACCOUNT_SETTING} = '{account}'"


async def _commit(connection: AsyncConnection) -> None:
    """Commit; raise when PostgreSQL answers COMMIT with a rollback, as it does after an error that was swallowed."""
    if await driver(connection).execute("commit") != "COMMIT":
        msg = "the transaction had failed before it was committed"
        raise RuntimeError(msg)


async def _abandon(connection: AsyncConnection, error: BaseException) -> None:
    """Roll back; a connection that cannot is thrown away, so that none is handed out again inside a transaction.

    Of a statement that was cancelled the driver does not know yet whether it began a transaction.
    """
    clean = False
    try:
        raw = driver(connection)
        if not raw.is_closed() and (raw.is_in_transaction() or isinstance(error, asyncio.CancelledError)):
            await raw.execute("rollback")
        clean = not raw.is_closed() and not is_gone(error)
    except (*DATABASE_ERRORS, PendingRollbackError):  # the latter after a statement that was cancelled
        clean = False
    finally:
        if not clean:
            await connection.invalidate()


# ---------------------------------------------------------------- failures


_RETRY = {"40001", "40P01"}
_TRIES = 5


async def retry_on_conflict(work: Callable[[], Awaitable[T]]) -> T:
    """Run one unit of work; repeat it when PostgreSQL ended it because of a conflict (40001, 40P01).

    Up to five times with growing, jittered pauses. Raises Unavailable when PostgreSQL is out of reach, StorageFull when
    it, or a file that is written on the way, finds no room.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            return await work()
        except DATABASE_ERRORS as error:
            again = sqlstate(error) in _RETRY
            if again and attempt < _TRIES:
                await asyncio.sleep(0.01 * 2**attempt * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret
                continue
            problem = unavailable() if again else outage(error)
            if problem is None:
                raise
            raise problem from error
    raise AssertionError  # the last round returns or raises
