"""TCP ports for servers of tests that have to know theirs before they listen."""

import socket
from collections import deque
from random import SystemRandom

LOWEST, HIGHEST = 20_000, 32_767
"""Below the ports that Linux and macOS lend to connections and to who asks for any: nobody gets one by chance."""
SHARES = 64
"""Workers of one run that have ports of their own, about 200 each."""


_ports = deque[int]()


def use_share(number: int) -> None:
    """Give this process the ports of a worker: those of no other one, in an order of its own."""
    ports = list(range(LOWEST + number % SHARES, HIGHEST + 1, SHARES))
    SystemRandom().shuffle(ports)
    _ports.clear()
    _ports.extend(ports)


use_share(0)


def free_port() -> int:
    """A port on which nothing listens, unlike those that this process had last. Raises OSError when there is none."""
    for _ in range(len(_ports)):
        _ports.rotate()
        if _is_free(_ports[0]):
            return _ports[0]
    message = f"none of {len(_ports)} ports of this machine is free"
    raise OSError(message)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
