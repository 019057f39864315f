"""Many cases in one test: their records are made once, and each case is undone before the next."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import TypeVar

from ledgerkit.core.platform.api_types.list_pages import PageCache
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Kernel
from support.sampling import sampled

T = TypeVar("T")


async def try_each(kernel: Kernel, cases: Collection[T], attempt: Callable[[T], Awaitable[None]]) -> None:
    """Try the cases, and fail with a line for each one that failed; without `--whole` only a sample of a long series.

    `kernel` has the connection of the test that is rolled back.
    """
    assert cases
    failures = []
    for case in sampled(cases):
        try:
            async with _undone(kernel):
                await attempt(case)
        except Exception as error:  # noqa: BLE001 - any of them is a failure of its case
            failures.append(f"{case}: {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)


@asynccontextmanager
async def _undone(kernel: Kernel) -> AsyncIterator[None]:
    """Take back all rows that are written within, and what the server remembers of them."""
    async with kernel.database.undone():
        try:
            yield
        finally:
            await kernel.service(Authenticator).stop()
            kernel.services[PageCache] = PageCache()
