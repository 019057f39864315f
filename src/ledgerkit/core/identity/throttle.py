"""How often somebody may try: counted in this process, switched off by LEDGERKIT_RATE_LIMIT=off."""

from dataclasses import dataclass
from math import ceil
from time import time

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

from ledgerkit.problems import RateLimited

REQUESTS = RateLimitItemPerMinute(600, namespace="requests")
LOGINS = RateLimitItemPerMinute(10, namespace="logins")


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
                f"More than {item.amount} requests in a minute.",
                remedy=f"Wait {left.reset} seconds.",
                headers={**left.headers(), "Retry-After": str(left.reset)},
            )
        return left
