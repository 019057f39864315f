"""Limits on what strangers may ask of the authorization server, by network address."""

from limits import RateLimitItem, RateLimitItemPerMinute

from ledgerkit.core.platform.identity.limits.throttle import Throttle, origin
from ledgerkit.core.platform.request.context import Context

REGISTRATIONS = RateLimitItemPerMinute(10, namespace="oauth-registrations")
AUTHORIZATIONS = RateLimitItemPerMinute(60, namespace="oauth-authorizations")
TOKEN_REQUESTS = RateLimitItemPerMinute(300, namespace="oauth-tokens")
"""Exchanges and revocations: a hosted assistant asks for all of its users from a few addresses."""


async def count(ctx: Context, limit: RateLimitItem) -> None:
    """Count a request against a limit of the caller's network address. Raises RateLimited."""
    await ctx.kernel.service(Throttle).spend(limit, origin(ctx.request_metadata.client_address))
