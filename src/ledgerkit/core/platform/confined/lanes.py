"""Queues for confined processes: few processes, fair among accounts, with a bounded number of waiting requests."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

import structlog

from ledgerkit.core.platform.confined.process import ConfinedProcess, ProcessDiedError, Reply, TimeLimitError

START_SECONDS = 60.0
USE_HALF_LIFE = 300.0
"""Seconds after which the use that counts against an account has halved."""


_LACKING = (OSError, MemoryError, RuntimeError)
"""Errors of a machine without memory, processes, threads or descriptors left."""

log = structlog.get_logger()

Result = TypeVar("Result")


class BusyError(Exception):
    """Refusal of a request: too many wait already, of this account or of all, or the server is stopping."""


class CannotStartError(Exception):
    """Failure of a process to start; the reason is in the server's log."""


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """Number of processes of a lane, of requests to one before it is replaced, and of requests that may wait."""

    processes: int = 1
    requests_each: int = 200
    waiting: int = 100
    waiting_of_one: int = 30


@dataclass
class _Request:
    account: Hashable
    content: bytes
    seconds: float
    reply: "asyncio.Future[Reply]"


class Lane:
    """Processes of one kind. An account uses one of them at a time at most; use a lane from one event loop.

    When several accounts wait, the one that has used the least time lately goes first: an account with slow work waits
    for the others, and they do not wait for it. Processes start with the first request.
    """

    def __init__(self, start: Callable[[], ConfinedProcess], capacity: Capacity) -> None:
        self._capacity = capacity
        self._idle = [_Slot(start, capacity.requests_each) for _ in range(capacity.processes)]
        self._slots = tuple(self._idle)
        self._waiting: dict[Hashable, deque[_Request]] = {}
        self._running: set[Hashable] = set()
        self._used: dict[Hashable, _Used] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False

    async def run(self, account: Hashable, request: bytes, seconds: float, *, waiting: int | None = None) -> Reply:
        """Return the answer to `request`, made within `seconds` once it is its turn.

        `waiting` is the number of waiting requests of this account from which on this one is refused. Raises BusyError,
        TimeLimitError, ProcessDiedError, CannotStartError.
        """
        waiting_of_account = len(self._waiting.get(account, ()))
        most_waiting = self._capacity.waiting_of_one if waiting is None else waiting
        if (
            self._stopped
            or waiting_of_account >= most_waiting
            or sum(map(len, self._waiting.values())) >= self._capacity.waiting
        ):
            raise BusyError
        queued = _Request(account, request, seconds, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(account, deque()).append(queued)
        self._assign()
        return await queued.reply

    async def start(self) -> None:
        """Start all processes now instead of with the first requests. Raises CannotStartError."""
        await asyncio.gather(*(slot.in_thread(slot.ready) for slot in self._slots))

    async def stop(self) -> None:
        """End the processes at once, also in the middle of a request. The lane cannot be used again."""
        self._stopped = True
        for slot in self._slots:
            slot.kill()
        for queued in [each for queue in self._waiting.values() for each in queue]:
            _fail(queued, BusyError())
        self._waiting.clear()
        await asyncio.gather(*self._tasks)
        for slot in self._slots:
            await slot.close()

    def processes(self) -> list[ConfinedProcess]:
        """Return the processes that are running."""
        return [slot.process for slot in self._slots if slot.process is not None]

    def _assign(self) -> None:
        while self._idle and (ready := self._waiting.keys() - self._running):
            account = min(ready, key=self._recently)
            queued = self._waiting[account].popleft()
            if not self._waiting[account]:
                del self._waiting[account]
            if not queued.reply.done():
                self._begin(self._idle.pop(), queued)

    def _begin(self, slot: "_Slot", queued: _Request) -> None:
        self._running.add(queued.account)
        task = asyncio.get_running_loop().create_task(self._perform(slot, queued))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _perform(self, slot: "_Slot", queued: _Request) -> None:
        started_at = monotonic()
        try:
            reply = await slot.in_thread(lambda: slot.ask(queued.content, queued.seconds))
        except Exception as error:  # noqa: BLE001 - whatever it is, somebody waits for the reply
            _fail(queued, BusyError() if self._stopped else error)
        else:
            if not queued.reply.done():
                queued.reply.set_result(reply)
        finally:
            self._note(queued.account, monotonic() - started_at)
            self._running.discard(queued.account)
            self._idle.append(slot)
        if not self._stopped:
            self._assign()

    def _recently(self, account: Hashable) -> float:
        used = self._used.get(account)
        return 0.0 if used is None else used.now()

    def _note(self, account: Hashable, seconds: float) -> None:
        self._used = {each: used for each, used in self._used.items() if used.now() > 0.1}
        self._used[account] = _Used(self._recently(account) + seconds, monotonic())


@dataclass
class _Used:
    """Time that an account has used, halved after each USE_HALF_LIFE."""

    seconds: float
    at: float

    def now(self) -> float:
        passed = (monotonic() - self.at) / USE_HALF_LIFE
        return self.seconds * math.exp2(-passed)


class _Slot:
    """Slot for one process, and the thread that communicates with it."""

    def __init__(self, start: Callable[[], ConfinedProcess], requests_each: int) -> None:
        self._start, self._requests_each = start, requests_each
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="confined")
        self._closed = False
        self.process: ConfinedProcess | None = None

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def ready(self) -> ConfinedProcess:
        if self.process is not None and not self.process.alive:
            self._discard()
        if self._closed:
            raise ProcessDiedError
        if self.process is None:
            self.process = self._started()
            if self._closed:  # since it was asked above: `kill` has found no process then
                self._discard()
                raise ProcessDiedError
            self._await_ready(self.process)
        return self.process

    def _started(self) -> ConfinedProcess:
        try:
            return self._start()
        except _LACKING as error:
            log.warning("a confined process cannot be started", error=repr(error))
            raise CannotStartError from error

    def ask(self, request: bytes, seconds: float) -> Reply:
        process = self.ready()
        try:
            reply = process.ask(request, seconds)
        except BaseException:  # its answer may still come, and would be taken for that of the next request
            self._discard()
            raise
        if process.tasks >= self._requests_each:
            self._discard()
        return reply

    def kill(self) -> None:
        self._closed = True
        if process := self.process:
            process.kill()

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)
        self._discard()

    def _await_ready(self, process: ConfinedProcess) -> None:
        try:
            process.await_ready(START_SECONDS)
        except (ProcessDiedError, TimeLimitError, *_LACKING) as error:
            self._discard()
            raise CannotStartError from error

    def _discard(self) -> None:
        if self.process:
            self.process.close()
        self.process = None


def _fail(queued: _Request, error: Exception) -> None:
    if not queued.reply.done():
        queued.reply.set_exception(error)
