"""/api/teams."""

from fastapi import APIRouter

from ledgerkit.core.teams import service as teams
from ledgerkit.core.teams.schemas import CurrentTeam, MyRole, Team, TeamAnswer, TeamChange, TeamInput
from ledgerkit.routers.deps import Ctx, tagged

router = APIRouter(prefix="/api/teams", tags=["Teams"])


@router.post("", operation_id="createTeam", status_code=201)
async def create_team(ctx: Ctx, data: TeamInput) -> Team:
    """Create a team and work in it. The first one takes over the personal workspace with its data."""
    return tagged(ctx, await teams.create(ctx, data))


@router.get("/current", operation_id="getCurrentTeam")
async def get_current_team(ctx: Ctx) -> CurrentTeam:
    """The active team and its members."""
    answer = await teams.current(ctx)
    tagged(ctx, answer.team)
    return answer


@router.put("/current", operation_id="updateCurrentTeam")
async def update_current_team(ctx: Ctx, data: TeamChange) -> TeamAnswer:
    """Change the team's profile: name, tax id and address as invoices print them. Owner or admin."""
    answer = await teams.update_current(ctx, data)
    tagged(ctx, answer.team)
    return answer


@router.post("/switch/{teamId}", operation_id="switchTeam")
async def switch_team(ctx: Ctx, teamId: str) -> TeamAnswer:  # noqa: N803 - the parameter's name on the wire
    """Make another of one's teams the active one."""
    return await teams.switch(ctx, teamId)


@router.get("/my-teams", operation_id="listMyTeams")
async def list_my_teams(ctx: Ctx) -> list[Team]:
    """All teams one belongs to, each with one's role and whether it is active."""
    return await teams.mine(ctx)


@router.get("/my-role", operation_id="getMyRole")
async def get_my_role(ctx: Ctx) -> MyRole:
    """One's role in the active team."""
    return await teams.my_role(ctx)
