"""How a route reads its JSON body: once, by our own rules for numbers."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from ledgerkit.core.validation import read_json


class _JsonRequest(Request):
    """A request whose body is JSON in which every number is one. Reading it raises Invalid."""

    async def json(self) -> Any:
        return read_json(await self.body())


class JsonRoute(APIRoute):
    """The class of every route that takes JSON. FastAPI wraps what reading raises; `failures` takes it out again."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            return await handle(_JsonRequest(request.scope, request.receive))

        return handler
