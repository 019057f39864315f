"""Root lends the server an ordinary account; an ordinary user runs it as itself."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ledgerkit.embedded_postgres import EmbeddedPostgres, PostgresStartError
from ledgerkit.embedded_postgres.account import Account
from ledgerkit.embedded_postgres.binaries import find_binaries

pytestmark = [pytest.mark.whole, pytest.mark.skipif(os.geteuid() != 0, reason="only root can try two accounts")]

OWNER_PROCESS = Path(__file__).with_name("owner_process.py")
NOBODY = pwd.getpwnam("nobody")


def give(tree: Path, user: pwd.struct_passwd) -> None:
    for path in (tree, *tree.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)


@pytest.fixture
def readable():
    """A Python environment that an ordinary user can read, as he needs for running anything of it."""
    if not Account(NOBODY.pw_uid, NOBODY.pw_gid).can_execute(find_binaries().program("postgres")):
        pytest.skip("this Python environment is private: an ordinary user cannot read it at all")


@pytest.fixture
def private(directory):
    """A directory that only root can enter, as its home is."""
    directory.mkdir(mode=0o700)
    return directory / "data"


@pytest.fixture
def shelter(directory, monkeypatch):
    """Directory for clusters and programs instead of /var/lib/ledgerkit, so that no test writes there."""
    place = directory.parent / "shelter"
    elsewhere = directory.parent / "tmp"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))  # else `directory` itself would count as temporary
    for module in ("home", "server"):
        monkeypatch.setattr(f"ledgerkit.embedded_postgres.{module}.SHELTER", place)
    return place


async def test_as_root_the_server_runs_as_an_ordinary_account(server, ask):
    directory = server.directory
    pid = server.describe()["pid"]

    assert (directory / "cluster").stat().st_uid != 0
    assert (directory / "cluster" / "postmaster.pid").stat().st_uid == (directory / "cluster").stat().st_uid
    assert await ask(server.dsn, "SELECT 1") == 1
    assert os.getpgid(pid) != os.getpgid(0)


@pytest.mark.usefixtures("readable")
async def test_an_ordinary_user_runs_it_as_itself(directory, other_process):
    directory.mkdir()
    give(directory, NOBODY)

    process, said = await other_process(NOBODY.pw_uid, NOBODY.pw_gid)

    assert said["uid"] == NOBODY.pw_uid
    assert {path.stat().st_uid for path in directory.iterdir()} == {NOBODY.pw_uid}
    assert stat.S_IMODE((directory / "password").stat().st_mode) == 0o600
    process.communicate(b"\n")
    assert process.returncode == 0


async def test_what_an_ordinary_user_made_root_runs_as_that_user(used_directory):
    give(used_directory, NOBODY)
    server = EmbeddedPostgres(used_directory, durable=False)

    await server.start()

    assert (used_directory / "cluster" / "postmaster.pid").stat().st_uid == NOBODY.pw_uid
    await server.stop()


async def test_a_private_directory_points_to_a_cluster_in_an_open_place(private, shelter, ask):
    server = EmbeddedPostgres(private)
    await server.start()
    await ask(server.dsn, "CREATE TABLE note AS SELECT 'kept' AS words")
    await server.stop()
    again = EmbeddedPostgres(private)

    await again.start()

    assert await ask(again.dsn, "SELECT words FROM note") == "kept"
    assert (private / "elsewhere").readlink().parent == shelter
    assert stat.S_IMODE(private.parent.stat().st_mode) == 0o700
    await again.stop()
    assert (private / "elsewhere").exists()


async def test_a_throwaway_cluster_in_an_open_place_is_deleted_by_stop(private):
    server = EmbeddedPostgres(private, durable=False)
    await server.start()
    place = (private / "elsewhere").readlink()

    await server.stop()

    assert not place.exists()
    assert list(private.iterdir()) == []


async def test_a_temporary_cluster_is_swept_when_nothing_points_to_it(private):
    forgotten = EmbeddedPostgres(private / "first")
    await forgotten.start()
    place = (private / "first" / "elsewhere").readlink()
    await forgotten.stop()
    kept = place.exists()
    shutil.rmtree(private / "first")

    server = EmbeddedPostgres(private / "second", durable=False)
    await server.start()

    assert kept
    assert place.is_relative_to(tempfile.gettempdir())
    assert not place.exists()
    await server.stop()


async def test_a_lost_open_place_is_never_replaced_by_an_empty_database(private, shelter):
    private.mkdir()
    (private / "elsewhere").symlink_to(shelter / "data-1")

    with pytest.raises(PostgresStartError, match=r"does not exist\. Put it back from a backup"):
        await EmbeddedPostgres(private).start()


async def test_a_directory_closed_later_is_never_replaced_by_an_empty_database(lent_directory):
    server = EmbeddedPostgres(lent_directory)
    lent_directory.parent.chmod(0o700)

    with pytest.raises(PostgresStartError, match="a directory above it is private"):
        await server.start()

    lent_directory.parent.chmod(0o711)


async def test_programs_in_a_private_environment_are_copied_to_an_open_place(directory, shelter, monkeypatch, ask):
    found = find_binaries()
    environment = directory.parent / "private"
    environment.mkdir(mode=0o700)
    package = found.package.name
    shutil.copytree(
        found.prefix, environment / package / found.prefix.name, ignore=shutil.ignore_patterns("include", "*.a")
    )
    (environment / package / "__init__.py").write_text("raise AssertionError('the package must not be imported')\n")
    libraries = found.package.parent / f"{package}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, environment / libraries.name)
    monkeypatch.syspath_prepend(environment)
    server = EmbeddedPostgres(directory, durable=False)

    await server.start()

    assert find_binaries().package.parent == environment
    assert str(await ask(server.dsn, "SHOW server_version")) == found.release
    copies = list(shelter.glob("postgresql-*/*/*/bin/postgres"))
    assert len(copies) == 1
    assert copies[0].stat().st_uid == 0
    await server.stop()


async def test_a_cluster_of_root_is_refused_with_the_command_to_type(directory):
    (directory / "cluster").mkdir(parents=True)

    with pytest.raises(PostgresStartError, match=r"belongs to root.+chown -R \w+"):
        await EmbeddedPostgres(directory, durable=False).start()


@pytest.mark.usefixtures("readable")
def test_an_ordinary_user_is_told_who_may_use_the_directory(lent_directory):
    lent_directory.chmod(0o755)
    user = map(str, (NOBODY.pw_uid, NOBODY.pw_gid))

    done = subprocess.run(
        [sys.executable, OWNER_PROCESS, lent_directory, *user], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "Run ledgerkit as" in done.stderr.splitlines()[-1]
    assert "nobody" in done.stderr.splitlines()[-1]
