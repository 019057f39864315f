"""People part with teams: whose account goes, and whose address was never theirs."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select

from ledgerkit.core.activity import service as activity
from ledgerkit.core.credentials import links
from ledgerkit.core.credentials.links import Purpose
from ledgerkit.core.database.transactions import enter
from ledgerkit.core.identity import persons
from ledgerkit.core.identity.models import app_user, membership
from ledgerkit.core.request.context import Actor, Context
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.core.teams import roster


async def release_unverified(ctx: Context, email: str) -> None:
    """Take an address from whoever registered it without ever proving it, with every way in and every team of others.

    Nothing to do when nobody has it, or its proven owner. Leaves the transaction in no account.
    """
    person = (await ctx.db.execute(select(app_user).where(app_user.c.email == email))).one_or_none()
    if person is None or person.email_verified:
        return
    await leave_teams_of_others(ctx, person)
    now = await persons.lock(ctx.db, person.id)
    if now is None or now.email_verified or now.email != email:
        return  # proven in this very moment: the address is taken, and the caller's insert says so
    await links.void(ctx.db, person.id, *Purpose)
    await persons.release_address(ctx.db, person.id)


async def leave_teams_of_others(ctx: Context, person: Any) -> None:
    """End every membership of a person (columns of `app_user`) in teams that are not their own.

    Their tasks become unassigned, what they made stays. Leaves the transaction in no account.
    """
    theirs = membership.c.user_id == person.id, membership.c.role != Role.OWNER.value
    query = select(membership.c.account_id).where(*theirs).order_by(membership.c.account_id)
    for account_id in (await ctx.db.execute(query)).scalars().all():
        await _leave(ctx, account_id, person)
    await enter(ctx.db, None)


async def _leave(ctx: Context, account_id: UUID, person: Any) -> None:
    profile = await roster.lock_open(ctx, account_id)
    if profile is None:
        return
    mine = membership.c.account_id == account_id, membership.c.user_id == person.id
    await enter(ctx.db, account_id)  # for the tasks that the membership's end unassigns, and for the log
    statement = delete(membership).where(*mine).returning(membership.c.id, membership.c.role)
    gone = (await ctx.db.execute(statement)).one_or_none()
    if gone is None:
        return
    role = Role(gone.role)
    actor = Actor(
        user_id=person.id,
        user_name=person.name,
        email=person.email,
        role=role,
        permissions=ROLE_PERMISSIONS[role],
        account=profile,
    )
    await activity.record(
        replace(ctx, who=actor), "left", ("member", gone.id), person.name, {"role": (gone.role, None)}
    )
