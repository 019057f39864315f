"""Descriptors of this process: as many as the machine allows, shared out so that connections cannot use them up."""

import resource
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

PLENTY = 10_240
"""Descriptors that macOS grants where it says that there is no limit."""

MOST_CONNECTIONS = 10_000
FEWEST_CONNECTIONS = 16
OWN_FILES = 128
"""Descriptors of the process itself: logs, pipes to its helpers, the background work, other servers."""


def raise_limit() -> int:
    """Raise the soft limit of descriptors to the hard one, as far as the system lets us; return what there are then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in (hard, PLENTY):
        if soft == resource.RLIM_INFINITY or (limit != resource.RLIM_INFINITY and limit <= soft):
            break
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            break
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return PLENTY if soft == resource.RLIM_INFINITY else soft


@dataclass(frozen=True)
class Shares:
    """The connections to serve at the same time, and the queue of those that the kernel has accepted for us."""

    connections: int
    queue: int

    @classmethod
    def of(cls, descriptors: int, database_connections: int) -> Self:
        """Half of what the process and its database leave: the other half is for files, and for who is being refused.

        The event loop accepts the whole queue at once before the first of them can be looked at.
        """
        left = descriptors - OWN_FILES - 2 * database_connections
        connections = min(MOST_CONNECTIONS, max(FEWEST_CONNECTIONS, left // 2))
        return cls(connections, min(2048, connections))
