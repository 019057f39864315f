"""The role as which the server logs in: it owns nothing, cannot become another role, and so sees one account only.

Its name comes from the database's name, because roles belong to a whole cluster: two installations there have two.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.settings.start_errors import Misconfigured

NAME_BYTES = 63
"""Longest name in PostgreSQL."""

_SCRAM_ITERATIONS = 4096


@dataclass(frozen=True)
class RoleLogin:
    role: str
    password: str = field(repr=False)


def role_of(database: str) -> str:
    """The name of the application's role: `{database}_app`, shortened and told apart by a hash when too long."""
    whole = f"{database}_app"
    if len(whole.encode()) <= NAME_BYTES:
        return whole
    digest = hashlib.sha256(database.encode()).hexdigest()[:8]
    return f"{database.encode()[: NAME_BYTES - 13].decode(errors='ignore')}_{digest}_app"


def scram_verifier(password: str) -> str:
    """The form in which PostgreSQL stores an ASCII password; nobody can log in with this form (RFC 5803, RFC 7677).

    Statements that hold it may be shown to an administrator and may be logged by the server.
    """
    salt = os.urandom(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _SCRAM_ITERATIONS)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    salt64, stored64, server64 = (
        base64.b64encode(part).decode() for part in (salt, hashlib.sha256(client_key).digest(), server_key)
    )
    return f"SCRAM-SHA-256${_SCRAM_ITERATIONS}:{salt64}${stored64}:{server64}"


