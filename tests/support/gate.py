"""A gate before a TCP port: while it is shut, callers get a connection and nothing passes."""

import asyncio
from contextlib import suppress


class Gate:
    """Relays connections to `target` (a port of this machine) while it is open."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._opened = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.held = 0
        """Connections that wait before the shut gate."""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    @property
    def port(self) -> int:
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def open(self) -> None:
        self._opened.set()

    def shut(self) -> None:
        """For connections made from now on."""
        self._opened.clear()

    async def stop(self) -> None:
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._relay(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._opened.is_set():
            self.held += 1
            await _gone(reader)
            self.held -= 1
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        await asyncio.gather(_pump(reader, back), _pump(there, writer))


async def _gone(reader: asyncio.StreamReader) -> None:
    """Swallows what the caller says until it hangs up: none of it reaches the target."""
    with suppress(OSError):
        while await reader.read(65_536):
            pass


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
