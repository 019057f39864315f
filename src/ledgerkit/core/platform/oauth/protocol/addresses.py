"""Addresses of this server in its two roles: issuer of tokens (RFC 8414 §2) and protected resource (RFC 8707 §2)."""

from ledgerkit.settings import Settings

MCP_PATH = "/mcp"


def issuer(settings: Settings) -> str:
    """Return the issuer identifier: the public address without a trailing slash, the same text everywhere."""
    return settings.public_url


def resource(settings: Settings) -> str:
    """Return the address of the resource that tokens are for: the MCP endpoint, as people type it."""
    return f"{settings.public_url}{MCP_PATH}"


def is_resource(settings: Settings, text: str) -> bool:
    """Return True for the resource's address, also with a slash at its end, or capitals in scheme and host."""
    return _canonical(text) == _canonical(resource(settings))


def _canonical(address: str) -> tuple[str, str, str]:
    scheme, _, location = address.partition("://")
    host, slash, path = location.partition("/")
    return scheme.lower(), host.lower(), (slash + path).removesuffix("/")
