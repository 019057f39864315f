"""One run of the server process, and what earlier runs left behind."""

import asyncio
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import structlog

from ledgerkit.embedded_postgres.errors import EmbeddedMsg, PostgresStartError

FAST_STOP_SECONDS = 20
"""Time for rolling statements back and writing the checkpoint before the server is told to drop all."""

IMMEDIATE_STOP_SECONDS = 8
"""Seconds for an immediate stop: PostgreSQL itself kills what has not obeyed within 5."""

POLL_SECONDS = 0.02

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class PidFile:
    """The lines of PostgreSQL's `postmaster.pid` we need; `host` is a socket directory or an address."""

    pid: int
    port: int
    host: str

    @classmethod
    def read(cls, cluster: Path) -> "PidFile | None":
        """Read the file; None when there is none or it is not whole yet."""
        try:
            lines = (cluster / "postmaster.pid").read_text().splitlines()
            return cls(int(lines[0]), int(lines[3]), lines[4] or lines[5])
        except (FileNotFoundError, IndexError, ValueError):
            return None


def running_postmaster(cluster: Path) -> int | None:
    """Return the process that serves `cluster` now, proved by its command line: a number alone may be anybody's."""
    try:
        pid = int((cluster / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
    return pid if str(cluster) in _command_line(pid) else None


def end_earlier_run(cluster: Path) -> None:
    """Stop the server that an earlier, killed ledgerkit left running, and make a stale pid file harmless.

    Stopping and starting anew (about 0.3 s) instead of adopting: then the server always is our child, runs the
    installed version and our settings. The caller holds the home's lock, so no living ledgerkit uses it.
    Raises PostgresStartError when it does not end.
    """
    pid = running_postmaster(cluster)
    if pid is None:
        _disown(cluster / "postmaster.pid")
        return
    log.warning("postgres.earlier_run", pid=pid, remedy="stopping it first")
    for number, seconds in ((signal.SIGINT, FAST_STOP_SECONDS), (signal.SIGQUIT, IMMEDIATE_STOP_SECONDS)):
        _signal(pid, number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if running_postmaster(cluster) != pid:
                _disown(cluster / "postmaster.pid")
                return
            time.sleep(POLL_SECONDS)
    raise PostgresStartError(EmbeddedMsg.EARLIER_PROCESS_DOES_NOT_END, pid=pid)


async def end(process: subprocess.Popen[bytes]) -> None:
    """Stop a server: fast, then immediate, then by force; when cancelled, immediate at once. It is gone on return."""
    try:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        if not await _gone_within(process, FAST_STOP_SECONDS):
            log.warning("postgres.stop_forced", pid=process.pid, waited_seconds=FAST_STOP_SECONDS)
    finally:
        end_now(process)


def end_now(process: subprocess.Popen[bytes]) -> None:
    """Stop a server without checkpoint (the next start recovers); blocks up to `IMMEDIATE_STOP_SECONDS`."""
    if process.poll() is None:
        process.send_signal(signal.SIGQUIT)
    try:
        process.wait(IMMEDIATE_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


async def _gone_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            return True
        await asyncio.sleep(POLL_SECONDS)
    return False


def _disown(pid_file: Path) -> None:
    """Write our own number into a stale pid file.

    PostgreSQL believes a pid file whose number is alive, be it a zombie that nobody reaps or a stranger that got
    the number since; its parent's number it knows to be stale. Deleting the file would also do, but would lose
    the shared memory key by which it notices backends that are still running.
    """
    try:
        # Root must not follow a link that the server's account may have put there.
        with os.fdopen(os.open(pid_file, os.O_RDWR | os.O_NOFOLLOW), "r+") as file:
            _, separator, other_lines = file.read().partition("\n")
            file.seek(0)
            file.write(f"{os.getpid()}{separator}{other_lines}")
            file.truncate()
    except FileNotFoundError:
        return


def _command_line(pid: int) -> list[str]:
    """Return the words of a living process's command; empty for a zombie or no process."""
    if Path("/proc/self/cmdline").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError):
            return []
    answer = subprocess.run(  # noqa: S603 - a fixed program (macOS has no /proc) and a number
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return answer.stdout.split()


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
