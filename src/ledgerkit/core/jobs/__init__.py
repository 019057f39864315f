"""Jobs: background work that is queued by a transaction and done at least once."""

from ledgerkit.core.jobs.service import FailedJob, enqueue, failed
from ledgerkit.core.jobs.worker import Again, Jobs, Pace, Worker

__all__ = ["Again", "FailedJob", "Jobs", "Pace", "Worker", "enqueue", "failed"]
