"""Redirect URIs: those that a client may register, those that match, and answers carried by them."""

import re
from urllib.parse import SplitResult, urlencode, urlsplit

MAX_LENGTH = 2048
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
PRIVATE_SCHEMES = frozenset({"cursor", "vscode", "vscode-insiders"})
"""Schemes of known applications. Any other must contain a dot, as a reversed domain name does (RFC 8252 §7.1)."""

_URI = re.compile(r"[!#-;=?-\[\]_a-z~]{1,%d}" % MAX_LENGTH)  # noqa: UP031 - braces of the pattern
"""Characters of a URI (RFC 3986 §2), without quotation marks, angle brackets, backslash, caret, backtick, braces."""


def is_acceptable(uri: str) -> bool:
    """Return True for a URI that a client may register.

    That is https with a host, http with a loopback host (RFC 8252 §7.3), or a private scheme; without fragment
    (RFC 6749 §3.1.2) and without user or password.
    """
    parts = _split(uri)
    if parts is None or "#" in uri or "@" in parts.netloc:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return parts.hostname in LOOPBACK_HOSTS
    return parts.scheme in PRIVATE_SCHEMES or "." in parts.scheme


def is_loopback(uri: str) -> bool:
    """Return True when a program on the person's own machine receives the answer."""
    parts = _split(uri)
    return parts is not None and parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS


def matches(requested: str, registered: str) -> bool:
    """Return True for equal texts (OAuth 2.1 §2.3.1), and for loopback addresses that differ in their port only.

    Of loopback addresses, an empty path is the path `/` (RFC 3986 §6.2.3, RFC 8252 §7.3).
    """
    if requested == registered:
        return True
    return is_loopback(requested) and is_loopback(registered) and _portless(requested) == _portless(registered)


def with_parameters(uri: str, **parameters: str | None) -> str:
    """Return a redirect URI with parameters added to its query (RFC 6749 §4.1.2); those that are None are left out."""
    added = urlencode({name: value for name, value in parameters.items() if value is not None})
    return f"{uri}{'&' if '?' in uri else '?'}{added}"


def _portless(uri: str) -> tuple[str | None, str, str, bool]:
    parts = urlsplit(uri)
    return parts.hostname, parts.path or "/", parts.query, "@" in parts.netloc or "#" in uri


def _split(uri: str) -> SplitResult | None:
    """Return the parts of a URI, None for text that is none."""
    if not _URI.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 - raises ValueError for a port that is none
    except ValueError:
        return None
    return parts if parts.scheme else None
