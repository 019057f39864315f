"""The members of a team: list them, change their roles, part with them."""

from functools import cache
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, bindparam, delete, func, select, update

from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.paging import Page, PageRequest, PageRow, fetch_page, page_statement
from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.identity import accounts
from ledgerkit.core.identity.models import app_user, membership
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission, Role
from ledgerkit.core.teams import roster
from ledgerkit.core.teams.schemas import MemberAnswer, RoleChange
from ledgerkit.problems import Code, Invalid, NotFound, bilingual


@operation(Permission.TEAM_READ, name="teams.members.listing", unit=Unit.READING, errors=[(NotFound, {Code.NO_TEAM})])
async def listing(ctx: Context, page: PageRequest) -> Page:
    """The team's members in the order of joining. Raises NotFound NO_TEAM in a personal workspace."""
    roster.require_team(ctx.account)
    return await fetch_page(ctx.db, _list_statement(), page, team=ctx.account.id)


@operation(
    Permission.TEAM_WRITE,
    name="teams.members.change_role",
    errors=[(Invalid, {Code.OWNER_PROTECTED}), (NotFound, {Code.NO_TEAM})],
    effects=Effect.IDEMPOTENT,
)
async def change_role(ctx: Context, member_id: str, data: RoleChange) -> MemberAnswer:
    """Give a member another role, which counts from their next request on.

    `member_id` is the membership's id or the user's. Nobody becomes an owner. Raises NotFound, Invalid OWNER_PROTECTED.
    """
    roster.require_team(ctx.account)
    await roster.lock(ctx, ctx.account.id)
    row = await roster.member(ctx, member_id)
    _protect_owner(row.role, "keeps that role", "conserva ese rol")
    if row.role != data.role:
        await ctx.db.execute(update(membership).where(membership.c.id == row.id).values(role=data.role))
        changes = {"role": (row.role, data.role)}
        await activity.record(ctx, "role_changed", ("member", row.id), row.name, changes)
    return MemberAnswer(member=roster.as_member(row).model_copy(update={"role": data.role}))


@operation(
    Permission.TEAM_READ,
    name="teams.members.remove",
    errors=[(Invalid, {Code.OWNER_PROTECTED}), (NotFound, {Code.NO_TEAM})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
)
async def remove(ctx: Context, member_id: str) -> None:
    """Part with a member; removing oneself is leaving, and open to every role.

    Their key and tokens stop opening the team at once and open their personal workspace instead; what they made
    stays. Raises Forbidden, NotFound, Invalid OWNER_PROTECTED.
    """
    roster.require_team(ctx.account)
    await _require_rights_over(ctx, member_id)
    await roster.lock(ctx, ctx.account.id)
    row = await roster.member(ctx, member_id)
    _protect_owner(row.role, "cannot leave it", "no puede dejarlo")
    await ctx.db.execute(delete(membership).where(membership.c.id == row.id))
    await roster.void_invitations(ctx, row.email)
    await _send_home(ctx, row.user_id)
    action = "left" if row.user_id == ctx.actor.user_id else "removed"
    await activity.record(ctx, action, ("member", row.id), row.name, {"role": (row.role, None)})


async def _require_rights_over(ctx: Context, member_id: str) -> None:
    """Those of an admin, unless it is the actor's own membership. Raises Forbidden, whoever `member_id` may be."""
    if ctx.actor.may(Permission.TEAM_WRITE):
        return
    own = select(membership.c.id).where(
        membership.c.account_id == ctx.account.id, membership.c.user_id == ctx.actor.user_id
    )
    mine = {str((await ctx.db.execute(own)).scalar_one_or_none()), str(ctx.actor.user_id)}
    if member_id.lower() not in mine:
        ctx.require(Permission.TEAM_WRITE)


def _protect_owner(role: str, english: str, spanish: str) -> None:
    if role == Role.OWNER.value:
        raise bilingual(
            Invalid,
            (f"The team's owner {english}.", "Choose another member; who founded the team stays its owner."),
            (f"El propietario del equipo {spanish}.", "Elige a otro miembro; quien fundó el equipo sigue siéndolo."),
            code=Code.OWNER_PROTECTED,
        )


async def _send_home(ctx: Context, user_id: UUID) -> None:
    """Let the user who has left work in their personal workspace; in a fresh one where a team has taken theirs over.

    Not in another of their teams: what a program still sends would be written into the wrong books.
    """
    query = select(app_user).where(app_user.c.id == user_id).with_for_update(key_share=True)
    person = (await ctx.db.execute(query)).mappings().one()
    if person["active_account_id"] != ctx.account.id:
        return
    home = await accounts.personal_of(ctx.db, user_id)
    if home is None:
        home = await accounts.found_personal(ctx.db, person)
        await accounts.own(ctx.db, home, user_id)
    await ctx.db.execute(update(app_user).where(app_user.c.id == user_id).values(active_account_id=home))


@cache
def _list_statement() -> Prepared[PageRow]:
    of_team: ColumnElement[bool] = membership.c.account_id == bindparam("team", type_=Uuid)
    rows = (
        select(
            wire_column("id", membership.c.id),
            wire_column("user_id", membership.c.user_id),
            wire_column("name", app_user.c.name),
            wire_column("email", app_user.c.email),
            wire_column("role", membership.c.role),
            wire_column("joined_at", wire_time(membership.c.joined_at)),
            wire_column("invited_by", membership.c.invited_by),
            wire_column("last_active_at", wire_time(membership.c.last_active_at)),
        )
        .join(app_user, app_user.c.id == membership.c.user_id)
        .where(of_team)
        .order_by(membership.c.id)
    )
    return page_statement(rows, select(func.count()).select_from(membership).where(of_team).scalar_subquery())
