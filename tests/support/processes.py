"""`ledgerkit ...` as a process of its own, forked from one that has imported everything already.

A program that begins anew imports for two seconds before it does anything. The forked process has its own environment,
directory, output and process id, and ends for itself alone. Its passwords are hashed at the lowest price.
"""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import forkserver
from pathlib import Path
from typing import Protocol

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from ledgerkit.cli import COMMANDS, PACKAGE, main

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "ledgerkit.cli",
        *(f"{PACKAGE}.{target.partition(':')[0]}" for target, _ in COMMANDS.values()),
        "ledgerkit.providers.es.verifactu.channel",
        "anyio._backends._asyncio",
        "babel.messages.pofile",
    ]
)


def begin() -> None:
    """Start the process to fork from now, for this process and for the workers that are forked from it."""
    forkserver.ensure_running()
    forkserver._forkserver.ensure_running = lambda: None  # a worker cannot ask for the end of a process of its parent


class Process(Protocol):
    """The part of `subprocess.Popen` that both kinds have."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def wait(self) -> int: ...
    def kill(self) -> None: ...
    def send_signal(self, number: int) -> None: ...


Program = Callable[[Sequence[str], Mapping[str, str], Path, Path, Path], Process]
"""Starts a command with these words, environment, working directory, and files for what it writes."""


class Forked:
    """A command in a forked process."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], directory: Path, out: Path, err: Path):
        arguments = (list(words), dict(environment), directory, out, err)
        self._process = _FORKS.Process(target=_run, args=arguments)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int:
        self._process.join()
        assert self._process.exitcode is not None
        return self._process.exitcode

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def begun_anew(words: Sequence[str], environment: Mapping[str, str], directory: Path, out: Path, err: Path) -> Process:
    """The command as a new program, for what is decided before Python runs, as the libraries that can be loaded."""
    with out.open("ab") as stdout, err.open("ab") as stderr:
        command = [sys.executable, "-m", "ledgerkit.cli", *words]
        return subprocess.Popen(command, env=environment, cwd=directory, stdout=stdout, stderr=stderr)


async def ended(process: Process) -> int:
    """The code with which a process ends."""
    return await asyncio.to_thread(process.wait)


def _run(words: list[str], environment: dict[str, str], directory: Path, out: Path, err: Path) -> None:
    """In the forked process: do what a shell and Python do before the command begins."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    for number, path in ((1, out), (2, err)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1, closefd=False)
    sys.argv = ["ledgerkit", *words]
    PasswordHash.recommended = lambda: PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
    main()
