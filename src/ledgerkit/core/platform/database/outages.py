"""Failures of the database and the disk: out of reach, out of room, or neither, which is a mistake of ours."""

import errno

import asyncpg
from sqlalchemy.exc import DBAPIError, InterfaceError

from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.problems import Code, StorageFull, Unavailable

_GONE = {"57P01", "57P02", "57P03", "53300", "08000", "08003", "08006", "08001", "08004"}
_DISK_FULL = "53100"
_CANCELLED = "57014"
"""A statement reached its time limit, or an operator cancelled it."""
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}

_BROKEN = (asyncpg.InterfaceError, asyncpg.InternalClientError)
"""Errors of asyncpg on a connection that broke, the latter when it broke in the middle of a statement."""

DATABASE_ERRORS = (DBAPIError, asyncpg.PostgresError, *_BROKEN, OSError)
"""All that a driver or pool raises; `outage` tells an outage from a mistake of ours."""


def sqlstate(error: BaseException) -> str | None:
    """The SQLSTATE of a database error, None for everything else."""
    original = getattr(error, "orig", error)
    state = getattr(original, "sqlstate", None)
    return state if isinstance(state, str) else None


def is_full(error: BaseException) -> bool:
    """Return True when a disk was full, for PostgreSQL or for one of our files."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    return sqlstate(error) == _DISK_FULL


def is_gone(error: BaseException) -> bool:
    """Return True when PostgreSQL was out of reach or disconnected. Any OSError counts, because sockets raise them.

    SQLAlchemy wraps what asyncpg raises while a connection is opened.
    """
    if isinstance(error, (OSError, InterfaceError, *_BROKEN)):
        return True
    if isinstance(error, DBAPIError) and (error.connection_invalidated or isinstance(error.driver_exception, _BROKEN)):
        return True
    return sqlstate(error) in _GONE


def outage(error: BaseException) -> Unavailable | None:
    """Return the problem that callers get for an outage; None for a mistake in our code."""
    if is_full(error):
        return storage_full()
    if sqlstate(error) == _CANCELLED:
        return Unavailable(DatabaseMsg.STATEMENT_TOO_LONG, code=Code.DATABASE_TIMEOUT, headers={"Retry-After": "30"})
    return unavailable() if is_gone(error) else None


def unavailable() -> Unavailable:
    return Unavailable(DatabaseMsg.NO_ANSWER, headers={"Retry-After": "5"})


def storage_full() -> StorageFull:
    return StorageFull(DatabaseMsg.DISK_FULL, headers={"Retry-After": "60"})
