"""Register and log in.

Neither answer is kept for an idempotency key, for it holds all that opens an account. Logging in may be repeated by
its nature. Of a registration under a key the user keeps digests of the key and of what was sent with it, and whoever
sends both again, and the password, is logged in.
"""

import hmac
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import Row

from ledgerkit import clock
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity import accounts, guard
from ledgerkit.core.identity.messages import IdentityMsg
from ledgerkit.core.identity.models import account, api_key, app_user
from ledgerkit.core.identity.schemas import AuthResponse, Credentials, Registration, User
from ledgerkit.core.identity.sessions import as_login_token
from ledgerkit.core.identity.tokens import Tokens
from ledgerkit.core.request import idempotency
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.messages import RequestMsg
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Forbidden, Invalid, Unauthenticated
from ledgerkit.settings import Registration as RegistrationMode

DEFAULT_TIME_ZONE = "Europe/Madrid"


_PROVEN = (app_user.c.id, app_user.c.password_hash, app_user.c.token_version)

Step = Callable[[Context, UUID], Awaitable[None]]
Preparation = Callable[[Context], Awaitable[None]]


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def register(ctx: Context, data: Registration, then: Step) -> AuthResponse:
    """A new user with a personal workspace, logged in; `then` follows in the same transaction.

    Raises Forbidden REGISTRATION_CLOSED, Invalid EMAIL_TAKEN, RateLimited.
    """
    if ctx.settings.registration is RegistrationMode.CLOSED:
        raise Forbidden(IdentityMsg.REGISTRATION_CLOSED, code=Code.REGISTRATION_CLOSED)
    return await enrol(ctx, data, then)


async def enrol_once(ctx: Context, data: Registration, work: Callable[[], Awaitable[AuthResponse]]) -> AuthResponse:
    """`work`, which registers; a login instead when the user has been registered by the same request, key included.

    Raises Conflict IDEMPOTENCY_CONFLICT when that was another one under the same key, and what `work` raises.
    """
    if ctx.request_metadata.idempotency_key is None:
        return await work()
    first = await _registered(ctx, data, ctx.request_metadata.idempotency_key)
    try:
        return await (work() if first is None else _again(ctx, data, first))
    except Invalid:
        first = await _registered(ctx, data, ctx.request_metadata.idempotency_key)  # by a twin that was quicker
        if first is None:
            raise
        return await _again(ctx, data, first)


async def _registered(ctx: Context, data: Registration, key: str) -> Row[Any] | None:
    """The user who has registered with this address under this key since yesterday."""
    query = select(*_PROVEN, app_user.c.registration_body).where(
        app_user.c.email == data.email,
        app_user.c.registration_key == _digest(ctx, key),
        app_user.c.created_at >= clock.now() - idempotency.KEPT,
    )
    return await _one(ctx, query)


async def _again(ctx: Context, data: Registration, first: Row[Any]) -> AuthResponse:
    await guard.admit(ctx, "login", data.email)
    known = await guard.matches(ctx, data.password, first.password_hash)
    if not known or first.registration_body != _digest(ctx, _beside_password(data)):
        raise idempotency.in_use(RequestMsg.KEY_OF_ANOTHER_REGISTRATION)
    ctx.request_metadata.replayed = True
    return await _response(ctx, first.id, first.token_version)


def _marks(ctx: Context, data: Registration) -> dict[str, str]:
    """What the user keeps of the request that registered them."""
    key = ctx.request_metadata.idempotency_key
    if key is None:
        return {}
    return {"registration_key": _digest(ctx, key), "registration_body": _digest(ctx, _beside_password(data))}


def _beside_password(data: Registration) -> str:
    return to_json(data.model_dump(exclude={"password"})).decode()


def _digest(ctx: Context, told: str) -> str:
    """Without the server's secret nobody can tell whether a guess is right."""
    return hmac.digest(ctx.kernel.secret, f"registration:{told}".encode(), "sha256").hex()


