"""TCP ports for servers of tests that have to know theirs before they listen."""

import os
import socket
from collections import deque
from random import SystemRandom

LOWEST, HIGHEST = 20_000, 32_767
"""Below the ports that Linux and macOS lend to connections and to who asks for any: nobody gets one by chance."""
SHARES = 64
"""Workers of one run that have ports of their own, about 200 each."""


def _share() -> deque[int]:
    """The ports of this process: those of no other worker, in an order of its own."""
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    ports = list(range(LOWEST + number % SHARES, HIGHEST + 1, SHARES))
    SystemRandom().shuffle(ports)
    return deque(ports)


_ports = _share()


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
