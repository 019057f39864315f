"""Open connections to PostgreSQL by URL, and say in one line why one cannot be opened."""

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

import asyncpg

from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.settings.start_errors import Misconfigured, StartError, Unreachable
from ledgerkit.texts import Text, text

CONNECT_SECONDS = 10

SEARCH_PATH = {"search_path": "public, pg_temp"}
"""Search path of every session: otherwise a schema named after the role would come before the tables' one."""

UNHURRIED = {"statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0"}
"""Session without time limits, for migrating, backing up and restoring, whatever a host's defaults are."""

OWNER_SETTING = "LEDGERKIT_DATABASE_URL"
APP_SETTING = "LEDGERKIT_DATABASE_APP_URL"

CONNECT_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError)
"""Errors of opening a connection; ValueError for an address that is malformed."""

_LIBPQ_ONLY = {
    "channel_binding",
    "connect_timeout",
    "fallback_application_name",
    "gssencmode",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "load_balance_hosts",
    "require_auth",
    "sslcompression",
    "sslsni",
    "tcp_user_timeout",
}
"""Options of libpq that hosts write into their addresses and asyncpg would pass on to the server."""

_VERIFYING = {"verify-ca", "verify-full"}


@dataclass(frozen=True)
class Target:
    """A database's address, taken apart. `hosts` keeps the form `host:port,host:port` of the URL."""

    user: str | None
    password: str | None = field(repr=False)
    hosts: str
    database: str
    options: Mapping[str, str]

    @classmethod
    def parse(cls, url: str) -> Self:
        """Parse `postgresql://`, with or without SQLAlchemy's `+asyncpg`. Raises Misconfigured when it is malformed."""
        parts = urlsplit(url)
        login, _, hosts = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        options = dict(parse_qsl(parts.query))
        database = options.pop("dbname", "") or options.pop("database", "") or unquote(parts.path.removeprefix("/"))
        if parts.fragment or "/" in database:
            raise Misconfigured(DatabaseMsg.ADDRESS_WITH_RESERVED_CHARACTER)
        return cls(
            user=unquote(user) or options.pop("user", None),
            password=unquote(password) or options.pop("password", None),
            hosts=hosts,
            database=database,
            options={name: value for name, value in options.items() if name not in _LIBPQ_ONLY},
        )

    def url(self) -> str:
        """The address as asyncpg takes it."""
        password = "" if self.password is None else f":{quote(self.password, safe='')}"
        login = "" if self.user is None else f"{quote(self.user, safe='')}{password}@"
        path = f"/{quote(self.database, safe='')}" if self.database else ""
        return urlunsplit(("postgresql", login + self.hosts, path, urlencode(self.options), ""))

    @property
    def place(self) -> str:
        """Address of the server for messages; never with a password."""
        return self.hosts or self.options.get("host") or "localhost"


async def connect(url: str, session: Mapping[str, str] | None = None, **options: Any) -> "asyncpg.Connection[Any]":
    """A connection whose session has the settings of `session`; those may be any, behind a pooler too.

    PgBouncer refuses startup parameters that it does not know, so they are set by the first statement.
    Raises what asyncpg raises.
    """
    target = Target.parse(url)
    options = {"timeout": CONNECT_SECONDS, **_trust(target), **options}
    connection: asyncpg.Connection[Any] = await asyncpg.connect(target.url(), **options)
    try:
        await _set(connection, {**SEARCH_PATH, **(session or {})})
    except BaseException:
        connection.terminate()
        raise
    return connection


@asynccontextmanager
async def connected(url: str, setting: str = OWNER_SETTING) -> AsyncIterator["asyncpg.Connection[Any]"]:
    """A connection for the time of the block, without a time limit on its statements.

    Raises StartError, naming `setting` as the place of `url`, when it cannot be opened.
    """
    try:
        connection = await connect(url, UNHURRIED, server_settings={"application_name": "ledgerkit start"})
    except CONNECT_ERRORS as error:
        raise explained(error, url, setting) from error
    try:
        yield connection
    finally:
        await connection.close(timeout=CONNECT_SECONDS)


def explained(error: Exception, url: str, setting: str = OWNER_SETTING) -> StartError:
    """Explain why a connection could not be opened, and what to do about it; `setting` names the variable of `url`."""
    target = Target.parse(url)
    server = text(DatabaseMsg.SERVER_AT, place=target.place)
    reason = str(error).strip() or text(DatabaseMsg.NO_ANSWER_WITHIN, seconds=CONNECT_SECONDS)
    if isinstance(error, asyncpg.TooManyConnectionsError):
        return Unreachable(DatabaseMsg.NO_CONNECTION_LEFT, where=server, said=reason)
    if isinstance(error, asyncpg.CannotConnectNowError):
        return Unreachable(DatabaseMsg.SERVER_STARTING, where=server, said=reason)
    if isinstance(error, asyncpg.PostgresError):
        values = {"user": target.user, "database": target.database, "said": reason, "setting": setting}
        return Misconfigured(_refusal(error), where=server, **values)
    if isinstance(error, ssl.SSLError) or (isinstance(error, ConnectionError) and "SSL" in str(error)):
        return _without_tls(error, server, reason, setting)
    if isinstance(error, OSError):
        return Unreachable(DatabaseMsg.SERVER_DOES_NOT_ANSWER, where=server, said=reason, setting=setting)
    return Misconfigured(DatabaseMsg.ADDRESS_UNUSABLE, setting=setting, said=reason)


def _refusal(error: asyncpg.PostgresError) -> DatabaseMsg:
    match error:
        case asyncpg.InvalidPasswordError():
            return DatabaseMsg.PASSWORD_REFUSED
        case asyncpg.InvalidCatalogNameError():
            return DatabaseMsg.DATABASE_MISSING
        case asyncpg.InsufficientPrivilegeError():
            return DatabaseMsg.ROLE_MAY_NOT_CONNECT
        case asyncpg.InvalidAuthorizationSpecificationError() if "no encryption" in str(error):
            return DatabaseMsg.ROLE_NEEDS_TLS
    return DatabaseMsg.ROLE_REFUSED


def _without_tls(error: Exception, server: Text, reason: str | Text, setting: str) -> Misconfigured:
    if isinstance(error, ssl.SSLCertVerificationError):
        return Misconfigured(
            DatabaseMsg.CERTIFICATE_NOT_TRUSTED, where=server, reason=error.verify_message, setting=setting
        )
    if isinstance(error, ssl.SSLError):
        return Misconfigured(DatabaseMsg.TLS_FAILED, where=server, said=reason, setting=setting)
    return Misconfigured(DatabaseMsg.SERVER_WITHOUT_TLS, where=server, setting=setting)


def _trust(target: Target) -> dict[str, Any]:
    """The machine's trust store, where a certificate is to be verified and no file says by whom."""
    mode, root = target.options.get("sslmode"), target.options.get("sslrootcert")
    own_root = (Path("~") / ".postgresql" / "root.crt").expanduser()
    if mode not in _VERIFYING or root not in {None, "system"} or (root is None and own_root.exists()):
        return {}
    context = ssl.create_default_context()
    context.check_hostname = mode == "verify-full"
    return {"ssl": context}


async def _set(connection: "asyncpg.Connection[Any]", session: Mapping[str, str]) -> None:
    wishes = ", ".join(f"set_config({_literal(name)}, {_literal(value)}, false)" for name, value in session.items())
    await connection.execute(f"select {wishes}")


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
