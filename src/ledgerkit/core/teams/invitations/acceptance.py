"""Join teams by an invitation: its token proves the address, so all open invitations to that address are accepted.

Registering with the address alone joins no team, because anybody can type an address.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import ColumnElement, DateTime, Text, Uuid, and_, bindparam, exists, select, update

from ledgerkit import clock
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.validation import invalid
from ledgerkit.core.platform.credentials import operations as credentials
from ledgerkit.core.platform.credentials.mailed_links.mails import FORGOTTEN
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.transactions import enter, retry_on_conflict
from ledgerkit.core.platform.identity import operations as identity
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.api import AuthResponse, Credentials, Registration
from ledgerkit.core.platform.identity.persons.passwords import PASSWORD_ERRORS
from ledgerkit.core.platform.identity.table import InvitationRow, account, app_user, invitation, membership
from ledgerkit.core.platform.request.context import Actor, Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role, roles_with
from ledgerkit.core.teams.invitations.operations import hashed
from ledgerkit.core.teams.members import departures, roster
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import (
    Code,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Problem,
    RateLimited,
    Unauthenticated,
    Unavailable,
)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


class Holder(StrEnum):
    """Holder of an invited address: nobody, its verified owner, or a user who has never verified it."""

    NOBODY = "nobody"
    VERIFIED = "verified"
    UNVERIFIED = "unverified"


class AccountChoice(StrEnum):
    """Answer of the invited person about an unverified account with their address: it is theirs, or begin a new one."""

    MINE = "mine"
    NEW = "new"


@dataclass(frozen=True, kw_only=True)
class Welcome:
    """An invitation as its holder may see it; `forgotten` is the address of the page that asks for another password."""

    email: str
    team: str
    role: str
    country: str
    currency: str
    holder: Holder
    forgotten: str


@dataclass(frozen=True)
class Entry:
    """Result of accepting an invitation; `refusal` is the reason why it failed, None when it succeeded."""

    offer: Welcome
    refusal: Problem | None


class _OfferRow(Row):
    """An open invitation with its team; `user_id` is null where nobody is registered with its address."""

    email: str
    role: str
    name: str
    company: str | None
    country: str
    currency: str
    user_id: UUID | None
    email_verified: bool | None


class _InviteeNameRow(Row):
    name: str
    email: str


def _is_open() -> ColumnElement[bool]:
    """Return the condition that an invitation is open, at the moment of the parameter `now`.

    It was not used, replaced or expired, and was made by the team's key or by a member who may still invite: otherwise
    an admin could come back after being removed, by an invitation to another address of theirs.
    """
    inviting = [constant(role.value) for role in roles_with(Permission.TEAM_WRITE)]
    inviter_may_invite = exists().where(
        membership.c.account_id == invitation.c.account_id,
        membership.c.user_id == invitation.c.invited_by,
        membership.c.role.in_(inviting),
    )
    return and_(
        invitation.c.state == "open",
        invitation.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
        invitation.c.invited_by.is_(None) | inviter_may_invite,
    )


_OFFER = Prepared(
    select(
        invitation.c.email,
        invitation.c.role,
        account.c.name,
        account.c.company,
        account.c.country,
        account.c.currency,
        app_user.c.id.label("user_id"),
        app_user.c.email_verified,
    )
    .join(account, account.c.id == invitation.c.account_id)
    .outerjoin(app_user, app_user.c.email == invitation.c.email)
    .where(invitation.c.token_hash == bindparam("token_hash", type_=Text), _is_open()),
    _OfferRow,
)
_INVITEE_NAME = Prepared(
    select(app_user.c.name, app_user.c.email).where(app_user.c.id == bindparam("user", type_=Uuid)), _InviteeNameRow
)
_TO_ADDRESS = and_(invitation.c.email == bindparam("email", type_=Text), _is_open())
_OPEN_LOCKED = Prepared(
    select(invitation).where(_TO_ADDRESS).order_by(invitation.c.account_id, invitation.c.id.desc()).with_for_update(),
    InvitationRow,
)
_INVITING_TEAMS = select(invitation.c.account_id).where(_TO_ADDRESS).distinct().order_by(invitation.c.account_id)


@operation(
    Permission.PUBLIC,
    unit=Unit.OWN,
    errors=[
        (Invalid, {Code.EMAIL_TAKEN, Code.INVITATION_INVALID}),
        (Forbidden, {Code.REGISTRATION_CLOSED}),
        (Conflict, {Code.IDEMPOTENCY_CONFLICT}),
        *PASSWORD_ERRORS,
    ],
)
async def register(ctx: Context, data: Registration) -> AuthResponse:
    """Create a user and log them in; with an invitation's token they join the teams that invited the address.

    An invited person may register where registration is closed, because a member of this server invited them.
    With `replace_unverified` an account of that address which was never verified loses it: the token proves whose the
    address is. Raises Forbidden REGISTRATION_CLOSED, Invalid EMAIL_TAKEN or INVITATION_INVALID, RateLimited; under
    an idempotency key Conflict.
    """
    return await identity.register_idempotently(ctx, data, lambda: _register(ctx, data))


async def _register(ctx: Context, data: Registration) -> AuthResponse:
    if data.invitation_token is None:
        return await identity.register(ctx, data, credentials.greet)
    token = data.invitation_token
    await _open_invitation(ctx, token, data.email)

    async def release_address(inner: Context) -> None:
        if data.replace_unverified:
            await departures.release_unverified(inner, data.email)

    async def join(inner: Context, user_id: UUID) -> None:
        await _join(inner, token, user_id)

    return await identity.create_user(ctx, data, join, release_address)


@operation(
    Permission.PUBLIC,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.INVITATION_INVALID}), (Unauthenticated, {Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS],
)
async def login(ctx: Context, data: Credentials) -> AuthResponse:
    """Log in as `identity.login` does; with an invitation's token also join the teams that invited the address."""
    answer = await identity.login(ctx, data)
    token = data.invitation_token
    if token is None:
        return answer
    await _open_invitation(ctx, token, answer.user.email)

    async def attempt() -> UUID:
        async with ctx.transaction() as inner:
            return await _join(inner, token, UUID(answer.user.id))

    team_id = await retry_on_conflict(attempt)
    user = answer.user.model_copy(update={"active_team_id": str(team_id), "email_verified": True})
    return answer.model_copy(update={"user": user})


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def welcome(ctx: Context, token: str) -> Welcome:
    """Return the offer of an invitation. Raises NotFound INVITATION_INVALID."""
    offer = await _offer(ctx, token)
    if offer is None:
        raise _not_found()
    return Welcome(
        email=offer.email,
        team=offer.company or offer.name,
        role=offer.role,
        country=offer.country,
        currency=offer.currency,
        holder=_holder(offer),
        forgotten=f"{ctx.settings.public_url}/{FORGOTTEN}",
    )


