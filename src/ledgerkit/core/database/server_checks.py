"""Checks of a PostgreSQL that a start needs; each raises a StartError that says in one line what to do."""

import secrets
from contextlib import AsyncExitStack
from typing import Any

import asyncpg

from ledgerkit.core.database.connecting import OWNER_SETTING, Target, connected
from ledgerkit.core.database.roles import quoted
from ledgerkit.start_errors import Misconfigured, Unreachable

OLDEST_MAJOR = 16

_LOST = (
    asyncpg.InvalidSQLStatementNameError,
    asyncpg.DuplicatePreparedStatementError,
    asyncpg.ProtocolViolationError,
)
"""How a shared session shows by itself: prepared statements that another one has, and poolers that refuse BEGIN."""

_ATTEMPTS = 3
"""How often the pooling check asks again: a pooler that hands its connections out in turn is noticed by then."""


async def check_server(connection: "asyncpg.Connection[Any]") -> None:
    """The server is new enough, its database holds UTF-8, and can be written to."""
    ((number, words, encoding, replica),) = await connection.fetch(
        "select current_setting('server_version_num')::int, current_setting('server_version'),"
        " current_setting('server_encoding'), pg_is_in_recovery()"
    )
    if number // 10_000 < OLDEST_MAJOR:
        raise Misconfigured(
            f"This PostgreSQL is {words}; ledgerkit needs {OLDEST_MAJOR} or later. Upgrade it, or rent a newer one."
        )
    if encoding != "UTF8":
        name = await connection.fetchval("select current_database()")
        raise Misconfigured(
            f'The database "{name}" holds {encoding}, and names and addresses need UTF8. As an administrator of the '
            f"server make another one: CREATE DATABASE {quoted(name + '_utf8')} TEMPLATE template0 ENCODING 'UTF8';"
        )
    if replica:
        raise Unreachable("This PostgreSQL is a replica that cannot be written to. Put the primary's address instead.")


async def check_owner(owner: "asyncpg.Connection[Any]") -> None:
    """The role that migrates may make tables, and may change those that there are."""
    ((me, may_create, stranger),) = await owner.fetch(
        "select current_user, has_schema_privilege('public', 'create'), (select min(tableowner::text) from pg_tables"
        " where schemaname = 'public' and tablename = 'alembic_version' and not pg_has_role(tableowner, 'usage'))"
    )
    if stranger:
        raise Misconfigured(
            f'The tables belong to the role "{stranger}", not to "{me}". Put "{stranger}" into {OWNER_SETTING}.'
        )
    if not may_create:
        name = await owner.fetchval("select current_database()")
        raise Misconfigured(
            f'"{me}" may not make tables in the database "{name}". As an administrator of the server type: '
            f"ALTER DATABASE {quoted(name)} OWNER TO {quoted(me)};"
        )


async def check_sessions(url: str, setting: str) -> None:
    """Between us and PostgreSQL is no pooler that hands a session to others between two transactions.

    Two connections are opened. If one meets the other's settings, or its own server process changes while the other
    one is in a transaction, sessions are shared.
    """
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(connected(url, setting))
        second = await stack.enter_async_context(connected(url, setting))
        try:
            shared = await _shared(first, second)
        except asyncpg.PostgresError as error:
            if not isinstance(error, _LOST) and not isinstance(error.__cause__, _LOST):
                raise
            shared = True
    if shared:
        raise Misconfigured(
            f"The address in {setting} leads to a pooler in transaction mode at {Target.parse(url).place}, which "
            "would mix up the sessions of different accounts. Use the server's own address, or set pool_mode = session "
            "in PgBouncer."
        )


async def _shared(first: "asyncpg.Connection[Any]", second: "asyncpg.Connection[Any]") -> bool:
    mark = secrets.token_hex(8)
    begun = await first.fetchval("select pg_backend_pid() from set_config('ledgerkit.mark', $1, false)", mark)
    async with second.transaction():
        ((theirs, met),) = await second.fetch("select pg_backend_pid(), current_setting('ledgerkit.mark', true)")
        now = {await first.fetchval("select pg_backend_pid()") for _ in range(_ATTEMPTS)}
    return met == mark or theirs == begun or now != {begun}
