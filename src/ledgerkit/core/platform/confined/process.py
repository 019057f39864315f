"""The server's end of a confined process: start it, give it a request, and end it when it takes too long."""

import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "VIRTUAL_ENV")
_PASSED_ON_PREFIXES = ("PYTHON", "LC_", "LD_", "DYLD_", "FONTCONFIG", "XDG_", "WEASYPRINT")


class ProcessDiedError(Exception):
    """Failure: the process ended without an answer."""


class TimeLimitError(Exception):
    """Failure: the process was killed because it did not answer in time."""


class Reply(NamedTuple):
    """Answer of a process. `kind` is one byte that the work defines; R for ready and E for failed apply to all."""

    kind: bytes
    content: bytes


class ConfinedProcess:
    """One confined process. Use it from one thread; `kill` may be called from any."""

    def __init__(self, script: Path, *arguments: str) -> None:
        self.tasks = 0
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own script
            [sys.executable, "-P", str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
        )
        self._input = cast("IO[bytes]", self._process.stdin)
        self._output = cast("IO[bytes]", self._process.stdout)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def await_ready(self, seconds: float) -> None:
        """Wait until the process has loaded the modules of its work. Raises ProcessDiedError or TimeLimitError."""
        with self._limited(seconds):
            self._read()

    def ask(self, request: bytes, seconds: float) -> Reply:
        """Return the answer to one request. Raises ProcessDiedError, or TimeLimitError after `seconds`; both end it."""
        self.tasks += 1
        with self._limited(seconds):
            self._write(struct.pack(">I", len(request)) + request)
            return self._read()

    def kill(self) -> None:
        """End the process at once; harmless when it has ended."""
        self._process.kill()

    def close(self) -> None:
        """End the process and close its pipes. Call it from the thread that uses the process only."""
        self.kill()
        self._process.wait()
        for pipe in (self._input, self._output):
            with suppress(OSError):  # part of a request may be buffered for a process that has ended
                pipe.close()

    @contextmanager
    def _limited(self, seconds: float) -> Iterator[None]:
        """Kill the process when the block takes longer; that ends the read or write in which the block waits."""
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self.kill()

        timer = threading.Timer(seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (OSError, ProcessDiedError) as error:
            if expired.is_set():
                raise TimeLimitError from error
            raise ProcessDiedError from error
        finally:
            timer.cancel()

    def _write(self, frame: bytes) -> None:
        self._input.write(frame)
        self._input.flush()

    def _read(self) -> Reply:
        header = self._read_exactly(5)
        return Reply(header[:1], self._read_exactly(struct.unpack(">I", header[1:])[0]))

    def _read_exactly(self, length: int) -> bytes:
        content = self._output.read(length)
        if len(content) < length:
            raise ProcessDiedError
        return content


def _environment() -> dict[str, str]:
    """Return the environment variables of a confined process, which include none of the server's secrets."""
    return {
        name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
    }
