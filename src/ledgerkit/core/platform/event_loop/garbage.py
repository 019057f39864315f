"""Bounds on Python's search for unreachable objects, during which nothing else runs."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

LONGEST = 5.0
"""Seconds after which pauses that overlap without a break no longer stop the collector."""

_lock = Lock()
_pauses = 0
_since = 0.0


def freeze() -> None:
    """Search once, and exclude all present objects from later searches: a server needs what it has loaded to its end.

    Call it at the end of a start. A search through all modules, schemas and statements takes a quarter of a second.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the search for unreachable objects during a block; in any thread, and in several threads at once.

    For blocks of a few seconds. Unreachable cycles are freed after the last block. If blocks have overlapped for
    `LONGEST` seconds, the next beginning or end of a block ends the pause of all.
    """
    _count(1)
    try:
        yield
    finally:
        _count(-1)


def _count(change: int) -> None:
    global _pauses, _since  # noqa: PLW0603 - the collector is one for the whole process too
    with _lock:
        if not _pauses:
            _since = monotonic()
        _pauses += change
        if _pauses and monotonic() - _since < LONGEST:
            gc.disable()
        else:
            gc.enable()
