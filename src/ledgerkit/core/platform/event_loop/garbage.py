"""Bounds on Python's search for unreachable objects, during which nothing else runs."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

LONGEST = 5.0
"""Seconds after which pauses that follow upon one another, without one moment between them, pause nothing any more."""

_lock = Lock()
_pauses = 0
_since = 0.0


def freeze() -> None:
    """Search once, and leave what there is now out of every later search: what a server has loaded stays to its end.

    For the end of a start. Walking through all modules, schemas and statements takes a quarter of a second.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Build values without looking for unreachable ones among them; in any thread, and in several at once.

    For blocks of few seconds: what becomes unreachable in a circle meanwhile is freed after the last of them. A block
    that begins or ends when there have been blocks for `LONGEST` seconds ends the pause of all.
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
