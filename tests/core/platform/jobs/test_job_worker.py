import asyncio
import os
import signal
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import structlog

from ledgerkit.core.platform.jobs import Again, Jobs, Pace, failed

PATIENCE = 60


class Gate:
    """A handler that says when it has begun and goes on when told."""

    def __init__(self) -> None:
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()
        self.calls = 0

    async def __call__(self, payload: dict[str, object]) -> None:
        self.calls += 1
        self.begun.set()
        await self.may_end.wait()

    async def has_begun(self) -> None:
        await asyncio.wait_for(self.begun.wait(), PATIENCE)


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def jobs(gate):
    jobs = Jobs()
    jobs.handler("transmit")(gate)
    return jobs


# ---------------------------------------------------------------- failures


async def test_a_failing_job_is_tried_again_until_it_succeeds(queue):
    jobs, outcomes = Jobs(), [OSError("refused"), ValueError("bad answer"), None]

    @jobs.handler("transmit")
    async def transmit(payload):
        if (outcome := outcomes.pop(0)) is not None:
            raise outcome

    await queue.put("transmit")
    async with queue.worker(jobs):
        await queue.drained()

    assert outcomes == []
    assert await queue.all() == []


async def test_a_job_that_keeps_failing_is_listed_with_its_reason_and_not_tried_again(queue):
    jobs, calls = Jobs(), []

    @jobs.handler("transmit")
    async def transmit(payload):
        calls.append(payload)
        raise OSError("the authority\0 refused")

    await queue.put("transmit", {"issuer": "B1"})
    async with queue.worker(jobs):
        await queue.drained()

    async with queue.database.transaction(None) as connection:
        (given_up,) = await failed(connection)
    assert len(calls) == queue.pace.attempts
    assert (given_up.name, given_up.payload, given_up.attempts) == ("transmit", {"issuer": "B1"}, queue.pace.attempts)
    assert given_up.error == "OSError: the authority refused"
    assert given_up.created_at < given_up.failed_at


async def test_a_failed_job_waits_before_the_next_attempt(queue):
    jobs = Jobs()

    @jobs.handler("transmit")
    async def transmit(payload):
        raise OSError("refused")

    await queue.put("transmit")
    async with queue.worker(jobs, replace(queue.pace, first_pause=600, longest_pause=600)):
        await queue.eventually("select 1 from job where worker is null and attempts = 1")

    (row,) = await queue.all("select due_at > now() + interval '500 s' as waits, error from job")
    assert dict(row) == {"waits": True, "error": "OSError: refused"}


def test_pauses_double_up_to_the_longest():
    pace = Pace(first_pause=2, longest_pause=900)

    for attempt, pause in [(1, 2), (2, 4), (5, 32), (9, 512), (10, 900), (500, 900)]:
        assert pause <= pace.pause_after(attempt) <= pause * 1.1


async def test_a_handler_that_takes_too_long_is_stopped_and_counts_as_failed(queue, jobs, gate):
    await queue.put("transmit")

    async with queue.worker(jobs, replace(queue.pace, time_limit=0.05, attempts=1)):
        await queue.drained()

    (row,) = await queue.all("select error from job where failed_at is not null")
    assert row["error"].startswith("TimeoutError")


async def test_a_handler_may_request_another_call_without_using_up_attempts(queue):
    jobs, calls = Jobs(), []

    @jobs.handler("transmit")
    async def transmit(payload):
        calls.append(payload)
        if len(calls) < 10:
            raise Again(timedelta(milliseconds=1))

    await queue.put("transmit")
    async with queue.worker(jobs):
        await queue.drained()

    assert len(calls) == 10
    assert await queue.all() == []


async def test_a_failing_job_does_not_delay_the_others(queue):
    jobs, done = Jobs(), []

    @jobs.handler("bad")
    async def bad(payload):
        raise OSError("refused")

    @jobs.handler("good")
    async def good(payload):
        done.append(payload["n"])

    for number in range(5):
        await queue.put("bad")
        await queue.put("good", {"n": number})
    async with queue.worker(jobs):
        await queue.drained()

    assert sorted(done) == list(range(5))
    assert len(await queue.all("select id from job where failed_at is not null")) == 5


