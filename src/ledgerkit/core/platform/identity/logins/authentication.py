"""Turn credentials into the person or key that asks, with one query of the database."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import DateTime, Subquery, Text, Uuid, and_, bindparam, case, exists, or_, select, text

from ledgerkit import clock
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins.tokens import (
    ACCESS_TOKEN_PREFIX,
    KEY_PREFIX,
    SCOPED_KEY_PREFIX,
    Tokens,
    beginning,
    key_digest,
    key_id,
)
from ledgerkit.core.platform.identity.persons.scoped_keys import KeyUse
from ledgerkit.core.platform.identity.table import (
    ProfileRow,
    account,
    api_key,
    app_user,
    membership,
    revoked_login,
    scoped_key,
)
from ledgerkit.core.platform.identity.texts import IdentityMsg
from ledgerkit.core.platform.request.context import AccountProfile, Actor, Channel, Kernel, Login
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.core.platform.request.scopes import permissions_of, scopes_named
from ledgerkit.problems import Code, Forbidden, Unauthenticated
from ledgerkit.texts import MessageId, problem_text

TEAM_KEY_ROLE = Role.ADMIN
"""Role of a team's key: it may do what an admin may, not what only the owner may."""


class ActorRow(ProfileRow):
    """A person or key, and the account in which it acts.

    The account's columns are null if `has_account` is false. The person's columns are null for a team's key. The
    membership's columns are null for a team's key, and for a person who is no member of the account.
    """

    has_account: bool
    user_id: UUID | None
    user_name: str | None
    user_email: str | None
    user_language: str | None
    token_version: int | None
    role: str | None
    membership_id: UUID | None
    last_active_at: datetime | None


class KeyActorRow(ActorRow):
    key_kind: str
    key_owner: UUID
    key_version: int


class ScopedKeyActorRow(ActorRow):
    """A person with a scoped key and the account that it belongs to."""

    key_id: UUID
    key_name: str
    key_scopes: Sequence[str]
    key_prefix: str
    expires_at: datetime | None
    last_used_at: datetime | None


_ACCOUNT = [account.c[name] for name in ProfileRow.__annotations__]
_PERSON = [
    account.c.id.is_not(None).label("has_account"),
    app_user.c.id.label("user_id"),
    app_user.c.name.label("user_name"),
    app_user.c.email.label("user_email"),
    app_user.c.locale.label("user_language"),
    app_user.c.token_version,
    membership.c.role,
    membership.c.id.label("membership_id"),
    membership.c.last_active_at,
]
_KEY = [
    api_key.c.kind.label("key_kind"),
    api_key.c.owner_id.label("key_owner"),
    api_key.c.version.label("key_version"),
]


def _login_statement(*, pinned: bool) -> Prepared[ActorRow]:
    chosen = bindparam("team", type_=Uuid) if pinned else app_user.c.active_account_id
    revoked = exists().where(revoked_login.c.jti == bindparam("login", type_=Text))
    query = (
        select(*_ACCOUNT, *_PERSON)
        .select_from(app_user)
        .outerjoin(membership, and_(membership.c.user_id == app_user.c.id, membership.c.account_id == chosen))
        .outerjoin(account, account.c.id == membership.c.account_id)
        .where(app_user.c.id == bindparam("user", type_=Uuid), ~revoked)
    )
    return Prepared(query, ActorRow)


def _key_statement(*, pinned: bool) -> Prepared[KeyActorRow]:
    active = bindparam("team", type_=Uuid) if pinned else app_user.c.active_account_id
    chosen = case((api_key.c.kind == "team", api_key.c.owner_id), else_=active)
    team_of_key = and_(api_key.c.kind == "team", account.c.id == api_key.c.owner_id)
    query = (
        select(*_ACCOUNT, *_PERSON, *_KEY)
        .select_from(api_key)
        .outerjoin(app_user, and_(api_key.c.kind == "user", app_user.c.id == api_key.c.owner_id))
        .outerjoin(membership, and_(membership.c.user_id == app_user.c.id, membership.c.account_id == chosen))
        .outerjoin(account, or_(account.c.id == membership.c.account_id, team_of_key))
        .where(api_key.c.id == bindparam("key", type_=Uuid))
    )
    return Prepared(query, KeyActorRow)


