"""The steps by which a person's way in changes: password, logins, keys, and the address that is theirs."""

from typing import Any
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity.models import api_key, app_user, membership
from ledgerkit.core.identity.passwords import NO_PASSWORD
from ledgerkit.core.request.context import Kernel
from ledgerkit.core.request.permissions import Role

RELEASED_DOMAIN = "released.invalid"
"""Of addresses that nobody has and nothing is mailed to (RFC 2606 §2)."""


async def by_email(kernel: Kernel, email: str) -> Any:
    """The user of an address, None when there is none."""
    return await _one(kernel, app_user.c.email == email)


async def by_id(kernel: Kernel, user_id: UUID) -> Any:
    """The user, None for one who is gone."""
    return await _one(kernel, app_user.c.id == user_id)


async def lock(db: AsyncConnection, user_id: UUID) -> Any:
    """The user as they are now, locked until the transaction ends; None for one who is gone."""
    return (await db.execute(select(app_user).where(app_user.c.id == user_id).with_for_update())).one_or_none()


async def set_password(db: AsyncConnection, user_id: UUID, password_hash: str) -> int:
    """Set the password and end every login; the token version of those to come."""
    values = {"password_hash": password_hash, "token_version": app_user.c.token_version + 1}
    statement = update(app_user).where(app_user.c.id == user_id).values(values).returning(app_user.c.token_version)
    return int((await db.execute(statement)).scalar_one())


async def end_logins(db: AsyncConnection, user_id: UUID) -> None:
    """Make every login token of the user void."""
    later = {"token_version": app_user.c.token_version + 1}
    await db.execute(update(app_user).where(app_user.c.id == user_id).values(later))


async def renew_key(db: AsyncConnection, user_id: UUID) -> Any:
    """The user's API key at its next version: `id`, `version`."""
    own = api_key.c.kind == "user", api_key.c.owner_id == user_id
    statement = update(api_key).where(*own).values(version=api_key.c.version + 1)
    return (await db.execute(statement.returning(api_key.c.id, api_key.c.version))).one()


async def renew_team_keys(db: AsyncConnection, user_id: UUID) -> None:
    """Make the keys of all teams that the user owns void."""
    owned = select(membership.c.account_id).where(
        membership.c.user_id == user_id, membership.c.role == Role.OWNER.value
    )
    keys = api_key.c.kind == "team", api_key.c.owner_id.in_(owned)
    await db.execute(update(api_key).where(*keys).values(version=api_key.c.version + 1))


async def verify(db: AsyncConnection, user_id: UUID) -> None:
    """Note that the user's address is theirs: they have followed a link that was mailed to it."""
    await db.execute(update(app_user).where(app_user.c.id == user_id).values(email_verified=True))


async def release_address(db: AsyncConnection, user_id: UUID) -> None:
    """Take the address from a user who never proved it, and every way in: password, logins, keys, also of their teams.

    What they have made stays theirs, and is seen by nobody any more.
    """
    gone = update(app_user).where(app_user.c.id == user_id)
    nowhere = f"{user_id}@{RELEASED_DOMAIN}"
    await db.execute(
        gone.values(email=nowhere, password_hash=NO_PASSWORD, registration_key=None, registration_body=None)
    )
    await end_logins(db, user_id)
    await renew_key(db, user_id)
    await renew_team_keys(db, user_id)


async def _one(kernel: Kernel, which: Any) -> Any:
    async def ask() -> Any:
        async with kernel.database.asking() as connection:
            return (await connection.execute(select(app_user).where(which))).one_or_none()

    return await retry_on_conflict(ask)