# ---------------------------------------------------------------- keys


async def test_a_wake_up_while_jobs_are_taken_is_not_lost(queue, jobs, gate):
    await queue.put("transmit", dedupe_key="issuer-1")

    async with queue.worker(jobs, replace(queue.pace, concurrency=1)):  # the second may not begin beside the first
        await gate.has_begun()
        await queue.put("transmit", dedupe_key="issuer-1")
        await queue.put("transmit", dedupe_key="issuer-1")
        gate.may_end.set()
        await queue.drained()

    assert gate.calls == 2


async def test_a_failed_job_ends_when_another_of_its_dedupe_key_waits(queue):
    jobs, first_begun, may_end, calls = Jobs(), asyncio.Event(), asyncio.Event(), []

    @jobs.handler("transmit")
    async def transmit(payload):
        calls.append(payload["n"])
        if payload["n"] == 1:
            first_begun.set()
            await may_end.wait()
            raise OSError("refused")

    await queue.put("transmit", {"n": 1}, dedupe_key="issuer-1")
    async with queue.worker(jobs, replace(queue.pace, concurrency=1)):  # the second may not begin beside the first
        await asyncio.wait_for(first_begun.wait(), PATIENCE)
        await queue.put("transmit", {"n": 2}, dedupe_key="issuer-1")
        may_end.set()
        await queue.drained()

    assert calls == [1, 2]


async def test_jobs_of_one_order_key_run_one_at_a_time_in_order_even_when_one_fails(queue):
    jobs, story = Jobs(), []

    @jobs.handler("transmit")
    async def transmit(payload):
        story.append(("begin", payload["n"]))
        await asyncio.sleep(0)
        if story.count(("begin", 2)) == 1 and payload["n"] == 2:
            raise OSError("refused")
        story.append(("end", payload["n"]))

    for number in range(1, 5):
        await queue.put("transmit", {"n": number}, order_key="issuer-1")
    async with queue.worker(jobs), queue.worker(jobs):
        await queue.drained()

    assert story == [
        ("begin", 1),
        ("end", 1),
        ("begin", 2),
        *((event, n) for n in (2, 3, 4) for event in ("begin", "end")),
    ]


async def test_different_order_keys_do_not_wait_for_each_other(queue):
    jobs, together = Jobs(), asyncio.Barrier(3)

    @jobs.handler("transmit")
    async def transmit(payload):
        await asyncio.wait_for(together.wait(), PATIENCE)

    for key in ("a", "b", None):
        await queue.put("transmit", order_key=key)
    async with queue.worker(jobs):
        await queue.drained()


async def test_an_interrupted_job_is_finished_before_an_earlier_one_of_its_key_begins(queue):
    jobs, done = Jobs(), []

    @jobs.handler("transmit")
    async def transmit(payload):
        done.append(payload["n"])

    await queue.put("transmit", {"n": 1}, order_key="issuer-1")
    await queue.put("transmit", {"n": 2}, order_key="issuer-1")
    await queue.change("update job set worker = :dead, attempts = 1 where payload ->> 'n' = '2'", dead=uuid4())
    async with queue.worker(jobs):
        await queue.drained()

    assert done == [2, 1]


async def test_no_more_jobs_run_at_once_than_the_pace_says(queue):
    jobs, at_once, most = Jobs(), 0, 0

    @jobs.handler("transmit")
    async def transmit(payload):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.01)
        at_once -= 1

    for _ in range(12):
        await queue.put("transmit")
    async with queue.worker(jobs, replace(queue.pace, concurrency=3)):
        await queue.drained()

    assert most == 3


async def test_two_workers_share_the_jobs_and_do_each_once(queue):
    jobs, done = Jobs(), []

    @jobs.handler("transmit")
    async def transmit(payload):
        done.append(payload["n"])

    for number in range(40):
        await queue.put("transmit", {"n": number})
    async with queue.worker(jobs), queue.worker(jobs):
        await queue.drained()

    assert sorted(done) == list(range(40))


