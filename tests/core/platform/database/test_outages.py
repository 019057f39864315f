"""Outages of the database are told apart from mistakes of ours, however SQLAlchemy wraps them."""

import asyncpg
import pytest
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from ledgerkit.core.platform.database.outages import is_gone, outage
from ledgerkit.problems import Unavailable

BROKEN = "cannot switch to state 15; another operation (2) is in progress"


async def opening(error: Exception) -> DBAPIError:
    """The error of an engine whose connection cannot be opened."""

    async def opened() -> asyncpg.Connection:
        raise error

    engine = create_async_engine("postgresql+asyncpg://", async_creator=opened)
    with pytest.raises(DBAPIError) as raised:
        await engine.connect()
    return raised.value


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.InternalClientError(BROKEN),
        asyncpg.InterfaceError("connection is closed"),
        asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
        asyncpg.AdminShutdownError("terminating connection due to administrator command"),
    ],
)
async def test_a_connection_that_breaks_while_it_is_opened_is_an_outage(error):
    assert isinstance(outage(await opening(error)), Unavailable)


async def test_a_role_that_may_not_connect_is_no_outage():
    assert not is_gone(await opening(asyncpg.InsufficientPrivilegeError("permission denied for database")))
