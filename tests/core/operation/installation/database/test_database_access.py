"""Choice of the database that a process works on: a configured one, another process's, or one of its own."""

import re
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from pydantic import SecretStr

from ledgerkit.core.operation.installation.database import access as database_access
from ledgerkit.core.operation.installation.database.access import (
    any_database,
    existing_database,
    has_own_cluster,
    lends_account,
    own_database,
    served_database,
    shared_database,
    throwaway_database,
)
from ledgerkit.settings.messages import ServerMsg
from ledgerkit.settings.start_errors import Misconfigured

OWNER, APP = "postgresql+asyncpg://owner@here/ledgerkit", "postgresql+asyncpg://app@here/ledgerkit"


class Server:
    """A server that does nothing but tell when it was started and stopped."""

    lost_seconds = 0.0

    def __init__(self, directory: Path, *, durable: bool) -> None:
        self.directory, self.durable = directory, durable
        self.life: list[str] = []

    async def start(self) -> None:
        self.life.append("started")

    async def stop(self) -> None:
        self.life.append("stopped")

    def urls(self) -> tuple[str, str]:
        return OWNER, APP


class Servers:
    """A supervisor of such servers."""

    def __init__(self) -> None:
        self.made: list[Server] = []
        self.running: Path | None = None
        self.clusters: set[Path] = set()

    def server_in(self, directory: Path, *, durable: bool = True) -> Server:
        self.made.append(Server(directory, durable=durable))
        return self.made[-1]

    def running_urls(self, directory: Path) -> tuple[str, str] | None:
        return (OWNER, APP) if directory == self.running else None

    def has_cluster(self, directory: Path) -> bool:
        return directory in self.clusters

    def lends_account(self, directory: Path) -> bool:
        return directory in self.clusters


@pytest.fixture
def servers(monkeypatch) -> Servers:
    made = Servers()
    monkeypatch.setattr(database_access, "SUPERVISOR", made)
    return made


@pytest.fixture
def no_supervisor(monkeypatch) -> None:
    monkeypatch.setattr(database_access, "SUPERVISOR", None)


@pytest.fixture
def configured(settings):
    return settings.model_copy(update={"database_url": SecretStr("postgresql://elsewhere/ledgerkit")})


async def test_without_a_configured_database_our_own_is_started_and_stopped_with_its_user(settings, servers):
    async with AsyncExitStack() as stack:
        access, server = await served_database(stack, settings)
        during = list(server.life)

    assert (access.owner, access.app, access.renews_password) == (OWNER, APP, True)
    assert servers.made == [server]
    assert (server.directory, server.durable) == (settings.data_dir / "postgres", True)
    assert (during, server.life) == (["started"], ["started", "stopped"])


@pytest.mark.parametrize("chosen", [own_database, any_database, existing_database])
async def test_a_configured_database_is_taken_by_everybody(configured, servers, chosen):
    servers.running = configured.data_dir / "postgres"
    async with AsyncExitStack() as stack:
        access = await chosen(stack, configured)
        served, server = await served_database(stack, configured)

    assert access == served == shared_database(configured)
    assert (access.owner, access.app) == ("postgresql://elsewhere/ledgerkit", None)
    assert access.secret == configured.secret_key.get_secret_value().encode()
    assert not access.renews_password, "others may be using another one"
    assert (server, servers.made) == (None, [])


async def test_a_command_shares_the_server_of_another_process_and_else_starts_one(settings, servers):
    async with AsyncExitStack() as stack:
        servers.running = settings.data_dir / "postgres"
        shared = await any_database(stack, settings)
        made_beside_it = list(servers.made)
        servers.running = None
        alone = await any_database(stack, settings)

    assert shared == alone
    assert shared == database_access.Access(owner=OWNER, app=APP, renews_password=True)
    assert made_beside_it == []
    assert [one.life for one in servers.made] == [["started", "stopped"]]


async def test_looking_for_a_database_makes_neither_a_server_nor_a_secret_key(settings, servers):
    keyless = settings.model_copy(update={"secret_key": None})
    async with AsyncExitStack() as stack:
        assert await existing_database(stack, keyless) is None
        await existing_database(stack, keyless.model_copy(update={"database_url": SecretStr("postgresql://elsewhere")}))
        assert (servers.made, list(keyless.data_dir.iterdir())) == ([], [])

        servers.clusters.add(keyless.data_dir / "postgres")
        found = await existing_database(stack, keyless)

    assert found is not None
    assert len(servers.made) == 1


def test_a_worker_works_on_the_database_of_a_running_server_only(settings, servers):
    with pytest.raises(Misconfigured) as refused:
        shared_database(settings)
    assert refused.value.text.id is ServerMsg.NO_POSTGRESQL

    servers.running = settings.data_dir / "postgres"

    assert shared_database(settings).owner == OWNER


async def test_a_throwaway_database_ends_with_its_block_whatever_happens(tmp_path, servers):
    async def fail() -> None:
        async with throwaway_database(tmp_path) as url:
            raise RuntimeError(url)

    with pytest.raises(RuntimeError, match=re.escape(OWNER)):
        await fail()

    (server,) = servers.made
    assert (server.directory, server.durable, server.life) == (tmp_path, False, ["started", "stopped"])


def test_what_is_told_of_the_data_directory_is_told_of_the_folder_of_postgresql(settings, servers):
    assert not has_own_cluster(settings)
    assert not lends_account(settings.data_dir)

    servers.clusters.add(settings.data_dir / "postgres")

    assert has_own_cluster(settings)
    assert lends_account(settings.data_dir)


@pytest.mark.usefixtures("no_supervisor")
@pytest.mark.parametrize("chosen", [served_database, own_database, any_database, existing_database])
async def test_without_a_supervisor_a_database_has_to_be_configured(settings, chosen):
    async with AsyncExitStack() as stack:
        with pytest.raises(Misconfigured) as refused:
            await chosen(stack, settings)

    assert refused.value.text.id is ServerMsg.NO_POSTGRESQL


@pytest.mark.usefixtures("no_supervisor")
async def test_without_a_supervisor_nothing_of_ours_is_found_or_made(settings, tmp_path):
    with pytest.raises(Misconfigured):
        shared_database(settings)
    with pytest.raises(Misconfigured):
        async with throwaway_database(tmp_path):
            pass

    assert not lends_account(settings.data_dir)
