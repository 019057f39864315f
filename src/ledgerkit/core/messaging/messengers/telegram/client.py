"""Client of the Bot API: one call, one answer; files with a limit of their size.

The token is a part of every address there. It is put in behind everything that writes logs and raises errors.
"""

import json
import logging
import re
from asyncio import timeout, to_thread
from collections.abc import Mapping
from functools import cache
from ssl import SSLContext
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
from pydantic import SecretStr

from ledgerkit.core.messaging.messengers.messenger import (
    MessengerError,
    RejectedError,
    SentFile,
    TokenError,
    UnreachableError,
)
from ledgerkit.core.messaging.messengers.telegram.failures import failure_of

MAX_ANSWER_BYTES = 8 << 20
"""Largest answer. A hundred updates are at most 2 MiB."""

CONNECT_SECONDS = 10
CALL_SECONDS = 30
FILE_SECONDS = 120
"""Longest time of an upload or a download."""

_DOWNLOAD = "download"
"""Name of a download beside those of the methods."""
_BOT = "/bot*/"
"""The token's place in addresses, as logs show them."""
_TOKEN = re.compile(r"\bbot[0-9]+:[\w%-]+")
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "ledgerkit"}
_IDLE_SECONDS = 30
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class BotApi:
    """Bot API at the address `base`, for the bot with this token. All methods raise MessengerError."""

    def __init__(self, base: str, token: SecretStr) -> None:
        self._base = base
        self._token = token
        self._caller: httpx2.AsyncClient | None = None

    async def call(
        self,
        method: str,
        parameters: Mapping[str, object],
        *,
        document: SentFile | None = None,
        seconds: float = CALL_SECONDS,
    ) -> object:
        """Return the result of a method. `document` is uploaded as the parameter of this name."""
        if document is None:
            request = (await self._opened()).build_request("POST", self._address(method), json=parameters)
        else:
            request = (await self._opened()).build_request(
                "POST",
                self._address(method),
                data=_as_form(parameters),
                files={"document": (document.name, document.content, document.media_type)},
            )
        status, body = await self._answer(method, request, seconds, MAX_ANSWER_BYTES)
        answer = _object(body)
        if status == httpx2.codes.OK and answer is not None and answer.get("ok") is True:
            return answer.get("result")
        raise failure_of(method, status, answer)

    async def download(self, path: str, limit: int) -> bytes:
        """Return the file at a path that getFile gave. Raises RejectedError where it is gone, or larger than `limit`.

        The path of a Bot API server in its local mode is one on that machine: such a file counts as gone.
        """
        if path.startswith("/") or ".." in path:
            raise RejectedError(f"{_DOWNLOAD}: the file is not where the Bot API could send it from")
        address = f"{self._base}/file{_BOT}{quote(path)}"
        request = (await self._opened()).build_request("GET", address)
        status, body = await self._answer(_DOWNLOAD, request, FILE_SECONDS, limit)
        if status == httpx2.codes.OK:
            return body
        if status in {400, 404}:
            raise RejectedError(f"{_DOWNLOAD}: HTTP {status}")
        if status == httpx2.codes.UNAUTHORIZED:
            raise TokenError(f"{_DOWNLOAD}: HTTP {status}")
        raise failure_of(_DOWNLOAD, status, _object(body))

    async def close(self) -> None:
        if self._caller is not None:
            await self._caller.aclose()

    def _address(self, method: str) -> str:
        return f"{self._base}{_BOT}{method}"

    async def _opened(self) -> httpx2.AsyncClient:
        if self._caller is not None:
            return self._caller
        trust = await to_thread(_trust)
        if self._caller is None:  # nor has another call opened it meanwhile
            transport = _TokenTransport(
                self._token,
                verify=trust,
                proxy=_proxy(self._base),
                limits=httpx2.Limits(keepalive_expiry=_IDLE_SECONDS),
            )
            self._caller = httpx2.AsyncClient(transport=transport, follow_redirects=False, headers=_HEADERS)
        return self._caller

    async def _answer(self, method: str, request: httpx2.Request, seconds: float, limit: int) -> tuple[int, bytes]:
        """Return status and body. Raises UnreachableError, and RejectedError where a file exceeds its `limit`."""
        caller = await self._opened()
        request.extensions["timeout"] = httpx2.Timeout(seconds, connect=CONNECT_SECONDS).as_dict()
        try:
            async with timeout(seconds):
                response = await caller.send(request, stream=True)
                try:
                    content = await _content(method, response, limit)
                finally:
                    await response.aclose()
        except (httpx2.HTTPError, OSError) as failure:  # TimeoutError is one, and an alert of TLS comes as it is
            raise UnreachableError(f"{method}: {type(failure).__name__}") from None
        is_file = method == _DOWNLOAD and response.status_code == httpx2.codes.OK
        return response.status_code, content if is_file else self._without_token(content)

    def _without_token(self, body: bytes) -> bytes:
        """Return a body that does not repeat the token: descriptions of errors are for the log."""
        token = self._token.get_secret_value()
        return body.replace(token.encode(), b"*") if ":" in token else body


class _TokenTransport(httpx2.AsyncHTTPTransport):
    """Transport that puts the token into the address of each request, on a copy that nobody else sees."""

    def __init__(self, token: SecretStr, *, verify: SSLContext, proxy: str | None, limits: httpx2.Limits) -> None:
        super().__init__(verify=verify, proxy=proxy, limits=limits)
        self._bot = f"/bot{quote(token.get_secret_value(), safe=':')}/".encode()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        target = request.url.raw_path.replace(_BOT.encode(), self._bot, 1)
        return await super().handle_async_request(
            httpx2.Request(
                request.method,
                request.url.copy_with(raw_path=target),
                headers=request.headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )


class _WithoutTokens(logging.Filter):
    """Takes tokens out of what the HTTP library logs of answers: the Location of a redirect repeats the address."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _TOKEN.sub("bot*", record.getMessage()), ()
        return True


logging.getLogger("httpcore2.http11").addFilter(_WithoutTokens())


@cache
def _trust() -> SSLContext:
    """Return the authorities whose certificates count: those of the system, or of SSL_CERT_FILE."""
    return httpx2.create_ssl_context()


def _proxy(base: str) -> str | None:
    """Return the proxy of the environment for an address; never for one of this machine."""
    parts = urlsplit(base)
    host = parts.hostname or ""
    if host in _LOOPBACK or proxy_bypass(host):
        return None
    proxy = getproxies().get(parts.scheme, "")
    return proxy if proxy.startswith(("http://", "https://")) else None


def _as_form(parameters: Mapping[str, object]) -> dict[str, str]:
    """Return parameters as fields of a form, where what is no text is JSON."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in parameters.items()}


async def _content(method: str, response: httpx2.Response, limit: int) -> bytes:
    """Return the body. Raises RejectedError for a file, and UnreachableError for an answer, of more than `limit`."""
    content = bytearray()
    async for chunk in response.aiter_raw():
        content += chunk
        if len(content) > limit:
            raise _too_large(method, limit)
    return bytes(content)


def _too_large(method: str, limit: int) -> MessengerError:
    kind = RejectedError if method == _DOWNLOAD else UnreachableError
    return kind(f"{method}: more than {limit} bytes")


def _object(body: bytes) -> dict[str, object] | None:
    """Return the JSON object of a body; None for anything else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
