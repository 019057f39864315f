"""Steps that change a person's access: password, logins, API keys and the verified e-mail address."""

from typing import TypeAlias
from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.persons import scoped_keys
from ledgerkit.core.platform.identity.persons.passwords import NO_PASSWORD
from ledgerkit.core.platform.identity.table import UserRow, api_key, app_user, membership
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.permissions import Role

RELEASED_DOMAIN = "released.invalid"
"""Domain of addresses that nobody has and nothing is mailed to (RFC 2606 §2)."""

StoredUser: TypeAlias = UserRow
"""A user as other domains get them: the row of a table is read by its own domain only."""


class KeyVersionRow(Row):
    id: UUID
    version: int


_IS_USER = app_user.c.id == bindparam("id", type_=Uuid)
_BY_EMAIL = Prepared(select(app_user).where(app_user.c.email == bindparam("email", type_=Text)), UserRow)
_BY_ID = Prepared(select(app_user).where(_IS_USER), UserRow)
_LOCKED = Prepared(select(app_user).where(_IS_USER).with_for_update(), UserRow)
_RENEW_KEY = Prepared(
    update(api_key)
    .where(api_key.c.kind == "user", api_key.c.owner_id == bindparam("owner", type_=Uuid))
    .values(version=api_key.c.version + 1)
    .returning(api_key.c.id, api_key.c.version),
    KeyVersionRow,
)


async def by_email(kernel: Kernel, email: str) -> UserRow | None:
    """Return the user with this address, None when there is none."""
    return await identity_queries.fetch_row(kernel, _BY_EMAIL, email=email)


async def by_id(kernel: Kernel, user_id: UUID) -> UserRow | None:
    """Return the user, None for a removed one."""
    return await identity_queries.fetch_row(kernel, _BY_ID, id=user_id)


async def lock(db: AsyncConnection, user_id: UUID) -> UserRow | None:
    """Lock the user until the transaction ends and return them as they are now; None for a removed one."""
    return await _LOCKED.row(db, id=user_id)


async def set_password(db: AsyncConnection, user_id: UUID, password_hash: str) -> int:
    """Set the password, end every login, and return the token version of the logins to come."""
    values = {"password_hash": password_hash, "token_version": app_user.c.token_version + 1}
    statement = update(app_user).where(app_user.c.id == user_id).values(values).returning(app_user.c.token_version)
    return int((await db.scalars(statement)).one())


async def end_logins(db: AsyncConnection, user_id: UUID) -> None:
    """Void every login token of the user."""
    next_version = {"token_version": app_user.c.token_version + 1}
    await db.execute(update(app_user).where(app_user.c.id == user_id).values(next_version))


async def renew_key(db: AsyncConnection, user_id: UUID) -> KeyVersionRow:
    """Replace the user's API key by its next version and return that version."""
    return await _RENEW_KEY.one(db, owner=user_id)


async def renew_team_keys(db: AsyncConnection, user_id: UUID) -> None:
    """Void the keys of all teams that the user owns."""
    owned = select(membership.c.account_id).where(
        membership.c.user_id == user_id, membership.c.role == Role.OWNER.value
    )
    keys = api_key.c.kind == "team", api_key.c.owner_id.in_(owned)
    await db.execute(update(api_key).where(*keys).values(version=api_key.c.version + 1))


async def verify(db: AsyncConnection, user_id: UUID) -> None:
    """Mark the user's address as verified: they have followed a link that was mailed to it."""
    await db.execute(update(app_user).where(app_user.c.id == user_id).values(email_verified=True))


async def release_address(db: AsyncConnection, user_id: UUID) -> None:
    """Take the address from a user who never verified it, and void their password, logins, keys and teams' keys.

    Their records stay in their accounts, where nobody can see them any more.
    """
    unusable = {
        "email": f"{user_id}@{RELEASED_DOMAIN}",
        "password_hash": NO_PASSWORD,
        "registration_key": None,
        "registration_body": None,
    }
    await db.execute(update(app_user).where(app_user.c.id == user_id).values(unusable))
    await end_logins(db, user_id)
    await renew_key(db, user_id)
    await scoped_keys.remove_all(db, user_id)
    await renew_team_keys(db, user_id)