async def test_a_job_without_a_handler_waits_for_a_worker_that_has_one(queue, jobs):
    await queue.put("of a newer version")

    async with queue.worker(jobs):
        await queue.put("transmit")
        await queue.eventually("select 1 from job where worker is not null")

    (row,) = await queue.all("select attempts from job where name = 'of a newer version'")
    assert row["attempts"] == 0


# ---------------------------------------------------------------- crashes and stops


@pytest.mark.whole
async def test_a_job_whose_worker_was_killed_is_run_by_another(queue, jobs, gate):
    await queue.put("transmit")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).with_name("mortal_worker.py")),
        env={**os.environ, "QUEUE_URL": queue.url},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), PATIENCE) == b"begun\n"

    process.send_signal(signal.SIGKILL)
    await process.wait()
    async with queue.worker(jobs):
        await gate.has_begun()
        (row,) = await queue.all("select attempts from job")
        gate.may_end.set()
        await queue.drained()

    assert row["attempts"] == 2


async def test_a_job_that_kills_every_worker_is_given_up_without_another_try(queue, jobs, gate):
    await queue.put("transmit")
    await queue.change("update job set worker = :dead, attempts = :all", dead=uuid4(), all=queue.pace.attempts)

    async with queue.worker(jobs):
        await queue.drained()

    (row,) = await queue.all("select error from job where failed_at is not null")
    assert row["error"] == "every worker that tried this job died"
    assert gate.calls == 0


async def test_a_long_job_keeps_its_lease(queue, jobs, gate):
    await queue.put("transmit")

    pace = replace(queue.pace, renewal=0.05)
    async with queue.worker(jobs, pace), queue.worker(jobs, pace):
        await gate.has_begun()
        (first,) = await queue.all("select due_at from job")
        await queue.eventually(
            "select 1 from job where due_at > :later", later=first["due_at"] + timedelta(seconds=0.6)
        )
        gate.may_end.set()
        await queue.drained()

    assert gate.calls == 1


async def test_a_worker_that_lost_its_job_does_not_change_the_others_claim(queue, jobs, gate):
    await queue.put("transmit")

    async with queue.worker(jobs):
        await gate.has_begun()
        await queue.change(
            "update job set worker = :other, attempts = 2, due_at = now() + interval '1 h'", other=uuid4()
        )
        gate.may_end.set()

    (row,) = await queue.all("select attempts, worker is not null as held from job")
    assert dict(row) == {"attempts": 2, "held": True}


async def test_stopping_lets_a_job_finish_and_takes_no_new_one(queue, jobs, gate):
    await queue.put("transmit")

    async with queue.worker(jobs, replace(queue.pace, concurrency=1, grace=PATIENCE)) as worker:
        await gate.has_begun()
        await queue.put("transmit")
        stopping = asyncio.create_task(worker.stop())
        asyncio.get_running_loop().call_later(0.1, gate.may_end.set)
        await stopping

    (remaining_job,) = await queue.all("select attempts, worker from job")
    assert dict(remaining_job) == {"attempts": 0, "worker": None}
    assert gate.calls == 1


async def test_stopping_returns_a_job_that_does_not_finish_in_time(queue, jobs, gate):
    await queue.put("transmit")

    async with queue.worker(jobs, replace(queue.pace, grace=0.05)):
        await gate.has_begun()

    (row,) = await queue.all("select attempts, worker, due_at <= now() as due from job")
    assert dict(row) == {"attempts": 0, "worker": None, "due": True}


async def test_stopping_twice_or_before_starting_is_harmless(queue, jobs):
    async with queue.worker(jobs) as worker:
        await worker.stop()


async def test_a_cancelled_event_loop_loses_no_job(queue, jobs, gate):
    await queue.put("transmit")

    async with queue.worker(jobs, replace(queue.pace, lease=1, renewal=0.2)):
        await gate.has_begun()
        for task in asyncio.all_tasks():
            if task.get_name().startswith("job "):
                task.cancel()
        gate.begun.clear()
        gate.may_end.set()
        await gate.has_begun()
        await queue.drained()

    assert gate.calls == 2