async def ensure(owner: "asyncpg.Connection[Any]", login: RoleLogin, *, renew_password: bool) -> None:
    """Make the role when it is missing or cannot log in; give it its password anew when `renew_password`.

    A password that another server may be using is otherwise left alone.
    Raises Misconfigured, with the line that an administrator has to type, when `owner` may not make roles.
    """
    can_log_in = await _can_log_in(owner, login)
    if can_log_in and not renew_password:
        return
    line = _line(login, can_log_in)
    try:
        await owner.execute(line)
    except (asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
        return  # another process made it at the same moment
    except asyncpg.InsufficientPrivilegeError:
        if can_log_in:
            return  # an administrator keeps the password; whether it is right shows when the role logs in
        raise _not_makeable(login, can_log_in, await owner.fetchval("select current_user")) from None


async def is_made(owner: "asyncpg.Connection[Any]", login: RoleLogin) -> bool:
    """Return True when the role can log in already. Raises Misconfigured when `owner` may not make it so."""
    can_log_in = await _can_log_in(owner, login)
    me, may = await owner.fetchrow(_MAY_MAKE_ROLES) or ("", False)
    if not can_log_in and not may:
        raise _not_makeable(login, can_log_in, me)
    return bool(can_log_in)


async def _can_log_in(owner: "asyncpg.Connection[Any]", login: RoleLogin) -> bool | None:
    """Return True when the role may log in; None when there is no such role."""
    can_log_in: bool | None = await owner.fetchval("select rolcanlogin from pg_roles where rolname = $1", login.role)
    return can_log_in


def _line(login: RoleLogin, can_log_in: bool | None) -> str:
    verb = "CREATE" if can_log_in is None else "ALTER"
    return f"{verb} ROLE {quoted(login.role)} LOGIN PASSWORD '{scram_verifier(login.password)}';"


def _not_makeable(login: RoleLogin, can_log_in: bool | None, me: str) -> Misconfigured:
    lack = DatabaseMsg.LACK_ROLE_MISSING if can_log_in is None else DatabaseMsg.LACK_ROLE_CANNOT_LOG_IN
    return Misconfigured(
        DatabaseMsg.APP_ROLE_LACKING, role=login.role, lack=lack, me=me, login=_line(login, can_log_in)
    )


def password_line(login: RoleLogin) -> str:
    """The SQL by which an administrator gives the role the password that this server uses."""
    return f"ALTER ROLE {quoted(login.role)} PASSWORD '{scram_verifier(login.password)}';"


async def grant(owner: "asyncpg.Connection[Any]", role: str, required_rights: Mapping[str, set[str]]) -> None:
    """Give the role these rights on tables of `public`, by table's name, and no others; nothing when it has them.

    Raises Misconfigured when the tables belong to somebody else, or to the role.
    """
    await check_named(owner, role)
    rights_by_table: dict[str, set[str]] = {}
    for row in await owner.fetch(_HELD, role):
        rights_by_table[row["name"]] = set(row["rights"])
    statements = [
        statement
        for table, rights in required_rights.items()
        if rights_by_table.get(table, set()) != rights
        for statement in (
            f"revoke all on public.{quoted(table)} from {quoted(role)}",
            f"grant {', '.join(sorted(rights))} on public.{quoted(table)} to {quoted(role)}",
        )
    ]
    if not await owner.fetchval("select has_schema_privilege($1, 'public', 'usage')", role):
        statements.append(f"grant usage on schema public to {quoted(role)}")
    if not await owner.fetchval("select has_database_privilege($1, current_database(), 'connect')", role):
        database = await owner.fetchval("select current_database()")
        statements.append(f"grant connect on database {quoted(database)} to {quoted(role)}")
    if statements:
        await _granted(owner, statements)


async def grant_call(owner: "asyncpg.Connection[Any]", role: str, function: str) -> None:
    """Let the role, and not everybody, call a function of `public`, given with the types of its arguments.

    A restoration without rights leaves a new function to everybody (PostgreSQL's default). Raises Misconfigured when
    the function belongs to somebody else.
    """
    may = "select has_function_privilege($1, $2, 'execute')"
    everybody_may = await owner.fetchval(may, "public", f"public.{function}")
    if everybody_may or not await owner.fetchval(may, role, f"public.{function}"):
        revocation = [f"revoke all on function public.{function} from public"] if everybody_may else []
        await _granted(owner, [*revocation, f"grant execute on function public.{function} to {quoted(role)}"])


async def restore_owners_rights(owner: "asyncpg.Connection[Any]", tables: Iterable[str]) -> None:
    """Give the owner of these tables of `public` the rights that it should have on them, where any was taken away."""
    lacking = await owner.fetch(_LACKING, list(tables))
    if lacking:
        await _granted(owner, [f"grant all on public.{quoted(n)} to {quoted(who)}" for n, who in lacking])


async def check_owners_rights(connection: "asyncpg.Connection[Any]", tables: Iterable[str]) -> None:
    """Raise Misconfigured when the owner of these tables lacks rights on any: what refers to it could not be added."""
    lacking = await connection.fetch(_LACKING, list(tables))
    if lacking:
        names = ", ".join(row["name"] for row in lacking)
        raise Misconfigured(DatabaseMsg.OWNER_LACKS_RIGHTS, owner=lacking[0]["owner"], tables=names)


async def _granted(owner: "asyncpg.Connection[Any]", statements: list[str]) -> None:
    try:
        async with owner.transaction():
            await owner.execute("; ".join(statements))
    except asyncpg.InsufficientPrivilegeError as error:
        me = await owner.fetchval("select current_user")
        raise Misconfigured(DatabaseMsg.RIGHTS_NOT_GRANTABLE, me=me, error=error) from error


async def check(app: "asyncpg.Connection[Any]") -> None:
    """Raise Misconfigured when the role that is logged in could see other accounts or change append-only tables."""
    row = await app.fetchrow(_POWERS, None)
    assert row is not None  # noqa: S101 - one row, of ourselves
    _judge(row, owns=row["owns"])


async def check_named(owner: "asyncpg.Connection[Any]", role: str) -> None:
    """Raise Misconfigured, as `check` does, when the server may not work as `role`: before it is given any right.

    An owner of the tables would lose its own rights by that. A role that does not exist yet passes the check.
    """
    row = await owner.fetchrow(_POWERS, role)
    if row is not None:
        _judge(row, owns=row["owns"] or row["is_current"])


def _judge(row: "asyncpg.Record", *, owns: bool) -> None:
    role = row["role"]
    if owns:
        raise Misconfigured(DatabaseMsg.ROLE_OWNS_TABLES, role=role, proposal=quoted(row["proposal"]))
    if row["powers"]:
        remedy = " ".join(f"NO{power}" for power in row["powers"])
        raise Misconfigured(
            DatabaseMsg.ROLE_BYPASSES_ACCOUNT_WALL,
            role=role,
            powers=", ".join(row["powers"]),
            quoted=quoted(role),
            options=remedy,
        )
    if row["member_of"]:
        others = ", ".join(quoted(name) for name in row["member_of"])
        raise Misconfigured(DatabaseMsg.ROLE_IS_MEMBER_OF_OTHERS, role=role, others=others, quoted=quoted(role))


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


_MAY_MAKE_ROLES = "select current_user, rolcreaterole or rolsuper from pg_roles where rolname = current_user"

_HELD = """
select c.relname as name, array_agg(a.privilege_type) as rights
from pg_class c, aclexplode(c.relacl) a
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  and a.grantee = (select oid from pg_roles where rolname = $1)
group by c.relname
"""

_POWERS = """
select r.rolname::text as role, r.rolname = current_user as is_current, current_database() || '_app' as proposal,
  array_remove(array[
    case when r.rolsuper then 'SUPERUSER' end,
    case when r.rolbypassrls then 'BYPASSRLS' end,
    case when r.rolcreaterole then 'CREATEROLE' end,
    case when r.rolreplication then 'REPLICATION' end
  ], null) as powers,
  array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid)
    as member_of,
  exists (select from pg_database d where d.datname = current_database() and d.datdba = r.oid)
    or exists (select from pg_class c where c.relnamespace = 'public'::regnamespace and c.relowner = r.oid) as owns
from pg_roles r where r.rolname = coalesce($1, session_user)
"""

_LACKING = """
select c.relname::text as name, pg_get_userbyid(c.relowner)::text as owner
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname::text = any($1)
  and not array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'] <@ array(
    select a.privilege_type from aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
    where a.grantee = c.relowner
  )
order by 1
"""
"""Tables whose owner has not all rights on them. Keys to other tables are checked with the owner's rights."""
