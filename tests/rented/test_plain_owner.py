"""A database whose owner may log in and nothing else: migrated, worked on, dumped, and apart from its neighbour."""

import re
import subprocess
from dataclasses import replace

import asyncpg
import httpx2
import pytest

from ledgerkit.core.operation.installation.database.setup import Access, foresee, prepare
from ledgerkit.core.platform.database import migrations
from ledgerkit.core.platform.database.ids import NO_ID
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.targets import Target
from ledgerkit.settings.start_errors import Misconfigured
from support.api import Api
from support.clusters import SECRET, execute, fetch
from support.commands import ledgerkit
from support.office import emit
from support.ports import free_port
from support.serving import served

WORKING = "select distinct usename from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
ACCOUNT = (
    "insert into account (id, kind, name, country, currency, time_zone)"
    " values (gen_random_uuid(), 'team', 'x', 'ES', 'EUR', 'UTC')"
)
ROLE = "select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = '{}'"


def access(owner: str, app: str | None = None) -> Access:
    return Access(owner, app, SECRET)


def line_in(error: object) -> str:
    """The SQL that a message gives to type."""
    found = re.search(r"type: (.*;)$", str(error))
    assert found, error
    return found[1]


async def lent(host, name: str) -> tuple[str, str]:
    """Owner's and application's address, after the administrator has typed what the message says."""
    owner = await host.rented(name, name)
    with pytest.raises(Misconfigured) as refusal:
        await prepare(access(owner))
    await host.sql(line_in(refusal.value))
    return owner, await prepare(access(owner))


