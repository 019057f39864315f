"""TCP ports for servers of tests that have to know theirs before they listen."""

import fcntl
import os
import socket
import tempfile
from collections import deque
from functools import cache
from pathlib import Path
from random import SystemRandom

LOWEST, HIGHEST = 20_000, 32_767
"""Below the ports that Linux and macOS lend to connections and to who asks for any: nobody gets one by chance."""
SHARES = 64
"""Workers of one run that have ports of their own, about 200 each."""


RESERVED = 30
"""Ports that a process reserves at a time."""

_ports = deque[int]()


def use_share(number: int) -> None:
    """Give this process the ports of a worker: those of no other one, in an order of its own."""
    ports = list(range(LOWEST + number % SHARES, HIGHEST + 1, SHARES))
    SystemRandom().shuffle(ports)
    _ports.clear()
    _ports.extend(ports)


use_share(0)


def free_port() -> int:
    """A port on which nothing listens, unlike those that this process had last. Raises OSError when there is none.

    It is this process's until it has asked for some more: no other run of tests on this machine gets it before a
    server listens.
    """
    for _ in range(len(_ports)):
        _ports.rotate()
        if _is_ours(_ports[0]) and _is_free(_ports[0]):
            fcntl.lockf(_reservations(os.getpid()), fcntl.LOCK_UN, 1, _ports[RESERVED])
            return _ports[0]
    message = f"none of {len(_ports)} ports of this machine is free"
    raise OSError(message)


def _is_ours(port: int) -> bool:
    """Reserve a port among all runs of tests: the lock of a byte, which ends with the process that has it."""
    try:
        fcntl.lockf(_reservations(os.getpid()), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


@cache
def _reservations(_process: int) -> int:
    """The file whose bytes stand for ports, opened by this process itself."""
    path = Path(tempfile.gettempdir()) / "ledgerkit-test-ports"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    if os.fstat(file).st_uid == os.geteuid():
        os.fchmod(file, 0o666)
    return file


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
