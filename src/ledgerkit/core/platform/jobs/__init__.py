"""Jobs: background work that is queued by a transaction and done at least once."""

from ledgerkit.core.platform.jobs.operations import FailedJob, enqueue, failed
from ledgerkit.core.platform.jobs.worker.loop import Again, Jobs, Pace, Worker

__all__ = ["Again", "FailedJob", "Jobs", "Pace", "Worker", "enqueue", "failed"]
