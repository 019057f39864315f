"""Errors that keep ledgerkit from starting: one line with the remedy and an exit code, never a traceback."""

import socket
from contextlib import closing

import pytest

from ledgerkit.commands.listening import bound
from ledgerkit.core.operation.installation.database.setup import Access, prepare
from ledgerkit.settings.start_errors import Misconfigured, StartError, Unreachable
from support.clusters import SECRET, cluster, execute, major
from support.commands import ledgerkit
from support.directories import open_directory
from support.ports import free_port

CONFIGURATION, UNAVAILABLE = 78, 69


async def refusal(owner: str | None, app: str | None = None) -> StartError:
    with pytest.raises(StartError) as refused:
        await prepare(Access(owner, app, SECRET))
    assert "\n" not in str(refused.value)
    return refused.value


async def two_roles(host, name: str) -> tuple[str, str]:
    owner = await host.rented(name, name)
    await host.sql(f"create role {name}_app login password 'app'")
    return owner, host.url(f"{name}_app", "app", name)


async def test_an_older_postgresql_is_named_with_its_version():
    programs = major("15")
    with open_directory() as parent:
        async with cluster(parent / "data", programs) as old:
            error = await refusal(await old.rented())

    assert error.exit_code == CONFIGURATION
    assert "is 15." in str(error)
    assert "16 or later" in str(error)


async def test_a_wrong_password_names_the_setting_and_never_the_password(newest, name):
    owner, app = await two_roles(newest, name)

    wrong_owner = await refusal(owner.replace(":owner@", ":mistyped@"))
    wrong_app = await refusal(owner, app.replace(":app@", ":mistyped@"))

    assert (wrong_owner.exit_code, wrong_app.exit_code) == (CONFIGURATION, CONFIGURATION)
    assert str(wrong_owner).endswith(
        f'refuses the password of the role "{name}". Correct it in LEDGERKIT_DATABASE_URL.'
    )
    assert str(wrong_app).endswith(f'of the role "{name}_app". Correct it in LEDGERKIT_DATABASE_APP_URL.')
    assert "mistyped" not in f"{wrong_owner}{wrong_app}"


async def test_another_servers_secret_key_is_told_from_a_wrong_password(newest, name):
    owner = await newest.rented(name, name, "createrole")
    working = await prepare(Access(owner, None, SECRET))

    with pytest.raises(Misconfigured, match="made from the secret key") as refused:
        await prepare(Access(owner, None, b"another secret key, as long as the first one was"))
    still = await prepare(Access(owner, None, SECRET))
    renewed = await prepare(
        Access(owner, None, b"a changed secret key, as long as the first one", renews_password=True)
    )

    assert "ledgerkit migrate --renew-password" in str(refused.value)
    assert still == working != renewed


async def test_a_missing_database_comes_with_the_line_that_makes_it(newest, name):
    await newest.rented(name, name)
    missing = newest.url(name, "owner", f"{name}_2")

    error = await refusal(missing)
    await newest.sql(str(error).partition("type: ")[2])

    assert error.exit_code == CONFIGURATION
    assert f'no database "{name}_2"' in str(error)
    assert "does not exist" in str(await refusal(missing))  # the second role, now


async def test_a_host_that_is_away_may_come_back(name):
    for host in (f"127.0.0.1:{free_port()}", "no-such-host.invalid"):
        error = await refusal(f"postgresql://{name}:x@{host}/{name}")

        assert error.exit_code == UNAVAILABLE
        assert f"PostgreSQL at {host} does not answer" in str(error)


async def test_a_server_without_tls_is_not_trusted_with_an_address_that_demands_it(newest, name):
    await newest.rented(name, name)

    error = await refusal(newest.url(name, "owner", name, sslmode="verify-full"))

    assert error.exit_code == CONFIGURATION
    assert "offers no TLS" in str(error)


async def test_a_malformed_address_is_said(name):
    for url, word in {
        f"postgresql://{name}:pass#word@127.0.0.1/{name}": "%23",
        f"postgresql://{name}:x@127.0.0.1:port/{name}": "cannot be used",
        f"postgresql://{name}:x@127.0.0.1/{name}?sslmode=perhaps": "sslmode",
    }.items():
        error = await refusal(url)

        assert error.exit_code == CONFIGURATION
        assert word in str(error)