async def test_a_worker_goes_on_after_postgresql_was_killed_and_came_back(queue, jobs, gate, jobs_server):
    await queue.put("transmit")

    async with queue.worker(jobs, replace(queue.pace, lease=300, concurrency=1)):
        await gate.has_begun()
        restarts = jobs_server.restarts
        os.kill(jobs_server.describe()["pid"], signal.SIGKILL)
        gate.may_end.set()
        async with asyncio.timeout(PATIENCE):
            while jobs_server.restarts == restarts:  # noqa: ASYNC110 - the server's supervisor sets no event
                await asyncio.sleep(0.01)
        await queue.put("transmit")
        await queue.drained()

    assert gate.calls == 2


async def test_a_worker_without_a_database_starts_when_it_returns_and_logs_it_once(queue, jobs, gate):
    gate.may_end.set()
    await queue.put("transmit")
    await queue.as_owner("alter table job rename to not_yet")

    with structlog.testing.capture_logs() as entries:
        async with queue.worker(jobs):
            async with asyncio.timeout(PATIENCE):
                while not entries:  # noqa: ASYNC110 - a log sets no event
                    await asyncio.sleep(0.01)
            await queue.as_owner("alter table not_yet rename to job")
            await queue.drained()

    assert [entry["event"] for entry in entries] == ["jobs: cannot look for work", "jobs: looking for work again"]
    assert gate.calls == 1


async def test_the_workers_sessions_have_the_restricted_role(queue, jobs):
    async with queue.worker(jobs) as worker:
        roles = [await worker._pool.fetchval("select current_user") for _ in range(2)]

    assert roles == ["ledgerkit_app", "ledgerkit_app"]


# ---------------------------------------------------------------- recurring jobs


async def test_a_recurring_job_runs_once_when_due_whatever_the_number_of_workers(queue):
    jobs, calls = Jobs(), []

    @jobs.every("0 3 * * *", "purge")
    async def purge(payload):
        calls.append(payload)

    async with queue.worker(jobs), queue.worker(jobs):
        await queue.eventually("select 1 from job_schedule")
        await queue.change("update job_schedule set next_at = now() - interval '3 days'")
        await queue.eventually("select 1 from job_schedule where next_at > now()")
        await queue.drained()

    (row,) = await queue.all("select name, expression, next_at - now() < interval '1 day' as soon from job_schedule")
    assert calls == [{}]
    assert tuple(row.values()) == ("purge", "0 3 * * *", True)


async def test_a_recurring_job_is_not_due_when_it_is_first_registered(queue, gate):
    jobs = Jobs()
    jobs.every("0 3 1 1 *", "purge")(gate)

    async with queue.worker(jobs):
        await queue.eventually("select 1 from job_schedule where next_at > now()")

    assert gate.calls == 0


async def test_a_changed_schedule_replaces_the_old_one_and_an_unchanged_one_keeps_its_time(queue):
    jobs = Jobs()
    jobs.every("0 3 * * *", "purge")(Gate())
    jobs.every("0 4 * * *", "sweep")(Gate())
    await queue.change("insert into job_schedule values ('purge', '0 5 1 1 *', '2099-01-01T05:00Z')")
    await queue.change("insert into job_schedule values ('sweep', '0 4 * * *', '2098-01-01T04:00Z')")

    async with queue.worker(jobs):
        await queue.eventually("select 1 from job_schedule where name = 'purge' and expression = '0 3 * * *'")

    rows = await queue.all("select name, next_at > '2090-01-01' as far from job_schedule order by name")
    assert [tuple(row.values()) for row in rows] == [("purge", False), ("sweep", True)]


def test_two_handlers_for_one_name_are_refused(jobs, gate):
    with pytest.raises(ValueError, match="transmit"):
        jobs.handler("transmit")


def test_an_invalid_schedule_is_refused():
    with pytest.raises(ValueError, match="five fields"):
        Jobs().every("@daily", "purge")
