"""Number of jobs in the queue, by name and state."""

from dataclasses import dataclass

from sqlalchemy import case, func, select

from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.jobs.table import job
from ledgerkit.core.platform.request.context import Kernel


@dataclass(frozen=True)
class QueuedJobs:
    """Jobs of one name in one state: `due`, `later`, `running`, or `failed` for good."""

    name: str
    state: str
    jobs: int


async def queued(kernel: Kernel) -> list[QueuedJobs]:
    """Count the jobs of all accounts by name and state; names without jobs are absent. Raises Unavailable."""
    state = case(
        (job.c.failed_at.is_not(None), "failed"),
        (job.c.worker.is_not(None), "running"),
        (job.c.due_at > func.now(), "later"),
        else_="due",
    )
    query = select(job.c.name, state, func.count()).group_by(job.c.name, state)

    async def ask() -> list[QueuedJobs]:
        async with kernel.database.asking() as connection:
            return [QueuedJobs(*row) for row in await connection.execute(query)]

    return await retry_on_conflict(ask)
