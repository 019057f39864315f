"""Gauges of what is in the database and of this process's connections, read when Prometheus asks."""

import asyncio
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import TimeoutError as NoAnswer
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import structlog
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ledgerkit import clock
from ledgerkit.core.einvoice.certificates import expiry
from ledgerkit.core.einvoice.certificates.expiry import CertificateEnd
from ledgerkit.core.einvoice.outbox import pace
from ledgerkit.core.einvoice.outbox.pace import WaitingRecords
from ledgerkit.core.platform.jobs import queries as job_queries
from ledgerkit.core.platform.jobs.queries import QueuedJobs
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import Unavailable

ANSWER_SECONDS = 5
"""Longest wait for the database while Prometheus waits for the page, which gives up after ten by default."""

CERTIFICATES_SECONDS = 3600
"""Between two looks at all accounts' certificates, one account after the other."""

GRACE_SECONDS = 3
"""For a look at certificates that is under way when the process stops."""

SECONDS_PER_DAY = 86400

log = structlog.get_logger()


@dataclass(frozen=True)
class _State:
    records: Sequence[WaitingRecords]
    jobs: Sequence[QueuedJobs]


class StateMetrics(Collector):
    """One per process, while it serves metrics.

    Pages are written in threads; the database is asked on the event loop, which goes on with its work meanwhile. What
    is in several accounts comes from tables of ids, times and counts that belong to none; certificates, which
    belong to accounts, are looked at one account at a time in the background.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._certificates: Sequence[CertificateEnd] = ()
        self._one_at_a_time = threading.Lock()
        self._stopping = asyncio.Event()

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._looking = asyncio.create_task(self._look_at_certificates(), name="metrics: certificates")
        REGISTRY.register(self)

    async def stop(self) -> None:
        REGISTRY.unregister(self)
        self._stopping.set()
        await asyncio.wait({self._looking}, timeout=GRACE_SECONDS)
        self._looking.cancel()
        await asyncio.gather(self._looking, return_exceptions=True)

    def describe(self) -> Iterable[Metric]:
        """Nothing: registering must not ask the database."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """In a thread of the metrics server's."""
        with self._one_at_a_time:
            state = self._asked()
        yield GaugeMetricFamily("ledgerkit_database_up", "1 while PostgreSQL answers.", value=state is not None)
        yield from self._pool()
        yield _certificate_days(self._certificates)
        if state is not None:
            yield from _outbox(state.records)
            yield _queue(state.jobs)

    def _asked(self) -> _State | None:
        future = asyncio.run_coroutine_threadsafe(self._state(), self._loop)
        try:
            return future.result(ANSWER_SECONDS)
        except (Unavailable, NoAnswer):
            future.cancel()
            return None

    async def _state(self) -> _State:
        return _State(await pace.waiting_by_state(self._kernel), await job_queries.queued(self._kernel))

    async def _look_at_certificates(self) -> None:
        """Until stopped. A cancellation in the middle of a statement may reach this as a database that is away."""
        while not self._stopping.is_set():
            try:
                self._certificates = await expiry.certificate_ends(self._kernel)
            except Unavailable as problem:
                log.warning("metrics: cannot look at certificates", reason=problem.detail)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), CERTIFICATES_SECONDS)

    def _pool(self) -> Iterator[Metric]:
        kinds = self._kernel.database.usage()
        size = GaugeMetricFamily("ledgerkit_pool_size", "Connections that may be open at most.", labels=["pool"])
        in_use = GaugeMetricFamily("ledgerkit_pool_in_use", "Connections at work.", labels=["pool"])
        waiting = GaugeMetricFamily("ledgerkit_pool_waiting", "Who waits for a connection.", labels=["pool"])
        for kind, usage in kinds.items():
            size.add_metric([kind], usage.size)
            in_use.add_metric([kind], usage.in_use)
            waiting.add_metric([kind], usage.waiting)
        yield from (size, in_use, waiting)


def _certificate_days(ends: Sequence[CertificateEnd]) -> Metric:
    days = GaugeMetricFamily(
        "ledgerkit_certificate_days_left",
        "Days until a certificate ends; negative when it has. `owner`: an account's id, or `operator`.",
        labels=["owner", "channel"],
    )
    for end in ends:
        left = (end.until - clock.now()).total_seconds() / SECONDS_PER_DAY
        days.add_metric([str(end.account_id or "operator"), end.channel or ""], left)
    return days


def _outbox(waiting: Sequence[WaitingRecords]) -> Iterator[Metric]:
    records = GaugeMetricFamily(
        "ledgerkit_outbox_records", "Fiscal records without a final answer of the authority.", labels=["state"]
    )
    age = GaugeMetricFamily(
        "ledgerkit_outbox_oldest_seconds", "Age of the oldest of them, 0 when there is none.", labels=["state"]
    )
    for group in waiting:
        records.add_metric([group.state], group.records)
        age.add_metric([group.state], _seconds_since(group.oldest))
    yield from (records, age)


def _queue(queued: Sequence[QueuedJobs]) -> Metric:
    jobs = GaugeMetricFamily(
        "ledgerkit_queued_jobs", "Jobs in the queue: due, later, running or failed for good.", labels=["job", "state"]
    )
    for group in queued:
        jobs.add_metric([group.name, group.state], group.jobs)
    return jobs


def _seconds_since(moment: datetime | None) -> float:
    return 0 if moment is None else max(0, (clock.now() - moment).total_seconds())