_BY_LOGIN = {pinned: _login_statement(pinned=pinned) for pinned in (False, True)}
_BY_KEY = {pinned: _key_statement(pinned=pinned) for pinned in (False, True)}
_PROFILE_FIELDS = tuple(field.name for field in fields(AccountProfile))
_KEY_PREFIXES = (KEY_PREFIX, SCOPED_KEY_PREFIX, ACCESS_TOKEN_PREFIX)


def members() -> Subquery:
    """Return a subquery of all members, each with their account: the columns of `ActorRow`, for `acting`."""
    query = select(*_ACCOUNT, *_PERSON).select_from(membership).join(app_user, app_user.c.id == membership.c.user_id)
    return query.join(account, account.c.id == membership.c.account_id).subquery("member")


_member = members()
_BY_SCOPED_KEY = Prepared(
    select(
        *_member.c,
        scoped_key.c.id.label("key_id"),
        scoped_key.c.name.label("key_name"),
        scoped_key.c.scopes.label("key_scopes"),
        scoped_key.c.prefix.label("key_prefix"),
        scoped_key.c.expires_at,
        scoped_key.c.last_used_at,
    )
    .select_from(scoped_key)
    .join(_member, _member.c.membership_id == scoped_key.c.membership_id)
    .where(scoped_key.c.key_hash == bindparam("digest", type_=Text)),
    ScopedKeyActorRow,
)


ACTIVITY_PRECISION = timedelta(minutes=5)
"""Precision of `last_active_at`: writing it at every request would turn every read into a write."""

_NOTE_ACTIVITY = Prepared(
    text(
        "update membership set last_active_at = :seen where id ="
        " (select id from membership where id = :id and coalesce(last_active_at < :stale, true) for update skip locked)"
    ).bindparams(
        bindparam("id", type_=Uuid),
        bindparam("seen", type_=DateTime(timezone=True)),
        bindparam("stale", type_=DateTime(timezone=True)),
    )
)


