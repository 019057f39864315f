"""Who belongs to the account: for the domains whose records name one of its people."""

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, Text, Uuid, bindparam, select

from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.identity.models import app_user, membership
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.permissions import Role

_HERE = membership.c.account_id == bindparam("account", type_=Uuid)
_PERSON = membership.c.user_id == bindparam("person", type_=Uuid)
_FOUND = select(membership.c.id).where(_HERE, _PERSON)
_FIND = Prepared(_FOUND)
_HOLD = Prepared(_FOUND.with_for_update(read=True, key_share=True))
_OWNER = Prepared(select(membership.c.id).where(_HERE, membership.c.role == bindparam("role", type_=Text)))
_USER = Prepared(select(membership.c.user_id).where(membership.c.id == bindparam("member", type_=Uuid)))
_EVERYBODY = Prepared(
    select(membership.c.id, membership.c.user_id, app_user.c.name, app_user.c.email)
    .join(app_user, app_user.c.id == membership.c.user_id)
    .where(_HERE)
    .order_by(membership.c.id)
)

_IN_CHARGE = Prepared(
    select(app_user.c.id, app_user.c.name, app_user.c.email, app_user.c.locale)
    .join(membership, app_user.c.id == membership.c.user_id)
    .where(_HERE, membership.c.role.in_([constant(Role.OWNER.value), constant(Role.ADMIN.value)]))
    .order_by(membership.c.id)
)


async def find(ctx: Context, user_id: str, *, hold: bool = False) -> UUID | None:
    """The membership of a user in this account; None for strangers and for what is no id.

    With `hold` nobody can remove it until the transaction ends, so that a record may point to it.
    """
    try:
        person = UUID(user_id)
    except ValueError:
        return None
    return _id_of(await (_HOLD if hold else _FIND).row(ctx.db, account=ctx.account.id, person=person))


async def own(ctx: Context) -> UUID | None:
    """The membership of whoever asks; the owner's for a team's key, as with GET /auth/me."""
    if ctx.actor.user_id is not None:
        return await find(ctx, str(ctx.actor.user_id))
    return _id_of(await _OWNER.row(ctx.db, account=ctx.account.id, role=Role.OWNER.value))


async def user_id(ctx: Context, member: UUID | None) -> str | None:
    """The user behind a membership."""
    found = None if member is None else await _USER.row(ctx.db, member=member)
    return None if found is None else str(found.user_id)


async def everybody(ctx: Context) -> list[Any]:
    """All members, the first to come first: `id` of the membership, `user_id`, `name`, `email`."""
    return await _EVERYBODY.rows(ctx.db, account=ctx.account.id)


async def in_charge(ctx: Context) -> list[Any]:
    """The owner and the admins: `id` of the user, `name`, `email`, `locale`."""
    return await _IN_CHARGE.rows(ctx.db, account=ctx.account.id)


def user_of(member: ColumnElement[Any]) -> ScalarSelect[Any]:
    """The user behind the membership in a column, as a value to select."""
    return select(membership.c.user_id).where(membership.c.id == member).scalar_subquery()


def _id_of(row: Any | None) -> UUID | None:
    return None if row is None else row.id
