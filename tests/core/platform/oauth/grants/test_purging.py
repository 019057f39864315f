"""Requests, logins, clients and grants are removed within an hour of their end, and nothing earlier."""

from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import insert

from ledgerkit import clock
from ledgerkit.core.operation.installation.server.scheduled_jobs import all_jobs
from ledgerkit.core.platform.oauth.grants import operations as grant_expiry
from ledgerkit.core.platform.oauth.table import oauth_login
from support.database import row_counts
from support.oauth import Application, ids

TABLES = ["oauth_client", "oauth_request", "oauth_login", "oauth_grant", "oauth_code", "oauth_token"]


@pytest.fixture
async def application(kernel, client, ana, berta) -> Application:
    """One application, connected to two teams, with a request that waits, a granted code, and a browser's login."""
    application = await Application.registered(client)
    await application.connected(ana)
    await application.connected(berta)
    await application.code(berta)
    await application.asked()
    row = {"session_hash": "x", "user_id": (await ids(ana))[0], "user_version": 1}
    async with kernel.database.transaction(None) as db:
        await db.execute(insert(oauth_login).values(row | {"expires_at": clock.now() + timedelta(minutes=10)}))
    return application


@pytest.mark.parametrize(
    ("later", "rows"),
    [
        (timedelta(seconds=30), [1, 1, 1, 3, 3, 4]),
        (timedelta(minutes=2), [1, 1, 1, 2, 2, 4]),
        (timedelta(minutes=11), [1, 0, 0, 2, 2, 4]),
        (timedelta(minutes=61), [1, 0, 0, 2, 2, 2]),
        (timedelta(days=59), [1, 0, 0, 2, 2, 2]),
        (timedelta(days=61), [1, 0, 0, 0, 0, 0]),
        (timedelta(days=181), [0, 0, 0, 0, 0, 0]),
    ],
)
async def test_each_thing_is_removed_when_its_time_is_over(kernel, application, later, rows):
    with time_machine.travel(clock.now() + later):
        await grant_expiry.forget(kernel)

    counts = await row_counts(kernel)
    assert [counts[table] for table in TABLES] == rows


async def test_the_worker_does_so_every_hour(kernel):
    assert "forget-oauth" in all_jobs(kernel).schedules
