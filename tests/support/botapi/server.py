"""The HTTP side of the fake: a server in threads of its own, and the faults that tests have planted."""

import json
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from threading import Condition, Event, Thread
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from support.botapi.bots import LARGEST_DOWNLOAD, Upload
from support.botapi.faults import ApiError, Fault, Kind
from support.botapi.people import FakeBot

GARBLED = b'{"ok": true, "result": [{"upd'
HUGE_BYTES = 9 << 20

_ROUTE = re.compile(r"/(?P<file>file/)?bot(?P<token>[^/]+)/(?P<rest>.+)")
_TOKEN = re.compile(r"[0-9]+:[\w-]{10,}")
_DISPOSITION = re.compile(rb'(?:^|[;\s])(?P<key>name|filename)="(?P<value>[^"]*)"', re.IGNORECASE)
_MEDIA_TYPE = re.compile(rb"^content-type:\s*(?P<value>[^\r\n]+)", re.IGNORECASE | re.MULTILINE)


class BotApiServer(ThreadingHTTPServer):
    """A Bot API with its bots. `errors` are exceptions of its own, which end the test in red."""

    daemon_threads = False
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bots: list[FakeBot] = []
        self.closing = Event()
        self.errors: list[BaseException] = []
        self.connections: set[socket.socket] = set()
        self._changed = Condition()

    @property
    def base(self) -> str:
        """The setting `telegram_api_base`."""
        return f"http://127.0.0.1:{self.server_port}"

    def bot(self, username: str = "ledgerkit_bot") -> FakeBot:
        """Make a bot, with a token of its own."""
        number = 7_000_000_001 + len(self.bots)
        bot = FakeBot(number, username, f"{number}:AA{token_urlsafe(24)}", self._changed)
        self.bots.append(bot)
        return bot

    def bot_of(self, token: str) -> FakeBot:
        """The bot with a token. Raises ApiError: 404 for what is no token, 401 for one that is not known."""
        if not _TOKEN.fullmatch(token):
            raise ApiError(404, "Not Found")
        bot = next((bot for bot in self.bots if bot.token == token), None)
        if bot is None:
            raise ApiError(401, "Unauthorized")
        return bot

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Remember an exception; that a caller has gone is none."""
        error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError):
            self.errors.append(error)

    def end(self) -> None:
        """End all calls and connections, and wait for their threads."""
        self.closing.set()
        for bot in self.bots:
            bot.end()
        self.shutdown()
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: BotApiServer
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.request)

    def finish(self) -> None:
        self.server.connections.discard(self.request)
        with suppress(OSError):
            super().finish()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        route = _ROUTE.fullmatch(unquote(urlsplit(self.path).path))
        if route is None:
            self._write(404, b"<html>not found</html>")
            return
        rest, method = route["rest"], "download" if route["file"] else route["rest"]
        try:
            bot = self.server.bot_of(route["token"])
            fault = bot.next_fault(method)
            if fault is not None and not self._is_harmless(fault):
                self._fail(fault, bot, method, rest, body)
            else:
                self._write(200, self._result(bot, method, rest, body, fault))
        except ApiError as error:
            self._write(error.code, json.dumps(error.body).encode())

    def _is_harmless(self, fault: Fault) -> bool:
        """True for a fault of what is in an answer that is given nevertheless."""
        return fault.kind in {Kind.DUPLICATED, Kind.REVERSED}

    def _result(self, bot: FakeBot, method: str, rest: str, body: bytes, fault: Fault | None = None) -> bytes:
        """The body of an answer. Raises ApiError."""
        if method == "download":
            return bot.file_at(rest)
        result = bot.call(method, self._parameters(body))
        if fault is not None and isinstance(result, list):
            result = result[::-1] if fault.kind is Kind.REVERSED else [update for update in result for _ in range(2)]
        return json.dumps({"ok": True, "result": result}).encode()

    def _fail(self, fault: Fault, bot: FakeBot, method: str, rest: str, body: bytes) -> None:
        """Do what a fault says. Raises ApiError."""
        if fault.kind is Kind.REFUSED:
            raise ApiError(fault.code, fault.description, **fault.parameters)
        if fault.kind is Kind.REDIRECTED:
            self._write(fault.code, b"", {"Location": f"{self.server.base}{self.path}"})
        elif fault.kind is Kind.ANSWERED:
            self._write(200, json.dumps({"ok": True, "result": fault.result}).encode())
        elif fault.kind is Kind.GARBLED:
            self._write(200, GARBLED)
        elif fault.kind is Kind.HUGE:
            self._write(200, b"x" * (LARGEST_DOWNLOAD + 1) if method == "download" else _huge())
        elif fault.kind is Kind.HALF:
            answer = self._result(bot, method, rest, body)
            self._write(200, answer, cut_at=len(answer) // 2)
        else:
            if fault.kind is Kind.LOST:
                self._result(bot, method, rest, body)
            if fault.kind is Kind.HANGS:
                self.server.closing.wait()
            self.close_connection = True

    def _write(
        self, code: int, body: bytes, headers: Mapping[str, str] | None = None, cut_at: int | None = None
    ) -> None:
        """Write an answer at once: a head of its own would wait for the caller's acknowledgement."""
        members = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in members.items())
        self.wfile.write(f"HTTP/1.1 {code} Answered\r\n{head}\r\n".encode() + body[:cut_at])
        self.close_connection = self.close_connection or cut_at is not None

    def _parameters(self, body: bytes) -> dict[str, Any]:
        """The parameters of a call, from its address and its body in whichever form. Raises ApiError."""
        parameters: dict[str, Any] = dict(parse_qsl(urlsplit(self.path).query))
        content_type = self.headers.get("content-type", "")
        if content_type.startswith("multipart/form-data"):
            return parameters | _form(content_type, body)
        if content_type.startswith("application/json"):
            try:
                parameters.update(json.loads(body or b"{}"))
            except (ValueError, TypeError):
                raise ApiError(400, "Bad Request: can't parse JSON object") from None
            return parameters
        return parameters | dict(parse_qsl(body.decode()))


def _huge() -> bytes:
    return json.dumps({"ok": True, "result": [{"filling": "x" * HUGE_BYTES}]}).encode()


def _form(content_type: str, body: bytes) -> dict[str, Any]:
    boundary = content_type.partition("boundary=")[2].strip('"').encode()
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary)[1:-1]
    fields: dict[str, Any] = {}
    for part in parts:
        head, _, content = part.partition(b"\r\n\r\n")
        names = {found["key"].lower(): _name(found["value"]) for found in _DISPOSITION.finditer(head)}
        media_type = _MEDIA_TYPE.search(head)
        if b"filename" in names:
            kind = media_type["value"].decode() if media_type else "application/octet-stream"
            fields[names[b"name"]] = Upload(names[b"filename"], kind, content)
        else:
            fields[names[b"name"]] = content.decode()
    return fields


def _name(value: bytes) -> str:
    """A name in a form, in which browsers write three signs as percents (HTML, multipart form data)."""
    return value.decode().replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")


@contextmanager
def bot_api() -> Iterator[BotApiServer]:
    """A Bot API on a free port, until the block ends. Raises the first exception of its own then."""
    server = BotApiServer()
    thread = Thread(target=server.serve_forever, args=(0.02,), name="bot-api", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.end()
        thread.join()
    if server.errors:
        raise server.errors[0]
