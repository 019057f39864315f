"""Metrics of jobs: each attempt by its outcome."""

from datetime import timedelta

from prometheus_client import REGISTRY

from ledgerkit.core.platform.jobs import Again, Jobs
from ledgerkit.telemetry.metrics import JobOutcome


def counts(name: str) -> dict[str, float]:
    """Count the ends of a job by result; only results that occurred."""
    labels = [{"job": name, "outcome": outcome.value} for outcome in JobOutcome]
    rows = {one["outcome"]: REGISTRY.get_sample_value("ledgerkit_jobs_total", one) for one in labels}
    return {outcome: count for outcome, count in rows.items() if count}


async def test_each_attempt_is_counted_by_its_outcome(queue):
    jobs, outcomes = Jobs(), [OSError("refused"), Again(timedelta()), None]

    @jobs.handler("counted")
    async def counted(payload):
        if (outcome := outcomes.pop(0)) is not None:
            raise outcome

    await queue.put("counted")
    async with queue.worker(jobs):
        await queue.drained()

    assert counts("counted") == {"failed": 1, "postponed": 1, "done": 1}
    assert REGISTRY.get_sample_value("ledgerkit_job_duration_seconds_count", {"job": "counted"}) == 3


async def test_the_last_failed_attempt_counts_as_given_up(queue):
    jobs = Jobs()

    @jobs.handler("hopeless")
    async def hopeless(payload):
        raise ValueError

    await queue.put("hopeless")
    async with queue.worker(jobs):
        await queue.drained()

    assert counts("hopeless") == {"failed": queue.pace.attempts - 1, "given_up": 1}
