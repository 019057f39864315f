"""Around every request: its id, its media type, and the headers that go back whatever the answer is."""

import re
from collections.abc import Collection
from decimal import Decimal
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledgerkit.core.context import Exchange
from ledgerkit.core.validation import not_json
from ledgerkit.problems import ENGLISH, Problem, TooLarge, bilingual

log = structlog.get_logger()

LANGUAGES = (ENGLISH, "es")
"""The languages that problems may be worded in."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_WEIGHT = re.compile(r"q=([01](?:\.[0-9]{0,3})?)")
_WITH_BODY = {"POST", "PUT", "PATCH", "DELETE"}
_JSON_PATHS = ("/api/", "/auth/")


class ExchangeMiddleware:
    """Puts an `Exchange` into the request's state and its headers onto the answer. Plain ASGI: it is on every path."""

    def __init__(self, app: ASGIApp, max_body: int, *, proxied: bool) -> None:
        self._app = app
        self._max_body = max_body
        self._warned = proxied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        exchange = Exchange(
            request_id=_request_id(headers),
            client_address=(scope.get("client") or ("",))[0],
            language=preferred(headers.get("accept-language", "")),
        )
        scope.setdefault("state", {})["exchange"] = exchange
        if not self._warned and "x-forwarded-for" in headers:
            self._warn(exchange)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                _stamp(MutableHeaders(scope=message), exchange)
            await send(message)

        refusal = not_json() if _wrong_media_type(scope, headers) else self._too_large(headers)
        if refusal is not None:
            await problem_response(refusal, scope["path"], exchange)(scope, receive, answer)
            return
        await self._app(scope, self._counted(receive), answer)

    def _warn(self, exchange: Exchange) -> None:
        """Once: behind a proxy that is not named, all callers count as one."""
        self._warned = True
        log.warning(
            "X-Forwarded-For is not believed: if this address is your proxy, name it in LEDGERKIT_FORWARDED_ALLOW_IPS",
            address=exchange.client_address,
        )

    def _too_large(self, headers: Headers) -> Problem | None:
        declared = headers.get("content-length", "0")
        return too_large(self._max_body) if declared.isdigit() and int(declared) > self._max_body else None

    def _counted(self, receive: Receive) -> Receive:
        """For bodies that come in chunks and do not say how long they are."""
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._max_body:
                raise HTTPException(413) from too_large(self._max_body)
            return message

        return limited


def problem_response(problem: Problem, path: str, exchange: Exchange) -> JSONResponse:
    body = problem.body(instance=path, request_id=exchange.request_id, language=exchange.language)
    return JSONResponse(body, problem.status, problem.headers, media_type="application/problem+json")


def preferred(accepted: str, languages: Collection[str] = LANGUAGES, otherwise: str = ENGLISH) -> str:
    """The one of `languages` that a caller wants most, by `Accept-Language` (RFC 9110 §12.5.4)."""
    best, weight = otherwise, Decimal(0)
    for part in accepted.lower().split(","):
        tag, _, parameter = part.partition(";")
        language, given = tag.strip().partition("-")[0], _WEIGHT.fullmatch(parameter.strip())
        worth = Decimal(given[1]) if given else Decimal(not parameter.strip())
        if language in languages and worth > weight:
            best, weight = language, worth
    return best


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex


def _stamp(headers: MutableHeaders, exchange: Exchange) -> None:
    headers["X-Request-Id"] = exchange.request_id
    headers.setdefault("X-Content-Type-Options", "nosniff")
    for name, value in exchange.headers.items():
        headers[name] = value
    if exchange.replayed:
        headers["Idempotent-Replayed"] = "true"


def _wrong_media_type(scope: Scope, headers: Headers) -> bool:
    """A body that does not say it is JSON. A request without a body needs no media type."""
    if scope["method"] not in _WITH_BODY or not scope["path"].startswith(_JSON_PATHS):
        return False
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return False
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json"))


def too_large(max_body: int) -> TooLarge:
    most = max_body >> 20
    return bilingual(
        TooLarge,
        (f"The body is larger than the {most} MiB that this server accepts.", "Send less at once."),
        (f"El cuerpo supera los {most} MiB que admite este servidor.", "Envía menos de una vez."),
    )
