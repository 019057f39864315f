"""Who belongs to a team: the rows behind every change of it, and the lock under which they change."""

from typing import Any
from uuid import UUID

from sqlalchemy import or_, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.database.ids import missing, new_id
from ledgerkit.core.identity.authentication import profile
from ledgerkit.core.identity.models import account, app_user, invitation, membership
from ledgerkit.core.request.context import AccountProfile, Context
from ledgerkit.core.teams.messages import TeamsMsg
from ledgerkit.core.teams.schemas import TeamMember
from ledgerkit.problems import Code, NotFound


def require_team(found: AccountProfile) -> None:
    """Raises NotFound NO_TEAM in a personal workspace."""
    if not found.is_team:
        raise NotFound(TeamsMsg.NO_TEAM, code=Code.NO_TEAM)


async def lock(ctx: Context, account_id: UUID) -> AccountProfile:
    """The team as it is, under a lock: who changes its members waits here for the one before.

    Taken before the locks of memberships and users, and for several teams in the order of their ids. The team's
    records may be read and written meanwhile. Raises NotFound NO_TEAM for one that has been closed.
    """
    found = await lock_open(ctx, account_id)
    if found is None:
        raise NotFound(TeamsMsg.CLOSED, code=Code.NO_TEAM)
    return found


async def lock_open(ctx: Context, account_id: UUID) -> AccountProfile | None:
    """Lock a team as `lock` does, and give None for one that has been closed."""
    query = select(account).where(account.c.id == account_id, account.c.closed_at.is_(None))
    row = (await ctx.db.execute(query.with_for_update(key_share=True))).one_or_none()
    return None if row is None else profile(row)


def members(ctx: Context) -> Any:
    """The team's memberships with their person's name and address, in the order of joining."""
    person = (app_user.c.name, app_user.c.email)
    query = select(membership, *person).join(app_user, app_user.c.id == membership.c.user_id)
    return query.where(membership.c.account_id == ctx.account.id).order_by(membership.c.id)


async def member(ctx: Context, member_id: str) -> Any:
    """The team's member of this membership id or user id. Raises NotFound."""
    try:
        known = UUID(member_id)
    except ValueError:
        raise missing("member", member_id) from None
    either = or_(membership.c.id == known, membership.c.user_id == known)
    row = (await ctx.db.execute(members(ctx).where(either))).one_or_none()
    if row is None:
        raise missing("member", member_id)
    return row


def as_member(row: Any) -> TeamMember:
    return TeamMember(
        id=str(row.id),
        user_id=str(row.user_id),
        name=row.name,
        email=row.email,
        role=row.role,
        joined_at=row.joined_at,
        invited_by=None if row.invited_by is None else str(row.invited_by),
        last_active_at=row.last_active_at,
    )


async def join(ctx: Context, account_id: UUID, user_id: UUID, role: str, invited_by: UUID | None) -> UUID | None:
    """The new membership's id, None when the user belongs to the team already. Call it under `lock`."""
    row = {"id": new_id(), "account_id": account_id, "user_id": user_id, "role": role, "invited_by": invited_by}
    statement = insert(membership).values(row).on_conflict_do_nothing(index_elements=["account_id", "user_id"])
    made: UUID | None = (await ctx.db.execute(statement.returning(membership.c.id))).scalar_one_or_none()
    return made


async def void_invitations(ctx: Context, email: str, *, before: UUID | None = None) -> None:
    """The address's open invitations to this team open nothing any more; with `before`, those made before that one.

    Of several under way at once, the last one stays: ids are made under `lock`, in its order.
    """
    older = update(invitation).where(
        invitation.c.account_id == ctx.account.id, invitation.c.email == email, invitation.c.state == "open"
    )
    if before is not None:
        older = older.where(invitation.c.id < before)
    await ctx.db.execute(older.values(state="replaced"))
