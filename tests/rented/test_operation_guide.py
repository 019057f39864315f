"""docs/operation.md as a stranger follows it: with a rented PostgreSQL behind TLS, and with PgBouncer."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from support.api import Api
from support.clusters import VERSIONS, Cluster, cluster, execute, fetch, major
from support.directories import open_directory
from support.office import emit
from support.pages import ROOT
from support.poolers import Pooler, pooler
from support.serving import served

PAGE = "docs/operation.md"
USERS = {"ledgerkit": "first-password", "ledgerkit_app": "second-password"}


def block(language: str, word: str) -> str:
    (found,) = re.findall(rf"```{language} {word}\n(.*?)```", (ROOT / PAGE).read_text(), re.DOTALL)
    return found


@asynccontextmanager
async def host(version: str) -> AsyncIterator[Cluster]:
    """A server whose customer may make roles and databases, and is no superuser; the page's four lines are typed."""
    with open_directory() as parent:
        async with cluster(parent / "data", major(version)) as running:
            await running.sql("create role customer login createrole createdb password 'customer'")
            for line in block("sql", "roles").strip().splitlines():
                await execute(running.url("customer", "customer", "postgres"), line)
            yield running


async def pasted(text: str, directory: Path, **environment: str) -> str:
    """Output of a shell for a block. Raises AssertionError when a command fails."""
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    given = {"PATH": path, "HOME": str(directory), "LEDGERKIT_DATA_DIR": str(directory / "data"), "LC_ALL": "C.UTF-8"}
    inherited = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-c", f"set -euo pipefail\n{text}"),
        cwd=directory,
        env=given | inherited | environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await shell.communicate()
    assert shell.returncode == 0, said.decode()
    return said.decode()


def addressed(text: str, way: Pooler) -> str:
    """The page's block with the stranger's own host in it."""
    own = {"db.example.com:5432": f"127.0.0.1:{way.port}", "/etc/ledgerkit/ca.pem": str(way.authority)}
    for documented, mine in own.items():
        text = text.replace(documented, mine)
    return text


def exported(text: str) -> dict[str, str]:
    """Variables that a block exports, without the prefix."""
    return dict(re.findall(r"^export LEDGERKIT_(\w+)='?([^'\n]*)'?$", text, re.MULTILINE))


async def used(directory: Path, settings: dict[str, str]) -> str:
    """Somebody registers and issues an invoice; the state of its record."""
    assert block("bash", "serve").strip() == "ledgerkit serve"
    async with (
        served(directory / "data", **settings) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
        return (await emit(ana, await ana.invoice()))["status"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.whole
async def test_a_stranger_with_a_rented_postgresql_and_verified_tls(version, tmp_path):
    """TLS is PgBouncer's here: none of the PostgreSQL programs at hand that are new enough was built with it."""
    async with host(version) as rented, pooler(rented.directory / "tls", rented, "session", USERS, tls=True) as way:
        text = addressed(block("bash", "rented"), way)
        migrated = await pasted(text, tmp_path)
        state = await used(tmp_path, exported(text))
        saved = await pasted(block("bash", "backup"), tmp_path, **_prefixed(exported(text)))
        (restore, serve) = block("bash", "restore").strip().splitlines()
        restored = await pasted(f"{restore} --replace", tmp_path, **_prefixed(exported(text)))
        rights = await fetch(rented.admin(), "select rolname, rolsuper, rolbypassrls, rolcreaterole from pg_roles")

    assert migrated == "The database is up to date.\n"
    assert state in {"accepted", "pending"}
    assert "fiscal_record: 1 row\n" in saved
    assert "begin anew" in restored
    assert serve == "ledgerkit serve"
    assert {row for row in rights if row[0] in USERS} == {(role, False, False, False) for role in USERS}


@pytest.mark.whole
async def test_a_stranger_with_pgbouncer_in_session_mode(tmp_path):
    known = dict(re.findall(r'^"(\w+)" "([^"]+)"$', block("text", "userlist"), re.MULTILINE))
    async with host("18") as rented, pooler(rented.directory / "pgbouncer", rented, "session", known) as way:
        text = re.sub(r"\?sslmode=[^']*", "", addressed(block("bash", "rented"), way))
        migrated = await pasted(text, tmp_path)
        state = await used(tmp_path, exported(text))

    assert known == USERS
    assert migrated == "The database is up to date.\n"
    assert state in {"accepted", "pending"}


def _prefixed(settings: dict[str, str]) -> dict[str, str]:
    return {f"LEDGERKIT_{name}": value for name, value in settings.items()}
