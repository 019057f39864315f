"""Sessions of browsers: opened with a password, held in a cookie, and what the web app must know about them."""

from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from ledgerkit import __version__, clock
from ledgerkit.core.platform.ai.model import ModelClient
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.documents import einvoicing_state
from ledgerkit.core.platform.identity.api import Credentials
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.identity.logins.sessions import person
from ledgerkit.core.platform.identity.logins.tokens import IssuedToken, Tokens
from ledgerkit.core.platform.identity.operations import current_user
from ledgerkit.core.platform.identity.persons.passwords import PASSWORD_ERRORS
from ledgerkit.core.platform.identity.table import account, membership
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.core.platform.request.context import AccountProfile, Actor, Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.core.teams.api import Session, SessionEInvoice, SessionMail, SessionMembership, SessionTeam
from ledgerkit.core.teams.invitations import acceptance
from ledgerkit.problems import Code, CrossSiteRequest, Invalid, RateLimited, Unauthenticated


@dataclass(frozen=True)
class WebSession:
    """A session as the web app sees it, and the token for its cookie; None where the one that was sent stays."""

    session: Session
    token: IssuedToken | None = None


class _TeamRow(Row):
    id: UUID
    name: str
    role: str


_TEAMS = Prepared(
    select(account.c.id, account.c.name, membership.c.role)
    .join(membership, membership.c.account_id == account.c.id)
    .where(
        membership.c.user_id == bindparam("user", type_=Uuid),
        account.c.kind == constant("team"),
        account.c.closed_at.is_(None),
    )
    .order_by(membership.c.id),
    _TeamRow,
)


@operation(
    Permission.PUBLIC,
    unit=Unit.OWN,
    errors=[
        (Invalid, {Code.INVITATION_INVALID}),
        (Unauthenticated, {Code.INVALID_CREDENTIALS}),
        (CrossSiteRequest, {Code.CSRF_REFUSED}),
        *PASSWORD_ERRORS,
    ],
)
async def open_session(ctx: Context, data: Credentials, team_id: str | None) -> WebSession:
    """Log in as `acceptance.login` does, and return the session with the token of the new login.

    The session is in the team `team_id` where that is one of theirs, else in the active one.
    """
    login = await acceptance.login(ctx, data)
    if ctx.kernel.dry_run is not None:
        ctx.kernel.dry_run.end_at(DryRunMsg.CREDENTIALS)
    actor = await ctx.kernel.service(Authenticator).in_browser(login.token, team_id)
    return WebSession(await _session_of(ctx, actor), IssuedToken(login.token, login.expires_in))


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=[(RateLimited, {Code.RATE_LIMITED})], effects=Effect.READ_ONLY)
async def current_session(ctx: Context, token: str | None) -> WebSession:
    """Return the session of the browser that sent `token`; without a caller that of nobody.

    In the second half of the token's time there is another one of the same login. No token is valid for longer than 30
    days after the password was typed.
    """
    if ctx.who is None:
        return WebSession(_session_of_nobody(ctx))
    return WebSession(await _session_of(ctx, ctx.who), _renewed(ctx, token))


def _renewed(ctx: Context, token: str | None) -> IssuedToken | None:
    tokens = ctx.kernel.service(Tokens)
    sent = tokens.session(token or "")
    if sent is None or clock.now() < sent.halfway:
        return None
    return tokens.refreshed_token(sent.user_id, sent.login, timedelta(hours=ctx.settings.token_hours))


async def _session_of(ctx: Context, actor: Actor) -> Session:
    working = replace(ctx, who=actor)
    user_id, login = person(working)
    async with working.reading() as inner:
        user = await current_user(inner)
        teams = await _TEAMS.rows(inner.db, user=user_id)
    return _session_of_nobody(ctx).model_copy(
        update={
            "user": user,
            "csrf_token": ctx.kernel.service(Tokens).csrf_token(login),
            "team": _team(ctx, actor),
            "teams": [SessionMembership(id=str(row.id), name=row.name, role=row.role) for row in teams],
            "permissions": [permission.value for permission in Permission if actor.may(permission)],
        }
    )


def _session_of_nobody(ctx: Context) -> Session:
    return Session(
        user=None,
        csrf_token=None,
        team=None,
        teams=[],
        permissions=[],
        einvoice=SessionEInvoice(environment=ctx.settings.einvoice_env),
        mail=SessionMail(delivered_to=ctx.kernel.service(Mailer).transport),
        ai_configured=ctx.kernel.service(ModelClient).configured,
        version=__version__,
    )


def _team(ctx: Context, actor: Actor) -> SessionTeam:
    team = actor.account
    return SessionTeam(
        id=str(team.id),
        name=team.name,
        company=team.company,
        tax_id=team.tax_id,
        country=team.country,
        currency=team.currency,
        timezone=team.time_zone,
        role=actor.role.value,
        is_team=team.is_team,
        einvoicing=einvoicing_state.state(ctx.kernel, team),
        is_set_up=_is_set_up(team),
    )


def _is_set_up(team: AccountProfile) -> bool:
    """Return True when the issuer has what every full invoice shows of them. Source: RD 1619/2012 art. 6.1.c-e."""
    return all((team.tax_id, team.address, team.postal_code, team.city))
