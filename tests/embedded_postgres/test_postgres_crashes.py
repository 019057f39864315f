"""Clusters after a kill at any moment, and the next start on them."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import asyncpg
import httpx2
import pytest
from structlog.testing import capture_logs

from ledgerkit.app import create_app
from ledgerkit.core.platform.database.readiness import Life
from ledgerkit.embedded_postgres import EmbeddedPostgres, PostgresStartError, running_urls
from ledgerkit.embedded_postgres import server as postgres_server
from ledgerkit.embedded_postgres.account import Account
from ledgerkit.embedded_postgres.home import LOG_FILES, Home, Owner

pytestmark = pytest.mark.whole

WORDS = "SELECT words FROM note"


@pytest.fixture
async def started(directory):
    """Starts a server of this process on the directory of a killed one."""
    servers = []

    async def start() -> EmbeddedPostgres:
        server = EmbeddedPostgres(directory)
        await server.start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        await server.stop()


def start_only(directory: Path) -> subprocess.Popen[bytes]:
    program = (
        "import asyncio, pathlib, sys\n"
        "from ledgerkit.embedded_postgres import EmbeddedPostgres\n"
        "asyncio.run(EmbeddedPostgres(pathlib.Path(sys.argv[1]), durable=False).start())\n"
    )
    return subprocess.Popen([sys.executable, "-c", program, directory], stdout=subprocess.DEVNULL)


async def test_after_a_kill_of_the_owner_the_running_server_is_replaced(used_directory, other_process, started, ask):
    process, said = await other_process()
    with pytest.raises(PostgresStartError, match=f"process {process.pid}"):
        await started()
    process.kill()
    process.wait()
    assert await ask(running_urls(used_directory).owner, WORDS) == "committed"

    server = await started()

    assert await ask(server.dsn, WORDS) == "committed"
    assert server.describe()["pid"] != said["pid"]


async def test_after_a_kill_of_owner_and_server_the_data_is_recovered(used_directory, other_process, started, ask):
    process, said = await other_process()
    process.kill()
    process.wait()
    os.kill(said["pid"], signal.SIGKILL)

    server = await started()

    assert await ask(server.dsn, WORDS) == "committed"


async def test_a_killed_server_is_restarted_by_itself(used_directory, started, ask, eventually):
    server = await started()
    await ask(server.dsn, "CREATE TABLE note AS SELECT 'kept' AS words")

    os.kill(server.describe()["pid"], signal.SIGKILL)

    await eventually(lambda: server.restarts == 1)
    assert await ask(server.dsn, WORDS) == "kept"


async def test_a_server_that_cannot_be_restarted_is_tried_again_until_it_can(used_directory, started, ask, eventually):
    server = await started()
    control = used_directory / "cluster" / "global" / "pg_control"
    aside = control.rename(used_directory / "pg_control")
    os.kill(server.describe()["pid"], signal.SIGKILL)
    await eventually(lambda: "pg_control" in Home(used_directory, used_directory).last_words())

    aside.rename(control)

    await eventually(lambda: server.restarts == 1)
    assert await ask(server.dsn, "SELECT 1") == 1


async def test_an_exception_while_it_is_watched_never_costs_the_server(
    used_directory, started, ask, eventually, monkeypatch
):
    server = await started()
    monkeypatch.setattr(postgres_server, "LOG_PRUNING_SECONDS", 0)  # instead of waiting for half a minute
    with capture_logs() as lines:
        for number in range(LOG_FILES + 1):  # logs that no unlink removes: pruning them raises
            (used_directory / "cluster" / "log" / f"postgresql-2000-{number}.log").mkdir()
        await eventually(lambda: [line for line in lines if line["event"] == "postgres.pruning_failed"])
        first = server.describe()["pid"]
        os.kill(first, signal.SIGKILL)

        await eventually(lambda: server.restarts == 1)

    assert await ask(server.dsn, "SELECT 1") == 1
    assert server.describe()["pid"] not in {None, first}


async def test_a_restart_that_fails_in_an_unforeseen_way_is_tried_again(used_directory, started, ask, eventually):
    server = await started()
    password = (used_directory / "password").read_bytes()
    with capture_logs() as lines:
        (used_directory / "password").write_bytes(b"\xff")  # a UnicodeDecodeError, which nobody has thought of
        os.kill(server.describe()["pid"], signal.SIGKILL)
        await eventually(lambda: [line for line in lines if line["event"] == "postgres.restart_failed"])

        (used_directory / "password").write_bytes(password)

        await eventually(lambda: server.restarts == 1)
    assert (await ask(server.dsn, "SELECT 1"), server.lost_seconds) == (1, 0)


async def test_health_demands_a_restart_when_nothing_else_helps(used_directory, started, eventually, kernel):
    server = await started()
    impatient = Life(server, kernel.settings, patience=0)
    app = create_app(kernel.settings, replace(kernel, services={**kernel.services, Life: impatient}))
    transport = httpx2.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport, base_url="http://t") as client:
        alive = await client.get("/health")
        control = used_directory / "cluster" / "global" / "pg_control"
        aside = control.rename(used_directory / "pg_control")
        os.kill(server.describe()["pid"], signal.SIGKILL)
        await eventually(lambda: "pg_control" in Home(used_directory, used_directory).last_words())
        await eventually(lambda: server.lost_seconds > 0)
        lost = await client.get("/health")
        aside.rename(control)
        await eventually(lambda: server.restarts == 1)
        again = await client.get("/health")
        await server.stop()
        unwatched = await client.get("/health")

    assert [one.status_code for one in (alive, lost, again, unwatched)] == [200, 503, 200, 503]
    assert lost.json()["code"] == "DATABASE_UNAVAILABLE"


async def test_health_does_not_demand_a_restart_while_the_server_is_being_restarted(used_directory, started, settings):
    server = await started()
    os.kill(server.describe()["pid"], signal.SIGKILL)

    await Life(server, settings).check()


@pytest.mark.parametrize("dead", [False, True], ids=["alive", "zombie"])
async def test_a_number_that_now_belongs_to_a_stranger_does_not_prevent_the_start(used_directory, started, ask, dead):
    first = EmbeddedPostgres(used_directory, durable=False)
    await first.start()
    pid_file = used_directory / "cluster" / "postmaster.pid"
    lines = pid_file.read_text().split("\n")
    await first.stop()
    account = Account(pid_file.parent.stat().st_uid, pid_file.parent.stat().st_gid)
    with (used_directory / "stranger.log").open("wb") as output:
        stranger = (account if os.geteuid() == 0 else Account()).start(["/bin/sleep", "60"], output)
    pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]))
    account.own(pid_file)
    if dead:
        stranger.kill()  # and nobody reaps it: the number stays taken

    server = await started()

    assert await ask(server.dsn, "SELECT 1") == 1
    assert dead or stranger.poll() is None
    stranger.kill()
    stranger.wait()


async def test_a_kill_while_the_cluster_is_made_leaves_nothing_broken(directory, started, ask, eventually):
    process = start_only(directory)
    await eventually(lambda: list(directory.glob("init.*/cluster/global")))
    process.kill()
    process.wait()
    assert not (directory / "cluster").exists()

    server = await started()

    assert await ask(server.dsn, "SELECT 1") == 1


async def test_a_cluster_of_another_major_version_is_left_alone(lent_directory):
    server = EmbeddedPostgres(lent_directory)
    version_file = lent_directory / "cluster" / "PG_VERSION"
    version = version_file.read_text()
    version_file.write_text("16\n")

    with pytest.raises(PostgresStartError, match=r"written by PostgreSQL 16; installed is 1\d.+ledgerkit backup"):
        await server.start()

    assert version_file.read_text() == "16\n"
    version_file.write_text(version)


async def test_a_directory_that_is_no_cluster_is_refused(directory):
    (directory / "cluster").mkdir(parents=True)
    os.chown(directory / "cluster", 65534 if os.geteuid() == 0 else -1, -1)

    with pytest.raises(PostgresStartError, match="not a PostgreSQL cluster"):
        await EmbeddedPostgres(directory, durable=False).start()


async def test_a_lost_password_is_replaced_and_the_data_kept(used_directory, started, ask):
    first = EmbeddedPostgres(used_directory, durable=False)
    await first.start()
    await ask(first.dsn, "CREATE TABLE note AS SELECT 'kept' AS words")
    lost = first.dsn
    await first.stop()
    (used_directory / "password").unlink()

    server = await started()

    assert await ask(server.dsn, WORDS) == "kept"
    assert server.dsn != lost
    with pytest.raises(asyncpg.InvalidPasswordError):
        await ask(lost, WORDS)


async def test_a_changed_password_is_explained_and_nothing_left_running(lent_directory):
    server = EmbeddedPostgres(lent_directory)
    password = (lent_directory / "password").read_text()
    (lent_directory / "password").write_text("another\n")

    with pytest.raises(PostgresStartError, match=r"delete it and start again"):
        await server.start()

    assert server.describe()["pid"] is None
    (lent_directory / "password").write_text(password)


async def test_a_server_that_cannot_start_says_why_in_its_own_words(lent_directory):
    server = EmbeddedPostgres(lent_directory, settings={"shared_buffers": "many"}, durable=False)

    with pytest.raises(PostgresStartError, match=re.compile("It said:.*shared_buffers", re.DOTALL)):
        await server.start()

    Owner.claim(Home(lent_directory, lent_directory)).release()
