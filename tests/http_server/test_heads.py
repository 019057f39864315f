"""Bounds of what comes before there is a request: bytes, lines and time of heads, over real connections."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import pairwise

import pytest
import uvicorn

from ledgerkit.http_server.connections import Connections
from ledgerkit.http_server.protocol import bounded
from support.office import until
from support.ports import free_port

PIECE = 1 << 16
HEAD_SECONDS = 0.4
TAKING_SECONDS = 0.4
GET = b"GET /one HTTP/1.1\r\nHost: x\r\n"
LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
CHUNKED = b"POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
LARGE = 32 << 20


class Echo:
    """Answers with the path and the body, and remembers what it was asked; /slow waits until it is told to go on."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, list[bytes]]] = []
        self.goes_on = asyncio.Event()
        self.slow_begun = asyncio.Event()

    async def __call__(self, scope, receive, send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = body + message["body"], message["more_body"]
        self.seen.append((scope["path"], [name for name, _ in scope["headers"]]))
        if scope["path"] == "/slow":
            self.slow_begun.set()
            await self.goes_on.wait()
        content = b"x" * LARGE if scope["path"] == "/large" else scope["path"].encode() + b" " + body
        headers = [(b"content-length", b"%d" % len(content))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})


class Listening:
    """A running server with the bounds of ours, and its own end of each connection."""

    def __init__(self, app: Echo, connections: Connections, port: int) -> None:
        self.app, self.connections, self.port = app, connections, port
        self.writers: list[asyncio.StreamWriter] = []

    async def line(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers.append(writer)
        return reader, writer

    async def sent(self, *pieces: bytes) -> bytes:
        """All answers to what is sent, piece by piece; the server closes the connection."""
        reader, writer = await self.line()
        with suppress(ConnectionError):
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
        return await everything(reader)


async def everything(reader: asyncio.StreamReader) -> bytes:
    answer = b""
    async with asyncio.timeout(60):
        with suppress(ConnectionError):
            while piece := await reader.read(PIECE):
                answer += piece
    return answer


def statuses(answer: bytes) -> list[int]:
    return [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]


def problem(answer: bytes) -> dict:
    head, _, body = answer.rpartition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head.lower()
    assert b"connection: close" in head.lower()
    return json.loads(body)


@asynccontextmanager
async def listening(most: int = 100, **bounds: float) -> AsyncIterator[Listening]:
    app, port, connections = Echo(), free_port(), Connections(most, most, "")
    protocol = bounded(connections, **({"head_seconds": 60, "taking_seconds": 60} | bounds))
    config = uvicorn.Config(app, port=port, http=protocol, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve())
    await until(lambda: server.started)
    running = Listening(app, connections, port)
    yield running
    app.goes_on.set()
    for writer in running.writers:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    server.should_exit = server.force_exit = True
    await task


@pytest.fixture
async def server() -> AsyncIterator[Listening]:
    async with listening() as running:
        yield running


@pytest.fixture
async def hasty() -> AsyncIterator[Listening]:
    """Waits for a fraction of a second where ours waits for seconds."""
    async with listening(head_seconds=HEAD_SECONDS, taking_seconds=TAKING_SECONDS) as running:
        yield running


# ---------------------------------------------------------------- bytes and lines


TOO_MUCH = {
    "an address": [b"GET /" + b"a" * 66_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"],
    "a line": [GET + b"a: " + b"b" * 66_000 + b"\r\n\r\n"],
    "a name": [GET + b"a" * 66_000 + b": b\r\n\r\n"],
    "several lines": [GET + (b"a: " + b"b" * 1000 + b"\r\n") * 70 + b"\r\n"],
    "many lines": [GET + b"a: b\r\n" * 100 + b"\r\n"],
    "a line without end": [GET + b"a: ", *[b"b" * 1000] * 70],
    "an address without end": [b"GET /", *[b"b" * 1000] * 70],
    "blank lines": [b"\r\n" * 100] * 400,
    "a very long line": [GET + b"a: ", *[b"b" * PIECE] * 200],
    "trailers": [CHUNKED + b"1\r\nx\r\n0\r\n", *[b"a: b\r\n" * 10] * 20],
    "a trailer without end": [CHUNKED + b"1\r\nx\r\n0\r\na: ", *[b"b" * PIECE] * 20],
    "an extension of a chunk": [CHUNKED + b"1;", *[b"b" * PIECE] * 20],
}


@pytest.mark.parametrize("shape", TOO_MUCH)
async def test_a_head_that_is_too_large_is_refused_and_the_connection_closed(server, shape):
    answer = await server.sent(*TOO_MUCH[shape])

    refusal = problem(answer)
    assert statuses(answer) == [431]
    assert (refusal["code"], refusal["status"], refusal["requestId"] in answer.decode()) == (
        "HEAD_TOO_LARGE",
        431,
        True,
    )
    assert server.app.seen == []


async def test_the_refusal_is_in_the_language_that_was_asked_for(server):
    answer = await server.sent(GET + b"Accept-Language: es\r\n" + b"a: b\r\n" * 100 + b"\r\n")

    assert problem(answer)["title"] == "Las cabeceras de la petición son demasiado grandes"


@pytest.mark.parametrize(
    "head", [GET + b"a: b\r\n" * 98, GET + b"a: " + b"b" * 64_000 + b"\r\n"], ids=["lines", "bytes"]
)
@pytest.mark.parametrize("step", [PIECE * 2, 999], ids=["at once", "in pieces"])
async def test_a_head_within_the_bounds_is_a_request(server, head, step):
    content = head + b"Connection: close\r\n\r\n"

    answer = await server.sent(*[content[start : start + step] for start in range(0, len(content), step)])

    assert statuses(answer) == [200]


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    "beginning", [b"G", GET, GET + b"a: b\r\n", b"\r\n"], ids=["a letter", "a line", "two", "blank"]
)
async def test_a_head_that_does_not_become_whole_is_refused(hasty, beginning):
    answer = await hasty.sent(beginning)

    assert statuses(answer) == [408]
    assert problem(answer)["code"] == "HEAD_TIMEOUT"


async def test_who_was_refused_and_stays_is_dropped_soon(hasty):
    _, writer = await hasty.line()
    writer.write(GET)

    await until(lambda: len(hasty.connections) == 1)
    await until(lambda: len(hasty.connections) == 0)


async def test_bytes_that_trickle_in_win_no_time(hasty):
    begun = asyncio.get_running_loop().time()  # before the server's time begins, which is with the connection
    reader, writer = await hasty.line()

    async def trickle() -> None:
        with suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b"a")
                await writer.drain()
                await asyncio.sleep(HEAD_SECONDS / 10)

    writer.write(GET)
    trickling = asyncio.create_task(trickle())
    answer = await reader.readuntil(b"\r\n")
    trickling.cancel()

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert asyncio.get_running_loop().time() - begun >= HEAD_SECONDS


