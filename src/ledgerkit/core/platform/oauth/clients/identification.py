"""Clients: found by their id, and authenticated at the token and revocation endpoints."""

import hmac
from base64 import b64decode
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import unquote_plus

from sqlalchemy import DateTime, Text, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.api_types.fields import is_storable
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.oauth.api import ClientMetadata
from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.core.platform.oauth.protocol import errors
from ledgerkit.core.platform.oauth.protocol.parameters import Parameters
from ledgerkit.core.platform.oauth.protocol.random_secrets import digest
from ledgerkit.core.platform.oauth.table import CLIENT_METADATA, OAuthClientRow, oauth_client
from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.core.platform.request.context import Kernel

UNUSED_LIFE = timedelta(days=1)
"""Time in which a registered client must get its first token."""

USED_LIFE = timedelta(days=180)
"""Time after its last token for which a registered client is kept; its grants end earlier."""

DOCUMENT_SCHEME = "https://"
"""Beginning of a client id that is the address of a Client ID Metadata Document."""

_BY_ID = Prepared(
    select(oauth_client).where(
        oauth_client.c.client_id == bindparam("id", type_=Text),
        oauth_client.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
    ),
    OAuthClientRow,
)


@dataclass(frozen=True)
class CallingClient:
    """Client at the token or revocation endpoint, after its authentication.

    A client with a metadata document is public: it proves itself by the verifier, or by a refresh token of its own.
    """

    id: str
    is_refreshable: bool


async def find(kernel: Kernel, client_id: str) -> ClientMetadata | None:
    """Return the metadata of a client: registered, or in the document that its id is the address of.

    None for an unknown one. Call it outside of any transaction: it may ask the network. Raises Invalid, naming
    `client_id`, for a document that cannot be had or is not valid; Unavailable BUSY.
    """
    if client_id.startswith(DOCUMENT_SCHEME):
        return await kernel.service(ClientDocuments).client(client_id)
    row = await _registered(kernel, client_id)
    return None if row is None else CLIENT_METADATA.decode(row.metadata)


async def authenticate(kernel: Kernel, authorization: str | None, parameters: Parameters) -> CallingClient:
    """Return the client that asks, by HTTP Basic, by parameters, or by its id alone if it has no secret.

    Raises Unauthenticated; Invalid for two ways at once (RFC 6749 §2.3).
    """
    client_id, secret = _credentials(authorization, parameters)
    if client_id.startswith(DOCUMENT_SCHEME):
        return CallingClient(client_id, is_refreshable=True)
    row = await _registered(kernel, client_id)
    if row is None:
        raise errors.client_refused(OAuthMsg.CLIENT_UNKNOWN)
    if row.secret_hash is not None and not _is_secret(secret, row.secret_hash):
        raise errors.client_refused(OAuthMsg.CLIENT_SECRET_WRONG)
    return CallingClient(client_id, is_refreshable=CLIENT_METADATA.decode(row.metadata).is_refreshable)


async def note_use(db: AsyncConnection, client_id: str) -> None:
    """Keep a registered client for another half year."""
    of_client = oauth_client.c.client_id == client_id
    await db.execute(update(oauth_client).where(of_client).values(expires_at=clock.now() + USED_LIFE))


async def _registered(kernel: Kernel, client_id: str) -> OAuthClientRow | None:
    return await identity_queries.fetch_row(kernel, _BY_ID, id=client_id, now=clock.now())


def _credentials(authorization: str | None, parameters: Parameters) -> tuple[str, str | None]:
    """Return the id and secret of the client, from one of the two places."""
    client_id, secret = parameters.optional("client_id"), parameters.optional("client_secret")
    if authorization is None:
        if client_id is None:
            raise errors.client_refused(OAuthMsg.CLIENT_MISSING)
        return client_id, secret
    basic_id, basic_secret = _basic(authorization)
    if secret is not None or client_id not in {None, basic_id}:
        raise errors.refused(OAuthMsg.CLIENT_NAMED_TWICE)
    return basic_id, basic_secret


def _basic(authorization: str) -> tuple[str, str]:
    """Return the id and secret of HTTP Basic, each percent-encoded within (RFC 6749 §2.3.1)."""
    scheme, _, encoded = authorization.partition(" ")
    try:
        client_id, colon, secret = b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError:
        raise errors.client_refused(OAuthMsg.CLIENT_BASIC_UNREADABLE) from None
    if scheme.lower() != "basic" or not colon or not is_storable(unquote_plus(client_id)):
        raise errors.client_refused(OAuthMsg.CLIENT_BASIC_UNREADABLE)
    return unquote_plus(client_id), unquote_plus(secret)


def _is_secret(secret: str | None, secret_hash: str) -> bool:
    return secret is not None and hmac.compare_digest(digest(secret), secret_hash)
