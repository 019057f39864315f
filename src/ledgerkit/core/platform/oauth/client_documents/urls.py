"""Addresses of documents that describe a client: read strictly, and asked only where the host is public."""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network

from ledgerkit.core.platform.oauth.texts import ClientDocumentMsg
from ledgerkit.problems import Invalid
from ledgerkit.texts import problem_text

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_IPV4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by a carrier's subscribers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local; metadata of cloud machines
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
]
_UNICAST_IPV6 = IPv6Network("2000::/3")
"""Loopback, IPv4-mapped, NAT64 (64:ff9b::/96), unique local, link-local and multicast addresses lie outside of it."""

_NOT_PUBLIC_IPV6 = [
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which embeds an IPv4 address
        "3fff::/20",  # documentation
    )
]

MAX_URL = 2000
"""Longest address, in characters."""

_HTTPS_PORT = 443
_LARGEST_PORT = 65535
_TARGET = r"/[A-Za-z0-9._~!$&'()*+,;=:@%/-]+(?:\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?"
_URL = re.compile(
    rf"https://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{{1,5}}))?(?P<target>{_TARGET})"
)
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_DOT_SEGMENT = re.compile(r"/(?:\.|%2[eE]){1,2}(?=/|\Z)")
_MAX_NAME = 253


class UnusableDocumentError(Exception):
    """A document that cannot be had or is not valid, and the reason."""

    def __init__(self, reason: ClientDocumentMsg, **values: object) -> None:
        super().__init__(reason)
        self._reason = reason
        self._values = values

    def problem(self, url: str) -> Invalid:
        """Return the refusal of the client whose id is `url`."""
        return Invalid.field("client_id", problem_text(self._reason, {"url": url, **self._values}))


@dataclass(frozen=True)
class DocumentUrl:
    """A document's address in its parts; `address` is the host where that is an IP address."""

    text: str
    host: str
    address: Address | None
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port as the header `Host` has them (RFC 9110 §7.2)."""
        host = f"[{self.host}]" if isinstance(self.address, IPv6Address) else self.host
        return host if self.port == _HTTPS_PORT else f"{host}:{self.port}"


def document_url(text: str) -> DocumentUrl:
    """Return the parts of a document's address.

    It is https with a path beyond `/`, without user, fragment, dot segments or characters that need quoting. The host
    is a name, or an IP address in its one usual form: no decimal, octal or hexadecimal number, no zone.
    Raises UnusableDocumentError. Source: draft-ietf-oauth-client-id-metadata-document-00, section 3.
    """
    parts = _URL.fullmatch(text) if len(text) <= MAX_URL else None
    if parts is None:
        raise _unusable()
    host, port, target = parts["host"], int(parts["port"] or _HTTPS_PORT), parts["target"]
    if not 1 <= port <= _LARGEST_PORT or _DOT_SEGMENT.search(target.partition("?")[0]):
        raise _unusable()
    address = _literal(host)
    return DocumentUrl(text, host.strip("[]").lower(), address, port, target)


def is_public(address: Address) -> bool:
    """Return True for a unicast address of the public internet; False for one with a zone, too.

    The networks are listed here because `ipaddress.is_global` differs between Python's versions, and takes multicast
    addresses for global ones. Source: IANA IPv4 and IPv6 special-purpose address registries (RFC 6890), read 2026-11.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_IPV4)
    if address.scope_id is not None or address not in _UNICAST_IPV6:
        return False
    return not any(address in network for network in _NOT_PUBLIC_IPV6)


def _literal(host: str) -> Address | None:
    """Return the IP address that `host` is; None for a name."""
    labels = host.split(".")
    try:
        if host.startswith("["):
            return IPv6Address(host[1:-1])
        if _NUMBER.fullmatch(labels[-1]):
            return IPv4Address(host)
    except AddressValueError:
        raise _unusable() from None
    if len(host) > _MAX_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise _unusable()
    return None


def _unusable() -> UnusableDocumentError:
    return UnusableDocumentError(ClientDocumentMsg.URL_UNUSABLE)