class Authenticator:
    """Checks credentials. Nothing is cached, so a replaced key or a changed role takes effect at once."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._tokens = kernel.service(Tokens)
        self._key_use = KeyUse(kernel.database)

    async def stop(self) -> None:
        """Wait until the use of keys has been noted."""
        await self._key_use.finish()

    async def by_bearer(self, credential: str, *, pinned: str | None = None) -> Actor:
        """Return the actor of `Authorization: Bearer ...`, which carries an API key or a login token.

        `pinned` is the id of the account to work in, instead of the active one.
        Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER.
        """
        if credential.startswith(_KEY_PREFIXES):
            return await self.by_key(credential, pinned=pinned)
        return await self.by_token(credential, pinned=pinned)

    async def by_token(self, token: str, *, pinned: str | None = None) -> Actor:
        """Return the actor of a login token. Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER."""
        session = self._tokens.session(token)
        if session is None:
            raise refused(IdentityMsg.TOKEN_INVALID)
        team = _team_id(pinned)
        actor_row = await identity_queries.fetch_row(
            self._kernel, _BY_LOGIN[team is not None], user=session.user_id, login=session.login.id, team=team
        )
        if actor_row is None or actor_row.token_version != session.login.version:
            raise refused(IdentityMsg.TOKEN_ENDED)
        return await self._noted_as_active(actor_row, login=session.login)

    async def by_cookie(self, token: str, *, pinned: str | None = None) -> Actor:
        """Return the actor of a login token in a cookie. Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER."""
        return replace(await self.by_token(token, pinned=pinned), channel=Channel.WEB)

    async def in_browser(self, token: str, preferred: str | None) -> Actor:
        """Return the actor of `by_cookie` in the account `preferred` where it is one of theirs, else in the active one.

        Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER.
        """
        try:
            return await self.by_cookie(token, pinned=preferred)
        except Forbidden:
            if preferred is None:
                raise
            return await self.by_cookie(token)

    async def by_key(self, key: str, *, pinned: str | None = None) -> Actor:
        """Return the actor of an API key, with or without scopes. Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER."""
        if key.startswith(ACCESS_TOKEN_PREFIX):
            raise refused(IdentityMsg.ACCESS_TOKEN_FOR_MCP, remedy=IdentityMsg.CREATE_ANOTHER_KEY)
        if key.startswith(SCOPED_KEY_PREFIX):
            return await self._by_scoped_key(key, _team_id(pinned))
        id_of_key = key_id(key)
        if id_of_key is None:
            raise refused(IdentityMsg.KEY_MALFORMED)
        team = _team_id(pinned)
        row = await identity_queries.fetch_row(self._kernel, _BY_KEY[team is not None], key=id_of_key, team=team)
        if row is None or not self._tokens.proves(key, row.key_kind, row.key_owner, row.key_version):
            raise refused(IdentityMsg.KEY_REPLACED)
        if row.key_kind == "team" and team is not None and team != row.key_owner:
            raise not_a_member()
        return await self._noted_as_active(row, key_prefix=beginning(id_of_key))

    async def acting(self, row: ActorRow) -> Actor:
        """Return the actor of a member who has proved by other credentials, such as an access token, that they ask."""
        return await self._noted_as_active(row)

    async def _by_scoped_key(self, key: str, team: UUID | None) -> Actor:
        row = await identity_queries.fetch_row(self._kernel, _BY_SCOPED_KEY, digest=key_digest(key))
        if row is None:
            raise refused(IdentityMsg.KEY_UNKNOWN, remedy=IdentityMsg.CREATE_ANOTHER_KEY)
        if row.expires_at is not None and row.expires_at <= clock.now():
            values = {"name": row.key_name, "moment": utc_text(row.expires_at)}
            raise refused(IdentityMsg.KEY_EXPIRED, values, remedy=IdentityMsg.CREATE_ANOTHER_KEY)
        if team is not None and team != row.id:
            raise not_a_member()
        self._key_use.note(row.key_id, row.last_used_at)
        actor = replace(
            await self.acting(row), key_prefix=row.key_prefix, client=row.key_name, connection_id=row.key_id
        )
        return actor.narrowed(permissions_of(scopes_named(row.key_scopes)))

    async def _noted_as_active(
        self, row: ActorRow, *, key_prefix: str | None = None, login: Login | None = None
    ) -> Actor:
        """Return the row's actor, and note that the member was active in that account."""
        actor = actor_of(row, key_prefix, login)
        moment = clock.now()
        stale = moment - ACTIVITY_PRECISION
        if row.membership_id is None or (row.last_active_at is not None and row.last_active_at >= stale):
            return actor
        noted = {"id": row.membership_id, "seen": moment, "stale": stale}
        await identity_queries.change(self._kernel, lambda db: _NOTE_ACTIVITY.run(db, **noted))
        return actor


def refused(
    reason: MessageId, values: Mapping[str, object] | None = None, *, remedy: MessageId = IdentityMsg.LOG_IN_AGAIN
) -> Unauthenticated:
    """Return the refusal of credentials that are not valid, or not any more."""
    text = problem_text(reason, values or {}, remedy)
    return Unauthenticated(text, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})


def not_a_member() -> Forbidden:
    """Return the refusal of an account that the actor does not belong to, or that does not exist."""
    return Forbidden(IdentityMsg.NOT_A_MEMBER, code=Code.NOT_TEAM_MEMBER)


def _team_id(pinned: str | None) -> UUID | None:
    if pinned is None:
        return None
    try:
        return UUID(pinned)
    except ValueError:
        raise not_a_member() from None


def actor_of(row: ActorRow, key_prefix: str | None = None, login: Login | None = None) -> Actor:
    """Return the actor of a row. Raises Forbidden NOT_TEAM_MEMBER where it has no account."""
    if not row.has_account:
        raise not_a_member()
    role = Role(row.role) if row.role else TEAM_KEY_ROLE
    if row.kind == "archive":
        role = Role.VIEWER  # of what has been set aside nothing is changed
    return Actor(
        user_id=row.user_id,
        user_name=row.user_name or row.name,
        email=row.user_email,
        role=role,
        permissions=ROLE_PERMISSIONS[role],
        account=profile(row),
        channel=Channel.API,
        key_prefix=key_prefix,
        login=login,
    )


def profile(row: ProfileRow) -> AccountProfile:
    """Return the profile of an account's row."""
    return AccountProfile(**{name: getattr(row, name) for name in _PROFILE_FIELDS})
