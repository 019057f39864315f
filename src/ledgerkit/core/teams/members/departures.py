"""End a person's memberships in the teams of others, and take unverified addresses back."""

from dataclasses import replace
from typing import Protocol
from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, delete, select

from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.credentials.mailed_links import links
from ledgerkit.core.platform.credentials.mailed_links.links import Purpose
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import enter
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.table import UserRow, app_user, membership
from ledgerkit.core.platform.request.context import Actor, Context
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.core.teams.members import roster


class EndedMembershipRow(Row):
    id: UUID
    role: str


_BY_EMAIL = Prepared(select(app_user).where(app_user.c.email == bindparam("email", type_=Text)), UserRow)
_LEAVE = Prepared(
    delete(membership)
    .where(
        membership.c.account_id == bindparam("account", type_=Uuid),
        membership.c.user_id == bindparam("user", type_=Uuid),
    )
    .returning(membership.c.id, membership.c.role),
    EndedMembershipRow,
)


class Leaver(Protocol):
    """The person who leaves."""

    @property
    def id(self) -> UUID: ...
    @property
    def name(self) -> str: ...
    @property
    def email(self) -> str: ...


async def release_unverified(ctx: Context, email: str) -> None:
    """Take an address from a user who registered it and never verified it, with their access and other teams.

    Does nothing when nobody has the address, or its verified owner. Leaves the transaction in no account.
    """
    user = await _BY_EMAIL.row(ctx.db, email=email)
    if user is None or user.email_verified:
        return
    await leave_teams_of_others(ctx, user)
    locked_user = await persons.lock(ctx.db, user.id)
    if locked_user is None or locked_user.email_verified or locked_user.email != email:
        return  # verified meanwhile: the address is taken, and the caller's insert says so
    await links.void(ctx.db, user.id, *Purpose)
    await persons.release_address(ctx.db, user.id)


async def leave_teams_of_others(ctx: Context, person: Leaver) -> None:
    """End a person's memberships in all teams that they do not own.

    Their tasks become unassigned; their records stay. Leaves the transaction in no account.
    """
    of_others = membership.c.user_id == person.id, membership.c.role != Role.OWNER.value
    query = select(membership.c.account_id).where(*of_others).order_by(membership.c.account_id)
    for account_id in (await ctx.db.scalars(query)).all():
        await _leave(ctx, account_id, person)
    await enter(ctx.db, None)


async def _leave(ctx: Context, account_id: UUID, person: Leaver) -> None:
    profile = await roster.lock_open(ctx, account_id)
    if profile is None:
        return
    await enter(ctx.db, account_id)  # for the tasks that the membership's end unassigns, and for the log
    membership_row = await _LEAVE.row(ctx.db, account=account_id, user=person.id)
    if membership_row is None:
        return
    role = Role(membership_row.role)
    actor = Actor(
        user_id=person.id,
        user_name=person.name,
        email=person.email,
        role=role,
        permissions=ROLE_PERMISSIONS[role],
        account=profile,
    )
    changes = {"role": (membership_row.role, None)}
    await approvals.reject_those_of(replace(ctx, who=actor), person.id)
    await activity.record(replace(ctx, who=actor), "left", ("member", membership_row.id), person.name, changes)
