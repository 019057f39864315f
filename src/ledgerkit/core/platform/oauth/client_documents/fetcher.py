"""One fetch of a client's document from an address that anybody may have written: guarded against abuse of the server.

The host's addresses are looked up once, every one of them is checked, and the connection goes to a checked address:
a second look-up could be answered with another one. TLS verifies the name of the host nevertheless.
"""

import re
import socket
import ssl
from asyncio import get_running_loop, to_thread
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

import httpx2

from ledgerkit.core.platform.oauth.client_documents.urls import Address, DocumentUrl, UnusableDocumentError, is_public
from ledgerkit.core.platform.oauth.texts import ClientDocumentMsg

MAX_BYTES = 5 * 1024
"""Size of a document."""

MAX_ADDRESSES = 4
"""Addresses of one host that are tried."""

LOOKUPS_AT_ONCE = 4

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host, in the order in which they are tried. Raises OSError."""

_MAX_AGE = re.compile(r"(?:\A|[\s,])max-age=\"?([0-9]{1,9})\"?(?=[\s,]|\Z)", re.IGNORECASE)
_UNCACHEABLE = re.compile(r"(?:\A|[\s,])no-(?:store|cache)(?=[\s,=]|\Z)", re.IGNORECASE)
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json\s*(?:;.*)?", re.IGNORECASE)
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "ledgerkit"}


@dataclass(frozen=True)
class FetchedDocument:
    """Content of a document, and the seconds for which its server lets it be stored; 0 where it does not say."""

    content: bytes
    max_age: int


class Lookup:
    """Looks host names up, in a few threads of its own: a slow name server does not take those of other work."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(LOOKUPS_AT_ONCE, thread_name_prefix="client-documents")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of a host. Raises OSError."""
        entries = await get_running_loop().run_in_executor(
            self._threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
        return [str(entry[4][0]) for entry in entries]

    def stop(self) -> None:
        """Let the threads end when they have finished."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Fetcher:
    """Fetches documents over https. `trust` are the authorities whose certificates count; None: the system's."""

    def __init__(
        self, resolve: Resolve, *, permitted: Callable[[Address], bool] = is_public, trust: ssl.SSLContext | None = None
    ) -> None:
        self._resolve = resolve
        self._permitted = permitted
        self._trust = trust

    async def fetch(self, url: DocumentUrl) -> FetchedDocument:
        """Return the document at `url`. The caller bounds the time. Raises UnusableDocumentError."""
        if self._trust is None:
            self._trust = await to_thread(httpx2.create_ssl_context, trust_env=False)
        addresses = await self._checked_addresses(url)
        for address in addresses:
            try:
                return await self._fetch_from(address, url, self._trust)
            except httpx2.ConnectError:
                continue
            except (httpx2.HTTPError, OSError):  # an alert of TLS comes as it is
                break
        raise UnusableDocumentError(ClientDocumentMsg.UNREACHABLE)

    async def _checked_addresses(self, url: DocumentUrl) -> list[Address]:
        """Return the host's addresses. Raises UnusableDocumentError when one of them, whichever, is not public."""
        addresses = [url.address] if url.address is not None else await self._addresses_of(url)
        if not addresses:
            raise UnusableDocumentError(ClientDocumentMsg.HOST_UNKNOWN, host=url.host)
        if not all(map(self._permitted, addresses)):
            raise UnusableDocumentError(ClientDocumentMsg.ADDRESS_NOT_PUBLIC, host=url.host)
        return list(dict.fromkeys(addresses))[:MAX_ADDRESSES]

    async def _addresses_of(self, url: DocumentUrl) -> list[Address]:
        try:
            return [ip_address(text) for text in await self._resolve(url.host, url.port)]
        except (OSError, ValueError):  # UnicodeError is one: a label that is no label
            raise UnusableDocumentError(ClientDocumentMsg.HOST_UNKNOWN, host=url.host) from None

    async def _fetch_from(self, address: Address, url: DocumentUrl, trust: ssl.SSLContext) -> FetchedDocument:
        literal = f"[{address}]" if isinstance(address, IPv6Address) else str(address)
        async with (
            httpx2.AsyncClient(verify=trust, trust_env=False, follow_redirects=False, timeout=None) as caller,
            caller.stream(
                "GET",
                f"https://{literal}:{url.port}{url.target}",
                headers={**_HEADERS, "Host": url.authority},
                extensions={"sni_hostname": url.host},
            ) as response,
        ):
            _check_answer(response)
            return FetchedDocument(await _content(response), _max_age(response.headers))


def _check_answer(response: httpx2.Response) -> None:
    """Refuse an answer that is no JSON document. Raises UnusableDocumentError."""
    if response.has_redirect_location:
        raise UnusableDocumentError(ClientDocumentMsg.REDIRECTED)
    if response.status_code != httpx2.codes.OK:
        raise UnusableDocumentError(ClientDocumentMsg.STATUS, status=response.status_code)
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity" or not _JSON.fullmatch(response.headers.get("content-type", "")):
        raise UnusableDocumentError(ClientDocumentMsg.NOT_JSON)


async def _content(response: httpx2.Response) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_raw():
        content += chunk
        if len(content) > MAX_BYTES:
            raise UnusableDocumentError(ClientDocumentMsg.TOO_LONG, limit=MAX_BYTES)
    return bytes(content)


def _max_age(headers: Mapping[str, str]) -> int:
    """Return the seconds of Cache-Control (RFC 9111 §5.2.2)."""
    directives = headers.get("cache-control", "")
    seconds = None if _UNCACHEABLE.search(directives) else _MAX_AGE.search(directives)
    return int(seconds[1]) if seconds else 0
