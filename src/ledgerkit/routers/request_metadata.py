"""Around every request: its id, the headers of every answer, the end of an unread body, and a caller who leaves."""

import asyncio
import re
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledgerkit.core.platform.request.context import Departure, RequestMetadata
from ledgerkit.problems import Problem
from ledgerkit.settings import Settings
from ledgerkit.texts import ENGLISH, languages

_DISCONNECTED = "http.disconnect"


class Caller:
    """Caller of a request. After the end of the body, the next message of ASGI says that the caller has left."""

    def __init__(self, receive: Receive, departure: Departure, *, sends_body: bool) -> None:
        self._receive = receive
        self._departure = departure
        self._sends_body = sends_body
        self._read_ahead: asyncio.Queue[Message] = asyncio.Queue()
        self._watch: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Watch inside the block whether the caller leaves, from the end of the request's body on."""
        if not self._sends_body:
            self._begin()
        try:
            yield
        finally:
            if self._watch is not None:
                self._watch.cancel()

    async def receive(self) -> Message:
        """Return the next message of the request (ASGI) to the application."""
        if self._watch is not None:
            message = await self._read_ahead.get()
            if message["type"] == _DISCONNECTED:
                self._read_ahead.put_nowait(message)  # nothing else will ever come
            return message
        message = await self._receive()
        if not message.get("more_body", False):
            self._begin()
        return message

    def _begin(self) -> None:
        self._watch = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while True:
            message = await self._receive()
            self._read_ahead.put_nowait(message)
            if message["type"] == _DISCONNECTED:
                self._departure.note()
                return


log = structlog.get_logger()

LANGUAGES = languages()
"""Languages of problems, two letters each."""

LINGER_SECONDS = 2.0
LINGER_BYTES = 16 << 20
"""Most seconds and bytes that a caller may still send of a body that was refused unread."""

NO_STORE = "no-store"

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_WEIGHT = re.compile(r"q=([01](?:\.[0-9]{0,3})?)")
_LANGUAGES_READ = 256
"""Characters of `Accept-Language` that are read."""


class RequestMetadataMiddleware:
    """ASGI middleware on every path: puts RequestMetadata into the request's state, and its headers into the answer."""

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self._app = app
        self._warned = bool(settings.forwarded_allow_ips)
        self._https_only = f"max-age={settings.hsts_seconds}" if settings.is_https else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_metadata = RequestMetadata(
            request_id=_request_id(headers),
            client_address=(scope.get("client") or ("",))[0],
            language=preferred(headers.get("accept-language", "")),
        )
        scope.setdefault("state", {})["request_metadata"] = request_metadata
        if not self._warned and "x-forwarded-for" in headers:
            self._warn(request_metadata)
        caller = Caller(receive, request_metadata.departure, sends_body=_has_body(headers))
        body = _Body(caller.receive, headers)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers_out = MutableHeaders(scope=message)
                _stamp(headers_out, request_metadata, closing=body.unread)
                if self._https_only is not None:
                    headers_out["Strict-Transport-Security"] = self._https_only  # RFC 6797
            elif body.unread and not message.get("more_body", False):
                await send({**message, "more_body": True})
                await body.discard()
                message = {"type": "http.response.body"}
            await send(message)

        try:
            async with caller.watched():
                await self._app(scope, body.receive, answer)
        except asyncio.CancelledError:
            if not request_metadata.departure.has_cancelled:
                raise
            _uncancelled()  # nobody is there to be answered

    def _warn(self, request_metadata: RequestMetadata) -> None:
        """Log once that a proxy is not configured: all callers behind it count as one address."""
        self._warned = True
        log.warning(
            "X-Forwarded-For is not believed: if this address is your proxy, name it in LEDGERKIT_FORWARDED_ALLOW_IPS",
            address=request_metadata.client_address,
        )


class _Body:
    """Body of a request. `discard` receives the rest of a body that no route has read, for a moment.

    If the server closed the connection while the caller sends, the answer would often be lost (RFC 9112 §9.6).
    """

    def __init__(self, receive: Receive, headers: Headers) -> None:
        self._receive = receive
        self._waits_to_send = "expect" in headers
        self.unread = _has_body(headers)

    async def receive(self) -> Message:
        message = await self._receive()
        self.unread = self.unread and message.get("more_body", False)
        return message

    async def discard(self) -> None:
        discarded_bytes = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while self.unread and not self._waits_to_send and discarded_bytes < LINGER_BYTES:
                    discarded_bytes += len((await self.receive()).get("body", b""))


def problem_response(problem: Problem, path: str, request_metadata: RequestMetadata) -> JSONResponse:
    body = problem.body(instance=path, request_id=request_metadata.request_id, language=request_metadata.language)
    headers = {
        "Cache-Control": NO_STORE,
        **problem.headers,
    }  # set here too, because an answer 500 bypasses the middleware
    return JSONResponse(body, problem.status, headers, media_type="application/problem+json")


def preferred(accepted: str, among: Collection[str] = LANGUAGES, otherwise: str = ENGLISH) -> str:
    """Return the language of `among` that the caller prefers by `Accept-Language` (RFC 9110 §12.5.4)."""
    best, weight = otherwise, Decimal(0)
    for part in accepted[:_LANGUAGES_READ].lower().split(","):
        tag, _, parameter = part.partition(";")
        language, weight_match = tag.strip().partition("-")[0], _WEIGHT.fullmatch(parameter.strip())
        worth = Decimal(weight_match[1]) if weight_match else Decimal(not parameter.strip())
        if language in among and worth > weight:
            best, weight = language, worth
    return best


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _uncancelled() -> None:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - we are in one
    task.uncancel()


def _request_id(headers: Headers) -> str:
    request_id = headers.get("x-request-id", "")
    return request_id if _REQUEST_ID.fullmatch(request_id) else uuid4().hex


def _stamp(headers: MutableHeaders, request_metadata: RequestMetadata, *, closing: bool) -> None:
    """Set the headers of every answer. Browsers and proxies may store only an answer that is declared public."""
    headers["X-Request-Id"] = request_metadata.request_id
    headers.setdefault("X-Content-Type-Options", "nosniff")
    directives = [word.strip() for word in headers.get("cache-control", "").lower().split(",") if word.strip()]
    if not {"public", NO_STORE} & set(directives):
        headers["Cache-Control"] = ", ".join([NO_STORE, *directives])
    for name, value in request_metadata.headers.items():
        headers[name] = value
    if request_metadata.replayed:
        headers["Idempotent-Replayed"] = "true"
    if closing:
        headers["Connection"] = "close"
