"""Challenges of `WWW-Authenticate`: they tell a client which scopes to ask for, and of whom.

Sources: RFC 6750 §3 and §3.1, RFC 9728 §5.1, MCP 2026-07-28 "Authorization".
"""

from collections.abc import Collection, Mapping

from ledgerkit.core.platform.oauth.protocol import server
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.settings import Settings

METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"
"""Path of the metadata of the protected resource `/mcp` (RFC 9728 §3.1)."""


def for_credentials(settings: Settings, *, were_sent: bool) -> Mapping[str, str]:
    """Return the header that asks for credentials; without an `error` when none came."""
    error = {"error": "invalid_token"} if were_sent else {}
    return _header(settings, {"scope": server.scope_text(server.DEFAULT_SCOPES)}, error)


def for_scopes(settings: Settings, scopes: Collection[Scope]) -> Mapping[str, str]:
    """Return the header that asks for credentials with `scopes`: all that are needed, those that are there too."""
    return _header(settings, {"error": "insufficient_scope", "scope": server.scope_text(scopes)}, {})


def _header(settings: Settings, first: Mapping[str, str], last: Mapping[str, str]) -> Mapping[str, str]:
    parameters = {**first, "resource_metadata": f"{settings.public_url}{METADATA_PATH}", **last}
    return {"WWW-Authenticate": "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parameters.items())}
