"""Timers of connections: those that are refused or closing keep theirs, and those that have ended have none."""

import asyncio
import gc
import socket
import struct
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import pytest
import uvicorn

from ledgerkit.http_server.connections import Connections
from ledgerkit.http_server.protocol import BoundedProtocol, bounded
from support.office import until

SECONDS = 0.3
BUFFER = 4096
"""Bytes of each buffer of the kernel, which doubles them: what is not taken waits in the server."""

ANSWER = b"x" * (200 << 10)
HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"
LOW_WATER = 16 << 10
"""Bytes below which a transport asks for more."""


class Watched(Connections):
    """Connections that can be looked at."""

    @property
    def only(self) -> BoundedProtocol:
        [protocol] = self._origins
        assert isinstance(protocol, BoundedProtocol)
        return protocol


async def answering(scope, receive, send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(ANSWER))]})
    await send({"type": "http.response.body", "body": ANSWER})


@asynccontextmanager
async def listening(head_seconds: float = 60) -> AsyncIterator[tuple[Watched, tuple[str, int]]]:
    connections = Watched(100, 100, "")
    config = uvicorn.Config(
        answering,
        http=bounded(connections, head_seconds=head_seconds, taking_seconds=SECONDS),
        ws="none",
        lifespan="off",
        log_config=None,
        timeout_keep_alive=1,
    )
    with closing(socket.socket()) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(config)
        task = asyncio.create_task(server._serve(sockets=[listener]))
        await until(lambda: server.started)
        yield connections, listener.getsockname()
        server.should_exit = server.force_exit = True
        await task


@pytest.fixture
async def server() -> AsyncIterator[tuple[Watched, tuple[str, int]]]:
    async with listening() as running:
        yield running


@asynccontextmanager
async def caller(address) -> AsyncIterator[socket.socket]:
    """A connection that takes what it is told to take."""
    with closing(socket.socket()) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        line.settimeout(0)
        await asyncio.get_running_loop().sock_connect(line, address)
        yield line


async def send(line: socket.socket, content: bytes) -> None:
    await asyncio.get_running_loop().sock_sendall(line, content)


async def take(line: socket.socket, size: int) -> bytes:
    return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(line, size), 60)


async def take_until(line: socket.socket, condition) -> None:
    """Take little by little, as the server's side empties."""
    while not condition():
        assert await take(line, 1024)


async def test_a_closing_connection_that_stops_taking_near_the_end_is_dropped(server):
    """Below its low water the transport says that it can take more, which is no reason to wait for ever."""
    connections, address = server
    async with caller(address) as line:
        await send(line, HEAD + b"Connection: close\r\n\r\n")
        await until(lambda: len(connections) == 1 and connections.only.transport.is_closing())
        transport = connections.only.transport
        await take_until(line, lambda: transport.get_write_buffer_size() < LOW_WATER)
        left = transport.get_write_buffer_size()

        await until(lambda: len(connections) == 0)

    assert left > 0


async def test_a_refused_connection_that_stays_after_its_answer_is_dropped(server):
    connections, address = server
    async with caller(address) as line:
        await send(line, HEAD + b"\r\n" + b"no request\r\n\r\n")
        received = b""
        while piece := await take(line, 1 << 16):
            received += piece

        await until(lambda: len(connections) == 0)

    assert received.count(b"HTTP/1.1 ") == 2
    assert b"application/problem+json" in received


async def test_a_refused_head_is_not_late_too():
    """A second answer would be written behind the end of what is sent."""
    failures: list[dict] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    async with listening(head_seconds=SECONDS) as (connections, address), caller(address) as line:
        await send(line, HEAD)
        await until(lambda: len(connections) == 1 and connections.only._deadline is not None)
        await send(line, b"no header\r\n\r\n")
        received = await take(line, 1 << 16)

        await until(lambda: len(connections) == 0)

    assert received.startswith(b"HTTP/1.1 400 ")
    assert failures == []


async def test_a_connection_that_was_reset_is_forgotten(server):
    """A timer that went on would watch a connection that nobody has any more, for ever."""
    connections, address = server
    async with caller(address) as line:
        await send(line, HEAD + b"\r\n")
        left = len(ANSWER)
        while left > 0:
            left -= len(await take(line, 1 << 16))
        await until(lambda: connections.only.timeout_keep_alive_task is not None)
        protocol = weakref.ref(connections.only)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    await until(lambda: len(connections) == 0)
    await until(lambda: gc.collect() >= 0 and protocol() is None)