async def test_a_connection_that_says_nothing_is_closed_without_a_word(hasty):
    assert await hasty.sent() == b""


async def test_a_second_head_has_its_own_time(hasty):
    answer = await hasty.sent(GET + b"\r\n", GET)

    assert statuses(answer) == [200, 408]


async def test_who_takes_nothing_of_the_answer_is_dropped(hasty):
    reader, writer = await hasty.line()
    writer.transport.pause_reading()
    writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    await until(lambda: hasty.app.seen)

    await until(lambda: len(hasty.connections) == 0)

    writer.transport.resume_reading()
    assert len(await everything(reader)) < LARGE


async def test_who_takes_the_answer_slowly_gets_all_of_it(hasty):
    reader, writer = await hasty.line()
    writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    begun, size = asyncio.get_running_loop().time(), 0

    while piece := await reader.read(1 << 20):
        size += len(piece)
        await asyncio.sleep(0.02)

    assert size > LARGE
    assert asyncio.get_running_loop().time() - begun > 2 * TAKING_SECONDS


# ---------------------------------------------------------------- one Host


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
    ],
    ids=["none", "two", "two of old"],
)
async def test_a_request_of_no_host_or_two_is_refused(server, head):
    answer = await server.sent(head)

    assert statuses(answer) == [400]
    assert problem(answer)["code"] == "VALIDATION_ERROR"
    assert "Host" in problem(answer)["detail"]
    assert server.app.seen == []


async def test_the_old_protocol_needs_no_host(server):
    assert statuses(await server.sent(b"GET / HTTP/1.0\r\n\r\n")) == [200]


