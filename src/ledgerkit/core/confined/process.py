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

_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "VIRTUAL_ENV")
_KEPT_PREFIXES = ("PYTHON", "LC_", "LD_", "DYLD_", "FONTCONFIG", "XDG_", "WEASYPRINT")


class ProcessDiedError(Exception):
    """The process ended without an answer."""


class TimeLimitError(Exception):
    """The process was killed because it did not answer in time."""


class Reply(NamedTuple):
    """`kind` is one byte, whose meaning is the work's own; R for ready and E for failed are the same for all."""

    kind: bytes
    content: bytes


class ConfinedProcess:
    """One process. It is spoken to from one thread; `kill` may be called from any."""

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
        """Wait until all that the work needs is loaded. Raises ProcessDiedError or TimeLimitError."""
        with self._limited(seconds):
            self._read()

    def ask(self, request: bytes, seconds: float) -> Reply:
        """The answer to one request. Raises ProcessDiedError, or TimeLimitError after `seconds`; both end it."""
        self.tasks += 1
        with self._limited(seconds):
            self._write(struct.pack(">I", len(request)) + request)
            return self._read()

    def kill(self) -> None:
        """End the process at once; harmless when it has ended."""
        self._process.kill()

    def close(self) -> None:
        """End the process and give its pipes back. Only from the thread that speaks to it."""
        self.kill()
        self._process.wait()
        for pipe in (self._input, self._output):
            with suppress(OSError):  # half a request may be buffered for a reader that is gone
                pipe.close()

    @contextmanager
    def _limited(self, seconds: float) -> Iterator[None]:
        """Kill the process when the block takes longer, which ends the read or write that it stands in."""
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
    """What a confined process must know of its surroundings; no secret of the server's is among it."""
    return {
        name: value for name, value in os.environ.items() if name in _KEPT_VARIABLES or name.startswith(_KEPT_PREFIXES)
    }
