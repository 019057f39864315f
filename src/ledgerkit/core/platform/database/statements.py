"""Statements that are built and compiled once and then given to the driver itself.

Building a statement of fifty columns anew for every request costs more than PostgreSQL needs to answer it; and the
driver alone needs a third of what SQLAlchemy's execution adds to it (docs/adr/0012). The statements stay SQLAlchemy's:
typed, composed from the tables, compiled by its dialect.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, cast, overload

import asyncpg
from sqlalchemy import (
    CTE,
    ColumnElement,
    Dialect,
    Insert,
    Text,
    Update,
    func,
    literal_column,
)
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement

from ledgerkit.core.platform.database import own_account
from ledgerkit.core.platform.database.row_types import OWN_ACCOUNT, DriverRow, Row, RowT, record_class
from ledgerkit.money import dumps_exact

DIALECT: Dialect = PGDialect_asyncpg(json_serializer=dumps_exact)  # type: ignore[no-untyped-call] # untyped upstream
own_account.name_account(DIALECT)


def constant(word: str) -> ColumnElement[str]:
    """A fixed word in a statement's text, where the predicate of an index must see it."""
    assert word.isidentifier()  # noqa: S101 - ours, never a caller's
    return literal_column(f"'{word}'", Text)


class ExtraWrites(NamedTuple):
    """Statements that write more in the round trip of another one, and the values of their parameters.

    Their parameters have names that no column of the other statement's table has.
    """

    statements: tuple[Insert | Update, ...]
    values: Mapping[str, object]


NO_EXTRA_WRITES = ExtraWrites((), {})


def extra_write_ctes(statements: Sequence[Insert | Update]) -> list[CTE]:
    """Return the statements of `ExtraWrites` as parts of the statement that they are sent with."""
    return [
        statement.returning(func.now().label("at")).cte(f"beside_{place}") for place, statement in enumerate(statements)
    ]


class _Compiled(NamedTuple):
    sql: str
    names: Sequence[str]
    fixed: dict[str, object]
    converters: Mapping[str, Any]
    names_account: bool


class Prepared(Generic[RowT]):
    """One statement; its values are named by its `bindparam`s, or by its columns for INSERT and UPDATE.

    `row` is the type of the rows that it gives, left out where only `run` is used; `columns` are the names of an
    INSERT's values that have no `bindparam`.
    """

    @overload
    def __init__(self, statement: ClauseElement, row: type[RowT], *, columns: Sequence[str] | None = None) -> None: ...
    @overload
    def __init__(
        self: "Prepared[Row]", statement: ClauseElement, row: None = None, *, columns: Sequence[str] | None = None
    ) -> None: ...
    def __init__(
        self, statement: ClauseElement, row: type[Row] | None = None, *, columns: Sequence[str] | None = None
    ) -> None:
        self.statement = statement
        self.row_type = row
        self._columns = columns
        self._record = DriverRow if row is None else record_class(row)

    @cached_property
    def _compiled(self) -> _Compiled:
        compiled = self.statement.compile(dialect=DIALECT, column_keys=self._columns)
        assert isinstance(compiled, SQLCompiler)  # noqa: S101 - statements, not DDL
        names = list(compiled.positiontup or ())
        converters = compiled._bind_processors  # noqa: SLF001 - as execution does
        return _Compiled(compiled.string, names, dict(compiled.params), converters, OWN_ACCOUNT.key in names)

    def _arguments(self, db: AsyncConnection, values: dict[str, object]) -> list[object]:
        _, names, fixed, converters, names_account = self._compiled
        if names_account:
            values[OWN_ACCOUNT.key] = own_account.bound(db)
        values_by_name = {name: values[name] if name in values else fixed[name] for name in names}
        return [converters[name](value) if name in converters else value for name, value in values_by_name.items()]

    async def rows(self, db: AsyncConnection, **values: object) -> list[RowT]:
        # Every connection gives a DriverRow, which has each column as an attribute of the type that tests compare
        # with the row type; so the cast says what is there.
        arguments = self._arguments(db, values)
        return cast("list[RowT]", await driver(db).fetch(self._compiled.sql, *arguments, record_class=self._record))

    async def in_chunks(
        self, db: AsyncConnection, size: int, use: Callable[[Sequence[RowT]], None], **values: object
    ) -> None:
        """Call `use` with up to `size` rows at a time, by a cursor of the transaction that is open.

        PostgreSQL sends the next rows meanwhile, so `use` cannot use `db`.
        """
        arguments = self._arguments(db, values)
        cursor = await driver(db).cursor(self._compiled.sql, *arguments, record_class=self._record)
        rows = await cursor.fetch(size)
        while rows:
            following = asyncio.create_task(cursor.fetch(size))
            try:
                await asyncio.sleep(0)  # lets the request go out
                use(cast("list[RowT]", rows))
                rows = await following
            except BaseException:
                following.cancel()
                await asyncio.wait([following])
                raise

    async def row(self, db: AsyncConnection, **values: object) -> RowT | None:
        """The first row, None when there is none."""
        arguments = self._arguments(db, values)
        return cast("RowT | None", await driver(db).fetchrow(self._compiled.sql, *arguments, record_class=self._record))

    async def one(self, db: AsyncConnection, **values: object) -> RowT:
        """Return the only row of a statement that gives exactly one."""
        row = await self.row(db, **values)
        assert row is not None  # noqa: S101 - INSERT and UPDATE by key with RETURNING
        return row

    async def run(self, db: AsyncConnection, **values: object) -> None:
        await driver(db).execute(self._compiled.sql, *self._arguments(db, values))


def driver(db: AsyncConnection) -> "asyncpg.Connection[DriverRow]":
    """The driver's connection under `db`, in the same transaction."""
    pooled = db.sync_connection
    assert pooled is not None  # noqa: S101 - connections reach callers opened
    raw: asyncpg.Connection[DriverRow] | None = pooled.connection.driver_connection
    assert raw is not None  # noqa: S101 - detached connections are not handed out
    return raw
