"""Invite a person to the team: a registered user joins at once, another address is mailed a link."""

import hashlib
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, and_, bindparam, delete, exists, func, insert, select, update

from ledgerkit import clock
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest, fetch_page
from ledgerkit.core.platform.api_types.wire import utc_text, wire_time
from ledgerkit.core.platform.database.ids import missing, new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.table import InvitationRow, app_user, invitation, membership
from ledgerkit.core.platform.mail import (
    Delivery,
    Language,
    MailKind,
    MailReceipt,
    TeamNotice,
    address,
    invitation_mail,
    membership_mail,
    page_address,
    send,
)
from ledgerkit.core.platform.mail.senders import rules
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission, Role
from ledgerkit.core.teams import acts
from ledgerkit.core.teams.api import InvitationInput, Invited, PendingInvitation, TeamMember
from ledgerkit.core.teams.members import roster
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import AddressUnverified, BadGateway, Code, Invalid, NotFound, Problem, RateLimited

LIFE = timedelta(days=7)
KEPT = timedelta(days=30)
"""Time for which an invitation is stored: longer than it is valid, so that abuse can be investigated."""

TOKEN_BYTES = 32
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class _Joined:
    """A registered user who became a member."""

    member: TeamMember
    language: Language


@dataclass(frozen=True)
class _NewInvitation:
    """An invitation that has been stored; its `token` is stored nowhere else."""

    id: UUID
    token: str
    expires_at: datetime


class _InviteeRow(Row):
    """A registered user; `belongs` is true for a member of the team."""

    id: UUID
    name: str
    locale: str
    email_verified: bool
    belongs: bool


class _SentInvitationsRow(Row):
    count: int
    first: datetime | None


_INVITEE = Prepared(
    select(
        app_user.c.id,
        app_user.c.name,
        app_user.c.locale,
        app_user.c.email_verified,
        exists()
        .where(membership.c.account_id == bindparam("team", type_=Uuid), membership.c.user_id == app_user.c.id)
        .label("belongs"),
    )
    .where(app_user.c.email == bindparam("email", type_=Text))
    .with_for_update(read=True, key_share=True),
    _InviteeRow,
)


@operation(
    Permission.TEAM_WRITE,
    unit=Unit.OWN,
    errors=[
        (AddressUnverified, {Code.EMAIL_UNVERIFIED}),
        (Invalid, {Code.ALREADY_MEMBER}),
        (NotFound, {Code.NO_TEAM, Code.USER_NOT_REGISTERED}),
        (BadGateway, {Code.MAIL_FAILED}),
    ],
    effects=Effect.OPEN_WORLD,
    final={Code.USER_NOT_REGISTERED},
    act=acts.INVITATION,
)
async def invite(ctx: Context, data: InvitationInput) -> Invited:
    """Make a registered user a member, and inform them by mail; they are a member whether or not it is accepted.

    Where addresses have to be verified, an unverified one counts as unregistered: a stranger may have registered it.
    An address that is not registered is mailed an invitation, and NotFound USER_NOT_REGISTERED is raised; BadGateway
    MAIL_FAILED when the mail was not accepted, which leaves an earlier invitation of that address as it was. The former
    is a result: under one idempotency key there is one mail.
    Raises NotFound NO_TEAM, AddressUnverified before anything is stored, Invalid ALREADY_MEMBER, RateLimited beyond the
    day's invitations.
    """
    roster.require_team(ctx.account)
    await rules.require_verified(ctx)

    async def attempt() -> _Joined | _NewInvitation:
        async with ctx.transaction() as inner:
            await roster.lock(inner, inner.account.id)
            return await _join_or_invite(inner, data)

    outcome = await retry_on_conflict(attempt)
    if isinstance(outcome, _Joined):
        delivered_to = await _mail_new_member(ctx, outcome)
        notified = delivered_to is Delivery.SMTP
        return Invited(member=outcome.member, notified=notified, delivered_to=delivered_to)
    raise _not_registered(data, outcome, await _mail_invitation(ctx, data, outcome))


_PENDING = Listing(
    invitation,
    PendingInvitation,
    order=[invitation.c.created_at.desc(), invitation.c.id.desc()],
    computed={"invited_at": wire_time(invitation.c.created_at)},
)
_IS_PENDING = and_(
    invitation.c.account_id == bindparam("team", type_=Uuid),
    invitation.c.state == "open",
    invitation.c.expires_at > bindparam("moment", type_=DateTime(timezone=True)),
)
_LIST = _PENDING.statement(_IS_PENDING)


