"""Clients, requests, grants and their codes and tokens: reference tables, looked up before anybody is known.

Every secret is stored as its SHA-256 digest only (`core.platform.oauth.protocol.random_secrets`).
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, Text, func
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.platform.database.row_types import Row, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSONB, reference_table
from ledgerkit.core.platform.oauth.api import ClientMetadata

CLIENT_METADATA = JsonCodec(ClientMetadata)


class OAuthClientRow(Row):
    """An OAuth client that registered itself (RFC 7591), such as an AI assistant."""

    client_id: str = column("Id given to the client at its registration.", primary_key=True)
    secret_hash: str | None = column(
        "SHA-256 of the client's secret, in hexadecimal; null for a client that keeps none.",
    )
    metadata: StoredJson[ClientMetadata] = column(
        "What the client registered: name, redirect URIs, method of authentication, grant types (RFC 7591).",
        JSONB,
    )
    created_at: datetime = column("Time (UTC) of the registration.", server_default=func.now())
    expires_at: datetime = column(
        "Time (UTC) at which the client is forgotten: a day after registration, 180 days after each time that it "
        "gets tokens.",
    )


oauth_client = reference_table("oauth_client", OAuthClientRow)


class OAuthRequestRow(Row):
    """An authorization request that waits for a person's answer on the consent page; the answer removes it."""

    id_hash: str = column("SHA-256, in hexadecimal, of the request's secret id.", primary_key=True)
    client_id: str = column("Id of the client; an https address is that of its own metadata document.")
    client_name: str = column("Name that the client has given itself, as the person sees it.")
    redirect_uri: str = column("Address of the client to which the answer is redirected.")
    state: str | None = column("Value of the client that is given back with the answer; null where it sent none.")
    code_challenge: str = column("PKCE challenge by S256 (RFC 7636), 43 characters.")
    scopes: Sequence[str] = column("Scopes asked for: any of read, write, fiscal and team.", ARRAY(Text))
    resource: str = column("Address of the MCP endpoint that the tokens are to open (RFC 8707).")
    expires_at: datetime = column("Time (UTC) until which it can be answered: ten minutes after it was made.")


oauth_request = reference_table(
    "oauth_request",
    OAuthRequestRow,
    Index("ix_oauth_request_expires_at", "expires_at"),
)


class OAuthLoginRow(Row):
    """A short login of a browser on the consent page."""

    session_hash: str = column("SHA-256, in hexadecimal, of the browser's cookie.", primary_key=True)
    user_id: UUID = column("Id of the person (app_user) who logged in.", ForeignKey("app_user.id", ondelete="CASCADE"))
    user_version: int = column("Token version of the person at the login; another one in app_user ends it.")
    expires_at: datetime = column("Time (UTC) at which the login ends: ten minutes after it began.")


oauth_login = reference_table("oauth_login", OAuthLoginRow, Index("ix_oauth_login_user", "user_id"))


class OAuthGrantRow(Row):
    """A person's consent that one client works in one of their accounts; without the row no code or token is valid."""

    id: UUID = column("Id of the grant.", primary_key=True)
    client_id: str = column("Id of the client; an https address is that of its own metadata document.")
    client_name: str = column("Name that the client has given itself, as the person saw it.")
    user_id: UUID = column("Id of the person (app_user) who consented.")
    account_id: UUID = column("Id of the account that the grant is for; it ends with the person's membership there.")
    user_version: int = column("Token version of the person at the consent; another one in app_user ends the grant.")
    scopes: Sequence[str] = column(
        "Scopes granted: any of read, write, fiscal and team, within the person's role.",
        ARRAY(Text),
    )
    resource: str = column("Address of the MCP endpoint that the tokens open (RFC 8707).")
    created_at: datetime = column("Time (UTC) of the consent.", server_default=func.now())
    last_used_at: datetime | None = column(
        "Time (UTC) of the last use, exact to five minutes; null until the code is redeemed.",
    )
    expires_at: datetime = column(
        "Time (UTC) at which its last code or token ends; each use of a refresh token moves it to 60 days later.",
    )


oauth_grant = reference_table(
    "oauth_grant",
    OAuthGrantRow,
    ForeignKeyConstraint(
        ["account_id", "user_id"], ["membership.account_id", "membership.user_id"], ondelete="CASCADE"
    ),
    Index("ix_oauth_grant_member", "account_id", "user_id"),
    Index("ix_oauth_grant_user", "user_id"),
)


class OAuthCodeRow(Row):
    """An authorization code; a used one stays as long as its grant, so that a second use is noticed."""

    code_hash: str = column("SHA-256, in hexadecimal, of the code.", primary_key=True)
    grant_id: UUID = column("Id of the grant (oauth_grant).", ForeignKey("oauth_grant.id", ondelete="CASCADE"))
    redirect_uri: str = column("Address of the client to which the code was sent.")
    code_challenge: str = column("PKCE challenge by S256 (RFC 7636), 43 characters.")
    expires_at: datetime = column("Time (UTC) until which the code can be redeemed: 60 seconds after it was made.")
    used_at: datetime | None = column("Time (UTC) at which it was redeemed; null before. A second use ends the grant.")


oauth_code = reference_table("oauth_code", OAuthCodeRow, Index("ix_oauth_code_grant", "grant_id"))


class OAuthTokenRow(Row):
    """An access or refresh token of a grant; only its digest is stored."""

    token_hash: str = column("SHA-256, in hexadecimal, of the token.", primary_key=True)
    kind: str = column(
        "Kind: access (opens the MCP endpoint, one hour) or refresh (is exchanged for new tokens, 60 days).",
    )
    grant_id: UUID = column("Id of the grant (oauth_grant).", ForeignKey("oauth_grant.id", ondelete="CASCADE"))
    scopes: Sequence[str] = column(
        "Scopes of the token: for a refresh token those of its grant, for an access token those or fewer.",
        ARRAY(Text),
    )
    expires_at: datetime = column("Time (UTC) at which the token ends.")
    used_at: datetime | None = column(
        "Time (UTC) at which a refresh token was first exchanged, so that a later use is noticed; null before and "
        "for access tokens.",
    )


oauth_token = reference_table(
    "oauth_token",
    OAuthTokenRow,
    Index("ix_oauth_token_grant", "grant_id"),
    Index("ix_oauth_token_expires_at", "expires_at"),
)
