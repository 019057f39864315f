"""PgBouncer between ledgerkit and PostgreSQL: welcome in session mode, told apart in transaction mode."""

import asyncio

import httpx2
import pytest

from ledgerkit.core.operation.installation.database.setup import Access, prepare
from ledgerkit.core.platform.database.server_checks import check_sessions
from ledgerkit.settings.start_errors import Misconfigured
from support.api import Api
from support.clusters import SECRET, fetch
from support.directories import open_directory
from support.poolers import pooler
from support.serving import served

pytestmark = pytest.mark.whole


async def rented(host, name: str) -> dict[str, str]:
    """A database with both its roles; their passwords."""
    await host.rented(name, name)
    await host.sql(f"create role {name}_app login password 'app'")
    return {name: "owner", f"{name}_app": "app"}


async def test_a_server_works_through_session_mode_with_verified_tls(newest, name, tmp_path):
    users = await rented(newest, name)
    with open_directory() as parent:
        async with pooler(parent / "pooler", newest, "session", users, tls=True) as between:
            verified = {"sslmode": "verify-full", "sslrootcert": str(between.authority)}
            settings = {
                "DATABASE_URL": between.url(name, "owner", name, **verified),
                "DATABASE_APP_URL": between.url(f"{name}_app", "app", name, **verified),
            }
            async with (
                served(tmp_path / "data", **settings) as server,
                httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
            ):
                ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
                await ana.invoice()
                listed = await ana.get("/api/invoices")

    assert len(listed) == 1


@pytest.mark.parametrize("mode", ["transaction", "statement"])
async def test_a_pooler_that_shares_sessions_is_refused(newest, name, mode):
    users = await rented(newest, name)
    with open_directory() as parent:
        async with pooler(parent / "pooler", newest, mode, users) as between:
            through = between.url(f"{name}_app", "app", name)
            await prepare(Access(newest.url(name, "owner", name), newest.url(f"{name}_app", "app", name), SECRET))

            with pytest.raises(Misconfigured, match="pool_mode = session") as refusal:
                await prepare(Access(newest.url(name, "owner", name), through, SECRET))

    assert "\n" not in str(refusal.value)
    assert "LEDGERKIT_DATABASE_APP_URL" in str(refusal.value)


async def test_a_pooler_that_shares_sessions_in_turn_is_refused_too(newest, name):
    """Each transaction gets the one of two server connections that was idle longer: no setting is met again."""
    users = await rented(newest, name)
    with open_directory() as parent:
        async with pooler(parent / "pooler", newest, "transaction", users, turns=True) as between:
            through = between.url(f"{name}_app", "app", name)
            await asyncio.gather(*(fetch(through, "select pg_sleep(3)") for _ in range(2)))

            with pytest.raises(Misconfigured, match="pool_mode = session"):
                await check_sessions(through, "LEDGERKIT_DATABASE_APP_URL")


async def test_a_certificate_that_is_not_believed_is_said(newest, name):
    users = await rented(newest, name)
    with open_directory() as parent:
        async with pooler(parent / "pooler", newest, "session", users, tls=True) as between:
            url = between.url(name, "owner", name, sslmode="verify-full", sslrootcert="system")

            with pytest.raises(Misconfigured, match="sslrootcert=/path"):
                await prepare(Access(url, None, SECRET))