@operation(Permission.INVITATIONS_READ, unit=Unit.READING, errors=[(NotFound, {Code.NO_TEAM})])
async def pending(ctx: Context, page: PageRequest) -> Page:
    """List the invitations that can still be used, the newest first. Raises NotFound NO_TEAM."""
    roster.require_team(ctx.account)
    return await fetch_page(ctx.db, _LIST, page, team=ctx.account.id, moment=clock.now())


async def withdraw(ctx: Context, invitation_id: UUID) -> None:
    """Void an open invitation, so that its link lets nobody in. Raises NotFound for any other, Forbidden."""
    ctx.require(Permission.TEAM_WRITE)
    await roster.lock(ctx, ctx.account.id)
    row = await _WITHDRAW.row(ctx.db, team=ctx.account.id, wanted=invitation_id)
    if row is None:
        raise missing("invitation", invitation_id)
    await activity.record(ctx, "withdrawn", ("invitation", invitation_id), row.email, {"role": (row.role, None)})


class _WithdrawnRow(Row):
    email: str
    role: str


_WITHDRAW = Prepared(
    update(invitation)
    .where(
        invitation.c.account_id == bindparam("team", type_=Uuid),
        invitation.c.id == bindparam("wanted", type_=Uuid),
        invitation.c.state == "open",
    )
    .values(state="withdrawn")
    .returning(invitation.c.email, invitation.c.role),
    _WithdrawnRow,
)


async def forget(kernel: Kernel) -> None:
    """Remove old invitations, and with them the addresses of people who never joined."""

    async def attempt() -> None:
        async with kernel.database.transaction(None) as connection:
            await connection.execute(delete(invitation).where(invitation.c.created_at < clock.now() - KEPT))

    await retry_on_conflict(attempt)


