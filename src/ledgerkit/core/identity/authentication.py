"""From credentials to the person or key at work, in one question to the database."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, and_, bindparam, case, exists, or_, select, text

from ledgerkit import clock
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity.messages import IdentityMsg
from ledgerkit.core.identity.models import account, api_key, app_user, membership, revoked_login
from ledgerkit.core.identity.tokens import KEY_PREFIX, Tokens, key_id
from ledgerkit.core.request.context import AccountProfile, Actor, Channel, Kernel, Login
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.problems import Code, Forbidden, Unauthenticated, bilingual

TEAM_KEY_ROLE = Role.ADMIN
"""A team's key acts for the team, without the two things that are the owner's own."""

_BESIDE_PROFILE = {"logo", "closed_at", "kept_until", "created_at", "updated_at", "version"}
_ACCOUNT = [column for column in account.c if column.name not in _BESIDE_PROFILE]
_PERSON = [
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


def _by_login(*, pinned: bool) -> Prepared[Any]:
    chosen = bindparam("team", type_=Uuid) if pinned else app_user.c.active_account_id
    revoked = exists().where(revoked_login.c.jti == bindparam("login", type_=Text))
    query = (
        select(*_ACCOUNT, *_PERSON)
        .select_from(app_user)
        .outerjoin(membership, and_(membership.c.user_id == app_user.c.id, membership.c.account_id == chosen))
        .outerjoin(account, account.c.id == membership.c.account_id)
        .where(app_user.c.id == bindparam("user", type_=Uuid), ~revoked)
    )
    return Prepared(query)


def _by_key(*, pinned: bool) -> Prepared[Any]:
    active = bindparam("team", type_=Uuid) if pinned else app_user.c.active_account_id
    chosen = case((api_key.c.kind == "team", api_key.c.owner_id), else_=active)
    own_team = and_(api_key.c.kind == "team", account.c.id == api_key.c.owner_id)
    query = (
        select(*_ACCOUNT, *_PERSON, *_KEY)
        .select_from(api_key)
        .outerjoin(app_user, and_(api_key.c.kind == "user", app_user.c.id == api_key.c.owner_id))
        .outerjoin(membership, and_(membership.c.user_id == app_user.c.id, membership.c.account_id == chosen))
        .outerjoin(account, or_(account.c.id == membership.c.account_id, own_team))
        .where(api_key.c.id == bindparam("key", type_=Uuid))
    )
    return Prepared(query)


_BY_LOGIN = {pinned: _by_login(pinned=pinned) for pinned in (False, True)}
_BY_KEY = {pinned: _by_key(pinned=pinned) for pinned in (False, True)}


SEEN_EVERY = timedelta(minutes=5)
"""How exact `last_active_at` is: writing it at every request would make readers writers."""

_SEEN = Prepared(
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
    """Judges credentials. Nothing is cached: a key that was replaced or a role that changed counts at once."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._tokens = kernel.service(Tokens)

    async def by_bearer(self, credential: str, *, pinned: str | None = None) -> Actor:
        """The actor of `Authorization: Bearer ...`, an API key or a login token."""
        if credential.startswith(KEY_PREFIX):
            return await self.by_key(credential, pinned=pinned)
        return await self.by_token(credential, pinned=pinned)

    async def by_token(self, token: str, *, pinned: str | None = None) -> Actor:
        session = self._tokens.session(token)
        if session is None:
            raise refused("The token is not valid or has expired.", "El token no es válido o ha caducado.")
        team = _team(pinned)
        found = await self._one(_BY_LOGIN[team is not None], user=session.user_id, login=session.login.id, team=team)
        if found is None or found.token_version != session.login.version:
            raise refused("The token is not valid any more.", "El token ya no es válido.")
        return await self._seen(found, login=session.login)

    async def by_key(self, key: str, *, pinned: str | None = None) -> Actor:
        known = key_id(key)
        if known is None:
            raise refused("The API key has not the form of one.", "La clave de API no tiene la forma de una.")
        team = _team(pinned)
        found = await self._one(_BY_KEY[team is not None], key=known, team=team)
        if found is None or not self._tokens.proves(key, found.key_kind, found.key_owner, found.key_version):
            raise refused("The API key is not valid any more.", "La clave de API ya no es válida.")
        if found.key_kind == "team" and team is not None and team != found.key_owner:
            raise not_a_member()
        return await self._seen(found, key_prefix=key[: len(KEY_PREFIX) + 8])

    async def _seen(self, row: Any, *, key_prefix: str | None = None, login: Login | None = None) -> Actor:
        """The actor of a row, noted as active in that account."""
        actor = _actor(row, key_prefix, login)
        moment = clock.now()
        stale = moment - SEEN_EVERY
        if row.membership_id is None or (row.last_active_at is not None and row.last_active_at >= stale):
            return actor

        async def note() -> None:
            async with self._kernel.database.transaction(None) as connection:
                await _SEEN.run(connection, id=row.membership_id, seen=moment, stale=stale)

        await retry_on_conflict(note)
        return actor

    async def _one(self, query: Prepared[Any], **values: UUID | str | None) -> Any | None:
        async def ask() -> Any | None:
            async with self._kernel.database.asking() as connection:
                return await query.row(connection, **values)

        return await retry_on_conflict(ask)


def refused(english: str, spanish: str) -> Unauthenticated:
    return bilingual(
        Unauthenticated,
        (english, "Log in again at POST /auth/login; it returns a token and the current API key."),
        (spanish, "Vuelve a entrar con POST /auth/login: da un token y la clave de API actual."),
        headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
    )


def not_a_member() -> Forbidden:
    return Forbidden(IdentityMsg.NOT_A_MEMBER, code=Code.NOT_TEAM_MEMBER)


def _team(pinned: str | None) -> UUID | None:
    if pinned is None:
        return None
    try:
        return UUID(pinned)
    except ValueError:
        raise not_a_member() from None


def _actor(row: Any, key_prefix: str | None, login: Login | None) -> Actor:
    if row.id is None:
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


def profile(row: Any) -> AccountProfile:
    """The account in a row of `account` columns."""
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
