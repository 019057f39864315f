"""Shapes of the authorization server: metadata of clients, its own metadata, answers of its endpoints.

Names on the wire are those of the RFCs, in snake_case.
"""

import unicodedata
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

_UNREADABLE = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
"""Categories of characters that are invisible or change the reading direction."""


def readable(name: str) -> str:
    """Return a name without characters that are invisible or change the reading direction, with single spaces."""
    return " ".join("".join(entry for entry in name if unicodedata.category(entry) not in _UNREADABLE).split())


class ClientMetadata(BaseModel):
    """Metadata of a client, registered (RFC 7591 §2) or published by itself (Client ID Metadata Document)."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    client_name: Annotated[str, AfterValidator(readable)]
    redirect_uris: tuple[str, ...]
    token_endpoint_auth_method: str = "none"  # noqa: S105 - the name of a method
    grant_types: tuple[str, ...] = ("authorization_code", "refresh_token")

    @property
    def is_refreshable(self) -> bool:
        """Return True when the client may exchange refresh tokens."""
        return "refresh_token" in self.grant_types


class RegisteredClient(ClientMetadata):
    """Answer to a registration (RFC 7591 §3.2.1). The secret is shown here only."""

    client_id: str
    client_id_issued_at: int
    client_secret: str | None = None
    client_secret_expires_at: int | None = None
    response_types: tuple[str, ...] = ("code",)
    scope: str


class IssuedTokens(BaseModel):
    """Answer of the token endpoint (RFC 6749 §5.1)."""

    access_token: str
    token_type: str = "Bearer"  # noqa: S105 - the name of a scheme
    expires_in: int
    refresh_token: str | None = None
    scope: str


class ResourceMetadata(BaseModel):
    """Protected resource metadata (RFC 9728 §2)."""

    resource: str
    authorization_servers: Sequence[str]
    scopes_supported: Sequence[str]
    bearer_methods_supported: Sequence[str]
    resource_name: str
    resource_documentation: str


class ServerMetadata(BaseModel):
    """Authorization server metadata (RFC 8414 §2, RFC 9207 §3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str
    revocation_endpoint: str
    scopes_supported: Sequence[str]
    response_types_supported: Sequence[str]
    response_modes_supported: Sequence[str]
    grant_types_supported: Sequence[str]
    token_endpoint_auth_methods_supported: Sequence[str]
    revocation_endpoint_auth_methods_supported: Sequence[str]
    code_challenge_methods_supported: Sequence[str]
    client_id_metadata_document_supported: bool
    authorization_response_iss_parameter_supported: bool
    ui_locales_supported: Sequence[str]
    service_documentation: str
