"""Addresses and scopes of this server by the protocol, and the documents in which clients read about it."""

from collections.abc import Collection

from ledgerkit.core.platform.oauth.api import ResourceMetadata, ServerMetadata
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.settings import Settings
from ledgerkit.texts import languages

MCP_PATH = "/mcp"
DEFAULT_SCOPES = (Scope.READ, Scope.WRITE)
"""Scopes of a request that names none."""

OFFLINE_ACCESS = "offline_access"
"""Scope that clients ask refresh tokens with (OpenID Connect Core §11); it is accepted and has no effect here."""

SUPPORTED_SCOPES = (*(scope.value for scope in Scope), OFFLINE_ACCESS)
AUTH_METHODS = ("none", "client_secret_basic", "client_secret_post")
GRANT_TYPES = ("authorization_code", "refresh_token")


def issuer(settings: Settings) -> str:
    """Return the issuer identifier: the public address without a trailing slash, the same text everywhere."""
    return settings.public_url


def resource(settings: Settings) -> str:
    """Return the address of the resource that tokens are for: the MCP endpoint, as people type it."""
    return f"{settings.public_url}{MCP_PATH}"


def is_resource(settings: Settings, text: str) -> bool:
    """Return True for the resource's address, also with a slash at its end, or capitals in scheme and host."""
    return _canonical(text) == _canonical(resource(settings))


def scope_text(scopes: Collection[Scope]) -> str:
    """Return scopes as a text (RFC 6749 §3.3)."""
    return " ".join(scope.value for scope in scopes)


def resource_metadata(settings: Settings) -> ResourceMetadata:
    """Describe /mcp as a protected resource (RFC 9728 §2). `offline_access` is no scope of a resource."""
    address = issuer(settings)
    return ResourceMetadata(
        resource=resource(settings),
        authorization_servers=[address],
        scopes_supported=[scope.value for scope in Scope],
        bearer_methods_supported=["header"],
        resource_name="ledgerkit",
        resource_documentation=f"{address}/docs",
    )


def server_metadata(settings: Settings) -> ServerMetadata:
    """Describe the authorization server (RFC 8414 §2)."""
    address = issuer(settings)
    return ServerMetadata(
        issuer=address,
        authorization_endpoint=f"{address}/oauth/authorize",
        token_endpoint=f"{address}/oauth/token",
        registration_endpoint=f"{address}/oauth/register",
        revocation_endpoint=f"{address}/oauth/revoke",
        scopes_supported=SUPPORTED_SCOPES,
        response_types_supported=["code"],
        response_modes_supported=["query"],
        grant_types_supported=GRANT_TYPES,
        token_endpoint_auth_methods_supported=AUTH_METHODS,
        revocation_endpoint_auth_methods_supported=AUTH_METHODS,
        code_challenge_methods_supported=["S256"],
        client_id_metadata_document_supported=True,
        authorization_response_iss_parameter_supported=True,
        ui_locales_supported=languages(),
        service_documentation=f"{address}/docs",
    )


def _canonical(address: str) -> tuple[str, str, str]:
    scheme, _, location = address.partition("://")
    host, slash, path = location.partition("/")
    return scheme.lower(), host.lower(), (slash + path).removesuffix("/")
