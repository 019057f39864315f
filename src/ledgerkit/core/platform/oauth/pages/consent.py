"""Steps of a person who lets a client work for them: log in, see what it asks for, allow or deny.

What the person can put right is a step with its refusal, not raised.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import DateTime, Uuid, and_, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.validation import invalid
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import enter
from ledgerkit.core.platform.identity import operations as identity
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.accounts.members import OwnAccountRow, own_accounts
from ledgerkit.core.platform.identity.api import Credentials
from ledgerkit.core.platform.identity.logins import authentication
from ledgerkit.core.platform.identity.logins.authentication import ActorRow, not_a_member
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.identity.persons.passwords import PASSWORD_ERRORS
from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.oauth.authorization.requests import AuthorizationRequest
from ledgerkit.core.platform.oauth.grants import operations as grant_operations
from ledgerkit.core.platform.oauth.grants.operations import Grant
from ledgerkit.core.platform.oauth.pages import browser_logins
from ledgerkit.core.platform.oauth.table import oauth_grant
from ledgerkit.core.platform.oauth.texts import ConsentMsg, OAuthMsg
from ledgerkit.core.platform.request.context import Actor, Channel, Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.problems import (
    Code,
    Forbidden,
    Invalid,
    NotFound,
    Problem,
    RateLimited,
    Unauthenticated,
    Unavailable,
)

_TICKED_BY_THE_PERSON = frozenset({Scope.FISCAL, Scope.TEAM})
"""Scopes of acts that cannot be taken back or give access: nobody allows them by a click on the button alone."""


class Action(StrEnum):
    """Answer of the person: the button of the form."""

    LOGIN = "login"
    LOGOUT = "logout"
    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, kw_only=True)
class Browser:
    """A browser on the page of a request: the request's id in its address and in its cookie, and the login's cookie."""

    request_id: str
    request_cookie: str | None
    login_cookie: str | None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Form that a browser sent: the text of each field, empty for one that was not sent."""

    token: str
    action: str
    email: str = ""
    password: str = field(default="", repr=False)
    account: str = ""
    scopes: frozenset[Scope] = frozenset()
    state: str = ""


@dataclass(frozen=True, kw_only=True)
class LoginStep:
    """The person is to log in. `email` is what they typed before; `refusal` is why that attempt failed."""

    request: AuthorizationRequest
    cookie: str
    token: str
    forgotten: str
    email: str = ""
    refusal: Problem | None = None


@dataclass(frozen=True, kw_only=True)
class ConsentStep:
    """The person is to decide. `account` and `scopes` are chosen at first; `refusal` is why the last answer failed.

    `present` is the grant that the person has given to this client last; None for a new client.
    """

    request: AuthorizationRequest
    cookie: str
    token: str
    email: str
    accounts: Sequence[OwnAccountRow]
    account: OwnAccountRow | None
    scopes: frozenset[Scope]
    present: Grant | None = None
    refusal: Problem | None = None


@dataclass(frozen=True, kw_only=True)
class Leave:
    """The browser goes to `location`, or back to the page if that is None.

    It then has the new `cookie`, or none if that is None.
    """

    location: str | None
    cookie: str | None = None


