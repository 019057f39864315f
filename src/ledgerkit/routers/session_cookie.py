"""Cookie that holds a browser's login token, and the proof that a request with it comes from a page of this server."""

from urllib.parse import urlsplit

from fastapi import Request, Response

from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.request.context import Kernel, Login
from ledgerkit.problems import CrossSiteRequest
from ledgerkit.routers.messages import RoutersMsg
from ledgerkit.settings import Settings

NAME = "ledgerkit_session"
HOST_PREFIX = "__Host-"
"""Prefix of a cookie that browsers take only over HTTPS and only from this very host (RFC 6265bis §4.1.3.2)."""

TOKEN_HEADER = "X-CSRF-Token"  # noqa: S105 - a header's name, not a secret

_SAFE_METHODS = {"GET", "HEAD"}


def sent(request: Request) -> str | None:
    """Return the token in the request's cookie; None without one, and if the request has other credentials."""
    if "authorization" in request.headers or "x-api-key" in request.headers:
        return None
    return request.cookies.get(_name(_settings(request)))


def put(request: Request, response: Response, token: str, seconds: int) -> None:
    """Set the cookie to a login token that is valid for `seconds`."""
    settings = _settings(request)
    response.set_cookie(
        _name(settings),
        token,
        max_age=seconds,
        path="/",
        secure=settings.is_https,
        httponly=True,
        samesite="strict",
    )


def remove(request: Request, response: Response) -> None:
    """Remove the cookie from the browser."""
    put(request, response, "", 0)


def check_page(request: Request, login: Login | None) -> None:
    """Check that a page of this server has sent a request that changes something and has a cookie.

    Such a page has read the CSRF token of the login. Raises CrossSiteRequest.
    """
    if request.method in _SAFE_METHODS:
        return
    check_origin(request)
    kernel: Kernel = request.app.state.kernel
    token = request.headers.get(TOKEN_HEADER, "")
    if login is None or not kernel.service(Tokens).is_csrf_token(token, login):
        raise CrossSiteRequest(RoutersMsg.CSRF_TOKEN_WRONG)


def check_reader(request: Request) -> None:
    """Check that no page of another origin has sent a GET with a cookie. Raises CrossSiteRequest.

    This is for a GET that leaves a record. The address bar (`none`) is allowed. A page of another site sends no cookie
    (SameSite=Strict), but a page of another host name or port of the same site does.
    """
    site = request.headers.get("sec-fetch-site")
    if sent(request) is not None and site not in {None, "none", "same-origin"}:
        raise CrossSiteRequest(RoutersMsg.PAGE_OF_ANOTHER_SITE)


def check_origin(request: Request) -> None:
    """Check that the browser does not name another origin as the sender. Raises CrossSiteRequest.

    Programs send neither of the two headers. Source: W3C Fetch Metadata §2.3, RFC 6454 §7.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_foreign = origin is not None and origin.lower() not in _origins(request)
    if is_foreign or site not in {None, "same-origin"}:
        raise CrossSiteRequest(RoutersMsg.PAGE_OF_ANOTHER_SITE)


def _origins(request: Request) -> set[str]:
    """Return the origins of this server's pages: of its public address, and of the Host header of the request.

    A foreign page cannot make a browser send the cookie to another host than this server.
    """
    settings = _settings(request)
    public = urlsplit(settings.public_url.lower())
    scheme = "https" if settings.is_https else request.url.scheme
    return {f"{public.scheme}://{public.netloc}", f"{scheme}://{request.headers.get('host', '').lower()}"}


def _name(settings: Settings) -> str:
    return f"{HOST_PREFIX}{NAME}" if settings.is_https else NAME


def _settings(request: Request) -> Settings:
    kernel: Kernel = request.app.state.kernel
    return kernel.settings
