"""The port that `serve` listens on: looked at before the database starts, and taken when all is ready."""

import errno
import socket

from ledgerkit.start_errors import Misconfigured, Unreachable

BACKLOG = 2048
"""Size of the queue of new connections, as uvicorn's own."""


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises StartError when it cannot."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise Misconfigured(f"No address belongs to {host} ({error}). Correct LEDGERKIT_HOST.") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise _refused(error, host, port) from error
    return listener


def _refused(error: OSError, host: str, port: int) -> Misconfigured | Unreachable:
    match error.errno:
        case errno.EADDRINUSE:
            return Unreachable(
                f"Port {port} of {host} is in use by another program. Stop that one, or choose another port: "
                "ledgerkit serve --port <another> (LEDGERKIT_PORT)"
            )
        case errno.EACCES:
            return Misconfigured(
                f"This user may not listen on port {port}. Choose one above 1023 (LEDGERKIT_PORT) and put a proxy in "
                "front of it."
            )
        case errno.EADDRNOTAVAIL:
            return Misconfigured(f"This machine does not have the address {host}. Correct LEDGERKIT_HOST.")
    return Misconfigured(f"Nothing can listen on port {port} of {host} ({error}). Correct LEDGERKIT_HOST.")
