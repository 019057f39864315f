"""Functions that the tests run in confined processes; imported by these processes only."""

import os
import resource
import signal
import socket
import subprocess
import time
from pathlib import Path


def upper(content: bytes) -> bytes:
    return content.upper()


def pid(_: bytes) -> bytes:
    return str(os.getpid()).encode()


def environment(_: bytes) -> bytes:
    return repr(dict(os.environ)).encode()


def sleep(seconds: bytes) -> bytes:
    time.sleep(int(seconds))
    return b"slept"


def hold(_: bytes) -> bytes:
    """Holds the interpreter until it is killed: a number of many digits."""
    return b"%d" % len(bin(3 ** (10**9)))


def explode(_: bytes) -> bytes:
    return b"%d" % len(bytearray(4 << 30))


def die(_: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


def tell(password: bytes) -> bytes:
    raise ValueError(f"the password was {password.decode()}")


def write(path: bytes) -> bytes:
    try:
        Path(path.decode()).write_bytes(b"a key")
    except OSError as error:
        return type(error).__name__.encode()
    return b"written"


def connect(port: bytes) -> bytes:
    try:
        socket.create_connection(("127.0.0.1", int(port)))
    except PermissionError:
        return b"refused"
    return b"connected"


def run(_: bytes) -> bytes:
    try:
        subprocess.run(["/bin/true"], check=False)
    except PermissionError:
        return b"refused"
    return b"ran"


def core(_: bytes) -> bytes:
    return repr(resource.getrlimit(resource.RLIMIT_CORE)).encode()
