"""Each statement on a table of an account names the account, put in where statements are compiled.

`account_id = :own_account` stands in the condition of every SELECT, UPDATE and DELETE for each such table, and an
INSERT gives it as a value (`row_types.StampedRow`). The value comes from the connection, so callers neither write nor
pass it: a planner knows it, and a router could send the statement to the account's node. Statements written as text
name it themselves. Row-level security stays the wall behind (docs/adr/0048).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    Alias,
    ColumnElement,
    Connection,
    Delete,
    FromClause,
    Join,
    Select,
    Table,
    Update,
    and_,
    event,
)
from sqlalchemy.dialects.postgresql.asyncpg import PGCompiler_asyncpg
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.sql.selectable import FromGrouping

from ledgerkit.core.platform.database.row_types import OWN_ACCOUNT
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of

_PARAMETER = OWN_ACCOUNT.key


class AccountCompiler(PGCompiler_asyncpg):
    """PostgreSQL's compiler, which names the account wherever a table of an account is read or changed."""

    def _compose_select_body(
        self, text: str, select: Select[Any], state: Any, columns: Any, froms: Sequence[FromClause], *more: Any
    ) -> Any:
        limited = select.where(*_conditions(froms))
        return super()._compose_select_body(text, limited, state, columns, froms, *more)  # type: ignore[no-untyped-call] # untyped upstream

    def visit_join(self, join: Join, asfrom: bool = False, from_linter: Any = None, **kwargs: Any) -> Any:
        assert join.onclause is not None and not join.full  # noqa: S101, PT018 - what a full join keeps, WHERE drops
        on = and_(join.onclause, *_conditions([join.right]))
        limited = Join(join.left, join.right, on, join.isouter)
        return super().visit_join(limited, asfrom, from_linter, **kwargs)  # type: ignore[no-untyped-call] # untyped upstream

    def visit_update(self, update_stmt: Update, visiting_cte: CTE[Any] | None = None, **kw: Any) -> str:
        limited = update_stmt.where(*self._of_changed(update_stmt, kw))
        return super().visit_update(limited, visiting_cte, **kw)

    def visit_delete(self, delete_stmt: Delete, visiting_cte: CTE[Any] | None = None, **kw: Any) -> Any:
        limited = delete_stmt.where(*self._of_changed(delete_stmt, kw))
        return super().visit_delete(limited, visiting_cte, **kw)  # type: ignore[no-untyped-call] # untyped upstream

    def _of_changed(self, statement: Update | Delete, options: Mapping[str, Any]) -> Iterator[ColumnElement[bool]]:
        state: Any = statement._compile_state_factory(statement, self, **options)  # noqa: SLF001 - as the compiler does
        return _conditions([statement.table, *state._extra_froms])  # noqa: SLF001 - as the compiler does


def _conditions(froms: Sequence[FromClause]) -> Iterator[ColumnElement[bool]]:
    """Conditions for what stands first in each of `froms`; what is joined to it has its own in the join's."""
    for part in froms:
        first = part
        while isinstance(first, Join | FromGrouping):
            first = first.left if isinstance(first, Join) else first.element
        table = first.element if isinstance(first, Alias) else first
        if isinstance(table, Table) and "scope" in table.info and not is_shared(scope_of(table)):
            yield first.c.account_id == OWN_ACCOUNT


def name_account(dialect: Dialect) -> None:
    """Let statements that `dialect` compiles name the account."""
    dialect.statement_compiler = AccountCompiler


def listen(engine: AsyncEngine) -> None:
    """Let the statements of `engine` name the account of the connection that they are sent on."""
    name_account(engine.sync_engine.dialect)
    event.listen(engine.sync_engine, "before_execute", _give, retval=True)


def bind(connection: AsyncConnection, account_id: UUID | None) -> None:
    """Note the account whose rows exist for the statements of this connection; None for no account's."""
    connection.info[_PARAMETER] = account_id


def bound(connection: AsyncConnection) -> UUID:
    """Return the account of the connection. Raises RuntimeError when it has none."""
    account_id: UUID | None = connection.info.get(_PARAMETER)
    if account_id is None:
        msg = "a statement on an account's table needs a connection that has entered the account"
        raise RuntimeError(msg)
    return account_id


def _give(connection: Connection, statement: Any, rows: Any, row: Any, _options: object) -> tuple[Any, Any, Any]:
    account_id = connection.info.get(_PARAMETER)
    if account_id is None:
        return statement, rows, row
    values = {_PARAMETER: account_id}
    return (statement, [{**other, **values} for other in rows], row) if rows else (statement, rows, {**row, **values})
