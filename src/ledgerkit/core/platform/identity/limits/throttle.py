"""Limits on requests and attempts, counted in this process; LEDGERKIT_RATE_LIMIT=off switches them off."""

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from time import time

from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

from ledgerkit.core.platform.identity.texts import IdentityMsg
from ledgerkit.problems import RateLimited
from ledgerkit.texts import MessageId

REQUESTS = RateLimitItemPerMinute(600, namespace="requests")
LOGINS = RateLimitItemPerMinute(10, namespace="logins")
"""Attempts from one network address at one e-mail address."""

ADDRESSES = RateLimitItemPerMinute(60, namespace="addresses")
"""Attempts from one network address at all e-mail addresses together."""

LINKS = RateLimitItemPerMinute(60, namespace="links")
"""Visits of one invoice by its public link."""

TRIAL_MAILS = RateLimitItemPerHour(3, namespace="trial mails")
"""Test mails of one person."""

STRANGERS = RateLimitItemPerHour(10, namespace="strangers in chats")
"""Messages of one person who is not linked, that are answered or may link."""

_SUBSCRIBER_BITS = 64
"""Bits of an IPv6 address that identify a subscriber: each gets at least a /64 (RFC 6177, BCP 157)."""


@dataclass(frozen=True)
class Allowance:
    """Remaining attempts under a limit, for the `RateLimit-*` headers; `reset` in seconds."""

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

    async def spend(
        self, item: RateLimitItem, *who: str, refusal: MessageId = IdentityMsg.TOO_MANY_REQUESTS
    ) -> Allowance | None:
        """Count one attempt of `who` and return what remains; None when limits are off.

        Raises RateLimited with the text of `refusal`, which may use `{amount}` and the seconds `{reset}`.
        """
        if not self._active:
            return None
        granted = await self._limiter.hit(item, *who)
        window = await self._limiter.get_window_stats(item, *who)
        allowance = Allowance(item.amount, max(0, window.remaining), max(1, ceil(window.reset_time - time())))
        if not granted:
            raise RateLimited(
                refusal,
                headers={**allowance.headers(), "Retry-After": str(allowance.reset)},
                amount=item.amount,
                reset=allowance.reset,
            )
        return allowance

    def in_dry_run(self, _dry_run: object) -> "Throttle":
        """Return this throttle: an attempt counts even in a dry run, or passwords could be tried in one."""
        return self


def origin(address: str) -> str:
    """Return the subscriber behind a network address, whom limits and queues count as one caller.

    An IPv6 address is counted by its /64, one that embeds an IPv4 address (RFC 4291 §2.5.5.2) by that; text that is no
    address is returned unchanged.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, _SUBSCRIBER_BITS), strict=False))
