"""HTTP/1.1 as uvicorn speaks it, with bounds on the bytes and the time of an incomplete request.

The head of a request is bounded in bytes, lines and time; trailers and the framing of chunks likewise. A connection
that sends nothing, or reads nothing of its answer, is closed.
"""

import asyncio
import json
from asyncio import TimerHandle
from typing import Any, ClassVar
from uuid import uuid4

import httptools
from starlette.datastructures import Headers
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from ledgerkit.http_server.connections import Connections
from ledgerkit.problems import Code, HeadTooLarge, Invalid, Problem, RequestTimeout, Unavailable
from ledgerkit.routers.request_metadata import LINGER_BYTES, LINGER_SECONDS, preferred
from ledgerkit.texts import MessageId


class HttpServerMsg(MessageId):
    CONNECTIONS_EXHAUSTED = "http_server.connections_exhausted"
    HEAD_LATE = "http_server.head_late"
    HEAD_TOO_LARGE = "http_server.head_too_large"
    HOST_NOT_ONE = "http_server.host_not_one"
    REQUEST_MALFORMED = "http_server.request_malformed"


MOST_HEAD_BYTES = 64 << 10
MOST_HEAD_LINES = 100
HEAD_SECONDS = 10.0
"""Longest wait for the first request of a connection, and for the rest of a head that has begun."""

TAKING_SECONDS = 60.0
TAKING_BYTES = 16 << 10
"""Fewest bytes of a waiting answer that a caller must read in that time; a slower one is dropped."""

_FRAMING = 4
"""Bytes of a header's line besides its name and value: `: ` and the line's end."""


