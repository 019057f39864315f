"""Notice that the caller of a request has left, while it is being worked on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import Message, Receive

from ledgerkit.core.platform.request.context import Departure

_DISCONNECTED = "http.disconnect"


class Caller:
    """The caller's side of a request. Once its body is in, what comes next is that the caller leaves."""

    def __init__(self, receive: Receive, departure: Departure, *, sends_body: bool) -> None:
        self._receive = receive
        self._departure = departure
        self._sends_body = sends_body
        self._read_ahead: asyncio.Queue[Message] = asyncio.Queue()
        self._watch: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Watch for the time of the block, from the end of the request's body on."""
        if not self._sends_body:
            self._begin()
        try:
            yield
        finally:
            if self._watch is not None:
                self._watch.cancel()

    async def receive(self) -> Message:
        """Return the next part of the request (ASGI), to whoever works on it."""
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
