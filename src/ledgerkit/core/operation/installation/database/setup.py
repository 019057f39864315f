"""Make a database ready for the server: its two roles, its tables and rights, and what must not stand in between."""

import base64
from dataclasses import dataclass, field, replace
from typing import Any

import asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.operation.installation.texts import InstallationMsg
from ledgerkit.core.platform.database import migrations, roles
from ledgerkit.core.platform.database.ciphers import derived
from ledgerkit.core.platform.database.comments import write_comments
from ledgerkit.core.platform.database.roles import RoleLogin
from ledgerkit.core.platform.database.server_checks import check_owner, check_server, check_sessions
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.targets import APP_SETTING, OWNER_SETTING, Target, connected
from ledgerkit.core.platform.database.tenancy import rights_of, scope_of
from ledgerkit.settings.start_errors import Misconfigured, StartError


@dataclass(frozen=True)
class Access:
    """The two addresses of one database, of which one may be absent.

    `owner` migrates; without it the tables must be up to date. `app` is what the server works as; without it that is
    the role named after the database, at the owner's address. A password that `app` does not name is made of `secret`.
    `renews_password` sets the application role's password each time, where no other server can be using another one.
    """

    owner: str | None = field(repr=False)
    app: str | None = field(repr=False)
    secret: bytes = field(default=b"", repr=False)
    renews_password: bool = False


async def prepare(access: Access) -> str:
    """Return the application's address, after the database has been checked and migrated.

    Raises StartError.
    """
    if access.owner is None:
        url, _ = _app(access, access.app or "", "")
    else:
        await check_sessions(access.owner, OWNER_SETTING)
        url = await _prepared_by_owner(access, access.owner)
    await check_login(url, access)
    return url


@dataclass(frozen=True)
class Outlook:
    """Findings of a start: PostgreSQL's version, the tables' revision, and the address to work with.

    `url` is None until a start has made the role and brought the tables to this version.
    """

    version: str
    revision: str | None
    url: str | None = field(default=None, repr=False)


async def foresee(access: Access) -> Outlook:
    """Find out what `prepare` would meet; nothing is changed. Raises StartError where it would."""
    if access.owner is None:
        url, _ = _app(access, access.app or "", "")
        await check_login(url, access)
        async with connected(url, APP_SETTING) as app:
            return Outlook(await _version(app), migrations.head(), url)
    await check_sessions(access.owner, OWNER_SETTING)
    async with connected(access.owner) as owner:
        await check_server(owner)
        await check_owner(owner)
        database = await owner.fetchval("select current_database()")
        url, login = _app(access, access.app or access.owner, roles.role_of(database))
        await roles.check_named(owner, login.role)
        is_made, revision = await roles.is_made(owner, login), await migrations.revision_of(owner)
        outlook = Outlook(await _version(owner), revision)
    migrations.require_known(revision)
    if not is_made or revision != migrations.head():
        return outlook
    await check_login(url, access)
    return replace(outlook, url=url)


async def _version(connection: "asyncpg.Connection[Any]") -> str:
    words: str = await connection.fetchval("select current_setting('server_version')")
    return words.partition(" ")[0]


async def check_login(url: str, access: Access) -> None:
    """Check that the application's role can log in, has no excess privileges, and finds this version's tables."""
    setting = APP_SETTING if access.app else OWNER_SETTING
    try:
        await check_sessions(url, setting)
        async with connected(url, setting) as app:
            await check_server(app)
            await roles.check(app)
            await migrations.require_head(app)
            await roles.check_owners_rights(app, metadata.tables)
    except StartError as error:
        if isinstance(error.__cause__, asyncpg.InvalidPasswordError) and not _named_password(access):
            raise _refused(Target.parse(url)) from error
        raise


async def _prepared_by_owner(access: Access, url: str) -> str:
    async with connected(url) as owner:
        await check_server(owner)
        await check_owner(owner)
        database = await owner.fetchval("select current_database()")
        app_url, login = _app(access, access.app or url, roles.role_of(database))
        await roles.check_named(owner, login.role)
        migrations.require_known(await migrations.revision_of(owner))
    async with migrations.alone(url) as connection:
        await roles.ensure(driver(connection), login, renew_password=access.renews_password)
        await migrations.upgrade_on(connection)
        await grant_rights(connection, login.role)
        await write_comments(driver(connection), metadata.sorted_tables)
    return app_url


async def grant_rights(connection: AsyncConnection, role: str) -> None:
    """Give the application's role exactly the rights that each table's scope allows, and the tables' owner all."""
    await roles.restore_owners_rights(driver(connection), metadata.tables)
    required_rights = {table.name: rights_of(scope_of(table)) for table in metadata.sorted_tables}
    await roles.grant(driver(connection), role, {**required_rights, "alembic_version": {"SELECT"}})
    for function in ("set_trial_aside(uuid, jsonb)", "erase_log(text)"):
        await roles.grant_call(driver(connection), role, function)


def _app(access: Access, address: str, role: str) -> tuple[str, RoleLogin]:
    """Return the application's address: `LEDGERKIT_DATABASE_APP_URL`, else the owner's address with `role`."""
    target = Target.parse(address)
    if access.app is None:
        target = replace(target, user=role, password=None)
    if not target.user:
        raise Misconfigured(
            InstallationMsg.APP_URL_WITHOUT_ROLE,
            app_setting=APP_SETTING,
            place=target.place,
            database=target.database,
        )
    password = target.password or _password(access.secret, target.user)
    return replace(target, password=password).url(), RoleLogin(target.user, password)


def _password(secret: bytes, role: str) -> str:
    return base64.urlsafe_b64encode(derived(secret, f"database role {role}")).decode().rstrip("=")


def _named_password(access: Access) -> bool:
    return access.app is not None and Target.parse(access.app).password is not None


def _refused(target: Target) -> Misconfigured:
    line = roles.password_line(RoleLogin(target.user or "", target.password or ""))
    return Misconfigured(InstallationMsg.DERIVED_PASSWORD_REFUSED, place=target.place, user=target.user, line=line)
