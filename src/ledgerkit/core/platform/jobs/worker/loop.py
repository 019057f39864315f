"""Worker that runs the jobs of the queue, within a server or in processes of its own."""

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
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.sessions import unhurried
from ledgerkit.core.platform.database.targets import connect
from ledgerkit.core.platform.jobs.worker import statements
from ledgerkit.core.platform.jobs.worker.cron import Cron
from ledgerkit.money import loads_exact
from ledgerkit.telemetry.metrics import JOB_SECONDS, JOBS, JobOutcome

Handler = Callable[[dict[str, object]], Awaitable[None]]

DATABASE_ERRORS = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
ERROR_CHARACTERS = 2000
STATEMENT_SECONDS = 10
LONGEST_SILENCE = 5.0

log = structlog.get_logger()
tracer = trace.get_tracer("ledgerkit")


class Again(Exception):  # noqa: N818 - a request of the handler, not an error
    """Request of a handler to be called again after `delay`; the call does not count as a failure."""

    def __init__(self, delay: timedelta) -> None:
        super().__init__(f"again after {delay}")
        self.delay = delay


class Jobs:
    """Registry of job handlers and schedules. The application makes one and passes it to its workers."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}
        self.schedules: dict[str, Cron] = {}

    def handler(self, name: str) -> Callable[[Handler], Handler]:
        """Register the decorated function for jobs called `name`. Raises ValueError when the name has one already."""
        if name in self.handlers:
            msg = f"two handlers for {name!r}"
            raise ValueError(msg)

        def register(function: Handler) -> Handler:
            self.handlers[name] = function
            return function

        return register

    def every(self, expression: str, name: str) -> Callable[[Handler], Handler]:
        """Register the decorated function for a job that recurs by `expression` (see `Cron`, UTC), without payload.

        However many workers run, each due time makes one job; all times that passed while none ran make one together.
        """
        self.schedules[name] = Cron(expression)
        return self.handler(name)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Limits and intervals of a worker; times in seconds.

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
        """Return the seconds a job waits after its failed `attempt` (from 1), with up to a tenth more by chance."""
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
    """Worker that takes jobs from one database and runs up to `pace.concurrency` of them at once.

    It has its own few connections, looks for jobs every `pace.poll` seconds, continues by itself when PostgreSQL comes
    back, and installs no signal handlers.
    """

    def __init__(self, database_url: str, jobs: Jobs, pace: Pace | None = None) -> None:
        self._url = database_url
        self._jobs = jobs
        self._pace = pace or Pace()
        self._id = uuid4()
        self._running: dict[UUID, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._stopping = False
        self._schedules_stored = False
        self._poll_task: asyncio.Task[None] | None = None
        self._lease_task: asyncio.Task[None]
        self._pool: asyncpg.Pool[asyncpg.Record]

    async def start(self) -> None:
        """Start the worker; returns at once, even if PostgreSQL does not answer yet."""
        self._pool = asyncpg.create_pool(  # type: ignore[call-overload] # connect accepts any option
            self._url,
            connect=connect,
            min_size=0,
            max_size=4,
            reset=_reset_nothing,
            timeout=STATEMENT_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            server_settings={"application_name": "ledgerkit jobs"},
        )
        await self._pool
        self._poll_task = asyncio.create_task(self._poll(), name="jobs: work")
        self._lease_task = asyncio.create_task(self._renew_leases(), name="jobs: leases")

    async def stop(self) -> None:
        """Stop taking jobs, let running ones finish for `pace.grace` seconds, and return the others to the queue."""
        if self._poll_task is None or self._stopping:
            return
        self._stopping = True
        self._wake.set()
        await self._poll_task
        await self._finish(self._pace.grace)
        for task in self._running.values():
            task.cancel()
        await self._finish(STATEMENT_SECONDS)
        self._lease_task.cancel()
        with suppress(asyncio.CancelledError):
            await self._lease_task
        self._pool.terminate()

    async def _finish(self, seconds: float) -> None:
        if self._running:
            await asyncio.wait(self._running.values(), timeout=seconds)

    async def _poll(self) -> None:
        """Look for jobs until stopped; while that fails, at growing intervals of up to 5 seconds."""
        failures = 0
        while not self._stopping:
            try:
                await self._take_jobs()
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

    async def _renew_leases(self) -> None:
        """Renew the leases of running jobs until cancelled, also while they are given time to finish."""
        while True:
            await asyncio.sleep(self._pace.renewal)
            try:
                await self._renew()
            except DATABASE_ERRORS as error:
                log.warning("jobs: leases not renewed", error=repr(error))

    async def _take_jobs(self) -> None:
        self._wake.clear()
        await self._fire_schedules()
        free = self._pace.concurrency - len(self._running)
        if free <= 0 or not self._jobs.handlers:
            return
        for claim in await self._claim(free):
            self._running[claim.id] = task = asyncio.create_task(self._run(claim), name=f"job {claim.name} {claim.id}")
            task.add_done_callback(partial(self._remove, claim.id))

    def _remove(self, job_id: UUID, _: asyncio.Task[None]) -> None:
        del self._running[job_id]
        self._wake.set()

    async def _claim(self, limit: int) -> list[_Claim]:
        names, running = list(self._jobs.handlers), list(self._running)
        lease = timedelta(seconds=self._pace.lease)
        try:
            rows = await self._pool.fetch(statements.CLAIM, self._id, names, limit, lease, running)
        except asyncpg.UniqueViolationError:
            return []
        return [_Claim(**row) for row in rows]

    async def _fire_schedules(self) -> None:
        names = list(self._jobs.schedules)
        if not names:
            return
        now = clock.now()
        next_times = [cron.next_after(now) for cron in self._jobs.schedules.values()]
        if not self._schedules_stored:
            expressions = [cron.expression for cron in self._jobs.schedules.values()]
            await self._pool.execute(statements.STORE_SCHEDULES, names, expressions, next_times)
            self._schedules_stored = True
        await self._pool.execute(statements.FIRE_SCHEDULES, names, next_times, [new_id() for _ in names])

    async def _renew(self) -> None:
        if self._running:
            lease = timedelta(seconds=self._pace.lease)
            await self._pool.execute(statements.RENEW, self._id, lease, list(self._running))

    async def _run(self, claim: _Claim) -> None:
        """Call the handler once and record the outcome."""
        if claim.attempts > self._pace.attempts:
            _count(claim, JobOutcome.GIVEN_UP)
            await self._record_outcome(
                claim, statements.GIVE_UP, claim.error or "every worker that tried this job died"
            )
            return
        try:
            await self._handle(claim)
        except Again as wish:
            _count(claim, JobOutcome.POSTPONED)
            await self._put_back(claim, wish.delay, 0, None)
        except asyncio.CancelledError:
            if not self._stopping:
                raise  # the event loop is ending: the lease runs out, and the job runs again
            _count(claim, JobOutcome.INTERRUPTED)
            await self._put_back(claim, timedelta(), claim.attempts - 1, claim.error)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is its job's failure, and listed
            await self._failed(claim, error)
        else:
            _count(claim, JobOutcome.DONE)
            await self._record_outcome(claim, statements.DONE)

    async def _handle(self, claim: _Claim) -> None:
        """Call the handler, within its time limit."""
        span = tracer.start_as_current_span(f"job {claim.name}")
        with unhurried(), span, JOB_SECONDS.labels(claim.name).time():
            async with asyncio.timeout(self._pace.time_limit):
                payload = loads_exact(claim.payload)
                assert isinstance(payload, dict)  # noqa: S101 - enqueue puts mappings only
                await self._jobs.handlers[claim.name](payload)

    async def _failed(self, claim: _Claim, error: Exception) -> None:
        reason = f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS].replace("\0", "")
        is_last = claim.attempts >= self._pace.attempts
        pause = timedelta(seconds=self._pace.pause_after(claim.attempts))
        job_fields = {"job": claim.name, "id": str(claim.id), "attempt": claim.attempts}
        _count(claim, JobOutcome.GIVEN_UP if is_last else JobOutcome.FAILED)
        if is_last:
            log.error("job given up", **job_fields, exc_info=error)
            await self._record_outcome(claim, statements.GIVE_UP, reason)
        else:
            log.warning("job failed", **job_fields, again_after=pause.total_seconds(), exc_info=error)
            await self._put_back(claim, pause, claim.attempts, reason)

    async def _put_back(self, claim: _Claim, delay: timedelta, attempts: int, error: str | None) -> None:
        await self._record_outcome(claim, statements.PUT_BACK, delay, attempts, error)

    async def _record_outcome(self, claim: _Claim, statement: str, *values: object) -> None:
        """Record an outcome, trying for the time of one lease; after that another worker runs the job again."""
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


async def _reset_nothing(_: object) -> None:
    """Reset nothing in a pooled session, since a worker changes no settings; this saves a round trip each time."""
