"""What becomes of a login: another token before the first one ends, and its end before that."""

from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.context import Context, Kernel, Login
from ledgerkit.core.db import persist
from ledgerkit.core.identity.models import revoked_login
from ledgerkit.core.identity.schemas import LoginToken
from ledgerkit.core.identity.tokens import Tokens
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.problems import Unauthenticated


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def refresh(ctx: Context) -> LoginToken:
    """A new token of the same user; the one that asks stays good until it ends by itself or by `logout`.

    Without the API key that a login gives: otherwise a token that was stolen would be good for ever.
    Raises Unauthenticated for an API key.
    """
    user_id, login = ctx.actor.user_id, _login(ctx)
    assert user_id is not None  # noqa: S101 - whoever has a login is a person
    life = timedelta(hours=ctx.settings.token_hours)
    token = ctx.kernel.part(Tokens).login_token(user_id, login.version, life)
    return LoginToken(
        token=token,
        access_token=token,
        token_type="Bearer",  # noqa: S106 - the scheme's name, not a secret
        expires_in=int(life.total_seconds()),
    )


@operation(Permission.ACCOUNT)
async def logout(ctx: Context) -> None:
    """The token that asks is dead at once; other tokens and keys of the user stay. Raises Unauthenticated for a key."""
    login = _login(ctx)
    row = insert(revoked_login).values(jti=login.jti, expires_at=login.expires_at)
    await ctx.db.execute(row.on_conflict_do_nothing())


async def forget(kernel: Kernel) -> None:
    """Remove what was revoked of tokens that have expired since."""

    async def attempt() -> None:
        async with kernel.database.transaction(None) as connection:
            await connection.execute(delete(revoked_login).where(revoked_login.c.expires_at < clock.now()))

    await persist(attempt)


def _login(ctx: Context) -> Login:
    if ctx.actor.login is None:
        raise Unauthenticated(
            "An API key is no login: it has no end of its own, and neither begins nor ends one.",
            remedy="Send the token of POST /auth/login as Authorization: Bearer. A team's key is replaced by"
            " POST /api/teams/current/regenerate-key.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return ctx.actor.login
