"""Checks of a request before MCP sees it: host, origin, credentials, method, media type, scope of the called tool.

Credentials are checked before the method, because hosts probe with a GET and expect the 401 challenge, not a 405.
"""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ledgerkit.core.platform.api_types.validation import no_json, not_json
from ledgerkit.core.platform.request.bodies import check_encoding, receive_body, replayed, too_large
from ledgerkit.core.platform.request.context import Kernel, RequestMetadata
from ledgerkit.mcp_server import credentials, step_up
from ledgerkit.mcp_server.direct_calls import METHOD
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import ForeignOrigin, Invalid, MethodNotAllowed, Misdirected, Problem

EXPOSED = ("Mcp-Session-Id", "WWW-Authenticate", "MCP-Protocol-Version", "X-Request-Id")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}

MESSAGE = 1 << 20
"""Most bytes of a message that calls no tool."""

DOCUMENT = 4 << 20
"""Most bytes of a call with a document of a thousand lines, or with the rows of an import."""

_FILES = frozenset({"image", "logo"})
"""Arguments that are files."""


class Gate:
    """ASGI application around the MCP transport. It puts `actor` into the request's state."""

    def __init__(self, kernel: Kernel, names: "Names", app: ASGIApp) -> None:
        self._names = names
        self._door = CORSMiddleware(
            _Door(kernel, app),
            allow_origins=["*"],  # `Names` has refused the other origins before
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=EXPOSED,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Blanks around a header's value are not part of it (RFC 9110 §5.5). httptools keeps them, and the SDK compares
        # bytes, so they are stripped here.
        scope = {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}
        try:
            self._names.check(Headers(scope=scope))
        except Problem as problem:
            await _answer(problem, scope)(scope, receive, send)
        else:
            await self._door(scope, receive, send)


class Names:
    """Host names of this server. Requests under other names are refused, which stops DNS rebinding."""

    def __init__(self, public_url: str) -> None:
        address = urlsplit(public_url)
        self._hosts = _LOOPBACK | {address.hostname or ""}
        self._origin = _origin(public_url)

    def check(self, headers: Headers) -> None:
        """Raise Misdirected for a foreign Host header, ForeignOrigin for a foreign Origin. Host may name any port."""
        if _hostname(f"//{headers.get('host', '')}") not in self._hosts:
            raise Misdirected(McpMsg.HOST_UNKNOWN)
        origin = headers.get("origin")
        if origin is not None and _origin(origin) != self._origin and _hostname(origin) not in _LOOPBACK:
            raise ForeignOrigin(McpMsg.ORIGIN_REFUSED)


class _Door:
    def __init__(self, kernel: Kernel, app: ASGIApp) -> None:
        self._kernel = kernel
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            actor = await credentials.caller(self._kernel, headers, _metadata_of(scope))
            _check_form(scope["method"], headers)
            body = await self._body(headers, receive)
            step_up.check(self._kernel.settings, actor, body)
            scope["state"]["actor"] = actor
            await self._app(scope, replayed(body, receive), send)
        except Problem as problem:
            await _answer(problem, scope)(scope, receive, send)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        settings = self._kernel.settings
        declared, limit = headers.get("content-length"), settings.max_body_mib << 20
        body = await receive_body(receive, declared, limit=limit, seconds=settings.body_timeout, json=True)
        await _check_size(body)
        return body


def _check_form(method: str, headers: Headers) -> None:
    if method != "POST":
        raise MethodNotAllowed(McpMsg.METHOD_NOT_ALLOWED, headers={"Allow": "POST, OPTIONS"}, method=method)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise not_json()
    check_encoding(headers.get("content-encoding"))
    if "dry-run" in headers:
        raise Invalid.field("Dry-Run", McpMsg.DRY_RUN_HEADER)


def _hostname(address: str) -> str | None:
    """Return the host name in an address; None for a text that is no address (`null`, `//[`)."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _origin(address: str) -> tuple[str, str, int | None] | None:
    """Return scheme, host name and port (RFC 6454 §4); None for a text that is no address."""
    try:
        parts = urlsplit(address)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname or "", port


def _metadata_of(scope: Scope) -> RequestMetadata:
    """Return the metadata that RequestMetadataMiddleware attaches to every request."""
    request_metadata = scope["state"]["request_metadata"]
    assert isinstance(request_metadata, RequestMetadata)  # noqa: S101 - our own wiring
    return request_metadata


def _answer(problem: Problem, scope: Scope) -> JSONResponse:
    request_metadata = _metadata_of(scope)
    body = problem.body(
        instance=scope["path"], request_id=request_metadata.request_id, language=request_metadata.language
    )
    return JSONResponse(body, problem.status, problem.headers, media_type="application/problem+json")


async def _check_size(body: bytes) -> None:
    """Check the size of a body. Raises TooLarge above the limit of its kind, Invalid for a large one without a message.

    Only tool calls can be large: with a document, many rows or a file. The SDK would compare a body that is no message
    with each of its shapes and list every mismatch, which took a second for 13 MB. So a thread parses a large body
    first.
    """
    if len(body) > MESSAGE:
        limit = await asyncio.to_thread(_limit, body)
        if limit is not None and len(body) > limit:
            raise too_large(limit)


def _limit(body: bytes) -> int | None:
    """Return the most bytes of this kind of message; None for a file, which only the server's own limit bounds."""
    try:
        message = from_json(body, cache_strings=False)
    except ValueError:
        raise no_json() from None
    match message:
        case {"jsonrpc": "2.0", "method": str(method), "params": Mapping() as params}:
            if method != METHOD:
                return MESSAGE
            tool = TOOLS.get(name) if isinstance(name := params.get("name"), str) else None
            return None if tool and not _FILES.isdisjoint(tool.full_schema["properties"]) else DOCUMENT
        case _:
            raise Invalid.field("body", McpMsg.NO_MESSAGE)
