"""Reports of `ledgerkit doctor` on a rented PostgreSQL, of which it changes nothing."""

from contextlib import AsyncExitStack

import pytest
from pydantic import SecretStr

from ledgerkit.commands.examining.findings import Weight
from ledgerkit.commands.examining.services import database
from ledgerkit.core.operation.installation.database.setup import Access, prepare
from ledgerkit.core.platform.database.migrations import head
from ledgerkit.settings import Settings
from support.clusters import SECRET, execute, fetch


async def said(tmp_path, owner, app=None):
    """The only finding, and whether a start would have nothing left to make."""
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path,
        database_url=owner,
        database_app_url=app,
        secret_key=SecretStr(SECRET.decode()),
    )
    async with AsyncExitStack() as stack:
        (found,), url = await database(stack, settings)
        return found.weight, found.line("en"), url is not None


async def test_a_missing_role_comes_with_the_line_that_makes_it(newest, name, tmp_path):
    owner = await newest.rented(name, name)

    before = await said(tmp_path, owner)
    await newest.sql(before[1].partition("type: ")[2])
    after = await said(tmp_path, owner)

    assert before[0] is Weight.MISSING
    assert f'The role "{name}_app", as which ledgerkit works, does not exist' in before[1]
    assert after[0] is Weight.GOOD


async def test_what_a_start_will_make_is_said_and_not_made(newest, name, tmp_path):
    owner = await newest.rented(name, name, "createrole")

    weight, line, ready = await said(tmp_path, owner)

    assert (weight, ready) == (Weight.GOOD, False)
    assert line.endswith(f"tables of revision none; the next start brings it to {head()}")
    assert await fetch(owner, "select tablename from pg_tables where schemaname = 'public'") == []
    assert (f"{name}_app",) not in await fetch(owner, "select rolname from pg_roles")


async def test_a_database_that_is_ready_is_good_with_its_revision(newest, name, tmp_path):
    owner = await newest.rented(name, name, "createrole")
    app = await prepare(Access(owner, None, SECRET))

    by_owner, by_app = await said(tmp_path, owner), await said(tmp_path, None, app)

    assert by_owner == by_app
    assert (by_app[0], by_app[2]) == (Weight.GOOD, True)
    assert f"tables of revision {head()}" in by_app[1]


@pytest.mark.whole
async def test_tables_of_a_newer_version_are_missing(newest, name, tmp_path):
    owner = await newest.rented(name, name, "createrole")
    await prepare(Access(owner, None, SECRET))
    await execute(owner, "update alembic_version set version_num = '9999'")

    weight, line, _ = await said(tmp_path, owner)

    assert weight is Weight.MISSING
    assert "a newer ledgerkit has made" in line


@pytest.mark.whole
async def test_whatever_a_start_is_refused_is_missing(newest, name, tmp_path):
    owner = await newest.rented(name, name, "createrole")
    app = await prepare(Access(owner, None, SECRET))

    wrong_password = await said(tmp_path, owner.replace(":owner@", ":mistyped@"))
    await newest.sql(f"alter role {name}_app createrole")
    too_powerful = await said(tmp_path, None, app)

    assert (wrong_password[0], too_powerful[0]) == (Weight.MISSING, Weight.MISSING)
    assert "refuses the password" in wrong_password[1]
    assert "NOCREATEROLE" in too_powerful[1]
