"""Route of the web app, the last one of the server, and its answers: the page, its files, and how to build them."""

import re
import secrets
from collections.abc import Collection, Iterable, Sequence

from fastapi.routing import iter_route_contexts
from starlette.datastructures import URLPath
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

from ledgerkit.core.platform import pages
from ledgerkit.texts import MessageId, text
from ledgerkit.web.dist import ASSETS, BuiltFile, Dist

NONCE = "__CSP_NONCE__"
"""Placeholder in the page for the nonce that permits its styles; each answer has a new nonce."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self' blob:; media-src 'self' blob:; manifest-src 'self'; "
    "worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_PERMISSIONS = (
    "accelerometer=(), browsing-topics=(), camera=(self), display-capture=(), geolocation=(), gyroscope=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()"
)
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": _PERMISSIONS,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_REFUSED = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*")
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_A_WHILE = "public, max-age=300"


class WebMsg(MessageId):
    NOT_BUILT = "web.not_built"
    WORKS_WITHOUT = "web.works_without"
    BUILD_IT = "web.build_it"
    TO_THE_DOCS = "web.to_the_docs"


class WebAppRoute(BaseRoute):
    """Files of the web app by their names, and its page for every other path that a person opens.

    Paths below those of `routes`, the other routes, are left to them: an unknown one is answered with 404. Metrics and
    answers call this route by `path` and `methods`.
    """

    path = "/"
    methods = frozenset({"GET"})

    def __init__(self, dist: Dist | None, routes: Sequence[BaseRoute]) -> None:
        self._dist = dist
        self._routes = routes
        self._areas: frozenset[str] | None = None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or not self._is_here(scope):
            return Match.NONE, {}
        return (Match.FULL if scope["method"] == "GET" else Match.PARTIAL), {"route": self}

    def url_path_for(self, name: str, /, **path_params: object) -> URLPath:
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            raise HTTPException(405)
        response = self._answer(Request(scope))
        await response(scope, receive, send)

    def _is_here(self, scope: Scope) -> bool:
        name = scope["path"].removeprefix("/")
        if not name or (self._dist is not None and name in self._dist.files):
            return True
        return scope["method"] == "GET" and self._is_free(name) and _is_for_a_person(Request(scope))

    def _is_free(self, name: str) -> bool:
        if self._areas is None:
            contexts = iter_route_contexts(self._routes)
            self._areas = _areas((context.path or "", context.methods) for context in contexts)
        return f"{name}/".partition("/")[0] not in self._areas

    def _answer(self, request: Request) -> Response:
        name = request.scope["path"].removeprefix("/")
        if self._dist is None:
            return _not_built(request, 404 if name else 200)
        file = self._dist.files.get(name)
        return _page(self._dist.index) if file is None else _file(request, file)


def _is_for_a_person(request: Request) -> bool:
    """Return True when the caller names HTML among what it accepts, as browsers do for what people open."""
    return "text/html" in request.headers.get("accept", "").lower()


def _page(index: str) -> Response:
    """Return the page of the web app."""
    nonce = secrets.token_urlsafe(16)
    headers = {**_PAGE_HEADERS, "Content-Security-Policy": _POLICY.format(nonce=nonce)}
    return HTMLResponse(index.replace(NONCE, nonce), headers=headers)


def _file(request: Request, built: BuiltFile) -> Response:
    """Return a file of the web app, compressed where the build has done so and the caller takes it."""
    accepted = _accepted_encodings(request.headers.get("accept-encoding", ""))
    encoding = next((encoding for encoding in built.encoded if encoding in accepted), None)
    headers = {
        "Cache-Control": _FOR_EVER if built.is_immutable else _FOR_A_WHILE,
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if built.encoded:
        headers["Vary"] = "Accept-Encoding"
    if encoding is None:
        return Response(built.content, media_type=built.media_type, headers=headers)
    headers["Content-Encoding"] = encoding
    return Response(built.encoded[encoding], media_type=built.media_type, headers=headers)


def _not_built(request: Request, status: int) -> Response:
    """Return the page that says how the web app is built, with `status`."""
    language = pages.chosen_language(request.headers.get("accept-language", ""))
    lines = [text(WebMsg.WORKS_WITHOUT), text(WebMsg.BUILD_IT)]
    links = [pages.Link("/docs", text(WebMsg.TO_THE_DOCS))]
    content = pages.page(language, text(WebMsg.NOT_BUILT), lines, links=links)
    return HTMLResponse(content, status, dict(pages.HEADERS))


def _accepted_encodings(header: str) -> set[str]:
    """Return the encodings that `Accept-Encoding` names and does not refuse (RFC 9110 §12.5.3)."""
    parts = [part.partition(";") for part in header.lower().split(",")]
    return {name.strip() for name, _, weight in parts if not _REFUSED.fullmatch(weight)}


def _areas(routes: Iterable[tuple[str, Collection[str] | None]]) -> frozenset[str]:
    """Return the first parts of the paths of `routes`, given with their methods: nothing below them is the web app's.

    A path of one part that is for programs only (POST /register) is free for people who open it.
    """
    areas = {ASSETS.strip("/")}
    for path, methods in routes:
        area, has_more, _ = path.removeprefix("/").partition("/")
        if has_more or "GET" in (methods or {"GET"}):
            areas.add(area)
    return frozenset(areas - {""})
