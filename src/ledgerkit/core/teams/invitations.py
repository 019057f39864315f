"""Invite somebody into the team: a registered user joins at once, another address gets a mail with a link."""

import hashlib
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any
from uuid import UUID

from sqlalchemy import delete, exists, func, insert, select, update

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity.models import app_user, invitation, membership
from ledgerkit.core.mail import (
    Delivery,
    Language,
    MailKind,
    MailReceipt,
    TeamNotice,
    address,
    invitation_mail,
    membership_mail,
    send,
)
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission, Role
from ledgerkit.core.teams import roster
from ledgerkit.core.teams.messages import TeamsMsg
from ledgerkit.core.teams.schemas import InvitationInput, Invited, TeamMember
from ledgerkit.problems import BadGateway, Code, Invalid, NotFound, Problem, RateLimited, bilingual

LIFE = timedelta(days=7)
KEPT = timedelta(days=30)
"""How long an invitation is remembered: longer than it lives, so that abuse can be looked into."""

TOKEN_BYTES = 32
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class _Joined:
    """A registered user who has just become a member."""

    member: TeamMember
    language: Language


@dataclass(frozen=True)
class _Letter:
    """An invitation that is kept and not yet mailed; `token` is nowhere else."""

    id: UUID
    token: str
    expires_at: datetime


@operation(
    Permission.TEAM_WRITE,
    name="teams.invitations.invite",
    unit=Unit.OWN,
    errors=[
        (Invalid, {Code.ALREADY_MEMBER}),
        (NotFound, {Code.NO_TEAM, Code.USER_NOT_REGISTERED}),
        (BadGateway, {Code.MAIL_FAILED}),
    ],
    effects=Effect.OPEN_WORLD,
    final={Code.USER_NOT_REGISTERED},
)
async def invite(ctx: Context, data: InvitationInput) -> Invited:
    """Make a registered user a member, and tell them by mail, which they are whether or not it is accepted.

    Where addresses are to be verified, one that is not counts as nobody's: whoever registered it may be a stranger.
    Nobody registered: mails an invitation, then raises NotFound USER_NOT_REGISTERED; BadGateway MAIL_FAILED when the
    mail was not accepted, which leaves an earlier invitation of that address as it was. The former is a result: under
    one idempotency key there is one mail.
    Raises NotFound NO_TEAM, Invalid ALREADY_MEMBER, RateLimited beyond the day's invitations.
    """
    roster.require_team(ctx.account)

    async def attempt() -> _Joined | _Letter:
        async with ctx.transaction() as inner:
            await roster.lock(inner, inner.account.id)
            return await _admitted(inner, data)

    found = await retry_on_conflict(attempt)
    if isinstance(found, _Joined):
        return Invited(member=found.member, notified=await _told(ctx, found))
    raise _not_registered(data, found, await _mailed(ctx, data, found))


async def forget(kernel: Kernel) -> None:
    """Remove the invitations of long ago, and with them the addresses of people who never came."""

    async def attempt() -> None:
        async with kernel.database.transaction(None) as connection:
            await connection.execute(delete(invitation).where(invitation.c.created_at < clock.now() - KEPT))

    await retry_on_conflict(attempt)


