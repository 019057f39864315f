"""Work that a request leaves behind: kept by its transaction, done once or more, never forgotten."""

from ledgerkit.core.jobs.service import FailedJob, enqueue, failed
from ledgerkit.core.jobs.worker import Again, Jobs, Pace, Worker

__all__ = ["Again", "FailedJob", "Jobs", "Pace", "Worker", "enqueue", "failed"]
