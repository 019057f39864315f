"""Memberships of a team: their rows, and the lock under which they change."""

from uuid import UUID

from sqlalchemy import Uuid, bindparam, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.platform.database.ids import missing, new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.logins.authentication import profile
from ledgerkit.core.platform.identity.table import (
    MembershipRow,
    StoredAccountRow,
    account,
    app_user,
    invitation,
    membership,
)
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import AccountProfile, Context
from ledgerkit.core.teams.api import TeamMember
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import Code, NotFound


class TeamMemberRow(MembershipRow):
    """A membership with its person's name and address."""

    name: str
    email: str


MEMBERS = Listing(
    membership,
    TeamMember,
    order=[membership.c.id],
    computed={"name": app_user.c.name, "email": app_user.c.email},
)
_LOCK_OPEN = Prepared(
    select(account)
    .where(account.c.id == bindparam("id", type_=Uuid), account.c.closed_at.is_(None))
    .with_for_update(key_share=True),
    StoredAccountRow,
)
_MEMBERS = (
    select(membership, app_user.c.name, app_user.c.email)
    .join(app_user, app_user.c.id == membership.c.user_id)
    .where(membership.c.account_id == bindparam("account", type_=Uuid))
    .order_by(membership.c.id)
)
_ALL = Prepared(_MEMBERS, TeamMemberRow)
_ID = bindparam("id", type_=Uuid)
_ONE = Prepared(_MEMBERS.where(or_(membership.c.id == _ID, membership.c.user_id == _ID)), TeamMemberRow)


def require_team(account_profile: AccountProfile) -> None:
    """Refuse a personal workspace. Raises NotFound NO_TEAM."""
    if not account_profile.is_team:
        raise NotFound(TeamsMsg.NO_TEAM, code=Code.NO_TEAM)


async def lock(ctx: Context, account_id: UUID) -> AccountProfile:
    """Lock a team against other changes of its members, and return its current profile.

    The lock is taken before those of memberships and users, and for several teams in the order of their ids. The
    team's records may be read and written meanwhile. Raises NotFound NO_TEAM for a closed team.
    """
    team = await lock_open(ctx, account_id)
    if team is None:
        raise NotFound(TeamsMsg.CLOSED, code=Code.NO_TEAM)
    return team


async def lock_open(ctx: Context, account_id: UUID) -> AccountProfile | None:
    """Lock a team as `lock` does, and return None for a closed one."""
    row = await _LOCK_OPEN.row(ctx.db, id=account_id)
    return None if row is None else profile(row)


async def members(ctx: Context) -> list[TeamMemberRow]:
    """Return the team's members in the order of joining."""
    return await _ALL.rows(ctx.db, account=ctx.account.id)


async def member(ctx: Context, member_id: str) -> TeamMemberRow:
    """Return the team's member with this membership id or user id. Raises NotFound."""
    try:
        wanted_id = UUID(member_id)
    except ValueError:
        raise missing("member", member_id) from None
    row = await _ONE.row(ctx.db, account=ctx.account.id, id=wanted_id)
    if row is None:
        raise missing("member", member_id)
    return row


async def join(ctx: Context, account_id: UUID, user_id: UUID, role: str, invited_by: UUID | None) -> UUID | None:
    """Add a member and return the membership's id, None when the user is a member already. Call it under `lock`."""
    key = Values(MembershipRow, id=new_id(), account_id=account_id, user_id=user_id)
    row = key | Values(MembershipRow, role=role, invited_by=invited_by)
    statement = insert(membership).values(row).on_conflict_do_nothing(index_elements=["account_id", "user_id"])
    member_id: UUID | None = await ctx.db.scalar(statement.returning(membership.c.id))
    return member_id


async def void_invitations(ctx: Context, email: str, *, before: UUID | None = None) -> None:
    """Void the open invitations of an address to this team; with `before` only those made before that one.

    Of several invitations that are sent at the same time the last one stays: ids are made under `lock`, in its order.
    """
    earlier = update(invitation).where(
        invitation.c.account_id == ctx.account.id, invitation.c.email == email, invitation.c.state == "open"
    )
    if before is not None:
        earlier = earlier.where(invitation.c.id < before)
    await ctx.db.execute(earlier.values(state="replaced"))