async def test_an_owner_without_rights_is_told_one_line_and_then_migrates_and_works(host, name, tmp_path):
    owner = await host.rented(name, name)

    with pytest.raises(Misconfigured) as refusal:
        await prepare(access(owner))
    await host.sql(line_in(refusal.value))
    settings = {"DATABASE_URL": owner, "SECRET_KEY": SECRET.decode()}
    async with (
        served(tmp_path / "data", **settings) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
        result = await emit(ana, await ana.invoice())
        roles = await fetch(host.admin(name), WORKING)

    assert "\n" not in str(refusal.value)
    assert result["status"] in {"accepted", "pending"}
    assert roles == [(f"{name}_app",)]
    assert await fetch(owner, ROLE.format(name)) == [(True, False, False, False)]
    assert await fetch(owner, ROLE.format(f"{name}_app")) == [(True, False, False, False)]


async def test_an_owner_who_may_make_roles_needs_no_help(host, name):
    owner = await host.rented(name, name, "createrole")

    url = await prepare(access(owner))

    assert await fetch(url, "select session_user, count(*) from app_user") == [(f"{name}_app", 0)]
    assert await prepare(access(owner)) == url


async def test_an_address_with_a_password_for_the_second_role_is_enough(host, name):
    owner = await host.rented(name, name)
    await host.sql(f"create role {name}_works login password 'its own'")
    app = host.url(f"{name}_works", "its own", name)

    url = await prepare(access(owner, app))

    assert (await fetch(url, "select session_user"))[0] == (f"{name}_works",)


async def test_without_the_owners_address_nothing_is_migrated(host, name):
    owner = await host.rented(name, name)
    await host.sql(f"create role {name}_app login password 'its own'")
    app = host.url(f"{name}_app", "its own", name)

    with pytest.raises(Misconfigured, match="type: ledgerkit migrate"):
        await prepare(Access(None, app, SECRET))
    await prepare(access(owner, app))

    assert await prepare(Access(None, app, SECRET)) == Target.parse(app).url()


@pytest.mark.whole
async def test_two_installations_on_one_cluster_do_not_touch_each_other(host, name):
    _, one = await lent(host, name)
    owner, other = await lent(host, f"{name}x")
    await execute(owner, ACCOUNT)
    there = Target.parse(other).database

    intruder = replace(Target.parse(one), database=there).url()

    for table in metadata.tables:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await execute(intruder, f"set ledgerkit.account_id = '{NO_ID}'", f"table {table}")
    assert await fetch(one, "select count(*) from account") == [(0,)]


@pytest.mark.whole
async def test_the_owner_dumps_and_the_dump_is_restored_where_roles_have_other_names(host, name, tmp_path):
    owner, _ = await lent(host, name)
    client = (
        "insert into client (account_id, id, name, country, warnings, name_key, search_text)"
        " values (gen_random_uuid(), gen_random_uuid(), 'x', 'ES', '[]', 'x', 'x')"
    )
    await execute(owner, client, client)
    target = await host.rented(f"{name}r", f"{name}r", "createrole")
    dump = tmp_path / "dump"

    program(host, "pg_dump", "--format=custom", f"--file={dump}", owner)
    program(host, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", f"--dbname={target}", str(dump))
    url = await prepare(access(target))

    assert await fetch(target, "select count(*) from client") == [(2,)]
    with pytest.raises(asyncpg.UndefinedObjectError):
        await fetch(url, "select from client")


def program(host, name: str, *words: str) -> None:
    done = subprocess.run([host.programs.program(name), *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


RIGHTS = "select relname::text, relacl::text from pg_class where relnamespace = 'public'::regnamespace order by 1"
"""Rights of everybody on each table."""

UNFIT = {
    "the owner": ("", r'"{name}" owns tables of the database'),
    "a superuser": (
        "create role {name}_unfit superuser login password 'app'",
        r"could pass the account wall \(SUPERUSER",
    ),
    "a member of the owner": (
        "create role {name}_unfit login password 'app' in role {name}",
        r"could act as \"{name}\", of which it is a member",
    ),
}


@pytest.mark.parametrize("unfit", UNFIT)
@pytest.mark.parametrize("is_migrated", [False, True], ids=["new", "migrated"])
async def test_an_unfit_role_is_refused_before_anything_is_changed(newest, name, unfit, is_migrated):
    owner = await newest.rented(name, name, "createrole")
    statement, refused = UNFIT[unfit]
    app = owner
    if statement:
        await newest.sql(statement.format(name=name))
        app = newest.url(f"{name}_unfit", "app", name)
    if is_migrated:
        await prepare(access(owner))
    before = await fetch(owner, RIGHTS)

    for attempt in (prepare, foresee):
        with pytest.raises(Misconfigured, match=refused.format(name=name)) as refusal:
            await attempt(access(owner, app))
        assert "\n" not in str(refusal.value)

    assert await fetch(owner, RIGHTS) == before
    assert bool(before) is is_migrated


@pytest.mark.whole
async def test_an_owner_that_lost_rights_is_found_by_doctor_and_gets_them_back_by_migrate(newest, name, tmp_path):
    owner = await newest.rented(name, name, "createrole")
    settings = {"DATABASE_URL": owner, "SECRET_KEY": SECRET.decode(), "PORT": str(free_port())}
    url = await prepare(access(owner))
    whole = await fetch(owner, RIGHTS)
    await execute(
        owner, f"revoke all on fiscal_record, activity from {name}; grant insert, select on fiscal_record to {name}"
    )

    found = await ledgerkit(tmp_path / "data", "doctor", **settings)
    with pytest.raises(Misconfigured, match="ledgerkit migrate"):  # a server that does not know the owner
        await prepare(Access(None, url, SECRET))
    migrated = await ledgerkit(tmp_path / "data", "migrate", **settings)
    content = await ledgerkit(tmp_path / "data", "doctor", **settings)

    assert found.code == 1
    assert f'The role "{name}" has lost rights on tables of its own (activity, fiscal_record)' in found.out
    assert (migrated.code, migrated.err) == (0, "")
    assert "has lost rights" not in content.out
    assert f"revision {migrations.head()}" in content.out
    assert await fetch(owner, f"select has_table_privilege('{name}', 'activity', 'update')") == [(True,)]
    assert [table for table, _ in await fetch(owner, RIGHTS)] == [table for table, _ in whole]
    assert await prepare(Access(None, url, SECRET)) == url


async def test_functions_of_the_owner_are_for_the_servers_role_alone(newest, name):
    owner = await newest.rented(name, name, "createrole")
    await prepare(access(owner))
    functions = ("erase_log(text)", "set_trial_aside(uuid, jsonb)")
    for function in functions:  # as a restoration without rights leaves them
        await execute(owner, f"grant execute on function {function} to public")

    await prepare(access(owner))

    for function in functions:
        for role, may in (("public", False), (f"{name}_app", True)):
            question = f"select has_function_privilege('{role}', '{function}', 'execute')"
            assert await fetch(owner, question) == [(may,)], (function, role)
