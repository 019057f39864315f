"""Turn credentials into the person or key that asks, with one query of the database."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, and_, bindparam, case, exists, or_, select, text

from ledgerkit import clock
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity import lookups
from ledgerkit.core.identity.messages import IdentityMsg
from ledgerkit.core.identity.models import ProfileRow, account, api_key, app_user, membership, revoked_login
from ledgerkit.core.identity.tokens import KEY_PREFIX, Tokens, key_id
from ledgerkit.core.request.context import AccountProfile, Actor, Channel, Kernel, Login
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.problems import Code, Forbidden, Unauthenticated
from ledgerkit.texts import MessageId

TEAM_KEY_ROLE = Role.ADMIN
"""Role of a team's key: it may do what an admin may, not what only the owner may."""


class ActorRow(ProfileRow):
    """A person or key with the account chosen; its columns are null where `has_account` is false.

    Columns of the person are null for a team's key, those of the membership for it and for whoever has none there.
    """

    has_account: bool
    user_id: UUID | None
    user_name: str | None
    user_email: str | None
    token_version: int | None
    role: str | None
    membership_id: UUID | None
    last_active_at: datetime | None


class KeyActorRow(ActorRow):
    key_kind: str
    key_owner: UUID
    key_version: int


_ACCOUNT = [account.c[name] for name in ProfileRow.__annotations__]
_PERSON = [
    account.c.id.is_not(None).label("has_account"),
    app_user.c.id.label("user_id"),
    app_user.c.name.label("user_name"),
    app_user.c.email.label("user_email"),
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

    async def by_bearer(self, credential: str, *, pinned: str | None = None) -> Actor:
        """Return the actor of `Authorization: Bearer ...`, which carries an API key or a login token.

        `pinned` is the id of the account to work in, instead of the active one.
        Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER.
        """
        if credential.startswith(KEY_PREFIX):
            return await self.by_key(credential, pinned=pinned)
        return await self.by_token(credential, pinned=pinned)

    async def by_token(self, token: str, *, pinned: str | None = None) -> Actor:
        """Return the actor of a login token. Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER."""
        session = self._tokens.session(token)
        if session is None:
            raise refused(IdentityMsg.TOKEN_INVALID)
        team = _team_id(pinned)
        actor_row = await lookups.fetch_row(
            self._kernel, _BY_LOGIN[team is not None], user=session.user_id, login=session.login.id, team=team
        )
        if actor_row is None or actor_row.token_version != session.login.version:
            raise refused(IdentityMsg.TOKEN_ENDED)
        return await self._noted_as_active(actor_row, login=session.login)

    async def by_key(self, key: str, *, pinned: str | None = None) -> Actor:
        """Return the actor of an API key. Raises Unauthenticated, Forbidden NOT_TEAM_MEMBER."""
        id_of_key = key_id(key)
        if id_of_key is None:
            raise refused(IdentityMsg.KEY_MALFORMED)
        team = _team_id(pinned)
        row = await lookups.fetch_row(self._kernel, _BY_KEY[team is not None], key=id_of_key, team=team)
        if row is None or not self._tokens.proves(key, row.key_kind, row.key_owner, row.key_version):
            raise refused(IdentityMsg.KEY_REPLACED)
        if row.key_kind == "team" and team is not None and team != row.key_owner:
            raise not_a_member()
        return await self._noted_as_active(row, key_prefix=key[: len(KEY_PREFIX) + 8])

    async def _noted_as_active(
        self, row: ActorRow, *, key_prefix: str | None = None, login: Login | None = None
    ) -> Actor:
        """Return the row's actor, and note that the member was active in that account."""
        actor = _actor(row, key_prefix, login)
        moment = clock.now()
        stale = moment - ACTIVITY_PRECISION
        if row.membership_id is None or (row.last_active_at is not None and row.last_active_at >= stale):
            return actor

        async def note() -> None:
            async with self._kernel.database.transaction(None) as connection:
                await _NOTE_ACTIVITY.run(connection, id=row.membership_id, seen=moment, stale=stale)

        await retry_on_conflict(note)
        return actor


def refused(reason: MessageId) -> Unauthenticated:
    """Return the refusal of credentials that are not valid, or not any more."""
    return Unauthenticated(
        reason,
        remedy=IdentityMsg.LOG_IN_AGAIN,
        headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
    )


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


def _actor(row: ActorRow, key_prefix: str | None, login: Login | None) -> Actor:
    if not row.has_account:
        raise not_a_member()
    role = Role(row.role) if row.role else TEAM_KEY_ROLE
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
    return AccountProfile(
        id=row.id,
        kind=row.kind,
        name=row.name,
        company=row.company,
        country=row.country,
        currency=row.currency,
        tax_id=row.tax_id,
        address=row.address,
        postal_code=row.postal_code,
        city=row.city,
        province=row.province,
        email=row.email,
        phone=row.phone,
        iban=row.iban,
        time_zone=row.time_zone,
        default_tax_rate=row.default_tax_rate,
        default_retention_rate=row.default_retention_rate,
        payment_term_days=row.payment_term_days,
        series=row.series,
        einvoicing=row.einvoicing,
        recorded_in=row.recorded_in,
    )