def hashed(token: str) -> str:
    """Return the digest under which a token is stored: 32 random bytes need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


async def _join_or_invite(ctx: Context, data: InvitationInput) -> _Joined | _NewInvitation:
    invitee = await _INVITEE.row(ctx.db, team=ctx.account.id, email=data.email)  # locked, so that they are not removed
    if invitee is not None and invitee.belongs:
        raise _already_member()
    if invitee is None or (ctx.settings.demands_verified_email and not invitee.email_verified):
        address(data.email, "email")
        await _require_allowance(ctx)
        return await _stored_invitation(ctx, data)
    member_id = await roster.join(ctx, ctx.account.id, invitee.id, data.role, ctx.actor.user_id)
    if member_id is None:
        raise _already_member()
    await _require_allowance(ctx)
    await roster.void_invitations(ctx, data.email)
    joined = _invitation_values(ctx, data, new_id(), "joined", clock.now())
    await ctx.db.execute(insert(invitation).values(dict(joined)))
    await activity.record(ctx, "joined", ("member", member_id), invitee.name, {"role": (None, data.role)})
    member = roster.MEMBERS.shape(await roster.member(ctx, str(member_id)))
    return _Joined(member, invitee.locale)


def _already_member() -> Invalid:
    return Invalid.field("email", TeamsMsg.ALREADY_A_MEMBER, code=Code.ALREADY_MEMBER)


async def _stored_invitation(ctx: Context, data: InvitationInput) -> _NewInvitation:
    unsent = _NewInvitation(new_id(), secrets.token_urlsafe(TOKEN_BYTES), clock.now() + LIFE)
    values = _invitation_values(ctx, data, unsent.id, "open", unsent.expires_at)
    await ctx.db.execute(insert(invitation).values({**values, "token_hash": hashed(unsent.token)}))
    await activity.record(ctx, "invited", ("invitation", unsent.id), data.email, {"role": (None, data.role)})
    return unsent


def _invitation_values(
    ctx: Context, data: InvitationInput, invitation_id: UUID, state: str, expires_at: datetime
) -> Values[InvitationRow]:
    return Values(
        InvitationRow,
        id=invitation_id,
        account_id=ctx.account.id,
        email=data.email,
        role=data.role,
        state=state,
        invited_by=ctx.actor.user_id,
        created_at=clock.now(),
        expires_at=expires_at,
    )


async def _require_allowance(ctx: Context) -> None:
    """Refuse another invitation beyond the daily limit, since each sends a mail to any address one types.

    The limit counts all teams of the team's owner, because a new team costs nothing; the owner's row is locked, so
    that simultaneous invitations are counted. Raises RateLimited.
    """
    limit = ctx.settings.invitation_limit
    if limit < 0:
        return
    is_owner = membership.c.role == Role.OWNER.value
    owner = select(membership.c.user_id).where(membership.c.account_id == ctx.account.id, is_owner).scalar_subquery()
    await ctx.db.execute(select(app_user.c.id).where(app_user.c.id == owner).with_for_update(key_share=True))
    teams = select(membership.c.account_id).where(membership.c.user_id == owner, is_owner)
    query = select(func.count().label("count"), func.min(invitation.c.created_at).label("first")).where(
        invitation.c.account_id.in_(teams), invitation.c.created_at > clock.now() - _DAY
    )
    sent = await Prepared(query, _SentInvitationsRow).one(ctx.db)
    if sent.count >= limit:
        free_in = _DAY if sent.first is None else sent.first + _DAY - clock.now()
        wait = max(1, ceil(free_in.total_seconds()))
        raise RateLimited(TeamsMsg.TOO_MANY_INVITATIONS, headers={"Retry-After": str(wait)}, limit=limit)


async def _mail_new_member(ctx: Context, joined: _Joined) -> Delivery | None:
    """Mail a new member; None when it was not accepted: the log of mails has the reason."""
    member = joined.member
    notice = await _notice(ctx, member.email, member.role, joined.language, page_address(ctx.kernel))
    with suppress(BadGateway, Invalid):
        return (await send(ctx, membership_mail(notice), MailKind.MEMBERSHIP, ("member", UUID(member.id)))).delivered_to
    return None


async def _mail_invitation(ctx: Context, data: InvitationInput, unsent: _NewInvitation) -> MailReceipt:
    """Mail the link. Once accepted it replaces earlier ones; refused, it is void and they stay; in doubt, all stay."""
    language = ctx.kernel.countries.spoken(ctx.account.country, ctx.request_metadata.language)
    link = page_address(ctx.kernel, f"/join/{unsent.token}")
    mail = invitation_mail(await _notice(ctx, data.email, data.role, language, link), unsent.expires_at.date())
    try:
        receipt = await send(ctx, mail, MailKind.INVITATION, ("invitation", unsent.id))
    except Problem as problem:
        if problem.extra.get("delivery") != "unknown":
            await _void_unsent(ctx, unsent)
        raise
    await _void_earlier(ctx, unsent, data.email)
    return receipt


async def _void_unsent(ctx: Context, unsent: _NewInvitation) -> None:
    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await roster.lock(inner, inner.account.id)
            refused = update(invitation).where(invitation.c.id == unsent.id, invitation.c.state == "open")
            await inner.db.execute(refused.values(state="unsent"))

    await retry_on_conflict(attempt)


async def _void_earlier(ctx: Context, sent: _NewInvitation, email: str) -> None:
    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await roster.lock(inner, inner.account.id)
            await roster.void_invitations(inner, email, before=sent.id)

    await retry_on_conflict(attempt)


async def _notice(ctx: Context, to: str, role: str, language: Language, link: str) -> TeamNotice:
    return TeamNotice(
        language=language,
        to=to,
        team_name=ctx.account.issuer_name,
        inviter=None if ctx.actor.user_id is None else ctx.actor.user_name,
        reply_to=await rules.reply_address(ctx),
        role=role,
        link=link,
    )


def _not_registered(data: InvitationInput, invited: _NewInvitation, receipt: MailReceipt) -> NotFound:
    in_file = receipt.delivered_to is Delivery.FILE
    return NotFound(
        TeamsMsg.INVITATION_IN_FILE if in_file else TeamsMsg.INVITATION_MAILED,
        code=Code.USER_NOT_REGISTERED,
        extra={
            "invitation": {
                "id": str(invited.id),
                "email": data.email,
                "role": data.role,
                "expiresAt": utc_text(invited.expires_at),
                "deliveredTo": receipt.delivered_to.value,
            }
        },
        email=data.email,
        role=data.role,
        until=f"{invited.expires_at:%Y-%m-%d}",
    )
