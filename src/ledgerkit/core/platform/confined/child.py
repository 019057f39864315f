"""Main loop of a confined process: requests and answers over its own two pipes.

Only the standard library is used here, so that a process loads nothing but what its own work needs. A request is a
frame (length, 4 bytes big-endian, then the bytes); an answer is one byte, its kind, and a frame. The process ends when
its input ends, so it never outlives the server, however that dies.
"""

import gc
import os
import queue
import signal
import struct
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

READY, FAILED = b"R", b"E"
NICENESS = 5
"""Lower priority than the server: it answers many requests, and one waits for this process."""

Answer = tuple[bytes, bytes]
Work = Callable[[bytes], Answer]


class Limits(NamedTuple):
    """Limits of a process: `memory` address space in bytes, `cpu` seconds for all requests, `writes` to files."""

    memory: int
    cpu: int | None = None
    writes: bool = True


def serve(prepare: Callable[[], Work], limits: Limits) -> None:
    """Load the modules of the work, give up every right, and answer requests until the input ends."""
    output = _own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the server ends this process
    gc.disable()  # modules stay to the end: searching among them took a quarter of the time of their import
    work = prepare()
    gc.freeze()
    gc.enable()
    _lock_down(limits)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    _write(output, READY, b"")
    while True:
        _write(output, *work(requests.get()))


def _own_output() -> BinaryIO:
    """Return the pipe to the server; output that a library prints goes to the log instead."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output


def _read_requests(source: BinaryIO, requests: "queue.SimpleQueue[bytes]") -> None:
    """Read in a thread of its own, so that the end of the server ends this process during a request too."""
    while len(header := source.read(4)) == 4:
        requests.put(source.read(struct.unpack(">I", header)[0]))
    os._exit(0)


def _write(output: BinaryIO, kind: bytes, content: bytes) -> None:
    output.write(kind + struct.pack(">I", len(content)) + content)
    output.flush()


def _lock_down(limits: Limits) -> None:
    """Forbid connections and other programs from now on, bound the memory, and prevent core dumps."""
    sys.addaudithook(_refuse)
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - exists on Unix only

    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.cpu is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu))
    if not limits.writes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen", "os.system"}:
        raise PermissionError(f"a confined process may not do this: {event}")