async def enrol(ctx: Context, data: Registration, then: Step, before: Preparation | None = None) -> AuthResponse:
    """The user of `register`, whether registration is open or not; all in one transaction, `before` and `then` too."""
    guard.check_new(data.password, data.email)
    await guard.admit(ctx, "register", data.email)
    password_hash = await guard.hashed(ctx, data.password)

    async def attempt() -> UUID:
        async with ctx.transaction() as inner:
            if before is not None:
                await before(inner)
            user_id = await _create_user(inner, data, password_hash)
            await then(inner, user_id)
            return user_id

    return await _response(ctx, await retry_on_conflict(attempt))


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def login(ctx: Context, data: Credentials) -> AuthResponse:
    """A token and the current API key. Unknown address and wrong password look and last alike.

    Raises Unauthenticated INVALID_CREDENTIALS; RateLimited after ten tries a minute per address and e-mail, sixty per
    address; Unavailable BUSY.
    """
    email = data.email.strip().lower()
    await guard.admit(ctx, "login", email)
    query = select(*_PROVEN).where(app_user.c.email == email)
    known = await _one(ctx, query)
    if not await guard.matches(ctx, data.password, known.password_hash if known else None):
        raise wrong_credentials()
    assert known is not None  # noqa: S101 - nothing matches without a known hash
    return await _response(ctx, known.id, known.token_version)


def wrong_credentials() -> Unauthenticated:
    return Unauthenticated(IdentityMsg.WRONG_CREDENTIALS, code=Code.INVALID_CREDENTIALS)


async def _create_user(ctx: Context, data: Registration, password_hash: str) -> UUID:
    """User, personal account, membership and key. Raises Invalid EMAIL_TAKEN, leaving nothing behind."""
    user_id, name = new_id(), data.name or data.email.partition("@")[0]
    time_zone = country.time_zone if (country := ctx.kernel.countries.get(data.country)) else DEFAULT_TIME_ZONE
    person = {
        "name": name,
        "email": data.email,
        "country": data.country,
        "currency": data.currency,
        "time_zone": time_zone,
    }
    account_id = await accounts.found_personal(ctx.db, person)
    locale = "es" if data.country == "ES" else "en"
    statement = insert(app_user).values(
        id=user_id,
        password_hash=password_hash,
        locale=locale,
        active_account_id=account_id,
        **person,
        **_marks(ctx, data),
    )
    done = await ctx.db.execute(statement.on_conflict_do_nothing(index_elements=["email"]).returning(app_user.c.id))
    if done.scalar_one_or_none() is None:
        raise Invalid.field("email", IdentityMsg.EMAIL_TAKEN, code=Code.EMAIL_TAKEN)
    await accounts.own(ctx.db, account_id, user_id)
    await ctx.db.execute(insert(api_key).values(id=new_id(), kind="user", owner_id=user_id))
    return user_id


def user_query() -> Any:
    """A user with the team that is active, without secrets."""
    team = (account.c.kind == "team").label("in_team")
    hidden = {"password_hash", "registration_key", "registration_body"}
    columns = [column for column in app_user.c if column.name not in hidden]
    return select(*columns, team).join(account, account.c.id == app_user.c.active_account_id)


def as_user(row: Any) -> User:
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
    """Token, key and user of a login, if the password that was checked is still theirs.

    `version` is the token version of the row that the password was checked against.

    Raises Unauthenticated INVALID_CREDENTIALS when it was changed, or the user removed, while it was being checked.
    """
    key = (api_key.c.id.label("key_id"), api_key.c.version.label("key_version"))
    query = user_query().add_columns(*key)
    query = query.join(api_key, (api_key.c.kind == "user") & (api_key.c.owner_id == app_user.c.id))
    found = await _one(ctx, query.where(app_user.c.id == user_id))
    if found is None or found.token_version != version:
        raise wrong_credentials()
    tokens = ctx.kernel.service(Tokens)
    life = timedelta(hours=ctx.settings.token_hours)
    made = as_login_token(tokens.login_token(user_id, found.token_version, life))
    return AuthResponse(
        **made.model_dump(),
        api_key=tokens.api_key(found.key_id, "user", user_id, found.key_version),
        user=as_user(found),
    )


async def _one(ctx: Context, query: Any) -> Row[Any] | None:
    async def ask() -> Row[Any] | None:
        async with ctx.kernel.database.asking() as connection:
            return (await connection.execute(query)).one_or_none()

    return await retry_on_conflict(ask)
