"""Starting, addressing and stopping the embedded server."""

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from ledgerkit.embedded_postgres import EmbeddedPostgres, PostgresStartError, running_urls
from ledgerkit.embedded_postgres.home import LOG_FILES

PROCESSES = "SELECT array_agg(pid) FROM pg_stat_activity"


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_stopped_server_starts_again_with_its_data(used_directory, ask):
    server = EmbeddedPostgres(used_directory)
    await server.start()
    await ask(server.dsn, "CREATE TABLE note AS SELECT 'kept' AS words")
    await server.stop()

    await server.start()

    assert await ask(server.dsn, "SELECT words FROM note") == "kept"
    assert await ask(server.dsn, "SHOW fsync") == "on"
    await server.stop()


async def test_stop_leaves_no_process(lent_directory, ask, eventually):
    server = EmbeddedPostgres(lent_directory, durable=False)
    await server.start()
    pids = [server.describe()["pid"], *await ask(server.dsn, PROCESSES)]

    await server.stop()
    await server.stop()

    assert len(pids) > 4
    await eventually(lambda: not any(lives(pid) for pid in pids))


@pytest.mark.whole
async def test_a_cancelled_stop_leaves_no_process(lent_directory, ask, eventually):
    server = EmbeddedPostgres(lent_directory, durable=False)
    await server.start()
    pids = [server.describe()["pid"], *await ask(server.dsn, PROCESSES)]

    stopping = asyncio.create_task(server.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping

    await eventually(lambda: not any(lives(pid) for pid in pids))
    await server.start()
    await server.stop()


@pytest.mark.whole
def test_an_event_loop_that_ends_without_stop_ends_the_server(lent_directory):
    program = (
        "import asyncio, pathlib, sys\n"
        "from ledgerkit.embedded_postgres import EmbeddedPostgres\n"
        "async def main():\n"
        "    await EmbeddedPostgres(pathlib.Path(sys.argv[1]), durable=False).start()\n"
        "    raise SystemExit(3)\n"
        "asyncio.run(main())\n"
    )

    done = subprocess.run([sys.executable, "-c", program, lent_directory], capture_output=True, check=False)

    assert done.returncode == 3, done.stderr
    assert EmbeddedPostgres(lent_directory).describe()["pid"] is None


@pytest.mark.parametrize(("name", "mode"), [("data", "socket"), ("long-" * 20, "tcp"), ("datos de María, 2026", "tcp")])
@pytest.mark.whole
async def test_the_address_works_in_sqlalchemy_whatever_the_path(used_directory, name, mode):
    server = EmbeddedPostgres(used_directory.rename(used_directory.parent / name), durable=False)
    await server.start()
    engine = create_async_engine(server.url("ledgerkit"))

    async with engine.connect() as connection:
        answer = await connection.scalar(text("SELECT current_database()"))

    assert answer == "ledgerkit"
    assert server.describe()["mode"] == mode
    await engine.dispose()
    await server.stop()


async def test_nobody_gets_in_without_the_password(server, connect):
    for user in ("ledgerkit", "postgres"):
        for password in ("", "ledgerkit"):
            with pytest.raises(asyncpg.InvalidPasswordError):
                await connect(server.dsn, user=user, password=password)


async def test_every_rule_of_access_demands_scram(server, connect):
    connection = await connect(server.dsn)

    methods = await connection.fetch("SELECT DISTINCT auth_method FROM pg_hba_file_rules")

    assert [tuple(row) for row in methods] == [("scram-sha-256",)]
    await connection.close()


async def test_only_the_owner_can_read_password_cluster_and_socket(server):
    directory = server.directory
    modes = {name: stat.S_IMODE((directory / name).stat().st_mode) for name in ("password", "cluster", "socket")}

    assert modes == {"password": 0o600, "cluster": 0o700, "socket": 0o700}
    assert len((directory / "password").read_text().strip()) >= 40


async def test_settings_fit_a_small_machine_and_its_log_is_bounded(server, ask):
    expected = {
        "max_connections": "120",
        "shared_buffers": "64MB",
        "jit": "off",
        "TimeZone": "UTC",
        "listen_addresses": "",
        "server_encoding": "UTF8",
        "logging_collector": "on",
        "log_rotation_age": "1d",
        "log_rotation_size": "8MB",
        "fsync": "off",
    }

    shown = {name: await ask(server.dsn, f"SHOW {name}") for name in expected}

    assert shown == expected
    assert await ask(server.dsn, "SELECT datlocprovider FROM pg_database WHERE datname = 'ledgerkit'") == b"b"


async def test_settings_of_the_caller_win(lent_directory, ask):
    server = EmbeddedPostgres(lent_directory, settings={"max_connections": "20"}, durable=False)
    await server.start()

    assert await ask(server.dsn, "SHOW max_connections") == "20"
    await server.stop()


@pytest.mark.whole
async def test_old_logs_are_deleted(lent_directory):
    server = EmbeddedPostgres(lent_directory, durable=False)
    await server.start()
    await server.stop()
    for day in range(10, 30):
        (lent_directory / "cluster" / "log" / f"postgresql-2020-01-{day}_000000.log").write_text("old\n")

    await server.start()
    await server.stop()

    kept = sorted(path.name for path in (lent_directory / "cluster" / "log").iterdir())
    assert len(kept) <= LOG_FILES + 1
    assert "postgresql-2020-01-10_000000.log" not in kept


async def test_databases_are_created_cloned_and_dropped(server, ask):
    await server.create_database('tem"plate')
    await ask(server.url('tem"plate'), "CREATE TABLE note AS SELECT 'copied' AS words")

    await server.clone('tem"plate', "copy")

    assert await ask(server.url("copy"), "SELECT words FROM note") == "copied"
    await server.drop_database("copy")
    await server.drop_database("copy")
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await ask(server.url("copy"), "SELECT 1")


async def test_a_second_owner_of_the_directory_is_refused_by_name(server):
    directory = server.directory
    with pytest.raises(PostgresStartError, match=rf"process {os.getpid()}\) is using {directory}"):
        await EmbeddedPostgres(directory, durable=False).start()

    assert server.describe()["pid"] is not None


@pytest.mark.whole
async def test_description_before_during_and_after(directory):
    server = EmbeddedPostgres(directory, durable=False)
    before = server.describe()
    await server.start()
    during = EmbeddedPostgres(directory).describe()
    urls = running_urls(directory)
    await server.stop()

    assert (before["pid"], before["data_version"]) == (None, None)
    assert during["owner_pid"] == os.getpid()
    assert during["data_version"] == str(during["version"]).split(".")[0]
    assert urls == server.urls()
    assert (server.describe()["pid"], running_urls(directory)) == (None, None)


def test_the_address_before_start_is_refused(tmp_path: Path):
    with pytest.raises(PostgresStartError, match="not been started"):
        EmbeddedPostgres(tmp_path).url()
