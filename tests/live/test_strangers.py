"""Requests of strangers over TCP: the largest, the nastiest, the slowest; nobody else notices them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from ledgerkit.routers.routing import ORDINARY
from support.office import cloned
from support.routes import Served
from support.routes import served as routes
from support.serving import Server, served
from support.watching import Watch

FORM = "application/x-www-form-urlencoded"
LARGE = 4 << 20
PIECE = 1 << 16
ANONYMOUS = [one for one in routes() if not one.known]


def filled(start: bytes, unit: bytes, end: bytes, size: int) -> bytes:
    """JSON or something like it of nearly `size` bytes."""
    return start + unit * ((size - len(start) - len(end)) // len(unit)) + end


SHAPES = {
    "numbers": lambda size: filled(b"[", b"0,", b"0]", size),
    "lists": lambda size: filled(b"[", b"[],", b"[]]", size),
    "texts": lambda size: filled(b"[", b'"",', b'""]', size),
    "members": lambda size: b"{" + b",".join(b'"%x":0' % n for n in range(size // 12)) + b"}",
    "deep": lambda size: b"[" * size,
    "deep objects": lambda size: filled(b"", b'{"a":', b"", size),
    "a long number": lambda size: filled(b'{"email":', b"1", b"}", size),
    "long numbers": lambda size: filled(b"[", b"1" * 4200 + b",", b"0]", size),
    "escapes": lambda size: filled(b'{"email":"', b"\\u00f1", b'"}', size),
    "a long text": lambda size: filled(b'{"email":"', b"a", b'@example.com","password":"x"}', size),
    "a long password": lambda size: filled(b'{"email":"a@example.com","password":"', b"a", b'"}', size),
    "spaces": lambda size: b" " * size,
    "a form of many fields": lambda size: b"a=&" * (size // 3),
    "a form of escapes": lambda size: b"name=" + b"%41" * (size // 3 - 2),
}


@pytest.fixture(scope="module")
async def server(postgres, tmp_path_factory) -> AsyncIterator[Server]:
    directory = tmp_path_factory.mktemp("strangers")
    async with (
        cloned(postgres) as url,
        served(directory / "data", DATABASE_URL=url, BODY_TIMEOUT="1") as running,
    ):
        yield running


@pytest.fixture
async def line(server):
    """Opens a connection; all are closed in the end."""
    opened = []

    async def connect():
        address = urlsplit(server.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        opened.append(writer)
        return reader, writer

    yield connect
    for writer in opened:
        writer.close()


async def exchange(line, one: Served, body: bytes, kind: str) -> bytes:
    """The whole answer to one request, on a connection of its own."""
    head = f"{one.method} {one.address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n"
    return await sent(line, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


async def sent(line, content: bytes) -> bytes:
    reader, writer = await line()
    with suppress(ConnectionError):  # who is refused may find the door shut while still sending
        for start in range(0, len(content), PIECE):
            writer.write(content[start : start + PIECE])
            await writer.drain()
    answer = b""
    with suppress(ConnectionError):
        while piece := await reader.read(PIECE):
            answer += piece
    return answer


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


# ---------------------------------------------------------------- the largest and the nastiest


@pytest.mark.parametrize("shape", SHAPES)
async def test_no_stranger_keeps_others_waiting(server, line, shape):
    kept_waiting = []

    async with Watch(server.url) as watch:
        for one in ANONYMOUS:
            body = SHAPES[shape](one.body_limit or ORDINARY)
            kind = "application/json" if one.path.startswith(("/api/", "/auth/")) else FORM
            if await watch.is_kept_waiting(lambda one=one, body=body, kind=kind: exchange(line, one, body, kind)):
                kept_waiting.append(one.row)

    assert kept_waiting == []


@pytest.mark.parametrize("shape", ["numbers", "members", "a long text"])
@pytest.mark.parametrize("row", ["POST /api/invoices", "PUT /api/teams/current", "POST /mcp", "POST /nowhere"])
async def test_four_megabytes_without_credentials_are_refused_in_passing(server, line, row, shape):
    method, _, path = row.partition(" ")
    one = Served(method, path, known=True, body_limit=None, operation=None)
    body = SHAPES[shape](LARGE)
    answers = []

    async def send():
        answers.append(status(await exchange(line, one, body, "application/json")))

    async with Watch(server.url) as watch:
        assert not await watch.is_kept_waiting(send)

    assert set(answers) == {404 if path == "/nowhere" else 401}


# ---------------------------------------------------------------- the slowest


HEAD = b"POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "beginning",
    [
        HEAD + b"Content-Length: 100\r\n\r\n{",
        HEAD + b"Content-Length: 100\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
        HEAD + b"Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
    ],
    ids=["declared", "nothing at all", "in chunks", "after being told to go on"],
)
async def test_a_body_that_does_not_come_ends_the_connection(line, beginning):
    answer = await sent(line, beginning)

    *_, last = answer.split(b"HTTP/1.1 ")
    assert last.startswith(b"408 ")
    assert b"BODY_TIMEOUT" in last
    assert b"connection: close" in last.lower()


async def test_a_refused_caller_who_goes_on_sending_slowly_is_sent_off(line):
    answer = await sent(line, b"POST /api/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")

    assert status(answer) == 401


async def test_a_refused_caller_is_not_told_to_go_on(line):
    head = b"POST /api/invoices HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 16000000\r\n\r\n"

    answer = await sent(line, head)

    assert status(answer) == 401
    assert b"100 Continue" not in answer


async def test_chunks_without_end_are_cut_at_the_limit(line):
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"

    answer = await sent(line, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 20)

    assert status(answer) == 413


@pytest.mark.parametrize(
    "headers",
    [b"Content-Length: -1\r\n", b"Content-Length: 1e9\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"],
)
async def test_lengths_that_contradict_themselves_are_refused(line, headers):
    answer = await sent(line, HEAD + headers + b"\r\n{}")

    assert status(answer) in {400, 408}


async def test_a_second_request_hidden_behind_a_short_length_is_one_of_its_own(line):
    hidden = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    answer = await sent(line, HEAD + b"Content-Length: 2\r\n\r\n{}" + hidden)

    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"400", b"200"]
