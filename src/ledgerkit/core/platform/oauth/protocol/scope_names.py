"""Scopes as they stand in requests and rows: names, separated by spaces."""

from collections.abc import Collection

from ledgerkit.core.platform.request.scopes import Scope

DEFAULT = (Scope.READ, Scope.WRITE)
"""Scopes of a request that names none."""

OFFLINE_ACCESS = "offline_access"
"""Scope that clients ask refresh tokens with (OpenID Connect Core §11); it is accepted and has no effect here."""

SUPPORTED = (*(scope.value for scope in Scope), OFFLINE_ACCESS)


def joined(scopes: Collection[Scope]) -> str:
    """Return scopes as a text (RFC 6749 §3.3)."""
    return " ".join(scope.value for scope in scopes)
