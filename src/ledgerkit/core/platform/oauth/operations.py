"""Endpoints of the authorization server as operations: anybody may call them, and the protocol says who is refused."""

from dataclasses import dataclass

from limits import RateLimitItem, RateLimitItemPerMinute

from ledgerkit.core.platform.identity.limits.throttle import Throttle, origin
from ledgerkit.core.platform.oauth.api import IssuedTokens, RegisteredClient
from ledgerkit.core.platform.oauth.authorization import steps as authorization
from ledgerkit.core.platform.oauth.authorization.steps import AuthorizationStep
from ledgerkit.core.platform.oauth.clients import identification as clients
from ledgerkit.core.platform.oauth.clients import registration
from ledgerkit.core.platform.oauth.protocol import errors, parameters
from ledgerkit.core.platform.oauth.protocol.errors import OAuthErrorCode
from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.core.platform.oauth.tokens import endpoints
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, RateLimited, Unauthenticated

REGISTRATIONS = RateLimitItemPerMinute(10, namespace="oauth-registrations")
AUTHORIZATIONS = RateLimitItemPerMinute(60, namespace="oauth-authorizations")
TOKEN_REQUESTS = RateLimitItemPerMinute(300, namespace="oauth-tokens")
"""Exchanges and revocations: a hosted assistant asks for all of its users from a few addresses."""

_ERRORS = [
    (Invalid, {Code.VALIDATION_ERROR}),
    (Unauthenticated, {Code.UNAUTHENTICATED}),
    (RateLimited, {Code.RATE_LIMITED}),
]


@dataclass(frozen=True)
class ClientCall:
    """Request of a client as it came: the header `Authorization`, and a form."""

    authorization: str | None
    content_type: str
    body: bytes


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=_ERRORS)
async def authorize(ctx: Context, query: str) -> AuthorizationStep:
    """Begin an authorization (RFC 6749 §4.1.1): the consent page is next, or a refusal with a way back.

    Raises Invalid where no redirect can be trusted; RateLimited.
    """
    await _count(ctx, AUTHORIZATIONS)
    return await authorization.next_step(ctx.kernel, parameters.of_query(query))


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=_ERRORS)
async def exchange_grant(ctx: Context, call: ClientCall) -> IssuedTokens:
    """Exchange a code or a refresh token for tokens (RFC 6749 §4.1.3, §6). Raises Invalid, RateLimited."""
    await _count(ctx, TOKEN_REQUESTS)
    form = parameters.of_form(call.content_type, call.body)
    client = await clients.authenticate(ctx.kernel, call.authorization, form)
    grant_type = form.required("grant_type")
    if grant_type == "authorization_code":
        return await endpoints.redeem_code(ctx.kernel, client, form)
    if grant_type == "refresh_token":
        return await endpoints.refresh(ctx.kernel, client, form)
    raise errors.refused(OAuthMsg.GRANT_TYPE_UNSUPPORTED, OAuthErrorCode.UNSUPPORTED_GRANT_TYPE)


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=_ERRORS)
async def register(ctx: Context, metadata: object) -> RegisteredClient:
    """Register a client by the JSON object that it sends (RFC 7591 §3). Raises Invalid, RateLimited."""
    await _count(ctx, REGISTRATIONS)
    return await registration.register(ctx.kernel, metadata)


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=_ERRORS, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def revoke(ctx: Context, call: ClientCall) -> None:
    """Revoke a token of the client that asks (RFC 7009 §2). Raises Invalid, RateLimited."""
    await _count(ctx, TOKEN_REQUESTS)
    form = parameters.of_form(call.content_type, call.body)
    client = await clients.authenticate(ctx.kernel, call.authorization, form)
    await endpoints.revoke(ctx.kernel, client, form.required("token"))


async def _count(ctx: Context, limit: RateLimitItem) -> None:
    """Count a request against a limit of the caller's network address. Raises RateLimited."""
    await ctx.kernel.service(Throttle).spend(limit, origin(ctx.request_metadata.client_address))