async def test_a_database_in_another_encoding_is_refused(newest, name):
    await newest.sql(
        f"create role {name} login password 'owner'",
        f"create database {name} owner {name} template template0 encoding 'LATIN1' locale 'C'",
    )

    error = await refusal(newest.url(name, "owner", name))

    assert error.exit_code == CONFIGURATION
    assert "holds LATIN1" in str(error)


async def test_a_role_that_may_not_make_tables_is_told_what_it_lacks(newest, name):
    await newest.rented(name, name)
    await newest.sql(f"create role {name}_guest login password 'guest'")

    error = await refusal(newest.url(f"{name}_guest", "guest", name))
    await newest.sql(str(error).partition("type: ")[2])

    assert error.exit_code == CONFIGURATION
    assert "may not make tables" in str(error)
    assert "does not exist" in str(await refusal(newest.url(f"{name}_guest", "guest", name)))  # the second role, now


async def test_tables_of_another_role_are_left_alone(newest, name):
    owner = await newest.rented(name, name, "createrole")
    await prepare(Access(owner, None, SECRET))
    await newest.sql(f"create role {name}_new login password 'new'", f"alter database {name} owner to {name}_new")

    error = await refusal(newest.url(f"{name}_new", "new", name))

    assert error.exit_code == CONFIGURATION
    assert f'belong to the role "{name}"' in str(error)


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ("alter role {0}_app superuser", "SUPERUSER"),
        ("alter role {0}_app bypassrls", "NOBYPASSRLS"),
        ("alter role {0}_app createrole", "NOCREATEROLE"),
        ("grant {0} to {0}_app", 'REVOKE "{0}" FROM "{0}_app"'),
        ("grant pg_read_all_data to {0}_app", "pg_read_all_data"),
    ],
)
async def test_a_second_role_that_could_pass_the_wall_is_refused_until_it_cannot(newest, name, spoilt, said):
    owner, app = await two_roles(newest, name)
    await newest.sql(spoilt.format(name))

    error = await refusal(owner, app)
    await newest.sql(str(error).partition("type: ")[2])

    assert error.exit_code == CONFIGURATION
    assert said.format(name) in str(error)
    assert await prepare(Access(owner, app, SECRET))


async def test_one_role_for_both_is_refused(newest, name):
    owner = await newest.rented(name, name)

    for given in ((owner, owner), (None, owner)):
        error = await refusal(*given)

        assert error.exit_code == CONFIGURATION
    assert "needs a second role" in str(error)


@pytest.mark.whole
async def test_a_full_server_may_have_room_later(newest, name):
    owner, app = await two_roles(newest, name)
    await prepare(Access(owner, app, SECRET))
    await newest.sql(f"alter role {name}_app connection limit 0")

    error = await refusal(owner, app)

    assert error.exit_code == UNAVAILABLE
    assert "LEDGERKIT_DATABASE_POOL" in str(error)


async def test_tables_of_a_newer_version_are_left_alone(newest, name):
    owner, app = await two_roles(newest, name)
    await prepare(Access(owner, app, SECRET))
    await execute(owner, "update alembic_version set version_num = 'far ahead'")

    error = await refusal(owner, app)

    assert error.exit_code == CONFIGURATION
    assert "newer ledgerkit" in str(error)


def test_a_port_in_use_is_said_and_a_free_one_is_taken():
    with closing(bound("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(Unreachable, match=f"Port {port} of 127.0.0.1 is in use"):
            bound("127.0.0.1", port)

    bound("127.0.0.1", port).close()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_that_this_machine_does_not_have_is_said(host):
    with pytest.raises(Misconfigured, match="LEDGERKIT_HOST"):
        bound(host, 0)


# ---------------------------------------------------------------- as it is typed


async def test_the_port_is_looked_at_before_the_database(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = await ledgerkit(tmp_path / "data", "serve", PORT=str(taken.getsockname()[1]))

    assert (ended.code, ended.err.count("\n")) == (UNAVAILABLE, 1)
    assert "is in use" in ended.err
    assert not (tmp_path / "data" / "postgres").exists()


@pytest.mark.parametrize("words", [("serve",), ("worker",), ("migrate",), ("verifactu", "verify"), ("backup", "x.zip")])
async def test_every_command_says_it_in_one_line(tmp_path, words):
    away = f"postgresql://shop:secret@127.0.0.1:{free_port()}/shop"

    ended = await ledgerkit(tmp_path / "data", *words, DATABASE_URL=away, PORT=str(free_port()))

    assert (ended.code, ended.err.count("\n")) == (UNAVAILABLE, 1)
    assert "does not answer" in ended.err
    assert "secret" not in ended.err