def _holder(offer: _OfferRow) -> Holder:
    if offer.user_id is None:
        return Holder.NOBODY
    return Holder.VERIFIED if offer.email_verified else Holder.UNVERIFIED


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def accept_invitation(
    ctx: Context, token: str, password: str, name: str | None, choice: AccountChoice | None
) -> Entry:
    """Accept an invitation with a password: as a new user called `name`, or as the registered one.

    `choice` decides between the two where the address is registered and was never verified.
    An error that the user can correct is part of the result. Raises NotFound INVITATION_INVALID.
    """
    offer = await welcome(ctx, token)
    replaces = offer.holder is Holder.UNVERIFIED and choice is AccountChoice.NEW
    is_new = replaces or offer.holder is Holder.NOBODY
    try:
        await (_sign_up(ctx, offer, token, password, name) if is_new else _enter(ctx, offer, token, password))
    except (Invalid, Unauthenticated, RateLimited, Unavailable) as refusal:
        if refusal.code is Code.INVITATION_INVALID:
            raise _not_found() from refusal
        if refusal.code is Code.DATABASE_UNAVAILABLE:
            raise
        return Entry(offer, refusal)
    except ValidationError as error:
        return Entry(offer, invalid(error.errors()))
    return Entry(offer, None)


async def _enter(ctx: Context, offer: Welcome, token: str, password: str) -> None:
    await login(ctx, Credentials(email=offer.email, password=password, invitation_token=token))