@pytest.mark.parametrize(
    "content", [b"\x16\x03\x01\x02\x00\x01", b"nonsense\r\n\r\n", b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n"]
)
async def test_what_is_not_http_is_refused_with_a_problem(server, content):
    answer = await server.sent(content)

    assert statuses(answer) == [400]
    assert problem(answer)["code"] == "VALIDATION_ERROR"


# ---------------------------------------------------------------- what goes on as before


def split_everywhere(content: bytes) -> list[list[bytes]]:
    """The content at once, byte by byte, and in two pieces cut at every place."""
    halves = [[content[:cut], content[cut:]] for cut in range(1, len(content), 7)]
    return [[content], [content[n : n + 1] for n in range(len(content))], *halves]


async def test_requests_that_follow_one_another_are_answered_in_their_order(server):
    posts = (
        b"POST /two HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + CHUNKED + b"2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
    )

    for pieces in split_everywhere(GET + b"\r\n" + posts + LAST):
        answer = await server.sent(*pieces)

        assert statuses(answer) == [200] * 4, pieces
        places = [answer.index(words) for words in (b"/one ", b"/two abc", b"/body def", b"/last ")]
        assert all(before < after for before, after in pairwise(places))


async def test_a_large_body_is_no_head(server):
    body = b"x" * (4 << 20)
    head = b"POST /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)

    answer = await server.sent(head, *[body[start : start + PIECE] for start in range(0, len(body), PIECE)])

    assert statuses(answer) == [200]
    assert answer.endswith(body)


async def test_small_chunks_are_no_head(server):
    content = b"1\r\nx\r\n" * 200_000

    answer = await server.sent(
        CHUNKED, *[content[n : n + PIECE] for n in range(0, len(content), PIECE)], b"0\r\n\r\n", LAST
    )

    assert statuses(answer) == [200, 200]
    assert b"x" * 200_000 in answer


async def test_trailers_do_not_become_headers(server):
    await server.sent(CHUNKED + b"1\r\nx\r\n0\r\nX-Team-Id: y\r\n\r\n" + LAST)

    assert b"x-team-id" not in server.app.seen[0][1]


@pytest.mark.parametrize(
    ("fault", "status"),
    [(GET + b"a: b\r\n" * 100 + b"\r\n", 431), (b"GET / HTTP/1.1\r\n\r\n", 400), (CHUNKED + b"zzz\r\n", 400)],
    ids=["head", "host", "body"],
)
async def test_a_refusal_waits_for_the_answer_to_the_request_before(server, fault, status):
    reader, writer = await server.line()
    writer.write(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + fault)
    await server.app.slow_begun.wait()

    server.app.goes_on.set()

    answer = await everything(reader)
    assert statuses(answer) == [200, status]
    assert answer.index(b"/slow") < answer.index(b"application/problem+json")


async def test_a_body_that_cannot_be_read_is_refused(server):
    answer = await server.sent(CHUNKED, b"1\r\nx\r\n", b"zzz\r\n")

    assert statuses(answer) == [400]
    assert server.app.seen == []


OFFER = b"Upgrade: h2c\r\nConnection: Upgrade\r\n"


async def test_an_upgrade_is_offered_in_vain(server):
    answer = await server.sent(GET + b"Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n")

    assert statuses(answer) == [200]


async def test_what_follows_an_offer_is_read_too(server):
    """The body of the request that offers, and the requests behind it."""
    with_body = b"POST /two HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n" + OFFER + b"\r\nabc"
    in_chunks = CHUNKED.removesuffix(b"\r\n") + OFFER + b"\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"

    for pieces in split_everywhere(GET + OFFER + b"\r\n" + with_body + in_chunks + LAST):
        answer = await server.sent(*pieces)

        assert statuses(answer) == [200] * 4, pieces
        places = [answer.index(words) for words in (b"/one ", b"/two abc", b"/body def", b"/last ")]
        assert all(before < after for before, after in pairwise(places))


@pytest.mark.parametrize("behind", [b"", LAST], ids=["alone", "with another request"])
async def test_a_tunnel_is_refused_with_an_answer(server, behind):
    answer = await server.sent(b"CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n" + behind)

    assert statuses(answer) == [400]
    assert problem(answer)["code"] == "VALIDATION_ERROR"


async def test_an_offer_does_not_hide_a_second_host(server):
    assert statuses(await server.sent(GET + b"Host: y\r\n" + OFFER + b"\r\n")) == [400]
    assert server.app.seen == []