class _UnreadableError(Exception):
    """Ends the parsing: the reason is in `_fault`."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection. A refusal is answered with a problem, after the requests at work have been answered."""

    open_connections: ClassVar[Connections]
    head_seconds: ClassVar[float]
    taking_seconds: ClassVar[float]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._awaits_head = True  # until the head is whole; again when the message is
        self._head_begun = False
        self._offers_upgrade = False
        self._head_bytes = self._head_lines = 0
        self._unanswered = 0  # requests
        self._is_whole_piece = False  # the parser finished a head, a message or a piece of a body in this call
        self._unfinished_bytes = 0  # received since it last did
        self._fault: Problem | None = None
        self._refused = False
        self._discarded_bytes = 0
        self._deadline: TimerHandle | None = None
        self._last_moment: TimerHandle | None = None
        self._untaken_bytes = 0  # of the answer, when that was last looked at

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as upstream's
        super().connection_made(transport)
        if self.open_connections.admit(self, self.client[0] if self.client else ""):
            self._deadline = self.loop.call_later(self.head_seconds, self._head_is_late)
        else:
            self._refused = True
            busy = Unavailable(HttpServerMsg.CONNECTIONS_EXHAUSTED, code=Code.SERVER_BUSY, headers={"Retry-After": "5"})
            transport.write(self._answer(busy))
            transport.close()
            self._drop_after(LINGER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_connections.leave(self)
        self._stop_waiting()
        self._unset_keepalive_if_required()  # upstream's goes on after a reset
        if self._last_moment is not None:
            self._last_moment.cancel()
        super().connection_lost(exc)

    def drop(self) -> None:
        """End the connection at once, whatever has not been sent yet."""
        self.transport.abort()

    @property
    def is_sending(self) -> bool:
        return self.transport.get_write_buffer_size() > 0

    def data_received(self, data: bytes) -> None:
        if self._refused:
            self._discard(len(data))
            return
        self._is_whole_piece = False
        self._unset_keepalive_if_required()
        try:
            self._parse(memoryview(data))
        except httptools.HttpParserError:
            self._refuse(self._fault or Invalid(HttpServerMsg.REQUEST_MALFORMED))
            return
        self._count_unfinished(len(data))

    def _parse(self, content: memoryview) -> None:
        """Parse all of the content: requests may follow one that offers an upgrade.

        The parser takes what follows such a head for another protocol, even its body. Nobody takes the offer here, so
        the head is parsed again without it (RFC 9110 §7.8).
        """
        while content:
            try:
                self.parser.feed_data(content)
            except httptools.HttpParserUpgrade as upgrade:
                content = content[upgrade.args[0] :]
                if self._offers_upgrade:
                    self._parse_without_offer()
            else:
                return

    def _parse_without_offer(self) -> None:
        """Parse the last head as it came but for its `Upgrade`; by a new parser, since the old one may have ended."""
        version = self.parser.get_http_version().encode()
        fields = b"".join(b"%b: %b\r\n" % field for field in self.headers if field[0] != b"upgrade")
        head = b"%b %b HTTP/%b\r\n%b\r\n" % (self.parser.get_method(), self.url, version, fields)
        self._offers_upgrade = False
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as upstream's
        self.parser.feed_data(head)

    # What the parser finds.

    def on_message_begin(self) -> None:
        self._head_begun = True
        self._head_bytes = self._head_lines = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head_lines += 1
        self._count_head(len(name) + len(value) + _FRAMING)
        if self._awaits_head:  # what follows a body in chunks (trailers) is read by nobody
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        # What CONNECT asks for is no offer: it is refused like any other method.
        self._offers_upgrade = self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"
        if self._offers_upgrade:
            return
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() != "1.0"):  # RFC 9112 §3.2
            self._fault = Invalid(HttpServerMsg.HOST_NOT_ONE)
            raise _UnreadableError
        super().on_headers_complete()
        self._awaits_head = self._head_begun = False
        self._unanswered += 1
        self._whole_piece()
        self._stop_waiting()
        self.open_connections.works(self)

    def on_body(self, body: bytes) -> None:
        self._whole_piece()
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._offers_upgrade:
            return
        self._awaits_head = True
        self._whole_piece()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._unanswered -= 1
        if self.transport.is_closing() and self.is_sending:
            self._watch_taking()
        if self._unanswered == 0:
            self.open_connections.waits(self)
            if self._refused:
                self._answer_refusal()

    # What is counted.

    def _whole_piece(self) -> None:
        self._is_whole_piece = True
        self._unfinished_bytes = 0

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MOST_HEAD_BYTES or self._head_lines > MOST_HEAD_LINES:
            self._fault = _head_too_large()
            raise _UnreadableError

    def _count_unfinished(self, size: int) -> None:
        """Bound the bytes that the parser stores or skips: endless lines of a head, extensions of chunks, blank lines.

        What stands in one piece behind a whole one is not counted before the next piece comes: its size is not known.
        """
        if not self._is_whole_piece:
            self._unfinished_bytes += size
            if self._unfinished_bytes > MOST_HEAD_BYTES:
                self._refuse(_head_too_large())
                return
        if self._awaits_head and self._deadline is None and (self._head_begun or not self._is_whole_piece):
            self._deadline = self.loop.call_later(self.head_seconds, self._head_is_late)

    # Time.

    def _head_is_late(self) -> None:
        self._deadline = None
        if self.flow.read_paused:  # we do not read; nobody is late
            self._deadline = self.loop.call_later(self.head_seconds, self._head_is_late)
        elif self._head_begun or self._unfinished_bytes:
            seconds = round(self.head_seconds)
            self._refuse(RequestTimeout(HttpServerMsg.HEAD_LATE, code=Code.HEAD_TIMEOUT, seconds=seconds))
        else:
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch_taking()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_taking()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._last_moment is not None and not self._refused and not self.transport.is_closing():
            self._last_moment.cancel()
            self._last_moment = None

    def _watch_taking(self) -> None:
        """Check again and again that the caller reads the answer, however long all of it takes."""
        self._untaken_bytes = self.transport.get_write_buffer_size()
        if self._last_moment is None:
            self._last_moment = self.loop.call_later(self.taking_seconds, self._drop_unless_taking)

    def _drop_unless_taking(self) -> None:
        self._last_moment = None
        untaken_bytes = self.transport.get_write_buffer_size()
        is_stuck = untaken_bytes > 0 and self._untaken_bytes - untaken_bytes < TAKING_BYTES
        if is_stuck or (self._refused and untaken_bytes == 0):
            self.drop()
        else:
            self._watch_taking()

    def _drop_after(self, seconds: float) -> None:
        if self._last_moment is not None:
            self._last_moment.cancel()
        self._last_moment = self.loop.call_later(seconds, self.drop)

    # Refusals.

    def _refuse(self, problem: Problem) -> None:
        """Read no further. Requests at work are answered first, unless the body of the last one is at fault."""
        self._fault, self._refused = problem, True
        self._stop_waiting()
        if self._unanswered and not self._awaits_head:
            self._give_up_last()
        if self._unanswered == 0:
            self._answer_refusal()

    def _give_up_last(self) -> None:
        """Give up the request whose body cannot be read: the refusal is its answer."""
        self._unanswered -= 1
        if self.pipeline:  # it waits behind others
            self.pipeline.popleft()
            return
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        if self.cycle.response_started:
            self.transport.close()

    def _answer_refusal(self) -> None:
        """Answer, and let the caller finish for a moment: closing at once often loses the answer (RFC 9112 §9.6)."""
        if self._fault is None or self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        self.transport.write(self._answer(self._fault))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.open_connections.waits(self)
        if self.is_sending:
            self._watch_taking()
        else:
            self._drop_after(LINGER_SECONDS)

    def _discard(self, size: int) -> None:
        self._discarded_bytes += size
        if self._discarded_bytes > LINGER_BYTES:
            self.drop()

    def _answer(self, problem: Problem) -> bytes:
        language = preferred(Headers(raw=self.headers or []).get("accept-language", ""))
        request_id = uuid4().hex
        body = json.dumps(problem.body(request_id=request_id, language=language), ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/problem+json",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Request-Id": request_id,
            "Connection": "close",
            **problem.headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return STATUS_LINE[problem.status] + lines.encode() + b"\r\n" + body


def bounded(
    connections: Connections, *, head_seconds: float = HEAD_SECONDS, taking_seconds: float = TAKING_SECONDS
) -> type[BoundedProtocol]:
    """Return the protocol of a server whose connections are counted by `connections`."""

    class CountedProtocol(BoundedProtocol):
        pass

    CountedProtocol.open_connections = connections
    CountedProtocol.head_seconds = head_seconds
    CountedProtocol.taking_seconds = taking_seconds
    return CountedProtocol


def _head_too_large() -> HeadTooLarge:
    return HeadTooLarge(HttpServerMsg.HEAD_TOO_LARGE, kib=MOST_HEAD_BYTES >> 10, lines=MOST_HEAD_LINES)