Step = LoginStep | ConsentStep


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def show_consent(ctx: Context, browser: Browser) -> Step:
    """Return the step of a request that waits for its answer. Raises NotFound."""
    return await _step(ctx, browser, await _request(ctx, browser))


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=[(Unauthenticated, {Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS])
async def answer_consent(ctx: Context, browser: Browser, answer: Answer) -> Step | Leave:
    """Take a person's answer, if it was sent by the page of this request in this browser. Raises NotFound.

    A second click on the same answer is answered as the first one was: browsers show the last answer only.
    """
    try:
        return await _taken(ctx, browser, answer)
    except NotFound:
        location = await _repeated(ctx, browser, answer)
        if location is None:
            raise
        return Leave(location=location)


async def _taken(ctx: Context, browser: Browser, answer: Answer) -> Step | Leave:
    request = await _request(ctx, browser)
    cookie = browser_logins.usable_cookie(browser.login_cookie)
    if not browser_logins.is_form_token(ctx.kernel, answer.token, cookie, browser.request_id):
        return await _step(ctx, browser, request, Forbidden(ConsentMsg.FORM_UNKNOWN))
    match answer.action:
        case Action.LOGIN:
            return await _log_in(ctx, browser, request, answer)
        case Action.LOGOUT:
            await browser_logins.log_out(ctx.kernel, cookie)
            return Leave(location=None)
        case Action.DENY:
            return Leave(location=await requests.deny(ctx.kernel, browser.request_id))
        case Action.ALLOW:
            return await _allow(ctx, browser, request, answer)
        case _:
            return await _step(ctx, browser, request, Invalid(ConsentMsg.FORM_UNKNOWN))


async def _repeated(ctx: Context, browser: Browser, answer: Answer) -> str | None:
    """Return the redirect of this browser's approval if it is sent once more, else None."""
    cookie = browser_logins.usable_cookie(browser.login_cookie)
    is_ours = browser_logins.is_form_token(ctx.kernel, answer.token, cookie, browser.request_id)
    if answer.action != Action.ALLOW or browser.request_cookie != browser.request_id or not is_ours:
        return None
    person = await browser_logins.person(ctx.kernel, cookie)
    account = _chosen(await own_accounts(ctx.kernel, person.id), answer.account) if person else None
    if person is None or account is None:
        return None
    return await requests.repeated(
        ctx.kernel,
        browser.request_id,
        member=(person.id, account.account_id),
        ticked=answer.scopes,
        state=answer.state or None,
    )


async def _request(ctx: Context, browser: Browser) -> AuthorizationRequest:
    """Return the request that this browser began. Raises NotFound."""
    request = await requests.pending(ctx.kernel, browser.request_id)
    if request is None:
        raise NotFound(OAuthMsg.REQUEST_OVER)
    if browser.request_cookie != browser.request_id:
        raise NotFound(ConsentMsg.BEGUN_ELSEWHERE)
    return request


async def _step(
    ctx: Context,
    browser: Browser,
    request: AuthorizationRequest,
    refusal: Problem | None = None,
    answer: Answer | None = None,
) -> Step:
    """Return the step that this browser is at; with what the person chose before, where their answer was refused."""
    cookie = browser_logins.usable_cookie(browser.login_cookie)
    person = await browser_logins.person(ctx.kernel, cookie)
    token = browser_logins.form_token(ctx.kernel, cookie, browser.request_id)
    if person is None:
        forgotten = f"{ctx.settings.public_url}/forgot"
        email = answer.email if answer else ""
        return LoginStep(request=request, cookie=cookie, token=token, forgotten=forgotten, email=email, refusal=refusal)
    accounts = await own_accounts(ctx.kernel, person.id)
    chosen = _chosen(accounts, answer.account) if answer else None
    account = chosen or next((account for account in accounts if account.is_active), None)
    present = await _present(ctx, person.id, request.client_id)
    return ConsentStep(
        request=request,
        cookie=cookie,
        token=token,
        email=person.email,
        accounts=accounts,
        account=account,
        scopes=answer.scopes if answer else _ticked(request, account, present),
        present=present,
        refusal=refusal,
    )


def _ticked(request: AuthorizationRequest, account: OwnAccountRow | None, present: Grant | None) -> frozenset[Scope]:
    """Return the scopes that are ticked at first: what the client asks for, but FISCAL and TEAM only as granted before.

    Whoever lets it only propose keeps that: nothing further is ticked.
    """
    is_here = present and account and present.account.id == str(account.account_id)
    before = frozenset(present.scopes if present and is_here else ()) & frozenset(request.offered)
    if Scope.PROPOSE in before:
        return before
    return (frozenset(request.scopes) - _TICKED_BY_THE_PERSON) | before


async def _present(ctx: Context, user_id: UUID, client_id: str) -> Grant | None:
    """Return the newest valid grant of a person for a client; None where there is none."""
    grants = await grant_operations.of_person(ctx.kernel, user_id)
    return next((grant for grant in grants if grant.client_id == client_id), None)


def _chosen(accounts: Sequence[OwnAccountRow], account_id: str) -> OwnAccountRow | None:
    return next((account for account in accounts if str(account.account_id) == account_id), None)


async def _log_in(ctx: Context, browser: Browser, request: AuthorizationRequest, answer: Answer) -> Step | Leave:
    """Log the browser in with a password, as `/auth/login` does, and send it to the page again."""
    try:
        login = await identity.login(ctx, Credentials(email=answer.email, password=answer.password))
    except ValidationError as error:
        return await _step(ctx, browser, request, invalid(error.errors()), answer)
    except (Invalid, RateLimited, Unauthenticated, Unavailable) as refusal:
        if refusal.code is Code.DATABASE_UNAVAILABLE:
            raise
        return await _step(ctx, browser, request, refusal, answer)
    session = ctx.kernel.service(Tokens).session(login.token)
    if session is None:  # in a dry run, which issues no token
        return Leave(location=None)
    cookie = await browser_logins.log_in(ctx.kernel, session.user_id, session.login.version)
    return Leave(location=None, cookie=cookie)


async def _allow(ctx: Context, browser: Browser, request: AuthorizationRequest, answer: Answer) -> Step | Leave:
    """Grant the request for the chosen account and scopes, with an entry in that account's log."""
    person = await browser_logins.person(ctx.kernel, browser.login_cookie or "")
    if person is None:
        return await _step(ctx, browser, request, Unauthenticated(ConsentMsg.LOGIN_OVER))
    account = _chosen(await own_accounts(ctx.kernel, person.id), answer.account)
    if account is None:
        return await _step(ctx, browser, request, Invalid(ConsentMsg.ACCOUNT_UNKNOWN), answer)
    scopes = _granted(request, answer.scopes)
    if not scopes:
        return await _step(ctx, browser, request, Invalid(ConsentMsg.NO_SCOPE), answer)
    actor = await _actor(ctx, person.id, account.account_id)
    log = partial(_log, replace(ctx, who=actor), request.client_name, scopes)
    location = await requests.approve(ctx.kernel, browser.request_id, person.id, account.account_id, scopes, then=log)
    return Leave(location=location)


def _granted(request: AuthorizationRequest, ticked: frozenset[Scope]) -> tuple[Scope, ...]:
    """Return the scopes that were offered and ticked; reading, which nobody can untick, where it was asked for."""
    return tuple(scope for scope in request.offered if scope in ticked or scope is Scope.READ)


_member = authentication.members()
_MEMBER = Prepared(
    select(*_member.c).where(
        _member.c.user_id == bindparam("user", type_=Uuid), _member.c.id == bindparam("account", type_=Uuid)
    ),
    ActorRow,
)


_new_grant = oauth_grant.alias("new_grant")
_FORMER = (
    select(
        oauth_grant.c.id,
        and_(
            oauth_grant.c.user_version == _new_grant.c.user_version,
            oauth_grant.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
        ).label("works"),
    )
    .join(
        _new_grant,
        and_(
            _new_grant.c.user_id == oauth_grant.c.user_id,
            _new_grant.c.account_id == oauth_grant.c.account_id,
            _new_grant.c.client_id == oauth_grant.c.client_id,
        ),
    )
    .where(_new_grant.c.id == bindparam("grant", type_=Uuid), oauth_grant.c.id != _new_grant.c.id)
)
"""Former grants of the same person, account and application, and whether each still works."""


async def _log(ctx: Context, client_name: str, scopes: tuple[Scope, ...], db: AsyncConnection, grant_id: UUID) -> None:
    """Log a grant in the actor's account, in its transaction; the application's rule of approvals goes on for it."""
    rows = await db.execute(_FORMER, {"grant": grant_id, "now": clock.now()})
    former = {str(row.id): bool(row.works) for row in rows}
    await enter(db, ctx.account.id)
    await rules.carry_over(db, former, str(grant_id))
    changes = {"scopes": (None, [scope.value for scope in scopes])}
    await activity.record(replace(ctx, connection=db), "granted", ("oauth_grant", grant_id), client_name, changes)


async def _actor(ctx: Context, user_id: UUID, account_id: UUID) -> Actor:
    """Return the person at work in one of their accounts, through the page. Raises Forbidden NOT_TEAM_MEMBER."""
    row = await identity_queries.fetch_row(ctx.kernel, _MEMBER, user=user_id, account=account_id)
    if row is None:
        raise not_a_member()
    return replace(authentication.actor_of(row), channel=Channel.WEB)
