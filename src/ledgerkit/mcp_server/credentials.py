"""Credentials of /mcp: API keys, with or without scopes, and access tokens of OAuth; never the token of a login.

`Authorization: Bearer` takes precedence. `x-api-key` is read only without it, and takes only keys. Credentials in the
address are ignored. A refusal has a challenge (`WWW-Authenticate`) that names the scopes to ask for and the server to
ask.
Sources: RFC 6750 §3 and §3.1, RFC 9728 §5.1, MCP 2026-07-28 "Authorization".
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from starlette.datastructures import Headers

from ledgerkit.core.platform.identity.limits.throttle import REQUESTS, Throttle
from ledgerkit.core.platform.identity.logins.authentication import Authenticator, not_a_member, refused
from ledgerkit.core.platform.identity.logins.tokens import ACCESS_TOKEN_PREFIX, KEY_PREFIX, SCOPED_KEY_PREFIX
from ledgerkit.core.platform.oauth.protocol import server
from ledgerkit.core.platform.oauth.tokens import issuance as tokens
from ledgerkit.core.platform.request.context import Actor, Channel, Kernel, RequestMetadata
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.problems import Unauthenticated
from ledgerkit.settings import Settings

METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"
"""Path of the metadata of the protected resource `/mcp` (RFC 9728 §3.1)."""


async def caller(kernel: Kernel, headers: Headers, request_metadata: RequestMetadata) -> Actor:
    """Return the caller, and count the request against the limit of the credential.

    Raises Unauthenticated with a challenge, Forbidden NOT_TEAM_MEMBER, RateLimited.
    """
    try:
        credential = _credential(headers)
        allowance = await kernel.service(Throttle).spend(REQUESTS, credential[-32:])
        request_metadata.headers.update(allowance.headers() if allowance else {})
        actor = await _actor(kernel, headers, credential)
    except Unauthenticated as problem:
        were_sent = "authorization" in headers or "x-api-key" in headers
        problem.headers = dict(credentials_challenge(kernel.settings, were_sent=were_sent))
        raise
    return replace(actor, channel=Channel.MCP)


def _credential(headers: Headers) -> str:
    authorization = headers.get("authorization")
    scheme, _, credential = (authorization or "").partition(" ")
    if authorization is None:
        credential = headers.get("x-api-key", "")
    elif scheme.lower() != "bearer":
        credential = ""
    if not credential.strip():
        raise Unauthenticated(McpMsg.KEY_MISSING)
    return credential.strip()


async def _actor(kernel: Kernel, headers: Headers, credential: str) -> Actor:
    pinned = headers.get("x-team-id")
    if credential.startswith(ACCESS_TOKEN_PREFIX):
        if "authorization" not in headers:
            raise refused(McpMsg.ACCESS_TOKEN_AS_KEY, remedy=McpMsg.SEND_AS_BEARER)
        return await _of_access_token(kernel, credential, pinned)
    if not credential.startswith((KEY_PREFIX, SCOPED_KEY_PREFIX)):
        raise refused(McpMsg.NOT_AN_API_KEY)
    return await kernel.service(Authenticator).by_key(credential, pinned=pinned)


async def _of_access_token(kernel: Kernel, token: str, pinned: str | None) -> Actor:
    actor = await tokens.actor_of(kernel, token, server.resource(kernel.settings))
    if actor is None:
        raise refused(McpMsg.ACCESS_TOKEN_INVALID, remedy=McpMsg.CONNECT_AGAIN)
    if pinned is not None and pinned.lower() != str(actor.account.id):
        raise not_a_member()
    return actor


def credentials_challenge(settings: Settings, *, were_sent: bool) -> Mapping[str, str]:
    """Return the challenge that asks for credentials; it has no `error` when none were sent."""
    error = {"error": "invalid_token"} if were_sent else {}
    return _challenge(settings, {"scope": server.scope_text(server.DEFAULT_SCOPES)}, error)


def scopes_challenge(settings: Settings, scopes: Collection[Scope]) -> Mapping[str, str]:
    """Return the challenge that asks for `scopes`: all that the call needs, including those already granted."""
    return _challenge(settings, {"error": "insufficient_scope", "scope": server.scope_text(scopes)}, {})


def _challenge(settings: Settings, first: Mapping[str, str], last: Mapping[str, str]) -> Mapping[str, str]:
    parameters = {**first, "resource_metadata": f"{settings.public_url}{METADATA_PATH}", **last}
    return {"WWW-Authenticate": "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parameters.items())}
