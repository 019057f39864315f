"""Register and log in.

Neither answer is stored for an idempotency key, because it holds everything that opens an account. Logging in may be
repeated by its nature. A registration under a key leaves digests of the key and of the request's content with the
user: whoever sends both again, with the password, is logged in.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import DateTime, Select, Text, Uuid, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity import queries
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.api import AuthResponse, Credentials, Registration, User
from ledgerkit.core.platform.identity.logins.sessions import as_login_token
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.identity.table import account, api_key, app_user, membership
from ledgerkit.core.platform.identity.texts import IdentityMsg
from ledgerkit.core.platform.request import idempotency
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission, Role
from ledgerkit.core.platform.request.texts import RequestMsg
from ledgerkit.problems import Code, Forbidden, Invalid, Unauthenticated
from ledgerkit.settings import Registration as RegistrationMode

DEFAULT_TIME_ZONE = "Europe/Madrid"

Step = Callable[[Context, UUID], Awaitable[None]]
Preparation = Callable[[Context], Awaitable[None]]


class PasswordRow(Row):
    """A user's password hash, and the token version at which it was read."""

    id: UUID
    password_hash: str
    token_version: int


class RegisteredRow(PasswordRow):
    registration_body: str | None


class ShownUserRow(Row):
    """A user without secrets; `in_team` is true when the active account is a team."""

    id: UUID
    email: str
    name: str
    country: str
    currency: str
    locale: str
    time_zone: str
    active_account_id: UUID
    token_version: int
    email_verified: bool
    created_at: datetime
    in_team: bool


class UserWithKeyRow(ShownUserRow):
    key_id: UUID
    key_version: int


def _shown_users() -> Select[tuple[object, ...]]:
    in_team = (account.c.kind == "team").label("in_team")
    columns = [app_user.c[name] for name in ShownUserRow.__annotations__ if name != in_team.name]
    return select(*columns, in_team).join(account, account.c.id == app_user.c.active_account_id)


_PASSWORD = (app_user.c.id, app_user.c.password_hash, app_user.c.token_version)
_HAS_EMAIL = app_user.c.email == bindparam("email", type_=Text)
_IS_USER = app_user.c.id == bindparam("user", type_=Uuid)
_BY_EMAIL = Prepared(select(*_PASSWORD).where(_HAS_EMAIL), PasswordRow)
_BY_REGISTRATION = Prepared(
    select(*_PASSWORD, app_user.c.registration_body).where(
        _HAS_EMAIL,
        app_user.c.registration_key == bindparam("key", type_=Text),
        app_user.c.created_at >= bindparam("since", type_=DateTime(timezone=True)),
    ),
    RegisteredRow,
)
_SHOWN = Prepared(_shown_users().where(_IS_USER), ShownUserRow)
_SHOWN_OWNER = Prepared(
    _shown_users()
    .join(membership, membership.c.user_id == app_user.c.id)
    .where(membership.c.account_id == bindparam("account", type_=Uuid), membership.c.role == Role.OWNER.value),
    ShownUserRow,
)
_WITH_KEY = Prepared(
    _shown_users()
    .add_columns(api_key.c.id.label("key_id"), api_key.c.version.label("key_version"))
    .join(api_key, (api_key.c.kind == "user") & (api_key.c.owner_id == app_user.c.id))
    .where(_IS_USER),
    UserWithKeyRow,
)


@dataclass
class _NewPerson:
    name: str
    email: str
    country: str
    currency: str
    time_zone: str


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def register(ctx: Context, data: Registration, then: Step) -> AuthResponse:
    """Create a user with a personal workspace and log them in; `then` runs in the same transaction.

    Raises Forbidden REGISTRATION_CLOSED, Invalid EMAIL_TAKEN, RateLimited.
    """
    if ctx.settings.registration is RegistrationMode.CLOSED:
        raise Forbidden(IdentityMsg.REGISTRATION_CLOSED, code=Code.REGISTRATION_CLOSED)
    return await create_user(ctx, data, then)


async def register_idempotently(
    ctx: Context, data: Registration, work: Callable[[], Awaitable[AuthResponse]]
) -> AuthResponse:
    """Register by `work`; log in instead when the same request, idempotency key included, has registered the user.

    Raises Conflict IDEMPOTENCY_CONFLICT for another request under the same key, and what `work` raises.
    """
    if ctx.request_metadata.idempotency_key is None:
        return await work()
    registered = await _registered(ctx, data, ctx.request_metadata.idempotency_key)
    try:
        return await (work() if registered is None else _log_in_again(ctx, data, registered))
    except Invalid:
        # A request under the same key may have registered the user meanwhile.
        registered = await _registered(ctx, data, ctx.request_metadata.idempotency_key)
        if registered is None:
            raise
        return await _log_in_again(ctx, data, registered)


async def _registered(ctx: Context, data: Registration, key: str) -> RegisteredRow | None:
    """Return the user who has registered with this address under this key within the last day."""
    since = clock.now() - idempotency.KEPT
    return await queries.fetch_row(ctx.kernel, _BY_REGISTRATION, email=data.email, key=_digest(ctx, key), since=since)


async def _log_in_again(ctx: Context, data: Registration, registered: RegisteredRow) -> AuthResponse:
    await guard.count_attempt(ctx, "login", data.email)
    matches = await guard.matches(ctx, data.password, registered.password_hash)
    if not matches or registered.registration_body != _digest(ctx, _without_password(data)):
        raise idempotency.in_use(RequestMsg.KEY_OF_ANOTHER_REGISTRATION)
    ctx.request_metadata.replayed = True
    return await _response(ctx, registered.id, registered.token_version)


