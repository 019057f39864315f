"""The members of a team: list them, change their roles, remove them."""

from functools import cache
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, bindparam, delete, func, select, update

from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import (
    Page,
    PageRequest,
    PageRow,
    PageStatement,
    fetch_page,
    page_statement,
)
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.table import UserRow, app_user, membership
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.core.teams import acts
from ledgerkit.core.teams.api import MemberAnswer, RoleChange, RoleRights
from ledgerkit.core.teams.members import roster
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import Code, Invalid, NotFound


@operation(Permission.TEAM_READ, unit=Unit.READING, errors=[(NotFound, {Code.NO_TEAM})])
async def list_members(ctx: Context, page: PageRequest) -> Page:
    """List the team's members in the order of joining. Raises NotFound NO_TEAM in a personal workspace."""
    roster.require_team(ctx.account)
    return await fetch_page(ctx.db, _list_statement(), page, team=ctx.account.id)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def roles(ctx: Context) -> list[RoleRights]:  # noqa: ARG001 - every operation has a context
    """Return all roles, strongest first, each with what it may do: the table that guards every channel."""
    return [
        RoleRights(role=role, assignable=role is not Role.OWNER, permissions=sorted(ROLE_PERMISSIONS[role]))
        for role in Role
    ]


@operation(
    Permission.TEAM_WRITE,
    errors=[(Invalid, {Code.OWNER_PROTECTED}), (NotFound, {Code.NO_TEAM})],
    effects=Effect.IDEMPOTENT,
    act=acts.ROLE,
)
async def change_role(ctx: Context, member_id: str, data: RoleChange) -> MemberAnswer:
    """Give a member another role, which applies from their next request on.

    `member_id` is the id of the membership or of the user. Nobody becomes an owner. Raises NotFound, Invalid
    OWNER_PROTECTED.
    """
    roster.require_team(ctx.account)
    await roster.lock(ctx, ctx.account.id)
    row = await roster.member(ctx, member_id)
    _protect_owner(row.role, TeamsMsg.OWNER_KEEPS_ROLE)
    if row.role != data.role:
        await ctx.db.execute(update(membership).where(membership.c.id == row.id).values(role=data.role))
        changes = {"role": (row.role, data.role)}
        await activity.record(ctx, "role_changed", ("member", row.id), row.name, changes)
    return MemberAnswer(member=roster.MEMBERS.shape(row).model_copy(update={"role": data.role}))


@operation(
    Permission.TEAM_READ,
    errors=[(Invalid, {Code.OWNER_PROTECTED}), (NotFound, {Code.NO_TEAM})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    act=acts.REMOVAL,
)
async def remove_member(ctx: Context, member_id: str) -> None:
    """Remove a member; every role may remove itself, which is leaving.

    Their key and tokens stop opening the team at once and open their personal workspace instead; their records stay.
    Raises Forbidden, NotFound, Invalid OWNER_PROTECTED.
    """
    roster.require_team(ctx.account)
    await _require_rights_over(ctx, member_id)
    await roster.lock(ctx, ctx.account.id)
    row = await roster.member(ctx, member_id)
    _protect_owner(row.role, TeamsMsg.OWNER_CANNOT_LEAVE)
    await ctx.db.execute(delete(membership).where(membership.c.id == row.id))
    await roster.void_invitations(ctx, row.email)
    await approvals.reject_those_of(ctx, row.user_id)
    await _activate_personal_workspace(ctx, row.user_id)
    action = "left" if row.user_id == ctx.actor.user_id else "removed"
    await activity.record(ctx, action, ("member", row.id), row.name, {"role": (row.role, None)})


async def _require_rights_over(ctx: Context, member_id: str) -> None:
    """Require an admin's rights, unless the membership is the actor's own; credentials must cover them in any case.

    Raises OutOfScope, and Forbidden for any `member_id`.
    """
    ctx.require_scope(Permission.TEAM_WRITE)
    ctx.note_for_others(Permission.TEAM_WRITE)
    if ctx.may(Permission.TEAM_WRITE):
        return
    of_actor = membership.c.account_id == ctx.account.id, membership.c.user_id == ctx.actor.user_id
    actors_ids = {str(await ctx.db.scalar(select(membership.c.id).where(*of_actor))), str(ctx.actor.user_id)}
    if member_id.lower() not in actors_ids:
        ctx.require(Permission.TEAM_WRITE)


def _protect_owner(role: str, reason: TeamsMsg) -> None:
    if role == Role.OWNER.value:
        raise Invalid(reason, remedy=TeamsMsg.CHOOSE_ANOTHER_MEMBER, code=Code.OWNER_PROTECTED)


_LOCKED_USER = Prepared(
    select(app_user).where(app_user.c.id == bindparam("user", type_=Uuid)).with_for_update(key_share=True), UserRow
)


async def _activate_personal_workspace(ctx: Context, user_id: UUID) -> None:
    """Activate the personal workspace of a user who has left; a new one where a team has taken theirs over.

    Never another of their teams: records that a program still sends would go into the wrong account.
    """
    user = await _LOCKED_USER.one(ctx.db, user=user_id)
    if user.active_account_id != ctx.account.id:
        return
    home = await accounts.personal_of(ctx.db, user_id)
    if home is None:
        home = await accounts.create_personal(ctx.db, user)
        await accounts.add_owner(ctx.db, home, user_id)
    await ctx.db.execute(update(app_user).where(app_user.c.id == user_id).values(active_account_id=home))


@cache
def _list_statement() -> PageStatement[PageRow]:
    of_team: ColumnElement[bool] = membership.c.account_id == bindparam("team", type_=Uuid)
    rows = (
        select(*roster.MEMBERS.columns)
        .join(app_user, app_user.c.id == membership.c.user_id)
        .where(of_team)
        .order_by(membership.c.id)
    )
    return page_statement(rows, select(func.count()).select_from(membership).where(of_team).scalar_subquery())
