"""Port that `serve` listens on: tested before the database starts, and taken when everything is ready."""

import errno
import socket

from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.settings.start_errors import Misconfigured, Unreachable

BACKLOG = 2048
"""Size of the queue of new connections, as uvicorn's own."""


def bound(host: str, port: int, queue: int = BACKLOG) -> socket.socket:
    """Return a socket that listens there; `queue` is the most new connections that wait. Raises StartError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise Misconfigured(CommandsMsg.HOST_WITHOUT_ADDRESS, host=host, error=error) from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(queue)
    except OSError as error:
        listener.close()
        raise _refused(error, host, port) from error
    return listener


def _refused(error: OSError, host: str, port: int) -> Misconfigured | Unreachable:
    match error.errno:
        case errno.EADDRINUSE:
            return Unreachable(CommandsMsg.PORT_TAKEN, port=port, host=host)
        case errno.EACCES:
            return Misconfigured(CommandsMsg.PORT_FORBIDDEN, port=port)
        case errno.EADDRNOTAVAIL:
            return Misconfigured(CommandsMsg.ADDRESS_OF_ANOTHER_MACHINE, host=host)
    return Misconfigured(CommandsMsg.PORT_UNUSABLE, port=port, host=host, error=error)
