"""The way to the authority, which can be cut: refused, reset at once, or silent."""

import asyncio
import socket
import struct
from contextlib import suppress
from enum import StrEnum

from support.ports import free_port


class Weather(StrEnum):
    """Fate of connections."""

    CLEAR = "clear"
    REFUSED = "connection refused"
    RESET = "reset before the request"
    SILENT = "no answer to the connection"


class Wire:
    """Relays connections to a port of this machine as long as the weather is clear; `struck` counts those it did not.

    Refused ones cannot be counted, because nothing arrives.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._weather = Weather.CLEAR
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = free_port()
        self.struck = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    @property
    def weather(self) -> Weather:
        return self._weather

    async def turn(self, weather: Weather) -> None:
        """Change the weather; connections under way suffer it too."""
        self._weather = weather
        if weather is not Weather.CLEAR:
            await self._drop()
        if weather is Weather.REFUSED:
            self._close()
        elif self._server is None:
            await self.start()

    async def stop(self) -> None:
        self._close()
        await self._drop()

    def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _drop(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._relay(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: _abort(writer))  # also of one that is cancelled before it has begun

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back: asyncio.StreamWriter | None = None
        try:
            if self._weather is Weather.RESET:
                self.struck += 1
                return
            if self._weather is Weather.SILENT:
                self.struck += 1
                await asyncio.sleep(3600)
            with suppress(OSError):
                there, back = await asyncio.open_connection("127.0.0.1", self._target)
                await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            if back is not None:
                _abort(back)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        writer.write_eof()


def _abort(writer: asyncio.StreamWriter) -> None:
    """Reset the connection; to one that both sides have closed nothing happens any more."""
    with suppress(OSError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
