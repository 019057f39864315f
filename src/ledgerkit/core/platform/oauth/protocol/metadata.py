"""Documents in which clients read about the resource and its authorization server (RFC 9728, RFC 8414)."""

from ledgerkit.core.platform.oauth.api import ResourceMetadata, ServerMetadata
from ledgerkit.core.platform.oauth.protocol import addresses, scope_names
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.settings import Settings
from ledgerkit.texts import languages

AUTH_METHODS = ("none", "client_secret_basic", "client_secret_post")
GRANT_TYPES = ("authorization_code", "refresh_token")


def resource_metadata(settings: Settings) -> ResourceMetadata:
    """Describe /mcp as a protected resource (RFC 9728 §2). `offline_access` is no scope of a resource."""
    issuer = addresses.issuer(settings)
    return ResourceMetadata(
        resource=addresses.resource(settings),
        authorization_servers=[issuer],
        scopes_supported=[scope.value for scope in Scope],
        bearer_methods_supported=["header"],
        resource_name="ledgerkit",
        resource_documentation=f"{issuer}/docs",
    )


def server_metadata(settings: Settings) -> ServerMetadata:
    """Describe the authorization server (RFC 8414 §2)."""
    issuer = addresses.issuer(settings)
    return ServerMetadata(
        issuer=issuer,
        authorization_endpoint=f"{issuer}/oauth/authorize",
        token_endpoint=f"{issuer}/oauth/token",
        registration_endpoint=f"{issuer}/oauth/register",
        revocation_endpoint=f"{issuer}/oauth/revoke",
        scopes_supported=scope_names.SUPPORTED,
        response_types_supported=["code"],
        response_modes_supported=["query"],
        grant_types_supported=GRANT_TYPES,
        token_endpoint_auth_methods_supported=AUTH_METHODS,
        revocation_endpoint_auth_methods_supported=AUTH_METHODS,
        code_challenge_methods_supported=["S256"],
        client_id_metadata_document_supported=True,
        authorization_response_iss_parameter_supported=True,
        ui_locales_supported=languages(),
        service_documentation=f"{issuer}/docs",
    )
