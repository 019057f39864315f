"""Connections of the server, bounded in all and for each address, and the descriptors of the process.

The machine decides how many descriptors there are. They are shared out so that connections cannot use them up.
"""

import resource
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Protocol, Self

from ledgerkit.core.platform.identity.limits.throttle import origin


class Connection(Protocol):
    """An open connection, which `drop` ends at once. `is_sending`: a part of an answer has not left yet."""

    @property
    def is_sending(self) -> bool: ...

    def drop(self) -> None: ...


class Connections:
    """The open connections of one process.

    At a bound, a newcomer takes the place of a connection that waits without a request: of its own address at the
    bound of one address, else of the one that has waited longest. Only where all of them are at work is it refused.
    `proxies` are not bounded each: everybody comes from there.
    """

    def __init__(self, most: int, most_of_one: int, proxies: str) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._proxies = _networks(proxies)
        self._origins: dict[Connection, str] = {}
        self._by_origin: dict[str, dict[Connection, None]] = {}
        self._waiting: dict[Connection, None] = {}

    def __len__(self) -> int:
        return len(self._origins)

    def admit(self, connection: Connection, address: str) -> bool:
        """Count a new connection, which waits for its request. Return False, and count nothing, without room for it."""
        whose = origin(address)
        neighbours = self._by_origin.get(whose, {})
        is_full = len(neighbours) >= self._most_of_one and not self._is_proxy(address)
        if is_full and not self._make_room(neighbours):
            return False
        if len(self._origins) >= self._most and not self._make_room(self._waiting):
            return False
        self._origins[connection] = whose
        self._by_origin.setdefault(whose, {})[connection] = None
        self._waiting[connection] = None
        return True

    def works(self, connection: Connection) -> None:
        """Note that a request has arrived on the connection."""
        self._waiting.pop(connection, None)

    def waits(self, connection: Connection) -> None:
        """Note that all requests of the connection have been answered."""
        if connection in self._origins:
            self._waiting[connection] = None

    def leave(self, connection: Connection) -> None:
        """Forget the connection; twice does no harm."""
        whose = self._origins.pop(connection, None)
        self._waiting.pop(connection, None)
        if whose is not None:
            neighbours = self._by_origin[whose]
            del neighbours[connection]
            if not neighbours:
                del self._by_origin[whose]

    def _make_room(self, among: Iterable[Connection]) -> bool:
        oldest = next(
            (connection for connection in among if connection in self._waiting and not connection.is_sending), None
        )
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.drop()
        return True

    def _is_proxy(self, address: str) -> bool:
        if not self._proxies:
            return False
        try:
            parsed = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(parsed in network for network in self._proxies)


PLENTY = 10_240
"""Descriptors that macOS grants where it says that there is no limit."""

MOST_CONNECTIONS = 10_000
FEWEST_CONNECTIONS = 16
OWN_FILES = 128
"""Descriptors of the process itself: logs, pipes to its helpers, the background work, other servers."""


@dataclass(frozen=True)
class Shares:
    """Number of connections to serve at the same time, and of those that the kernel may queue for us."""

    connections: int
    queue: int

    @classmethod
    def of(cls, descriptors: int, database_connections: int) -> Self:
        """Return half of the descriptors that the process and its database leave.

        The other half is for files, and for callers who are being refused. The event loop accepts the whole queue at
        once, before it looks at the first connection.
        """
        left = descriptors - OWN_FILES - 2 * database_connections
        connections = min(MOST_CONNECTIONS, max(FEWEST_CONNECTIONS, left // 2))
        return cls(connections, min(2048, connections))


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


def _networks(proxies: str) -> Sequence[IPv4Network | IPv6Network]:
    return [ip_network(proxy) for proxy in filter(None, map(str.strip, proxies.split(",")))]
