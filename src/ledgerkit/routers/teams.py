"""/api/teams."""

from fastapi import Request, Response

from ledgerkit.core.platform.api_types.list_pages import UNPAGED_SIZE
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.core.teams import operations as teams
from ledgerkit.core.teams.api import (
    CurrentTeam,
    InvitationInput,
    Invited,
    MemberAnswer,
    MyRole,
    NewKey,
    PendingInvitation,
    RoleChange,
    RoleRights,
    Team,
    TeamAnswer,
    TeamChange,
    TeamInput,
    TeamMember,
    UsualTaxRate,
)
from ledgerkit.core.teams.invitations import operations as invitations
from ledgerkit.core.teams.members import operations as members
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, listed, paged, tagged, whole
from ledgerkit.routers.routing import PICTURE, Router

router = Router(
    prefix="/api/teams",
    tags=["Teams"],
    about="The account in whose name invoices are issued, its members and their roles.",
)


@router.post("", operation=teams.create, operation_id="createTeam", max_body_size=PICTURE, status_code=201)
async def create_team(ctx: Ctx, data: TeamInput) -> Team:
    """Create a team and make it the active one. The first one takes over the personal workspace with its data."""
    return tagged(ctx, await teams.create(ctx, data))


@router.get("/current", operation=teams.current, operation_id="getCurrentTeam")
async def get_current_team(ctx: Ctx) -> CurrentTeam:
    """Return the active team and its members."""
    answer = await teams.current(ctx)
    tagged(ctx, answer.team)
    return answer


@router.post(
    "/current", operation=teams.set_up, operation_id="setUpCurrentTeam", max_body_size=PICTURE, status_code=201
)
async def set_up_current_team(ctx: Ctx, data: TeamInput) -> TeamAnswer:
    """Make the personal workspace that one works in a team, with its data. The answer has no key."""
    answer = await teams.set_up(ctx, data)
    tagged(ctx, answer.team)
    return answer


@router.put("/current", operation=teams.update_current, operation_id="updateCurrentTeam", max_body_size=PICTURE)
async def update_current_team(ctx: Ctx, data: TeamChange) -> TeamAnswer:
    """Change the team's profile: name, tax id and address as invoices print them. Owner or admin."""
    answer = await teams.update_current(ctx, data)
    tagged(ctx, answer.team)
    return answer


@router.post("/current/invite", operation=invitations.invite, operation_id="inviteMember", status_code=201)
async def invite_member(ctx: Ctx, data: InvitationInput) -> Invited:
    """Make a registered user a member. Another address is mailed an invitation, and the answer is a 404."""
    return await invitations.invite(ctx, data)


@router.get(
    "/current/invitations",
    operation=invitations.pending,
    operation_id="listInvitations",
    response_model=list[PendingInvitation],
)
async def list_invitations(ctx: Ctx, request: Request, page: PageNumber = None, limit: Limit = None) -> Response:
    """List the invitations that can still be used, the newest first. Owner or admin."""
    return listed(request, await invitations.pending(ctx, paged(page, limit, unasked=UNPAGED_SIZE)))


@router.get(
    "/current/members", operation=members.list_members, operation_id="listMembers", response_model=list[TeamMember]
)
async def list_members(ctx: Ctx, request: Request, page: PageNumber = None, limit: Limit = None) -> Response:
    """List the members of the active team in the order of joining."""
    return listed(request, await members.list_members(ctx, paged(page, limit, unasked=UNPAGED_SIZE)))


@router.patch("/current/members/{memberId}/role", operation=members.change_role, operation_id="changeMemberRole")
async def change_member_role(ctx: Ctx, memberId: str, data: RoleChange) -> MemberAnswer:  # noqa: N803 - the wire's name
    """Give a member another role. Owner or admin; the owner's role stays."""
    return await members.change_role(ctx, memberId, data)


@router.delete("/current/members/{memberId}", operation=members.remove_member, operation_id="removeMember")
async def remove_member(ctx: Ctx, memberId: str) -> Ok:  # noqa: N803 - the parameter's name on the wire
    """Remove a member (owner or admin), or leave the team oneself."""
    await members.remove_member(ctx, memberId)
    return Ok()


@router.post("/current/regenerate-key", operation=teams.regenerate_key, operation_id="regenerateTeamKey")
async def regenerate_key(ctx: Ctx) -> NewKey:
    """Replace the team's API key; the old one is void at once. Owner only."""
    return await teams.regenerate_key(ctx)


@router.post("/switch/{teamId}", operation=teams.switch, operation_id="switchTeam")
async def switch_team(ctx: Ctx, teamId: str) -> TeamAnswer:  # noqa: N803 - the parameter's name on the wire
    """Make another team of the user the active one."""
    return await teams.switch(ctx, teamId)


@router.get("/my-teams", operation=teams.my_teams, operation_id="listMyTeams")
async def list_my_teams(ctx: Ctx) -> list[Team]:
    """List all teams of the user, each with the user's role and a mark for the active one."""
    return whole(ctx, await teams.my_teams(ctx))


@router.get("/my-role", operation=teams.my_role, operation_id="getMyRole")
async def get_my_role(ctx: Ctx) -> MyRole:
    """Return the user's role in the active team."""
    return await teams.my_role(ctx)


@router.get("/usual-tax-rate", operation=teams.usual_tax_rate, operation_id="getUsualTaxRate")
async def get_usual_tax_rate(ctx: Ctx) -> UsualTaxRate:
    """Return the tax rate of lines without one: that of the active team, else today's general rate of its country."""
    return await teams.usual_tax_rate(ctx)


@router.get("/roles", operation=members.roles, operation_id="listRoles")
async def list_roles(ctx: Ctx) -> list[RoleRights]:
    """List all roles with what each may do."""
    return whole(ctx, await members.roles(ctx))
