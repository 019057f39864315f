"""Come in by an invitation: its token proves the address it was mailed to, so that all invitations to it are honoured.

Registering with the address alone joins nothing: anybody can type an address.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import exists, select, update

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.validation import invalid
from ledgerkit.core.credentials import service as credentials
from ledgerkit.core.credentials.letters import FORGOTTEN
from ledgerkit.core.database.transactions import enter, retry_on_conflict
from ledgerkit.core.identity import service as identity
from ledgerkit.core.identity.models import account, app_user, invitation, membership
from ledgerkit.core.identity.passwords import PASSWORD_ERRORS
from ledgerkit.core.identity.schemas import AuthResponse, Credentials, Registration
from ledgerkit.core.request.context import Actor, Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Permission, Role, roles_with
from ledgerkit.core.teams import departing, roster
from ledgerkit.core.teams.invitations import hashed
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
    bilingual,
    bilingual_field,
)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_REMEDY, _REMEDIO = "Ask the team for a new invitation.", "Pide al equipo una invitación nueva."


class Holder(StrEnum):
    """Whose an invited address is here: nobody's, its proven owner's, or of somebody who has only typed it."""

    NOBODY = "nobody"
    VERIFIED = "verified"
    UNVERIFIED = "unverified"


class Answer(StrEnum):
    """Answer of the invited person about an account with their address that was never verified."""

    MINE = "mine"
    NEW = "new"


@dataclass(frozen=True, kw_only=True)
class Welcome:
    """An invitation as its holder may see it; `forgotten` is the page that asks for another password."""

    email: str
    team: str
    role: str
    country: str
    currency: str
    holder: Holder
    forgotten: str


@dataclass(frozen=True)
class Entry:
    """An attempt to come in by an invitation; `refusal` is why it failed, None when it did not."""

    offer: Welcome
    refusal: Problem | None


@operation(
    Permission.PUBLIC,
    name="teams.joining.register",
    unit=Unit.OWN,
    errors=[
        (Invalid, {Code.EMAIL_TAKEN, Code.INVITATION_INVALID}),
        (Forbidden, {Code.REGISTRATION_CLOSED}),
        (Conflict, {Code.IDEMPOTENCY_CONFLICT}),
        *PASSWORD_ERRORS,
    ],
)
async def register(ctx: Context, data: Registration) -> AuthResponse:
    """A new user, logged in; with an invitation's token a member of the teams that invited the address.

    The invited may register where registration is closed: somebody the operator let in has let them in.
    An account of that address which was never verified stays behind with `replace_unverified`: the token proves whose
    the address is. Raises Forbidden REGISTRATION_CLOSED, Invalid EMAIL_TAKEN or INVITATION_INVALID, RateLimited; under
    an idempotency key Conflict.
    """
    return await identity.enrol_once(ctx, data, lambda: _register(ctx, data))


async def _register(ctx: Context, data: Registration) -> AuthResponse:
    if data.invitation_token is None:
        return await identity.register(ctx, data, credentials.greet)
    token = data.invitation_token
    await _open_invitation(ctx, token, data.email)

    async def make_room(inner: Context) -> None:
        if data.replace_unverified:
            await departing.release_unverified(inner, data.email)

    async def join(inner: Context, user_id: UUID) -> None:
        await _join(inner, token, user_id)

    return await identity.enrol(ctx, data, join, make_room)


@operation(
    Permission.PUBLIC,
    name="teams.joining.login",
    unit=Unit.OWN,
    errors=[(Invalid, {Code.INVITATION_INVALID}), (Unauthenticated, {Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS],
)
async def login(ctx: Context, data: Credentials) -> AuthResponse:
    """A token and the API key, as `identity.login`; with an invitation's token also the membership it offers."""
    answer = await identity.login(ctx, data)
    token = data.invitation_token
    if token is None:
        return answer
    await _open_invitation(ctx, token, answer.user.email)

    async def attempt() -> UUID:
        async with ctx.transaction() as inner:
            return await _join(inner, token, UUID(answer.user.id))

    team = await retry_on_conflict(attempt)
    user = answer.user.model_copy(update={"active_team_id": str(team), "email_verified": True})
    return answer.model_copy(update={"user": user})


@operation(Permission.PUBLIC, name="teams.joining.welcome", unit=Unit.OWN, effects=Effect.READ_ONLY)
async def welcome(ctx: Context, token: str) -> Welcome:
    """What an invitation offers. Raises NotFound INVITATION_INVALID."""
    found = await _found(ctx, token)
    if found is None:
        raise _gone()
    return Welcome(
        email=found.email,
        team=found.company or found.name,
        role=found.role,
        country=found.country,
        currency=found.currency,
        holder=_holder(found),
        forgotten=f"{ctx.settings.public_url}/{FORGOTTEN}",
    )


def _holder(found: Any) -> Holder:
    if found.user_id is None:
        return Holder.NOBODY
    return Holder.VERIFIED if found.email_verified else Holder.UNVERIFIED


@operation(Permission.PUBLIC, name="teams.joining.accept", unit=Unit.OWN)
async def accept(ctx: Context, token: str, password: str, name: str | None, answer: Answer | None) -> Entry:
    """Accept an invitation with nothing but a password: as a new user called `name`, or as the one there is.

    `answer` chooses between the two where somebody has the address who never proved it.
    What the user can mend is told in the answer, beside the offer. Raises NotFound INVITATION_INVALID.
    """
    offer = await welcome(ctx, token)
    anew = offer.holder is Holder.NOBODY or (offer.holder is Holder.UNVERIFIED and answer is Answer.NEW)
    try:
        await (_sign_up(ctx, offer, token, password, name) if anew else _enter(ctx, offer, token, password))
    except (Invalid, Unauthenticated, RateLimited, Unavailable) as refusal:
        if refusal.code is Code.INVITATION_INVALID:
            raise _gone() from refusal
        if refusal.code is Code.DATABASE_UNAVAILABLE:
            raise
        return Entry(offer, refusal)
    except ValidationError as error:
        return Entry(offer, invalid(error.errors()))
    return Entry(offer, None)


