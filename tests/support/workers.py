"""Workers: processes forked from the one that has collected the tests.

Nothing is imported or collected twice, and a worker more costs a hundredth of a second. There are two kinds, begun
together: as many as there are cores for tests that compute, and some more for the folders whose tests wait for other
processes. A worker without tests of its own kind helps the others.
"""

import os
import random
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from support import ports, processes
from support.common import Common
from support.migrated_cluster import shared_server

ENDING_SECONDS = 60
"""Time of a worker to end its servers, after the last test or when the run is interrupted."""

_PROCESSES = get_context("fork")


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Tests:
    """Numbers of the tests that are left to be begun, file by file."""

    def __init__(self, files: Iterable[tuple[bool, Sequence[int]]]) -> None:
        """`files` says of each whether its tests wait."""
        self._files: dict[bool, deque[deque[int]]] = {True: deque(), False: deque()}
        for waits, numbers in files:
            self._files[waits].append(deque(numbers))

    def file(self, waits: bool) -> deque[int]:
        """Take the next file of this kind, or of the other kind where none is left; its tests, none at the end."""
        left = self._files[waits] or self._files[not waits]
        return left.popleft() if left else deque()

    def give_back(self, waits: bool, numbers: Iterable[int]) -> None:
        """Begin these before all others: their worker is gone."""
        if rest := deque(numbers):
            self._files[waits].appendleft(rest)

    def clear(self) -> None:
        for files in self._files.values():
            files.clear()


class Worker:
    """One process, and the tests that it has been given: the one that it runs, and the next one."""

    def __init__(self, session: pytest.Session, number: int, waits: bool) -> None:
        self.number, self.waits = number, waits
        self.given: deque[int] = deque()
        self.file: deque[int] = deque()
        self.was_told_the_end = False
        self.connection: Connection
        self.connection, theirs = _PROCESSES.Pipe()
        self.process: BaseProcess = _PROCESSES.Process(target=_work, args=(session, number, theirs))
        self.process.start()
        theirs.close()

    def give(self, tests: Tests) -> None:
        """Send one more test, or that there is none."""
        self.file = self.file or tests.file(self.waits)
        if self.file:
            self.given.append(self.file.popleft())
            self.connection.send(self.given[-1])
        elif not self.was_told_the_end:
            self.was_told_the_end = True
            self.connection.send(None)


class Run:
    """All tests of a session, begun by workers and reported here."""

    def __init__(self, session: pytest.Session, tests: Tests) -> None:
        self._session, self._tests = session, tests
        self._workers: list[Worker] = []

    def start(self, number: int, waits: bool) -> None:
        worker = Worker(self._session, number, waits)
        self._workers.append(worker)
        worker.give(self._tests)
        worker.give(self._tests)

    def until_the_end(self) -> None:
        while self._workers:
            told = wait([worker.connection for worker in self._workers])
            for worker in [worker for worker in self._workers if worker.connection in told]:
                try:
                    kind, data = worker.connection.recv()
                except (EOFError, ConnectionResetError):
                    self._ended(worker)
                else:
                    self._hear(worker, kind, data)
                    if self._session.shouldfail or self._session.shouldstop:
                        self._tests.clear()
                        worker.file.clear()

    def _hear(self, worker: Worker, kind: str, data: Any) -> None:
        hook = self._session.config.hook
        if kind == "report":
            report = hook.pytest_report_from_serializable(config=self._session.config, data=data)
            hook.pytest_runtest_logreport(report=report)
        else:
            item = self._session.items[worker.given.popleft()]
            hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
            worker.give(self._tests)

    def _ended(self, worker: Worker) -> None:
        """Report the test in whose middle a worker ended as failed, and let another worker do the rest."""
        self._workers.remove(worker)
        worker.process.join(ENDING_SECONDS)
        if not worker.given:
            return
        item = self._session.items[worker.given.popleft()]
        words = f"worker {worker.number} ended in this test with code {worker.process.exitcode}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", words, "call")
        self._session.config.hook.pytest_runtest_logreport(report=report)
        self._tests.give_back(worker.waits, [*worker.given, *worker.file])
        self.start(worker.number, worker.waits)

    def end(self) -> None:
        """End the workers that are left when the run is interrupted; they end their servers themselves."""
        for worker in self._workers:
            worker.process.join(ENDING_SECONDS / 6)
            if worker.process.is_alive() and worker.process.pid is not None:
                os.kill(worker.process.pid, signal.SIGINT)
                worker.process.join(ENDING_SECONDS)
            worker.process.kill()


def run(session: pytest.Session, waiting: int, folders: Sequence[Path]) -> None:
    """Run the session's tests with a worker for each core, and `waiting` more for the tests in `folders`."""
    numbers = groupby(range(len(session.items)), key=lambda number: session.items[number].path)
    by_file = [(any(path.is_relative_to(folder) for folder in folders), list(group)) for path, group in numbers]
    session.config.pluginmanager.getplugin("capturemanager").stop_global_capturing()
    Common.folder = session.config._tmp_path_factory.getbasetemp()
    running = Run(session, Tests(by_file))
    kinds = [True] * waiting + [False] * cores()
    processes.begin()
    with shared_server(session.config):
        try:
            for number, waits in enumerate(kinds):
                running.start(number, waits)
            running.until_the_end()
        finally:
            running.end()
            session.config.pluginmanager.getplugin("capturemanager").start_global_capturing()


def _work(session: pytest.Session, number: int, connection: Connection) -> None:
    """Run tests as they come and report them, in the process of a worker."""
    config = session.config
    random.seed()
    ports.use_share(number)
    config._tmp_path_factory._basetemp = config._tmp_path_factory.mktemp(
        f"worker{number}"
    )  # a factory knows its first place only
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(_Reporter(config, connection))
    with _captured(config):
        current = connection.recv()
        try:
            while current is not None:
                following = connection.recv()
                item, after = session.items[current], None if following is None else session.items[following]
                config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                connection.send(("finished", None))
                current = following
        finally:
            session._setupstate.teardown_exact(None)  # what an interrupted test has left


@contextmanager
def _captured(config: pytest.Config) -> Iterator[None]:
    """Catch what tests print in files of this process."""
    manager = config.pluginmanager.getplugin("capturemanager")
    manager.start_global_capturing()
    try:
        yield
    finally:
        manager.stop_global_capturing()


class _Reporter:
    """Sends the reports of tests to the process that prints them."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config, self._connection = config, connection

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._connection.send(("report", data))
