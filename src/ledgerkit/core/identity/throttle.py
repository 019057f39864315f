"""How often somebody may try: counted in this process, switched off by LEDGERKIT_RATE_LIMIT=off."""

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from time import time

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

from ledgerkit.core.identity.messages import IdentityMsg
from ledgerkit.problems import RateLimited

REQUESTS = RateLimitItemPerMinute(600, namespace="requests")
LOGINS = RateLimitItemPerMinute(10, namespace="logins")
"""Tries of one address at one e-mail."""

ADDRESSES = RateLimitItemPerMinute(60, namespace="addresses")
"""Tries of one address at all e-mails together."""

LINKS = RateLimitItemPerMinute(60, namespace="links")
"""Visits of one invoice by its public link."""

_SUBSCRIBER_BITS = 64
"""Of an IPv6 address: a network gives each of its subscribers at least a /64 (RFC 6177, BCP 157)."""


@dataclass(frozen=True)
class Allowance:
    """What is left of a limit, for the `RateLimit-*` headers. `reset` in seconds."""

    limit: int
    remaining: int
    reset: int

    def headers(self) -> dict[str, str]:
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


class Throttle:
    def __init__(self, *, active: bool) -> None:
        self._active = active
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    async def spend(self, item: RateLimitItem, *who: str) -> Allowance | None:
        """Count one try of `who`. Raises RateLimited beyond the limit; None when limits are off."""
        if not self._active:
            return None
        granted = await self._limiter.hit(item, *who)
        window = await self._limiter.get_window_stats(item, *who)
        left = Allowance(item.amount, max(0, window.remaining), max(1, ceil(window.reset_time - time())))
        if not granted:
            raise RateLimited(
                IdentityMsg.TOO_MANY_REQUESTS,
                headers={**left.headers(), "Retry-After": str(left.reset)},
                amount=item.amount,
                reset=left.reset,
            )
        return left


def origin(address: str) -> str:
    """The subscriber behind a network address: whom limits and queues count as one.

    An IPv6 address stands for its /64, one that holds an IPv4 address (RFC 4291 §2.5.5.2) for that. What is no
    address stands for itself.
    """
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ip_network((known, _SUBSCRIBER_BITS), strict=False))
