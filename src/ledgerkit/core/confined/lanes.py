"""Who gets a confined process when: few at a time, fair among accounts, and a bounded number waiting."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from ledgerkit.core.confined.process import ConfinedProcess, ProcessDiedError, Reply, TimeLimitError

START_SECONDS = 60.0
FORGIVING_SECONDS = 300.0
"""After so long half of what an account has used is forgotten."""


Result = TypeVar("Result")


class BusyError(Exception):
    """Too many requests wait already, of this account or of all, or the server is stopping."""


class CannotStartError(Exception):
    """A process did not start; its reason is in the server's log."""


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """Processes of a lane, requests that one of them is given before it is replaced, and how many requests may wait."""

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
    """Processes of one kind. An account has one of them at a time at most; use from one event loop.

    When several accounts wait, the one goes first that has used the least time lately: whoever's work is slow waits for
    everybody else, and nobody for them. Processes start with the first request.
    """

    def __init__(self, start: Callable[[], ConfinedProcess], capacity: Capacity) -> None:
        self._capacity = capacity
        self._idle = [_Place(start, capacity.requests_each) for _ in range(capacity.processes)]
        self._places = tuple(self._idle)
        self._waiting: dict[Hashable, deque[_Request]] = {}
        self._running: set[Hashable] = set()
        self._used: dict[Hashable, _Used] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False

    async def run(self, account: Hashable, request: bytes, seconds: float, *, waiting: int | None = None) -> Reply:
        """The answer to `request`, made within `seconds` once it is its turn.

        `waiting`: fewer requests of this account may wait for this one to be let in. Raises BusyError, TimeLimitError,
        ProcessDiedError, CannotStartError.
        """
        own = len(self._waiting.get(account, ()))
        most = self._capacity.waiting_of_one if waiting is None else waiting
        if self._stopped or own >= most or sum(map(len, self._waiting.values())) >= self._capacity.waiting:
            raise BusyError
        asked = _Request(account, request, seconds, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(account, deque()).append(asked)
        self._assign()
        return await asked.reply

    async def start(self) -> None:
        """Start all processes now rather than with the first requests. Raises CannotStartError."""
        await asyncio.gather(*(place.in_thread(place.ready) for place in self._places))

    async def stop(self) -> None:
        """End the processes at once, also in the middle of a request. The lane cannot be used again."""
        self._stopped = True
        for place in self._places:
            place.kill()
        for asked in [one for line in self._waiting.values() for one in line]:
            _fail(asked, BusyError())
        self._waiting.clear()
        await asyncio.gather(*self._tasks)
        for place in self._places:
            await place.close()

    def processes(self) -> list[ConfinedProcess]:
        """Those that run now."""
        return [place.process for place in self._places if place.process is not None]

    def _assign(self) -> None:
        while self._idle and (ready := self._waiting.keys() - self._running):
            account = min(ready, key=self._recently)
            asked = self._waiting[account].popleft()
            if not self._waiting[account]:
                del self._waiting[account]
            if not asked.reply.done():
                self._begin(self._idle.pop(), asked)

    def _begin(self, place: "_Place", asked: _Request) -> None:
        self._running.add(asked.account)
        task = asyncio.get_running_loop().create_task(self._perform(place, asked))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _perform(self, place: "_Place", asked: _Request) -> None:
        begun = monotonic()
        try:
            reply = await place.in_thread(lambda: place.ask(asked.content, asked.seconds))
        except (TimeLimitError, ProcessDiedError, CannotStartError) as error:
            _fail(asked, BusyError() if self._stopped else error)
        else:
            if not asked.reply.done():
                asked.reply.set_result(reply)
        finally:
            self._note(asked.account, monotonic() - begun)
            self._running.discard(asked.account)
            self._idle.append(place)
        if not self._stopped:
            self._assign()

    def _recently(self, account: Hashable) -> float:
        used = self._used.get(account)
        return 0.0 if used is None else used.now()

    def _note(self, account: Hashable, seconds: float) -> None:
        self._used = {one: used for one, used in self._used.items() if used.now() > 0.1}
        self._used[account] = _Used(self._recently(account) + seconds, monotonic())


@dataclass
class _Used:
    """Time that an account has had, half of it forgotten after FORGIVING_SECONDS."""

    seconds: float
    at: float

    def now(self) -> float:
        passed = (monotonic() - self.at) / FORGIVING_SECONDS
        return self.seconds * math.exp2(-passed)


class _Place:
    """Room for one process, and the thread that speaks to it."""

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
            self.process = self._start()
            self._await_ready(self.process)
        return self.process

    def ask(self, request: bytes, seconds: float) -> Reply:
        process = self.ready()
        try:
            reply = process.ask(request, seconds)
        except (TimeLimitError, ProcessDiedError):
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
        except (ProcessDiedError, TimeLimitError) as error:
            self._discard()
            raise CannotStartError from error

    def _discard(self) -> None:
        if self.process:
            self.process.close()
        self.process = None


def _fail(asked: _Request, error: Exception) -> None:
    if not asked.reply.done():
        asked.reply.set_exception(error)