def hashed(token: str) -> str:
    """How a token is stored: 32 random bytes need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


async def _admitted(ctx: Context, data: InvitationInput) -> _Joined | _Letter:
    person = await _registered(ctx, data.email)
    if person is not None and person.belongs:
        raise _already_member()
    if person is None or (ctx.settings.demands_verified_email and not person.email_verified):
        address(data.email, "email")
        await _count(ctx)
        return await _kept(ctx, data)
    made = await roster.join(ctx, ctx.account.id, person.id, data.role, ctx.actor.user_id)
    if made is None:
        raise _already_member()
    await _count(ctx)
    await roster.void_invitations(ctx, data.email)
    await ctx.db.execute(insert(invitation).values(_row(ctx, data, new_id(), "joined", clock.now())))
    await activity.record(ctx, "joined", ("member", made), person.name, {"role": (None, data.role)})
    member = roster.as_member(await roster.member(ctx, str(made)))
    return _Joined(member, "en" if person.locale == "en" else "es")


async def _registered(ctx: Context, email: str) -> Any:
    """The user of an address, held so that they are not removed meanwhile; `belongs`: to this team already."""
    here = exists().where(membership.c.account_id == ctx.account.id, membership.c.user_id == app_user.c.id)
    columns = (app_user.c.id, app_user.c.name, app_user.c.locale, app_user.c.email_verified, here.label("belongs"))
    query = select(*columns).where(app_user.c.email == email).with_for_update(read=True, key_share=True)
    return (await ctx.db.execute(query)).one_or_none()


def _already_member() -> Invalid:
    return Invalid.field("email", TeamsMsg.ALREADY_A_MEMBER, code=Code.ALREADY_MEMBER)


async def _kept(ctx: Context, data: InvitationInput) -> _Letter:
    letter = _Letter(new_id(), secrets.token_urlsafe(TOKEN_BYTES), clock.now() + LIFE)
    row = _row(ctx, data, letter.id, "open", letter.expires_at)
    await ctx.db.execute(insert(invitation).values(row | {"token_hash": hashed(letter.token)}))
    await activity.record(ctx, "invited", ("invitation", letter.id), data.email, {"role": (None, data.role)})
    return letter


def _row(ctx: Context, data: InvitationInput, known: UUID, state: str, expires_at: datetime) -> dict[str, Any]:
    return {
        "id": known,
        "account_id": ctx.account.id,
        "email": data.email,
        "role": data.role,
        "state": state,
        "invited_by": ctx.actor.user_id,
        "created_at": clock.now(),
        "expires_at": expires_at,
    }


async def _count(ctx: Context) -> None:
    """Raises RateLimited when the team's owner has no invitation left: each one sends a mail to whom one likes.

    Over all teams of the owner, since a new team costs nothing; the owner's row is locked so that none slips through.
    """
    limit = ctx.settings.invitation_limit
    if limit < 0:
        return
    owning = membership.c.role == Role.OWNER.value
    owner = select(membership.c.user_id).where(membership.c.account_id == ctx.account.id, owning).scalar_subquery()
    await ctx.db.execute(select(app_user.c.id).where(app_user.c.id == owner).with_for_update(key_share=True))
    teams = select(membership.c.account_id).where(membership.c.user_id == owner, owning)
    query = select(func.count().label("count"), func.min(invitation.c.created_at).label("first")).where(
        invitation.c.account_id.in_(teams), invitation.c.created_at > clock.now() - _DAY
    )
    used = (await ctx.db.execute(query)).one()
    if used.count >= limit:
        wait = ceil((used.first + _DAY - clock.now()).total_seconds()) if used.count else _DAY.days * 86_400
        raise RateLimited(TeamsMsg.TOO_MANY_INVITATIONS, headers={"Retry-After": str(max(1, wait))}, limit=limit)


async def _told(ctx: Context, joined: _Joined) -> bool:
    """Whether the mail to a new member was accepted; they are one either way, and the log of mails knows why not."""
    member = joined.member
    notice = _notice(ctx, member.email, member.role, joined.language, ctx.settings.public_url)
    with suppress(BadGateway, Invalid):
        await send(ctx, membership_mail(notice), MailKind.MEMBERSHIP, ("member", UUID(member.id)))
        return True
    return False


async def _mailed(ctx: Context, data: InvitationInput, letter: _Letter) -> MailReceipt:
    """Mails the link. Accepted, it replaces earlier ones; refused, it is void and they stay; in doubt, all stay."""
    language: Language = "es" if ctx.account.country == "ES" else "en"
    link = f"{ctx.settings.public_url}/join/{letter.token}"
    mail = invitation_mail(_notice(ctx, data.email, data.role, language, link), letter.expires_at.date())
    try:
        receipt = await send(ctx, mail, MailKind.INVITATION, ("invitation", letter.id))
    except Problem as problem:
        if problem.extra.get("delivery") != "unknown":
            await _apart(ctx, letter, unsent=True, email=data.email)
        raise
    await _apart(ctx, letter, unsent=False, email=data.email)
    return receipt


async def _apart(ctx: Context, letter: _Letter, *, unsent: bool, email: str) -> None:
    """Settle, in a transaction of its own, which of an address's invitations is good after the mail."""

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await roster.lock(inner, inner.account.id)
            if unsent:
                own = update(invitation).where(invitation.c.id == letter.id, invitation.c.state == "open")
                await inner.db.execute(own.values(state="unsent"))
            else:
                await roster.void_invitations(inner, email, before=letter.id)

    await retry_on_conflict(attempt)


def _notice(ctx: Context, to: str, role: str, language: Language, link: str) -> TeamNotice:
    return TeamNotice(
        language=language,
        to=to,
        team_name=ctx.account.issuer_name,
        inviter=None if ctx.actor.user_id is None else ctx.actor.user_name,
        reply_to=ctx.account.email or ctx.actor.email,
        role=role,
        link=link,
    )


_MAILED = ("has been mailed to that address", "se ha enviado una invitación a esa dirección", "", "")
_KEPT = (
    "has been written to a file in this server's data directory",
    "se ha escrito una invitación en un fichero del directorio de datos de este servidor",
    " Set LEDGERKIT_SMTP_URL to have mail sent.",
    " Configura LEDGERKIT_SMTP_URL para que se envíe correo.",
)
"""Where an invitation went and what is to be known of it, each in English and Spanish."""


def _not_registered(data: InvitationInput, letter: _Letter, receipt: MailReceipt) -> NotFound:
    where, donde, hint, nota = _KEPT if receipt.delivered_to is Delivery.FILE else _MAILED
    until = f"{letter.expires_at:%Y-%m-%d}"
    return bilingual(
        NotFound,
        (
            f"Nobody is registered as {data.email}; an invitation {where}.",
            f"They join as {data.role} by opening its link, until {until}.{hint}",
        ),
        (
            f"No hay nadie registrado como {data.email}; {donde}.",
            f"Entrará como {data.role} al abrir su enlace, hasta el {until}.{nota}",
        ),
        code=Code.USER_NOT_REGISTERED,
        invitation={
            "id": str(letter.id),
            "email": data.email,
            "role": data.role,
            "expiresAt": utc_text(letter.expires_at),
            "deliveredTo": receipt.delivered_to.value,
        },
    )
