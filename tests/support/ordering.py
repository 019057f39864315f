"""Order in which workers begin tests."""

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

WAITING_FOLDERS = ("live", "rented", "commands", "core/database/postgres", "web")
"""Folders of tests that wait for processes, sometimes for half a minute: begun last, one would be waited for alone."""


def spread(tests: Sequence[T], workers: int, file_of: Callable[[T], Path], waits: Callable[[Path], bool]) -> list[T]:
    """Begin the equal part of each worker with some files that wait: one worker with all of them ends minutes later.

    Workers take parts of the list from its beginning, and what is left of others' parts from their ends. The tests of a
    file stay together.
    """
    files = [(path, list(group)) for path, group in groupby(tests, key=file_of)]
    waiting = [group for path, group in files if waits(path)]
    busy = [test for path, group in files if not waits(path) for test in group]
    order = list[T]()
    for worker in range(workers):
        first = [test for group in waiting[worker::workers] for test in group]
        filled = max(0, len(tests) // workers - len(first))
        order += first + busy[:filled]
        busy = busy[filled:]
    return order + busy