def _request_digests(ctx: Context, data: Registration) -> dict[str, str]:
    """Return the columns of a user that hold digests of the request that registered them."""
    key = ctx.request_metadata.idempotency_key
    if key is None:
        return {}
    return {"registration_key": _digest(ctx, key), "registration_body": _digest(ctx, _without_password(data))}


def _without_password(data: Registration) -> str:
    return to_json(data.model_dump(exclude={"password"})).decode()


def _digest(ctx: Context, text: str) -> str:
    """Return a digest that nobody without the server's secret can compare with a guess."""
    return hmac.digest(ctx.kernel.secret, f"registration:{text}".encode(), "sha256").hex()


async def create_user(ctx: Context, data: Registration, then: Step, before: Preparation | None = None) -> AuthResponse:
    """Create a user as `register` does, also where registration is closed, and log them in.

    `before`, the creation and `then` are one transaction. Raises Invalid EMAIL_TAKEN, RateLimited.
    """
    guard.check_new(data.password, data.email, data.name or "")
    await guard.count_attempt(ctx, "register", data.email)
    password_hash = await guard.hashed(ctx, data.password)

    async def attempt() -> UUID:
        async with ctx.transaction() as inner:
            if before is not None:
                await before(inner)
            user_id = await _insert_user(inner, data, password_hash)
            await then(inner, user_id)
            return user_id

    return await _response(ctx, await retry_on_conflict(attempt))


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def login(ctx: Context, data: Credentials) -> AuthResponse:
    """Return a token and the current API key. An unknown address and a wrong password look alike and take as long.

    Raises Unauthenticated INVALID_CREDENTIALS; RateLimited after ten attempts a minute per network address and e-mail,
    sixty per network address; Unavailable BUSY.
    """
    email = data.email.strip().lower()
    await guard.count_attempt(ctx, "login", email)
    user = await queries.fetch_row(ctx.kernel, _BY_EMAIL, email=email)
    if not await guard.matches(ctx, data.password, user.password_hash if user else None):
        raise wrong_credentials()
    assert user is not None  # noqa: S101 - no password matches without a hash
    return await _response(ctx, user.id, user.token_version)


def wrong_credentials() -> Unauthenticated:
    """Return the refusal of an unknown address or a wrong password."""
    return Unauthenticated(IdentityMsg.WRONG_CREDENTIALS, code=Code.INVALID_CREDENTIALS)


async def _insert_user(ctx: Context, data: Registration, password_hash: str) -> UUID:
    """Create user, personal account, membership and key. Raises Invalid EMAIL_TAKEN, leaving nothing behind."""
    user_id = new_id()
    country = ctx.kernel.countries.get(data.country)
    person = _NewPerson(
        name=data.name or data.email.partition("@")[0],
        email=data.email,
        country=data.country,
        currency=data.currency,
        time_zone=country.time_zone if country else DEFAULT_TIME_ZONE,
    )
    account_id = await accounts.create_personal(ctx.db, person)
    statement = insert(app_user).values(
        id=user_id,
        password_hash=password_hash,
        locale=ctx.kernel.countries.spoken(data.country, ctx.request_metadata.language),
        active_account_id=account_id,
        **asdict(person),
        **_request_digests(ctx, data),
    )
    statement = statement.on_conflict_do_nothing(index_elements=["email"])
    if await ctx.db.scalar(statement.returning(app_user.c.id)) is None:
        raise Invalid.field("email", IdentityMsg.EMAIL_TAKEN, code=Code.EMAIL_TAKEN)
    await accounts.add_owner(ctx.db, account_id, user_id)
    await ctx.db.execute(insert(api_key).values(id=new_id(), kind="user", owner_id=user_id))
    return user_id


async def current_user(ctx: Context) -> User:
    """Return the user who asks, in the transaction of `ctx`; the team's owner for a team's key."""
    if ctx.actor.user_id is not None:
        return _as_user(await _SHOWN.one(ctx.db, user=ctx.actor.user_id))
    return _as_user(await _SHOWN_OWNER.one(ctx.db, account=ctx.account.id))


def _as_user(row: ShownUserRow) -> User:
    return User(
        id=str(row.id),
        email=row.email,
        name=row.name,
        country=row.country,
        currency=row.currency,
        locale=row.locale,
        timezone=row.time_zone,
        active_team_id=str(row.active_account_id) if row.in_team else None,
        email_verified=row.email_verified,
        created_at=row.created_at,
    )


async def _response(ctx: Context, user_id: UUID, version: int = 1) -> AuthResponse:
    """Return token, key and user of a login, if the password that was checked is still the user's.

    `version` is the token version of the row that the password was checked against.
    Raises Unauthenticated INVALID_CREDENTIALS when it was changed, or the user removed, during the check.
    """
    user = await queries.fetch_row(ctx.kernel, _WITH_KEY, user=user_id)
    if user is None or user.token_version != version:
        raise wrong_credentials()
    tokens = ctx.kernel.service(Tokens)
    life = timedelta(hours=ctx.settings.token_hours)
    login_token = as_login_token(tokens.login_token(user_id, user.token_version, life))
    return AuthResponse(
        **login_token.model_dump(),
        api_key=tokens.api_key(user.key_id, "user", user_id, user.key_version),
        user=_as_user(user),
    )
