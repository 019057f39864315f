"""Counters and durations of this process, and the page on which Prometheus reads them.

They count whether or not anybody asks for them. No label holds what a caller can invent, so their number is bounded;
none holds anybody's data.
"""

import asyncio
import errno
from enum import StrEnum

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics, start_http_server

from ledgerkit.settings import Settings
from ledgerkit.settings.messages import ServerMsg
from ledgerkit.settings.start_errors import Misconfigured, StartError, Unreachable

disable_created_metrics()  # type: ignore[no-untyped-call] # untyped upstream; a restart shows as counters at 0


class Outcome(StrEnum):
    """Outcome of an operation: done, refused with a problem that its caller can mend, or failed on our side.

    A dry run that was done counts as `dry_run`.
    """

    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    DRY_RUN = "dry_run"


class JobOutcome(StrEnum):
    """Outcome of one try of a job. After `failed` it is tried again, after `given_up` it is not."""

    DONE = "done"
    POSTPONED = "postponed"
    FAILED = "failed"
    GIVEN_UP = "given_up"
    INTERRUPTED = "interrupted"


REQUESTS = Counter("ledgerkit_http_requests", "HTTP requests that were answered.", ["method", "route", "status"])
REQUEST_SECONDS = Histogram(
    "ledgerkit_http_request_duration_seconds",
    "From a request's arrival to the end of its answer.",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
OPERATIONS = Counter(
    "ledgerkit_operations",
    "Operations by the channel they came through; `mcp` is what AI assistants did.",
    ["operation", "channel", "outcome"],
)
CLOCK_OFFSET = Gauge(
    "ledgerkit_clock_offset_seconds",
    "Seconds by which this machine's clock is ahead of another one.",
    ["reference"],
)
JOBS = Counter("ledgerkit_jobs", "Tries of background jobs.", ["job", "outcome"])
JOB_SECONDS = Histogram(
    "ledgerkit_job_duration_seconds",
    "How long one try of a background job took.",
    ["job"],
    buckets=(0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900),
)


class MetricsServer:
    """Serves /metrics on `LEDGERKIT_METRICS_PORT`; does nothing without that setting.

    The page is written by a thread: a long one holds up no request of the API.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def start(self) -> None:
        """Serve the metrics. Raises StartError when the port cannot be had."""
        host, port = self._settings.metrics_host, self._settings.metrics_port
        if port is None:
            return
        if port == self._settings.port:
            raise Misconfigured(ServerMsg.METRICS_PORT_IS_PORT, port=port)
        try:
            self._server, self._thread = start_http_server(port, host)
        except OSError as error:
            raise _refused(error, host, port) from error

    async def stop(self) -> None:
        if self._settings.metrics_port is not None:
            await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _refused(error: OSError, host: str, port: int) -> StartError:
    if error.errno == errno.EADDRINUSE:
        return Unreachable(ServerMsg.METRICS_PORT_TAKEN, port=port, host=host)
    return Misconfigured(ServerMsg.METRICS_PORT_UNUSABLE, port=port, host=host, error=error)