async def _enter(ctx: Context, offer: Welcome, token: str, password: str) -> None:
    await login(ctx, Credentials(email=offer.email, password=password, invitation_token=token))


async def _sign_up(ctx: Context, offer: Welcome, token: str, password: str, name: str | None) -> None:
    given = Registration(
        email=offer.email,
        password=password,
        name=name,
        country=offer.country,
        currency=offer.currency,
        invitation_token=token,
        replace_unverified=offer.holder is Holder.UNVERIFIED,
    )
    await register(ctx, given)


async def _open_invitation(ctx: Context, token: str, email: str) -> None:
    """Raises Invalid INVITATION_INVALID unless the token's invitation is open and for this address."""
    found = await _found(ctx, token)
    if found is None or found.email != email:
        raise _invalid()


async def _found(ctx: Context, token: str) -> Any:
    """The open invitation of a token with its team and the user of its address, None when there is none."""
    if not _TOKEN.fullmatch(token):
        return None
    team = (account.c.name, account.c.company, account.c.country, account.c.currency)
    query = (
        select(invitation.c.email, invitation.c.role, *team, app_user.c.id.label("user_id"), app_user.c.email_verified)
        .join(account, account.c.id == invitation.c.account_id)
        .outerjoin(app_user, app_user.c.email == invitation.c.email)
        .where(invitation.c.token_hash == hashed(token), *_open())
    )

    async def ask() -> Any:
        async with ctx.kernel.database.asking() as connection:
            return (await connection.execute(query)).one_or_none()

    return await retry_on_conflict(ask)


async def _join(ctx: Context, token: str, user_id: UUID) -> UUID:
    """Make the user a member of every team that has an open invitation to their address; the token's is active then.

    Gives that team's id. Raises Invalid INVITATION_INVALID when the invitation was used or replaced meanwhile.
    """
    person = (await ctx.db.execute(select(app_user.c.name, app_user.c.email).where(app_user.c.id == user_id))).one()
    mine = invitation.c.email == person.email, *_open()
    teams = select(invitation.c.account_id).where(*mine).distinct().order_by(invitation.c.account_id)
    locked = [await roster.lock_open(ctx, one) for one in (await ctx.db.execute(teams)).scalars().all()]
    profiles = [one for one in locked if one is not None]
    newest = select(invitation).where(*mine).order_by(invitation.c.account_id, invitation.c.id.desc())
    found = (await ctx.db.execute(newest.with_for_update())).all()
    used = next((row for row in found if row.token_hash == hashed(token)), None)
    if used is None:
        raise _invalid()
    offers = {key: next(rows) for key, rows in groupby(found, key=lambda row: row.account_id)}
    offers[used.account_id] = used
    for profile in profiles:
        if profile.id in offers:
            actor = Actor(
                user_id=user_id,
                user_name=person.name,
                email=person.email,
                role=Role.MEMBER,
                permissions=ROLE_PERMISSIONS[Role.MEMBER],
                account=profile,
            )
            await _become_member(replace(ctx, who=actor), offers[profile.id])
    await ctx.db.execute(
        update(invitation).where(invitation.c.id.in_([row.id for row in found])).values(state="joined")
    )
    proven = {"active_account_id": used.account_id, "email_verified": True}
    await ctx.db.execute(update(app_user).where(app_user.c.id == user_id).values(proven))
    return UUID(bytes=used.account_id.bytes)


async def _become_member(ctx: Context, offer: Any) -> None:
    """Nothing to do for who is a member already; the role they have stays."""
    user_id = ctx.actor.user_id
    assert user_id is not None  # noqa: S101 - a person accepts
    made = await roster.join(ctx, ctx.account.id, user_id, offer.role, offer.invited_by)
    if made is not None:
        await enter(ctx.db, ctx.account.id)
        await activity.record(ctx, "joined", ("member", made), ctx.actor.user_name, {"role": (None, offer.role)})


def _open() -> tuple[Any, ...]:
    """Not used, replaced or late, and made by the team's key or by somebody who may still invite.

    Otherwise an admin who is to be removed comes back by an invitation to another address of theirs.
    """
    inviting = [role.value for role in roles_with(Permission.TEAM_WRITE)]
    still = exists().where(
        membership.c.account_id == invitation.c.account_id,
        membership.c.user_id == invitation.c.invited_by,
        membership.c.role.in_(inviting),
    )
    usable = invitation.c.invited_by.is_(None) | still
    return invitation.c.state == "open", invitation.c.expires_at > clock.now(), usable


def _gone() -> NotFound:
    return bilingual(
        NotFound,
        ("This invitation is not valid any more.", _REMEDY),
        ("Esta invitación ya no es válida.", _REMEDIO),
        code=Code.INVITATION_INVALID,
    )


def _invalid() -> Invalid:
    return bilingual_field(
        "invitationToken",
        ("is not that of an open invitation to this address", _REMEDY),
        ("no es el de una invitación abierta a esta dirección", _REMEDIO),
        code=Code.INVITATION_INVALID,
    )
