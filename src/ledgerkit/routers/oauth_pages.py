"""/oauth/consent: the page on which a person logs in and decides what an application may do. No script, no frame."""

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ledgerkit.core.platform import pages
from ledgerkit.core.platform.oauth.pages import consent, page
from ledgerkit.core.platform.oauth.pages.browser_logins import LIFE
from ledgerkit.core.platform.oauth.pages.consent import Answer, Browser, ConsentStep, Leave, LoginStep, Step
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.problems import Problem
from ledgerkit.routers import forms
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.oauth_authorize import REQUEST_COOKIE
from ledgerkit.routers.routing import Router

LOGIN_COOKIE = "ledgerkit_oauth_login"
PATH = "/oauth/consent"

router = Router(include_in_schema=False)


@router.get(PATH, operation=consent.show_consent)
async def show_consent(request: Request, ctx: Anonymous) -> Response:
    try:
        step = await consent.show_consent(ctx, _browser(request))
    except Problem as refusal:
        return _refused(request, refusal)
    return _page(request, ctx, step)


@router.post(PATH, operation=consent.answer_consent)
async def answer_consent(request: Request, ctx: Anonymous) -> Response:
    answer = await _answer(request)
    try:
        step = await consent.answer_consent(ctx, _browser(request), answer)
    except Problem as refusal:
        return _refused(request, refusal)
    return _left(request, ctx, step) if isinstance(step, Leave) else _page(request, ctx, step)


def _browser(request: Request) -> Browser:
    return Browser(
        request_id=request.query_params.get("request", ""),
        request_cookie=request.cookies.get(REQUEST_COOKIE),
        login_cookie=request.cookies.get(LOGIN_COOKIE),
    )


async def _answer(request: Request) -> Answer:
    names = {scope: f"{page.SCOPE_FIELD}{scope}" for scope in Scope}
    token, action, email, password, account, state, *ticks = await forms.typed(
        request, "token", "action", "email", "password", "account", "state", *names.values()
    )
    ticked = frozenset(scope for scope, tick in zip(names, ticks, strict=True) if tick)
    return Answer(
        token=token,
        action=action,
        email=email.strip(),
        password=password,
        account=account,
        scopes=ticked,
        state=state,
    )


def _page(request: Request, ctx: Context, step: Step) -> Response:
    language = forms.language(request)
    match step:
        case LoginStep():
            content = page.login_page(step, language)
        case ConsentStep():
            content = page.consent_page(step, language)
    refusal = step.refusal
    headers = {**pages.REDIRECTING_HEADERS, **(refusal.headers if refusal else {})}
    answer = HTMLResponse(content, refusal.status if refusal else 200, headers)
    if request.cookies.get(LOGIN_COOKIE) != step.cookie:
        _set_cookie(ctx, answer, step.cookie)
    return answer


def _left(request: Request, ctx: Context, step: Leave) -> Response:
    location = step.location or f"{ctx.settings.public_url}{PATH}?{request.url.query}"
    answer = RedirectResponse(location, 303, dict(pages.REDIRECTING_HEADERS))
    if step.cookie is not None:
        _set_cookie(ctx, answer, step.cookie)
    return answer


def _refused(request: Request, refusal: Problem) -> Response:
    content = page.refusal_page(refusal, forms.language(request))
    return HTMLResponse(content, refusal.status, {**pages.REDIRECTING_HEADERS, **refusal.headers})


def _set_cookie(ctx: Context, answer: Response, cookie: str) -> None:
    answer.set_cookie(
        LOGIN_COOKIE,
        cookie,
        max_age=int(LIFE.total_seconds()),
        path="/oauth",
        secure=ctx.settings.is_https,
        httponly=True,
        samesite="lax",
    )