async def _sign_up(ctx: Context, offer: Welcome, token: str, password: str, name: str | None) -> None:
    registration = Registration(
        email=offer.email,
        password=password,
        name=name,
        country=offer.country,
        currency=offer.currency,
        invitation_token=token,
        replace_unverified=offer.holder is Holder.UNVERIFIED,
    )
    await register(ctx, registration)


async def _open_invitation(ctx: Context, token: str, email: str) -> None:
    """Refuse a token whose invitation is not open, or is not for this address. Raises Invalid INVITATION_INVALID."""
    offer = await _offer(ctx, token)
    if offer is None or offer.email != email:
        raise _invalid()


async def _offer(ctx: Context, token: str) -> _OfferRow | None:
    """Return the open invitation of a token with its team and the user of its address; None when there is none."""
    if not _TOKEN.fullmatch(token):
        return None
    return await identity_queries.fetch_row(ctx.kernel, _OFFER, token_hash=hashed(token), now=clock.now())


async def _join(ctx: Context, token: str, user_id: UUID) -> UUID:
    """Make the user a member of every team with an open invitation to their address; activate the token's team.

    Returns that team's id. Raises Invalid INVITATION_INVALID when the invitation was used or replaced meanwhile.
    """
    invitee = await _INVITEE_NAME.one(ctx.db, user=user_id)
    parameters = {"email": invitee.email, "now": clock.now()}
    team_ids = (await ctx.db.scalars(_INVITING_TEAMS, parameters)).all()
    locked = [await roster.lock_open(ctx, team_id) for team_id in team_ids]
    profiles = [profile for profile in locked if profile is not None]
    invitations = await _OPEN_LOCKED.rows(ctx.db, **parameters)
    used = next((row for row in invitations if row.token_hash == hashed(token)), None)
    if used is None:
        raise _invalid()
    offers = {team_id: next(rows) for team_id, rows in groupby(invitations, key=lambda row: row.account_id)}
    offers[used.account_id] = used
    for profile in profiles:
        if profile.id in offers:
            actor = Actor(
                user_id=user_id,
                user_name=invitee.name,
                email=invitee.email,
                role=Role.MEMBER,
                permissions=ROLE_PERMISSIONS[Role.MEMBER],
                account=profile,
            )
            await _become_member(replace(ctx, who=actor), offers[profile.id])
    accepted = invitation.c.id.in_([row.id for row in invitations])
    await ctx.db.execute(update(invitation).where(accepted).values(state="joined"))
    verified = {"active_account_id": used.account_id, "email_verified": True}
    await ctx.db.execute(update(app_user).where(app_user.c.id == user_id).values(verified))
    return UUID(bytes=used.account_id.bytes)


async def _become_member(ctx: Context, offer: InvitationRow) -> None:
    """Make the actor a member by an invitation; a member keeps the role that they have."""
    user_id = ctx.actor.user_id
    assert user_id is not None  # noqa: S101 - a person accepts
    member_id = await roster.join(ctx, ctx.account.id, user_id, offer.role, offer.invited_by)
    if member_id is not None:
        await enter(ctx.db, ctx.account.id)
        changes = {"role": (None, offer.role)}
        await activity.record(ctx, "joined", ("member", member_id), ctx.actor.user_name, changes)


def _not_found() -> NotFound:
    return NotFound(TeamsMsg.INVITATION_NOT_FOUND, remedy=TeamsMsg.ASK_FOR_INVITATION, code=Code.INVITATION_INVALID)


def _invalid() -> Invalid:
    return Invalid.field(
        "invitationToken",
        TeamsMsg.INVITATION_INVALID,
        remedy=TeamsMsg.ASK_FOR_INVITATION,
        code=Code.INVITATION_INVALID,
    )
