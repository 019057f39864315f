"""Checks of a PostgreSQL that a start needs; each raises a StartError that says in one line what to do."""

import secrets
from contextlib import AsyncExitStack
from typing import Any

import asyncpg

from ledgerkit.core.platform.database.roles import quoted
from ledgerkit.core.platform.database.targets import OWNER_SETTING, Target, connected
from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.settings.start_errors import Misconfigured, Unreachable

OLDEST_MAJOR = 16

_LOST = (
    asyncpg.InvalidSQLStatementNameError,
    asyncpg.DuplicatePreparedStatementError,
    asyncpg.ProtocolViolationError,
)
"""Signs of a shared session: prepared statements that another session has, and poolers that refuse BEGIN."""

_ATTEMPTS = 3
"""Repetitions of the pooling check: a pooler that hands its connections out in turn is noticed by then."""


async def check_server(connection: "asyncpg.Connection[Any]") -> None:
    """Check that the server is new enough, and that its database holds UTF-8 and can be written to."""
    ((number, words, encoding, replica),) = await connection.fetch(
        "select current_setting('server_version_num')::int, current_setting('server_version'),"
        " current_setting('server_encoding'), pg_is_in_recovery()"
    )
    if number // 10_000 < OLDEST_MAJOR:
        raise Misconfigured(DatabaseMsg.SERVER_TOO_OLD, words=words, oldest_major=OLDEST_MAJOR)
    if encoding != "UTF8":
        name = await connection.fetchval("select current_database()")
        raise Misconfigured(
            DatabaseMsg.ENCODING_NOT_UTF8,
            name=name,
            encoding=encoding,
            name_2=quoted(name + "_utf8"),
        )
    if replica:
        raise Unreachable(DatabaseMsg.SERVER_IS_REPLICA)


async def check_owner(owner: "asyncpg.Connection[Any]") -> None:
    """Check that the role that migrates may make tables, and may change the existing ones."""
    ((me, may_create, stranger),) = await owner.fetch(
        "select current_user, has_schema_privilege('public', 'create'), (select min(tableowner::text) from pg_tables"
        " where schemaname = 'public' and tablename = 'alembic_version' and not pg_has_role(tableowner, 'usage'))"
    )
    if stranger:
        raise Misconfigured(DatabaseMsg.TABLES_OF_ANOTHER_ROLE, stranger=stranger, me=me, owner_setting=OWNER_SETTING)
    if not may_create:
        name = await owner.fetchval("select current_database()")
        raise Misconfigured(DatabaseMsg.TABLES_NOT_CREATABLE, me=me, name=name, name_2=quoted(name), me_2=quoted(me))


async def check_sessions(url: str, setting: str) -> None:
    """Check that no pooler between us and PostgreSQL hands a session to others between two transactions.

    Two connections are opened. If one meets the other's settings, or its own server process changes while the other
    one is in a transaction or after it, sessions are shared.
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
        raise Misconfigured(DatabaseMsg.POOLER_IN_TRANSACTION_MODE, setting=setting, place=Target.parse(url).place)


async def _shared(first: "asyncpg.Connection[Any]", second: "asyncpg.Connection[Any]") -> bool:
    mark = secrets.token_hex(8)
    first_pid = await first.fetchval("select pg_backend_pid() from set_config('ledgerkit.mark', $1, false)", mark)
    async with second.transaction():
        ((second_pid, mark_of_second),) = await second.fetch(
            "select pg_backend_pid(), current_setting('ledgerkit.mark', true)"
        )
        later_pids = {await _pid(first) for _ in range(_ATTEMPTS)}
    later_pids |= {await _pid(first) for _ in range(_ATTEMPTS)}  # the other one's session is idle again
    return mark_of_second == mark or second_pid == first_pid or later_pids != {first_pid}


async def _pid(connection: "asyncpg.Connection[Any]") -> int:
    pid: int = await connection.fetchval("select pg_backend_pid()")
    return pid
