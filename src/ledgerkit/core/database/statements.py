"""Statements that are built and compiled once and then given to the driver itself.

Building a statement of fifty columns anew for every request costs more than PostgreSQL needs to answer it; and the
driver alone needs a third of what SQLAlchemy's execution adds to it (docs/adr/0012). The statements stay SQLAlchemy's:
typed, composed from the tables, compiled by its dialect.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import asyncpg
from sqlalchemy import CTE, ColumnElement, Dialect, Insert, Text, Update, func, literal_column
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement

from ledgerkit.money import dumps_exact

_DIALECT: Dialect = PGDialect_asyncpg(json_serializer=dumps_exact)  # type: ignore[no-untyped-call] # untyped upstream


class Row(asyncpg.Record):
    """A row whose columns are attributes too."""

    __slots__ = ()

    @property
    def items(self) -> Any:
        """The column of that name, which a record's own method would hide."""
        return self["items"]

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def constant(word: str) -> ColumnElement[str]:
    """A fixed word of our own in a statement's text, where an index's predicate must be able to see it."""
    assert word.isidentifier()  # noqa: S101 - ours, never a caller's
    return literal_column(f"'{word}'", Text)


class ExtraWrites(NamedTuple):
    """Statements that write more in the round trip of another one, and the values of their parameters.

    Their parameters have names that no column of the other statement's table has.
    """

    statements: tuple[Insert | Update, ...]
    values: Mapping[str, Any]


NO_EXTRA_WRITES = ExtraWrites((), {})


def extra_write_ctes(statements: Sequence[Insert | Update]) -> list[CTE]:
    """The parts of a statement that carry those of a `Beside`."""
    return [one.returning(func.now().label("at")).cte(f"beside_{place}") for place, one in enumerate(statements)]


class _Compiled(NamedTuple):
    sql: str
    names: Sequence[str]
    fixed: dict[str, Any]
    converters: Mapping[str, Any]


class Prepared:
    """One statement; its values are named by its `bindparam`s, or by its columns for INSERT and UPDATE."""

    def __init__(self, statement: ClauseElement, columns: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._columns = columns

    @cached_property
    def _compiled(self) -> _Compiled:
        made = self._statement.compile(dialect=_DIALECT, column_keys=self._columns)
        assert isinstance(made, SQLCompiler)  # noqa: S101 - statements, not DDL
        names = list(made.positiontup or ())
        return _Compiled(made.string, names, dict(made.params), made._bind_processors)  # noqa: SLF001 - as execution does

    def _arguments(self, values: dict[str, Any]) -> list[Any]:
        _, names, fixed, converters = self._compiled
        given = {name: values[name] if name in values else fixed[name] for name in names}
        return [converters[name](value) if name in converters else value for name, value in given.items()]

    async def rows(self, db: AsyncConnection, **values: Any) -> list[Row]:
        found: list[Row] = await driver(db).fetch(self._compiled.sql, *self._arguments(values))
        return found

    async def row(self, db: AsyncConnection, **values: Any) -> Row | None:
        """The first row, None when there is none."""
        found: Row | None = await driver(db).fetchrow(self._compiled.sql, *self._arguments(values))
        return found

    async def one(self, db: AsyncConnection, **values: Any) -> Row:
        """The row of a statement that gives one."""
        found = await self.row(db, **values)
        assert found is not None  # noqa: S101 - INSERT and UPDATE by key with RETURNING
        return found

    async def run(self, db: AsyncConnection, **values: Any) -> None:
        await driver(db).execute(self._compiled.sql, *self._arguments(values))


def driver(db: AsyncConnection) -> "asyncpg.Connection[Row]":
    """The driver's connection under `db`, in the same transaction."""
    pooled = db.sync_connection
    assert pooled is not None  # noqa: S101 - connections reach callers opened
    raw: asyncpg.Connection[Row] | None = pooled.connection.driver_connection
    assert raw is not None  # noqa: S101 - detached connections are not handed out
    return raw
