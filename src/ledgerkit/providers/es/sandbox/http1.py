"""HTTP/1.1 server, just complete enough for a SOAP service that can also misbehave on purpose.

A ready-made server hides the connection, and this one must be able to cut it, drip, or stop half-way.
Source: RFC 9112. Bodies need a Content-Length; chunked ones are answered 411.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

MAX_HEAD = 32 * 1024
"""Bytes of request line and headers; also the limit to give to the stream reader."""
MAX_BODY = 16 * 1024 * 1024
"""Bytes of a body: a thousand records of ordinary size are about 4 MiB."""
START = 4 * 1024


class HttpError(Exception):
    """The request cannot be served; answer `status` and close."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Head:
    """Request line and headers (names in lower case)."""

    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def length(self) -> int:
        """Bytes of the body. Raises HttpError 411 without a length, 400 for a wrong one, 413 above the bound."""
        if "transfer-encoding" in self.headers:
            raise HttpError(411)
        literal = self.headers.get("content-length", "0")
        if not literal.isascii() or not literal.isdigit():
            raise HttpError(400)
        if int(literal) > MAX_BODY:
            raise HttpError(413)
        return int(literal)

    @property
    def keep_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next request's head, None when the client has closed. Raises HttpError 400 or 431."""
    try:
        block = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise HttpError(431) from error
    request, *lines = block[:-4].decode("latin-1").split("\r\n")
    method, _, target_and_version = request.partition(" ")
    target, _, version = target_and_version.partition(" ")
    if version not in {"HTTP/1.1", "HTTP/1.0"}:
        raise HttpError(400)
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or name != name.strip():
            raise HttpError(400)
        headers[name.lower()] = value.strip()
    return Head(method=method, target=target, headers=headers)


async def read_body(head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The whole body. Raises HttpError, or IncompleteReadError when the client leaves in the middle."""
    start = await read_start(head, reader, writer)
    return start + await read_rest(head, reader, start)


async def read_start(head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The body's first 4 KiB, or all of a shorter one, after asking for it where the client waits to be asked."""
    length = head.length
    if head.headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await writer.drain()
    return await reader.readexactly(min(length, START))


async def read_rest(head: Head, reader: asyncio.StreamReader, start: bytes) -> bytes:
    """Return the text after `start`."""
    return await reader.readexactly(head.length - len(start))


def response(status: int, body: bytes = b"", headers: Sequence[tuple[str, str]] = (), *, close: bool = False) -> bytes:
    """A whole answer, head and body."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers]
    if close:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
