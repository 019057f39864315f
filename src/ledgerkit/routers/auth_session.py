"""/auth/session: the login of a browser, held in a cookie that no script can read."""

from fastapi import Request, Response

from ledgerkit.core.platform.identity.api import Credentials, PasswordProof
from ledgerkit.core.platform.identity.logins import sessions
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.core.teams.api import Session
from ledgerkit.core.teams.web_sessions import operations as web_sessions
from ledgerkit.routers import session_cookie
from ledgerkit.routers.deps import Anonymous, Ctx, Visitor
from ledgerkit.routers.routing import Router

router = Router(prefix="/auth/session", tags=["Auth"])


@router.post("", operation=web_sessions.open_session, operation_id="openSession")
async def open_session(request: Request, response: Response, ctx: Anonymous, data: Credentials) -> Session:
    """Log a browser in: its token comes in the cookie `ledgerkit_session` and is not in the answer.

    The cookie is `__Host-ledgerkit_session` if the server's public address is https. In requests without other
    credentials it gives the same access as the token of `POST /auth/login`. Requests that change something also need
    the `csrfToken` in `X-CSRF-Token`. With `X-Team-Id` the session is in that team of yours, else in your active one.
    """
    session_cookie.check_origin(request)
    opened = await web_sessions.open_session(ctx, data, request.headers.get("x-team-id"))
    if opened.token is not None:
        session_cookie.put(request, response, opened.token.token, opened.token.seconds)
    return opened.session


@router.get("", operation=web_sessions.current_session, operation_id="getSession")
async def get_session(request: Request, response: Response, ctx: Visitor) -> Session:
    """Return who is logged in by cookie, in which team and with which permissions; `user` is null without a login.

    It never asks for a login, and ignores other credentials. In the second half of the token's life the cookie gets a
    new token. With `X-Team-Id` the session is in that team of yours, else in your active one.
    """
    cookie = session_cookie.sent(request)
    current = await web_sessions.current_session(ctx, cookie)
    if current.token is not None:
        session_cookie.put(request, response, current.token.token, current.token.seconds)
    elif cookie is not None and current.session.user is None:
        session_cookie.remove(request, response)
    return current.session


@router.post("/proof", operation=sessions.prove, operation_id="proveSession")
async def prove_session(request: Request, response: Response, ctx: Ctx, data: PasswordProof) -> Ok:
    """Prove the password again after a request by cookie was refused with `PASSWORD_NEEDED`. It counts for ten minutes.

    New keys, the certificate and another IBAN need it in a browser; tokens and keys of programs need no proof. A
    wrong password counts as a wrong login. API keys are refused here.
    """
    proved = await sessions.prove(ctx, data)
    if session_cookie.sent(request) is not None:
        session_cookie.put(request, response, proved.token, proved.expires_in)
    return Ok()


@router.delete("", operation=sessions.logout, operation_id="endSession")
async def end_session(request: Request, response: Response, ctx: Ctx) -> Ok:
    """End the login and all its tokens at once; remove the cookie and the browser's cache of this server.

    Other logins and the API keys stay; API keys are refused here.
    """
    await sessions.logout(ctx)
    session_cookie.remove(request, response)
    response.headers["Clear-Site-Data"] = '"cache"'
    return Ok()
