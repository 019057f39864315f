"""Closing of a person's accounts and removal of the person: no access, no members, no personal data left."""

from collections.abc import Sequence
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import Uuid, bindparam, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.accounts import issuer_series
from ledgerkit.core.platform.identity.table import account, api_key, app_user, invitation, membership
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.permissions import Role

_BLANK = {"name": "", "country": "ES", "currency": "EUR", "time_zone": "UTC", "series": {}}
_EMPTY = ("company", "tax_id", "address", "postal_code", "city", "province", "email", "phone", "iban", "logo")


class AccountOfMemberRow(Row):
    id: UUID
    name: str
    kind: str
    role: str
    joined_at: datetime


class NamedAccountRow(Row):
    id: UUID
    name: str


class ClosedAccountRow(Row):
    closed_at: datetime
    kept_until: date | None


_MEMBERSHIPS = Prepared(
    select(account.c.id, account.c.name, account.c.kind, membership.c.role, membership.c.joined_at)
    .join(membership, membership.c.account_id == account.c.id)
    .where(membership.c.user_id == bindparam("user", type_=Uuid))
    .order_by(account.c.id),
    AccountOfMemberRow,
)
_other = membership.alias("other")
_OWNED_WITH_OTHERS = Prepared(
    select(account.c.id, account.c.name)
    .join(membership, membership.c.account_id == account.c.id)
    .where(
        membership.c.user_id == bindparam("user", type_=Uuid),
        membership.c.role == Role.OWNER.value,
        exists().where(_other.c.account_id == account.c.id, _other.c.user_id != membership.c.user_id),
    )
    .order_by(account.c.id),
    NamedAccountRow,
)
_LOCKED = Prepared(
    select(account.c.id, account.c.name)
    .where(account.c.id == bindparam("id", type_=Uuid))
    .with_for_update(key_share=True),
    NamedAccountRow,
)
_CLOSED = Prepared(
    select(account.c.closed_at, account.c.kept_until).where(
        account.c.id == bindparam("id", type_=Uuid), account.c.closed_at.is_not(None)
    ),
    ClosedAccountRow,
)


async def owned(db: AsyncConnection, user_id: UUID) -> Sequence[UUID]:
    """Return the ids of the accounts that a person owns, the oldest first."""
    of_owner = membership.c.user_id == user_id, membership.c.role == Role.OWNER.value
    query = select(membership.c.account_id).where(*of_owner).order_by(membership.c.account_id)
    return (await db.scalars(query)).all()


async def memberships(db: AsyncConnection, user_id: UUID) -> Sequence[AccountOfMemberRow]:
    """Return all accounts that a person belongs to."""
    return await _MEMBERSHIPS.rows(db, user=user_id)


async def owned_with_others(db: AsyncConnection, user_id: UUID) -> Sequence[NamedAccountRow]:
    """Return the teams of a person, as their owner, that have other members."""
    return await _OWNED_WITH_OTHERS.rows(db, user=user_id)


async def lock_account(db: AsyncConnection, account_id: UUID) -> NamedAccountRow:
    """Lock an account as a change of its members does, and return it."""
    return await _LOCKED.one(db, id=account_id)


async def close(db: AsyncConnection, account_id: UUID, kept_until: date | None) -> None:
    """Close an account: remove its members, keys and invitations, so that nobody has access any more.

    `kept_until` is the last day on which the law requires its books.
    """
    await db.execute(delete(api_key).where(api_key.c.kind == "team", api_key.c.owner_id == account_id))
    await db.execute(delete(invitation).where(invitation.c.account_id == account_id))
    await db.execute(delete(membership).where(membership.c.account_id == account_id))
    closed = {"closed_at": clock.now(), "kept_until": kept_until}
    await db.execute(update(account).where(account.c.id == account_id).values(closed))


async def remove_person(db: AsyncConnection, user_id: UUID) -> None:
    """Remove a person who belongs to no account any more, and void the invitations that they sent for others."""
    invited = invitation.c.invited_by == user_id
    await db.execute(update(invitation).where(invited, invitation.c.state == "open").values(state="replaced"))
    await db.execute(update(invitation).where(invited).values(invited_by=None))
    await db.execute(update(membership).where(membership.c.invited_by == user_id).values(invited_by=None))
    await db.execute(delete(api_key).where(api_key.c.kind == "user", api_key.c.owner_id == user_id))
    await db.execute(delete(app_user).where(app_user.c.id == user_id))


async def closed_account(db: AsyncConnection, account_id: UUID) -> ClosedAccountRow | None:
    """Return when an account was closed, and the last day on which its books are kept; None for an open one."""
    return await _CLOSED.row(db, id=account_id)


async def erase_identity(db: AsyncConnection, account_id: UUID) -> None:
    """Blank the columns of a closed account that say whose it was."""
    await issuer_series.forget(db, account_id)
    await db.execute(update(account).where(account.c.id == account_id).values(_BLANK | dict.fromkeys(_EMPTY)))


async def closed_since(kernel: Kernel, moment: datetime) -> Sequence[UUID]:
    """Return the ids of the accounts that were closed after `moment`."""

    async def read(db: AsyncConnection) -> Sequence[UUID]:
        return (await db.scalars(select(account.c.id).where(account.c.closed_at > moment))).all()

    return await identity_queries.look_up(kernel, read)
