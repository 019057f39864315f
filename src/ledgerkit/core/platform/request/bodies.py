"""Request bodies: received within bounds of size and time, and measured as JSON before anything parses them.

Parsing JSON and validating the result hold the interpreter, so nothing else is answered meanwhile. What that costs
grows with the number of values far more than with the bytes: a text of 4 MiB takes 5 ms, 350,000 empty lists in 1 MiB
take 2 s [measured]. Therefore both are bounded, and the values are counted piece by piece as they come.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from ledgerkit.core.platform.api_types.validation import no_json
from ledgerkit.core.platform.request.texts import RequestMsg
from ledgerkit.problems import Invalid, RequestTimeout, TooLarge, UnsupportedMediaType

MAX_VALUES = 50_000
"""Most values of one body; an invoice of a thousand lines with all their fields has 17,000."""

MAX_STRUCTURE_BYTES = 1 << 20
"""Most bytes of a body outside of texts: brackets, numbers, spaces."""

BYTES_PER_SECOND = 16 << 10
"""Slowest rate of a body: so many bytes prolong the wait for it by a second."""

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
"""Receiver by which the web server hands over a request's body (ASGI)."""


async def receive_body(
    receive: Receive,
    declared: str | None,
    *,
    limit: int,
    seconds: float,
    json: bool,
    max_values: int = MAX_VALUES,
) -> bytes:
    """Return the whole body: at most `limit` bytes, within `seconds` plus one second for each 16 KiB received.

    `declared` is its `Content-Length`, if it has one: when that is too large, nothing is taken. `json`: it may hold
    `max_values` values and MAX_STRUCTURE_BYTES outside of texts. Raises TooLarge, RequestTimeout, and Invalid for more
    values, for what is no UTF-8, and when the caller leaves before the end.
    """
    if declared is not None and declared.isdigit() and int(declared) > limit:
        raise too_large(limit)
    loop = asyncio.get_running_loop()
    started_at, received_bytes = loop.time(), 0
    pieces: list[bytes] = []
    measure = JsonMeasure(max_values) if json else None
    try:
        async with asyncio.timeout(seconds) as patience:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _broken_off()
                piece, more = message.get("body", b""), message.get("more_body", False)
                received_bytes += len(piece)
                if received_bytes > limit:
                    raise too_large(limit)
                if measure is not None:
                    measure.add(piece)
                pieces.append(piece)
                patience.reschedule(started_at + seconds + received_bytes / BYTES_PER_SECOND)
    except TimeoutError:
        raise _too_slow() from None
    return b"".join(pieces)


def check_encoding(encoding: str | None) -> None:
    """Raise UnsupportedMediaType when `Content-Encoding` says that a body is compressed: none is unpacked here."""
    if encoding is not None and encoding.strip().lower() != "identity":
        raise UnsupportedMediaType(RequestMsg.BODY_COMPRESSED, headers={"Accept-Encoding": "identity"})


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return an ASGI receiver that hands over `body`, already received, and then the rest."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return replay


class JsonMeasure:
    """Counter of the bytes outside of texts in JSON that arrives in pieces.

    JSON is UTF-8 (RFC 8259 §8.1) and has no NUL byte; Python would read UTF-16 too, which cannot be counted so.
    """

    def __init__(self, max_values: int = MAX_VALUES) -> None:
        self._max_values = max_values
        self._values = self._structure = 0
        self._within_text = False
        self._escape = b""

    def add(self, piece: bytes) -> None:
        """Count a piece. Raises TooLarge for too much outside of texts, Invalid for too many values or no UTF-8."""
        if b"\0" in piece:
            raise no_json()
        piece = (self._escape + piece).replace(b"\\\\", b"")
        self._escape = b"\\" if piece.endswith(b"\\") else b""
        parts = piece.removesuffix(b"\\").replace(b'\\"', b"").split(b'"')
        outside = b"".join(parts[self._within_text :: 2])
        self._within_text ^= len(parts) % 2 == 0
        self._structure += len(outside)
        self._values += sum(outside.count(mark) for mark in (b",", b"[", b"{"))
        if self._structure > MAX_STRUCTURE_BYTES:
            raise TooLarge(RequestMsg.STRUCTURE_TOO_LARGE, size=_size(MAX_STRUCTURE_BYTES))
        if self._values > self._max_values:
            raise _too_many_values(self._max_values)


def too_large(limit: int) -> TooLarge:
    """Refuse a body of more than `limit` bytes."""
    return TooLarge(RequestMsg.BODY_TOO_LARGE, size=_size(limit))


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"


def _too_many_values(max_values: int) -> Invalid:
    return Invalid.field("body", RequestMsg.TOO_MANY_VALUES, max_values=max_values)


def _too_slow() -> RequestTimeout:
    return RequestTimeout(RequestMsg.BODY_TOO_SLOW)


def _broken_off() -> Invalid:
    """Return the error for the log; the caller has left and reads none."""
    return Invalid(RequestMsg.CONNECTION_ENDED)
