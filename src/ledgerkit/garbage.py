"""Pauses of Python's search for unreachable objects, which takes as long as building many thousands of values."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_pauses = 0


@contextmanager
def collection_paused() -> Iterator[None]:
    """Build values without looking for unreachable ones among them; in any thread, and in several at once.

    For blocks of a second at most: what becomes unreachable in a circle meanwhile is freed after the last of them.
    """
    _count(1)
    try:
        yield
    finally:
        _count(-1)


def _count(change: int) -> None:
    global _pauses  # noqa: PLW0603 - the collector is one for the whole process too
    with _lock:
        _pauses += change
        if _pauses:
            gc.disable()
        else:
            gc.enable()
