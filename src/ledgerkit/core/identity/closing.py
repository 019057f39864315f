"""The end of a person's account: what they own is closed, every way in removed, and they are forgotten."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity.models import account, api_key, app_user, invitation, membership
from ledgerkit.core.request.context import Kernel
from ledgerkit.core.request.permissions import Role

_BLANK = {"name": "", "country": "ES", "currency": "EUR", "time_zone": "UTC", "series": {}}
_EMPTY = ("company", "tax_id", "address", "postal_code", "city", "province", "email", "phone", "iban", "logo")


async def owned(db: AsyncConnection, user_id: UUID) -> Sequence[UUID]:
    """The accounts that a person owns, the oldest first."""
    mine = membership.c.user_id == user_id, membership.c.role == Role.OWNER.value
    return (
        (await db.execute(select(membership.c.account_id).where(*mine).order_by(membership.c.account_id)))
        .scalars()
        .all()
    )


async def memberships(db: AsyncConnection, user_id: UUID) -> Sequence[Any]:
    """All accounts that a person belongs to: `id`, `name`, `kind`, `role`, `joined_at`."""
    columns = (account.c.id, account.c.name, account.c.kind, membership.c.role, membership.c.joined_at)
    query = select(*columns).join(membership, membership.c.account_id == account.c.id)
    return (await db.execute(query.where(membership.c.user_id == user_id).order_by(account.c.id))).all()


async def owned_with_others(db: AsyncConnection, user_id: UUID) -> Sequence[Any]:
    """The person's own teams that have other members: `id`, `name`."""
    others = select(membership.c.account_id).where(membership.c.user_id != user_id)
    query = select(account.c.id, account.c.name).where(account.c.id.in_(await owned(db, user_id)))
    return (await db.execute(query.where(account.c.id.in_(others)).order_by(account.c.id))).all()


async def lock_account(db: AsyncConnection, account_id: UUID) -> Any:
    """The account, locked as by whoever changes its members."""
    return (await db.execute(select(account).where(account.c.id == account_id).with_for_update(key_share=True))).one()


async def close(db: AsyncConnection, account_id: UUID, kept_until: date | None) -> None:
    """Leave an account without members, keys and invitations: nobody reaches it any more."""
    await db.execute(delete(api_key).where(api_key.c.kind == "team", api_key.c.owner_id == account_id))
    await db.execute(delete(invitation).where(invitation.c.account_id == account_id))
    await db.execute(delete(membership).where(membership.c.account_id == account_id))
    closed = {"closed_at": clock.now(), "kept_until": kept_until}
    await db.execute(update(account).where(account.c.id == account_id).values(closed))


async def remove_person(db: AsyncConnection, user_id: UUID) -> None:
    """Remove a person who belongs to no account any more, and void the invitations that they have made elsewhere."""
    theirs = invitation.c.invited_by == user_id
    await db.execute(update(invitation).where(theirs, invitation.c.state == "open").values(state="replaced"))
    await db.execute(update(invitation).where(theirs).values(invited_by=None))
    await db.execute(update(membership).where(membership.c.invited_by == user_id).values(invited_by=None))
    await db.execute(delete(api_key).where(api_key.c.kind == "user", api_key.c.owner_id == user_id))
    await db.execute(delete(app_user).where(app_user.c.id == user_id))


async def closing_of(db: AsyncConnection, account_id: UUID) -> Any:
    """Closing time of an account, and the last day for which its books are kept; None for one that is open."""
    columns = (account.c.closed_at, account.c.kept_until)
    query = select(*columns).where(account.c.id == account_id, account.c.closed_at.is_not(None))
    return (await db.execute(query)).one_or_none()


async def blank(db: AsyncConnection, account_id: UUID) -> None:
    """Forget whose a closed account was."""
    await db.execute(update(account).where(account.c.id == account_id).values(_BLANK | dict.fromkeys(_EMPTY)))


async def closed_since(kernel: Kernel, moment: datetime) -> Sequence[UUID]:
    """The accounts that were closed after a moment."""

    async def ask() -> Sequence[UUID]:
        async with kernel.database.asking() as db:
            return (await db.execute(select(account.c.id).where(account.c.closed_at > moment))).scalars().all()

    return await retry_on_conflict(ask)
