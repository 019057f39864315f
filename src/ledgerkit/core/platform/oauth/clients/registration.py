"""Registration of clients by themselves (RFC 7591): what they ask for is checked, completed and stored."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from sqlalchemy import insert

from ledgerkit import clock
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.oauth.api import ClientMetadata, RegisteredClient, readable
from ledgerkit.core.platform.oauth.clients.identification import UNUSED_LIFE
from ledgerkit.core.platform.oauth.protocol import errors, redirects, server
from ledgerkit.core.platform.oauth.protocol.errors import OAuthErrorCode
from ledgerkit.core.platform.oauth.protocol.random_secrets import SECRET_PREFIX, digest, new_secret
from ledgerkit.core.platform.oauth.protocol.server import AUTH_METHODS, GRANT_TYPES
from ledgerkit.core.platform.oauth.table import CLIENT_METADATA, OAuthClientRow, oauth_client
from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import Invalid

MAX_REDIRECT_URIS = 10
MAX_NAME = 100
"""Characters of a client's name, which people read on the consent page and in the activity log."""

DEFAULT_METHOD = "client_secret_basic"


async def register(kernel: Kernel, requested: object) -> RegisteredClient:
    """Register a client and return its metadata, with a secret unless the client stores none.

    Other requested metadata is ignored or replaced (RFC 7591 §3.2.1). Every client may ask for every scope, because
    people decide. Raises Invalid INVALID_REDIRECT_URI, INVALID_CLIENT_METADATA.
    """
    metadata = checked(requested)
    is_public = metadata.token_endpoint_auth_method == "none"  # noqa: S105 - the name of a method
    secret = None if is_public else new_secret(SECRET_PREFIX)
    client_id, moment = str(new_id()), clock.now()
    row = Values(
        OAuthClientRow,
        client_id=client_id,
        secret_hash=None if secret is None else digest(secret),
        metadata=CLIENT_METADATA.encode(metadata),
        created_at=moment,
        expires_at=moment + UNUSED_LIFE,
    )
    await identity_queries.execute(kernel, insert(oauth_client).values(row))
    return RegisteredClient(
        **metadata.model_dump(),
        client_id=client_id,
        client_id_issued_at=int(moment.timestamp()),
        client_secret=secret,
        client_secret_expires_at=None if secret is None else 0,
        scope=" ".join(server.SUPPORTED_SCOPES),
    )


def checked(requested: object) -> ClientMetadata:
    """Return valid metadata for what a client asks for, as parsed JSON. Raises Invalid."""
    if not isinstance(requested, Mapping):
        raise _refused("body", OAuthMsg.METADATA_NO_OBJECT)
    redirect_uris = _redirect_uris(requested.get("redirect_uris"))
    response_types = _texts(requested, "response_types", ("code",))
    if "code" not in response_types:
        raise _refused("response_types", OAuthMsg.METADATA_UNSUPPORTED, supported="code")
    return ClientMetadata(
        client_name=_name(requested.get("client_name"), redirect_uris[0]),
        redirect_uris=redirect_uris,
        token_endpoint_auth_method=_method(requested.get("token_endpoint_auth_method")),
        grant_types=_grant_types(_texts(requested, "grant_types", GRANT_TYPES)),
    )


def _redirect_uris(requested: object) -> tuple[str, ...]:
    if not isinstance(requested, list) or not 1 <= len(requested) <= MAX_REDIRECT_URIS:
        raise errors.refused(
            OAuthMsg.REDIRECT_URIS_MISSING, OAuthErrorCode.INVALID_REDIRECT_URI, most=MAX_REDIRECT_URIS
        )
    for place, uri in enumerate(requested):
        if not isinstance(uri, str) or not redirects.is_acceptable(uri):
            raise errors.refused(OAuthMsg.REDIRECT_URI_REFUSED, OAuthErrorCode.INVALID_REDIRECT_URI, place=place)
    return tuple(requested)


def _name(requested: object, redirect_uri: str) -> str:
    """Return the client's name as people can read it; the host that it redirects to when it has none."""
    if requested is None:
        parts = urlsplit(redirect_uri)
        return parts.hostname or parts.scheme
    if not isinstance(requested, str):
        raise _refused("client_name", OAuthMsg.METADATA_NO_TEXT)
    name = readable(requested)
    if not 1 <= len(name) <= MAX_NAME:
        raise _refused("client_name", OAuthMsg.METADATA_NAME_LENGTH, longest=MAX_NAME)
    return name


def _method(requested: object) -> str:
    method = DEFAULT_METHOD if requested is None else requested
    if not isinstance(method, str) or method not in AUTH_METHODS:
        raise _refused("token_endpoint_auth_method", OAuthMsg.METADATA_UNSUPPORTED, supported=", ".join(AUTH_METHODS))
    return method


def _grant_types(requested: Sequence[str]) -> tuple[str, ...]:
    if "authorization_code" not in requested:
        raise _refused("grant_types", OAuthMsg.METADATA_UNSUPPORTED, supported=", ".join(GRANT_TYPES))
    return tuple(kind for kind in GRANT_TYPES if kind in requested)


def _texts(requested: Mapping[str, object], field: str, otherwise: tuple[str, ...]) -> Sequence[str]:
    value = requested.get(field)
    if value is None:
        return otherwise
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise _refused(field, OAuthMsg.METADATA_NO_TEXTS)
    return value


def _refused(field: str, message: OAuthMsg, **values: object) -> Invalid:
    return errors.refused(message, OAuthErrorCode.INVALID_CLIENT_METADATA, field=field, **values)
