"""HEAD on every path with GET (RFC 9110 §9.3.2): the same answer without its content."""

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_IS_HEAD = "ledgerkit.is_head"


class HeadMiddleware:
    """ASGI middleware on every path that answers HEAD by the route of GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_content(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self._app({**scope, "method": "GET", _IS_HEAD: True}, receive, without_content)


def is_head(request: Request) -> bool:
    """Return True when a route of GET answers a HEAD request, whose content nobody reads."""
    return _IS_HEAD in request.scope
