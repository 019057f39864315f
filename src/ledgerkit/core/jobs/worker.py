"""Does what the queue holds: beside the requests of a server, or in processes of its own."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

import asyncpg
import structlog
from opentelemetry import trace

from ledgerkit import clock
from ledgerkit.core.database.connecting import connect
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.jobs import statements
from ledgerkit.core.jobs.cron import Cron
from ledgerkit.metrics import JOB_SECONDS, JOBS, JobOutcome
from ledgerkit.money import loads_exact

Handler = Callable[[dict[str, object]], Awaitable[None]]

DATABASE_ERRORS = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
ERROR_CHARACTERS = 2000
STATEMENT_SECONDS = 10
LONGEST_SILENCE = 5.0

log = structlog.get_logger()
tracer = trace.get_tracer("ledgerkit")


class Again(Exception):  # noqa: N818 - a request of the handler, not an error
    """Raised by a handler to be called again after `delay`, without this call counting as a failure."""

    def __init__(self, delay: timedelta) -> None:
        super().__init__(f"again after {delay}")
        self.delay = delay


class Jobs:
    """Which function does which job. The application makes one and hands it to its workers."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}
        self.schedules: dict[str, Cron] = {}

    def handler(self, name: str) -> Callable[[Handler], Handler]:
        """Have jobs called `name` done by the decorated function. Raises ValueError when one does them already."""
        if name in self.handlers:
            msg = f"two handlers for {name!r}"
            raise ValueError(msg)

        def register(function: Handler) -> Handler:
            self.handlers[name] = function
            return function

        return register

    def every(self, expression: str, name: str) -> Callable[[Handler], Handler]:
        """The same for a job that recurs by `expression` (see `Cron`, UTC), with an empty payload.

        However many workers run, each due time makes one job; times that passed while none ran make one together.
        """
        self.schedules[name] = Cron(expression)
        return self.handler(name)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How a worker works; times in seconds.

    A job whose worker died is taken by another one `lease + poll` after the last renewal at the latest. A failing job
    is tried `attempts` times, with pauses that double from `first_pause` to `longest_pause` (by default for 47
    minutes in all), and then stays listed as failed.
    """

    concurrency: int = 8
    poll: float = 0.5
    lease: float = 20
    renewal: float = 5
    time_limit: float = 900
    attempts: int = 12
    first_pause: float = 2
    longest_pause: float = 900
    grace: float = 10

    def pause_after(self, attempt: int) -> float:
        """How long a job waits after its failed `attempt` (from 1), with up to a tenth more by chance."""
        doubled: float = self.first_pause * 2.0 ** (attempt - 1)
        return min(doubled, self.longest_pause) * (1 + random.random() / 10)  # noqa: S311 - jitter, not a secret


@dataclass(frozen=True)
class _Claim:
    id: UUID
    name: str
    payload: str
    attempts: int
    error: str | None


class Worker:
    """Takes jobs from one database and does them, up to `pace.concurrency` at once.

    It has its own few connections, looks for work every `pace.poll` seconds, goes on by itself when PostgreSQL comes
    back, and installs no signal handlers.
    """

    def __init__(self, database_url: str, jobs: Jobs, pace: Pace | None = None) -> None:
        self._url = database_url
        self._jobs = jobs
        self._pace = pace or Pace()
        self._id = uuid4()
        self._at_work: dict[UUID, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._stopping = False
        self._planted = False
        self._seeker: asyncio.Task[None] | None = None
        self._keeper: asyncio.Task[None]
        self._pool: asyncpg.Pool[asyncpg.Record]

    async def start(self) -> None:
        """Begin to work; returns at once, whether or not PostgreSQL answers yet."""
        self._pool = asyncpg.create_pool(  # type: ignore[call-overload] # ours takes any option
            self._url,
            connect=connect,
            min_size=0,
            max_size=4,
            reset=_keep_as_is,
            timeout=STATEMENT_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            server_settings={"application_name": "ledgerkit jobs"},
        )
        await self._pool
        self._seeker = asyncio.create_task(self._seek(), name="jobs: work")
        self._keeper = asyncio.create_task(self._keep_leases(), name="jobs: leases")

    async def stop(self) -> None:
        """Take no more jobs, let those at work finish for `pace.grace` seconds, return the others to the queue."""
        if self._seeker is None or self._stopping:
            return
        self._stopping = True
        self._wake.set()
        await self._seeker
        await self._finish(self._pace.grace)
        for task in self._at_work.values():
            task.cancel()
        await self._finish(STATEMENT_SECONDS)
        self._keeper.cancel()
        with suppress(asyncio.CancelledError):
            await self._keeper
        self._pool.terminate()

    async def _finish(self, seconds: float) -> None:
        if self._at_work:
            await asyncio.wait(self._at_work.values(), timeout=seconds)

    def wake(self) -> None:
        """Look for work now instead of at the next poll; a hint for those who have just committed some."""
        self._wake.set()

    async def _seek(self) -> None:
        """Look for work until stopped; ever more slowly, every 5 s at last, while that fails."""
        failures = 0
        while not self._stopping:
            try:
                await self._look_for_work()
            except Exception as error:  # noqa: BLE001 - a worker outlives whatever goes wrong
                if not failures:
                    log.warning("jobs: cannot look for work", error=repr(error))
                failures += 1
            else:
                if failures:
                    log.info("jobs: looking for work again")
                failures = 0
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), min(self._pace.poll * 2**failures, LONGEST_SILENCE))

    async def _keep_leases(self) -> None:
        """Renew the leases of the jobs at work until cancelled, while they are given time to finish too."""
        while True:
            await asyncio.sleep(self._pace.renewal)
            try:
                await self._renew()
            except DATABASE_ERRORS as error:
                log.warning("jobs: leases not renewed", error=repr(error))

    async def _look_for_work(self) -> None:
        self._wake.clear()
        await self._fire_schedules()
        free = self._pace.concurrency - len(self._at_work)
        if free <= 0 or not self._jobs.handlers:
            return
        for claim in await self._claim(free):
            self._at_work[claim.id] = task = asyncio.create_task(self._work(claim), name=f"job {claim.name} {claim.id}")
            task.add_done_callback(partial(self._leave, claim.id))

    def _leave(self, done: UUID, _: asyncio.Task[None]) -> None:
        del self._at_work[done]
        self._wake.set()

    async def _claim(self, limit: int) -> list[_Claim]:
        names, here = list(self._jobs.handlers), list(self._at_work)
        lease = timedelta(seconds=self._pace.lease)
        try:
            rows = await self._pool.fetch(statements.CLAIM, self._id, names, limit, lease, here)
        except asyncpg.UniqueViolationError:
            return []
        return [_Claim(**row) for row in rows]

    async def _fire_schedules(self) -> None:
        names = list(self._jobs.schedules)
        if not names:
            return
        now = clock.now()
        coming = [cron.next_after(now) for cron in self._jobs.schedules.values()]
        if not self._planted:
            expressions = [cron.expression for cron in self._jobs.schedules.values()]
            await self._pool.execute(statements.PLANT, names, expressions, coming)
            self._planted = True
        await self._pool.execute(statements.FIRE, names, coming, [new_id() for _ in names])

    async def _renew(self) -> None:
        if self._at_work:
            lease = timedelta(seconds=self._pace.lease)
            await self._pool.execute(statements.RENEW, self._id, lease, list(self._at_work))

    async def _work(self, claim: _Claim) -> None:
        """Call the handler once and write down what came of it."""
        if claim.attempts > self._pace.attempts:
            _count(claim, JobOutcome.GIVEN_UP)
            await self._settle(claim, statements.GIVE_UP, claim.error or "every worker that tried this job died")
            return
        try:
            await self._handle(claim)
        except Again as wish:
            _count(claim, JobOutcome.POSTPONED)
            await self._put_back(claim, wish.delay, 0, None)
        except asyncio.CancelledError:
            if not self._stopping:
                raise  # the loop is torn down around us: the lease runs out, and the job runs again
            _count(claim, JobOutcome.INTERRUPTED)
            await self._put_back(claim, timedelta(), claim.attempts - 1, claim.error)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is its job's failure, and listed
            await self._failed(claim, error)
        else:
            _count(claim, JobOutcome.DONE)
            await self._settle(claim, statements.DONE)

    async def _handle(self, claim: _Claim) -> None:
        """Call the handler, within its time limit."""
        with tracer.start_as_current_span(f"job {claim.name}"), JOB_SECONDS.labels(claim.name).time():
            async with asyncio.timeout(self._pace.time_limit):
                payload = loads_exact(claim.payload)
                assert isinstance(payload, dict)  # noqa: S101 - enqueue puts mappings only
                await self._jobs.handlers[claim.name](payload)

    async def _failed(self, claim: _Claim, error: Exception) -> None:
        reason = f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS].replace("\0", "")
        last = claim.attempts >= self._pace.attempts
        pause = timedelta(seconds=self._pace.pause_after(claim.attempts))
        told = {"job": claim.name, "id": str(claim.id), "attempt": claim.attempts}
        _count(claim, JobOutcome.GIVEN_UP if last else JobOutcome.FAILED)
        if last:
            log.error("job given up", **told, exc_info=error)
            await self._settle(claim, statements.GIVE_UP, reason)
        else:
            log.warning("job failed", **told, again_after=pause.total_seconds(), exc_info=error)
            await self._put_back(claim, pause, claim.attempts, reason)

    async def _put_back(self, claim: _Claim, delay: timedelta, attempts: int, error: str | None) -> None:
        await self._settle(claim, statements.PUT_BACK, delay, attempts, error)

    async def _settle(self, claim: _Claim, statement: str, *values: object) -> None:
        """Write an outcome down, insisting for one lease; after that whoever takes the job over does it again."""
        end = asyncio.get_running_loop().time() + self._pace.lease
        while True:
            try:
                await self._pool.execute(statement, claim.id, self._id, claim.attempts, *values)
            except DATABASE_ERRORS as error:
                if asyncio.get_running_loop().time() > end:
                    log.warning("job outcome not written", job=claim.name, id=str(claim.id), error=repr(error))
                    return
                await asyncio.sleep(self._pace.poll)
            else:
                return


def _count(claim: _Claim, outcome: JobOutcome) -> None:
    JOBS.labels(claim.name, outcome).inc()


async def _keep_as_is(_: object) -> None:
    """A worker leaves nothing in its sessions that would have to be reset, which saves a round trip each time."""
