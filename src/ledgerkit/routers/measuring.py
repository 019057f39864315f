"""Metrics of requests: number, status and duration in seconds, by the template of the route."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledgerkit.telemetry.metrics import REQUEST_SECONDS, REQUESTS

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
OTHER = "other"
NO_ROUTE = "none"
LEFT = 499
"""Status of a request whose caller left before the answer."""


class MeasuringMiddleware:
    """ASGI middleware outside of all that may refuse a request, and inside HeadMiddleware, which makes HEAD a GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), LEFT

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, answer)
        except Exception:
            status = 500 if status == LEFT else status  # the server's own answer
            raise
        finally:
            method, route = _method(scope), _route(scope)
            REQUESTS.labels(method, route, status).inc()
            REQUEST_SECONDS.labels(method, route).observe(time.perf_counter() - began)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else OTHER


def _route(scope: Scope) -> str:
    """Return the route's template, as `/api/invoices/{id}`. The path itself could hold ids, tokens or any text."""
    template: str = getattr(scope.get("route"), "path", NO_ROUTE)
    return template
