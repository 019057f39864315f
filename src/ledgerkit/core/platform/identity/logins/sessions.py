"""Logins after their start: refresh a token, end one or all logins, replace the API key."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.api import LoginToken, PasswordProof, UserKey
from ledgerkit.core.platform.identity.logins.tokens import LONGEST_LOGIN, IssuedToken, Tokens
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.identity.persons.passwords import PASSWORD_ERRORS
from ledgerkit.core.platform.identity.table import revoked_login
from ledgerkit.core.platform.request.context import Context, Kernel, Login
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid


@operation(Permission.LOGIN, unit=Unit.READING)
async def refresh(ctx: Context) -> LoginToken:
    """Issue a new token of the same login; the token of this request stays valid until it expires or the login ends.

    No token is valid for longer than 30 days after the password was typed. The answer has no API key, unlike that of
    a login: otherwise a stolen token would open the account for ever. Raises Unauthenticated for an API key.
    """
    user_id, login = person(ctx)
    life = timedelta(hours=ctx.settings.token_hours)
    return as_login_token(ctx.kernel.service(Tokens).refreshed_token(user_id, login, life))


def as_login_token(issued: IssuedToken) -> LoginToken:
    """Return an issued token as the interface shows it."""
    return LoginToken(
        token=issued.token,
        access_token=issued.token,
        token_type="Bearer",  # noqa: S106 - the scheme's name, not a secret
        expires_in=issued.seconds,
    )


@operation(
    Permission.LOGIN,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS],
    effects=Effect.IDEMPOTENT,
    sealed=True,
)
async def prove(ctx: Context, data: PasswordProof) -> LoginToken:
    """Take the password again, and issue a token of the same login that proves it for ten minutes.

    Raises Unauthenticated for an API key; Invalid INVALID_CREDENTIALS for a wrong password, which counts as a login
    does; RateLimited, Unavailable BUSY.
    """
    user_id, login = person(ctx)
    await guard.confirmed_user(ctx, user_id, data.password)
    life = timedelta(hours=ctx.settings.token_hours)
    return as_login_token(ctx.kernel.service(Tokens).proved_token(user_id, login, life))


@operation(Permission.LOGIN, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def logout(ctx: Context) -> None:
    """End the login of this request's token at once, with all tokens that were refreshed from it.

    Other logins and the keys of the user stay. Raises Unauthenticated for an API key.
    """
    _, login = person(ctx)
    row = insert(revoked_login).values(jti=login.id, expires_at=login.began_at + LONGEST_LOGIN)
    await ctx.db.execute(row.on_conflict_do_nothing())


@operation(Permission.LOGIN, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def logout_everywhere(ctx: Context) -> None:
    """End every login of the user at once, this one too; API keys stay. Raises Unauthenticated for an API key."""
    user_id, _ = person(ctx)
    await persons.end_logins(ctx.db, user_id)


@operation(Permission.LOGIN, errors=guard.PROOF_ERRORS, effects=Effect.DESTRUCTIVE, sealed=True)
async def regenerate_key(ctx: Context) -> UserKey:
    """Replace the user's API key; the one before is void with the commit.

    Raises Unauthenticated for an API key, PasswordNeeded.
    """
    guard.require_recent_password(ctx)
    user_id, _ = person(ctx)
    key = await persons.renew_key(ctx.db, user_id)
    return UserKey(api_key=ctx.kernel.service(Tokens).api_key(key.id, "user", user_id, key.version))


async def forget(kernel: Kernel) -> None:
    """Remove the ended logins whose tokens have all expired."""
    is_over = revoked_login.c.expires_at < clock.now()
    await identity_queries.execute(kernel, delete(revoked_login).where(is_over))


def person(ctx: Context) -> tuple[UUID, Login]:
    """Return the user who asks and their login, for operations under Permission.LOGIN."""
    user_id, login = ctx.actor.user_id, ctx.actor.login
    assert user_id is not None  # noqa: S101 - whoever has a login is a person
    assert login is not None  # noqa: S101 - the gate has refused keys
    return user_id, login
