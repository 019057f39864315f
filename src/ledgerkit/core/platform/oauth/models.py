"""Clients, requests, grants and their codes and tokens: reference tables, looked up before anybody is known.

Every secret is stored as its SHA-256 digest only (`core.platform.oauth.random_secrets`).
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Column, DateTime, ForeignKey, ForeignKeyConstraint, Index, Integer, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSONB, reference_table
from ledgerkit.core.platform.oauth.schemas import ClientMetadata

CLIENT_METADATA = JsonCodec(ClientMetadata)


class OAuthClientRow(Row):
    client_id: str
    secret_hash: str | None
    metadata: StoredJson[ClientMetadata]
    created_at: datetime
    expires_at: datetime


oauth_client = reference_table(
    "oauth_client",
    OAuthClientRow,
    Column("client_id", Text, primary_key=True),
    Column("secret_hash", Text),
    Column("metadata", JSONB, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)
"""Clients that registered themselves (RFC 7591). `expires_at` moves on whenever the client gets a token."""


class OAuthRequestRow(Row):
    id_hash: str
    client_id: str
    client_name: str
    redirect_uri: str
    state: str | None
    code_challenge: str
    scopes: Sequence[str]
    resource: str
    expires_at: datetime


oauth_request = reference_table(
    "oauth_request",
    OAuthRequestRow,
    Column("id_hash", Text, primary_key=True),
    Column("client_id", Text, nullable=False),
    Column("client_name", Text, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("state", Text),
    Column("code_challenge", Text, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("resource", Text, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Index("ix_oauth_request_expires_at", "expires_at"),
)
"""Authorization requests that wait for a person's answer; removed with the answer."""


class OAuthLoginRow(Row):
    session_hash: str
    user_id: UUID
    user_version: int
    expires_at: datetime


oauth_login = reference_table(
    "oauth_login",
    OAuthLoginRow,
    Column("session_hash", Text, primary_key=True),
    Column("user_id", Uuid, ForeignKey("app_user.id", ondelete="CASCADE"), nullable=False),
    Column("user_version", Integer, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Index("ix_oauth_login_user", "user_id"),
)
"""Short logins of browsers on the consent page. `user_version` is the user's token version: another one ends it."""


class OAuthGrantRow(Row):
    id: UUID
    client_id: str
    client_name: str
    user_id: UUID
    account_id: UUID
    user_version: int
    scopes: Sequence[str]
    resource: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime


oauth_grant = reference_table(
    "oauth_grant",
    OAuthGrantRow,
    Column("id", Uuid, primary_key=True),
    Column("client_id", Text, nullable=False),
    Column("client_name", Text, nullable=False),
    Column("user_id", Uuid, nullable=False),
    Column("account_id", Uuid, nullable=False),
    Column("user_version", Integer, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("resource", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("last_used_at", DateTime(timezone=True)),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    ForeignKeyConstraint(
        ["account_id", "user_id"], ["membership.account_id", "membership.user_id"], ondelete="CASCADE"
    ),
    Index("ix_oauth_grant_member", "account_id", "user_id"),
    Index("ix_oauth_grant_user", "user_id"),
)
"""Consent of a person for one client and one of their accounts: the family of all codes and tokens that come of it.

To remove the row is to revoke the grant; it goes with the membership. `client_name` is the name that the person saw,
`user_version` their token version at that moment: a change of the password makes another one. `expires_at` is the end
of the last code or token. `last_used_at` is null until the code is redeemed.
"""


class OAuthCodeRow(Row):
    code_hash: str
    grant_id: UUID
    redirect_uri: str
    code_challenge: str
    expires_at: datetime
    used_at: datetime | None


oauth_code = reference_table(
    "oauth_code",
    OAuthCodeRow,
    Column("code_hash", Text, primary_key=True),
    Column("grant_id", Uuid, ForeignKey("oauth_grant.id", ondelete="CASCADE"), nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("code_challenge", Text, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Column("used_at", DateTime(timezone=True)),
    Index("ix_oauth_code_grant", "grant_id"),
)
"""Authorization codes. A used one stays as long as its grant, so that a second use is noticed."""


class OAuthTokenRow(Row):
    token_hash: str
    kind: str
    grant_id: UUID
    scopes: Sequence[str]
    expires_at: datetime
    used_at: datetime | None


oauth_token = reference_table(
    "oauth_token",
    OAuthTokenRow,
    Column("token_hash", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("grant_id", Uuid, ForeignKey("oauth_grant.id", ondelete="CASCADE"), nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Column("used_at", DateTime(timezone=True)),
    Index("ix_oauth_token_grant", "grant_id"),
    Index("ix_oauth_token_expires_at", "expires_at"),
)
"""`kind`: access or refresh. `used_at`: moment when a refresh token was first exchanged; it stays until it expires, so
that a later use is noticed.
"""
