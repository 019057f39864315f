"""Tools about the team, its members and their roles."""

from functools import partial
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.teams import operations as teams
from ledgerkit.core.teams.api import InvitationInput, RoleChange
from ledgerkit.core.teams.invitations import operations as invitations
from ledgerkit.core.teams.members import operations as members
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.shapes import Confirmable, PageQuery, body_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.problems import Code, NotFound

_INVITATION = ("id", "email", "role", "invitedAt", "expiresAt")


class Invitation(Confirmable, InvitationInput):
    """The person to invite, and the role."""


class MemberId(Confirmable):
    """The member to remove."""

    member_id: Annotated[ShortText, Field(min_length=1)]


class NewRole(MemberId, RoleChange):
    """A member and another role."""


class TeamQuery(PageQuery):
    """The team, or a further page of the pending invitations."""

    @property
    def listed(self) -> str:
        return "pendingInvitations"

    @property
    def counted(self) -> str:
        return "pendingInvitationCount"


async def _team(ctx: Context, query: TeamQuery) -> Json:
    async with ctx.reading() as inner:
        if query.cursor:
            return await _pending(inner, query)
        current = as_json(await teams.current(inner)) if ctx.account.is_team else {"team": None, "members": []}
        role = await teams.my_role(inner)
        invited = await _pending(inner, query) if ctx.account.is_team else {}
        my_teams = await teams.my_teams(inner)
    memberships = [
        {"id": team.id, "name": team.name, "role": team.role, "isActive": team.is_active} for team in my_teams
    ]
    return {**current, **invited, "myRole": role.role, "myTeams": memberships}


async def _pending(ctx: Context, query: TeamQuery) -> Json:
    """Return a page of the pending invitations; nothing where the caller's role may not see them."""
    if not ctx.actor.may(Permission.INVITATIONS_READ):
        return {}
    page = await paged(partial(invitations.pending, ctx), query, _INVITATION)
    return {query.listed: page["items"], query.counted: page["total"], "nextCursor": page["nextCursor"]}


async def _invite(ctx: Context, arguments: Invitation) -> Json:
    """Return the new member, or the invitation that was mailed to an address without an account.

    REST answers the latter with 404, which an assistant would take for a failure and invite again.
    """
    try:
        return {**as_json(await invitations.invite(ctx, body_of(InvitationInput, arguments))), "invitation": None}
    except NotFound as problem:
        if problem.code is not Code.USER_NOT_REGISTERED:
            raise
        outcome = problem.text.message.in_language(ctx.request_metadata.language)
        return {"member": None, "invitation": problem.extra["invitation"], "message": outcome}


def _invitation(answer: Json) -> Json:
    """Return what a preview shows: the member, or of REST's problem the invitation that would be mailed."""
    return {"invitation": answer["invitation"]} if answer.get("code") == Code.USER_NOT_REGISTERED else answer


TOOLS = (
    Tool(
        name="get_team",
        title="Team and members (equipo)",
        description=(
            "Read the team: members with roles and ids, your role, your other teams, profile with NIF, address, IBAN "
            "and default IVA (nif dirección dime cuenta nuestro cif fiscal tengo nombre razón tenemos banco régimen; "
            "logo got name address iban own details down number bank registered show account autónomo phone business "
            "file right invoices see)."
        ),
        scope=Scope.READ,
        operations=(teams.current, teams.my_role, teams.my_teams, invitations.pending),
        arguments=TeamQuery,
        is_long=True,
        run=_team,
    ),
    Tool(
        name="invite_member",
        title="Invite to the team (dar acceso)",
        description=(
            "Invite a person by e-mail with a role (pueda entrar gestor nuevo programa dale correo usuario socio "
            "abre; get login accountant new wife set want see books give able bookkeeper only start into partner "
            "hire user). A registered address joins at once; another is mailed an invitation."
        ),
        scope=Scope.TEAM,
        operations=(invitations.invite,),
        arguments=Invitation,
        run=_invite,
        previewed=_invitation,
    ),
    Tool(
        name="remove_member",
        title="Remove a member (echar)",
        description=(
            "Remove a member from the team, or leave it oneself; their records stay (entrar trabajo pueda acceso "
            "quita gestoría gestor nada corte vea hoy socio; off old take get login able lock revoke left longer "
            "kick shut still see finished today user now over should). memberId: get_team."
        ),
        scope=Scope.TEAM,
        operations=(members.remove_member,),
        arguments=MemberId,
        run=lambda ctx, arguments: members.remove_member(ctx, arguments.member_id),
    ),
    Tool(
        name="set_member_role",
        title="Change a member role (permisos)",
        description=(
            "Give a member another role: admin, finance, operations, member or viewer; their powers change at once "
            "(solo pueda administradora gestor pon vea impuestos ver poder sube; only should look able make now bump "
            "see thing else limited manager restrict hand full much invoices). memberId: get_team."
        ),
        scope=Scope.TEAM,
        operations=(members.change_role,),
        arguments=NewRole,
        run=lambda ctx, arguments: members.change_role(ctx, arguments.member_id, body_of(RoleChange, arguments)),
    ),
)
