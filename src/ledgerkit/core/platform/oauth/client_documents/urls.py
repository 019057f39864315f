"""Addresses of documents that describe a client: they are the client's id, and are read strictly."""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from ledgerkit.core.platform.oauth.client_documents.addresses import Address
from ledgerkit.core.platform.oauth.client_documents.refusals import UnusableDocumentError
from ledgerkit.core.platform.oauth.client_documents.texts import ClientDocumentMsg

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
