"""The end of a request's work when its caller has disconnected, because nobody will read the answer."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Departure:
    """The disconnection of a request's caller, and the work that ends with it.

    Cancelled work rolls back its open transaction, and PostgreSQL stops the running statement. Committed changes stay.
    """

    def __init__(self) -> None:
        self._has_left = False
        self._task: asyncio.Task[object] | None = None
        self.has_cancelled = False
        """True when the work was cancelled: then its CancelledError is expected."""

    def note(self) -> None:
        """Record that the caller has disconnected, and cancel the work that ends then."""
        self._has_left = True
        self._cancel()

    @contextmanager
    def ends_work(self) -> Iterator[None]:
        """Cancel the task when the caller leaves while it is in this block, or has left before."""
        self._task = asyncio.current_task()
        if self._has_left:
            self._cancel()
        try:
            yield
        finally:
            self._task = None

    def _cancel(self) -> None:
        if self._task is not None and not self.has_cancelled:
            self.has_cancelled = True
            self._task.cancel()
