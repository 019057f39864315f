from datetime import timedelta
from decimal import Decimal

import pytest

from ledgerkit.core.platform.jobs import Jobs, enqueue
from ledgerkit.core.platform.request.context import Context


async def test_a_rolled_back_transaction_leaves_no_job(queue):
    async def fails_after_enqueueing(ctx: Context) -> None:
        await enqueue(ctx, "transmit", {})
        raise LookupError

    with pytest.raises(LookupError):
        async with queue.context.transaction() as ctx:
            await fails_after_enqueueing(ctx)

    assert await queue.all() == []


async def test_a_committed_job_is_done_once_with_its_exact_payload(queue):
    jobs, calls = Jobs(), []

    @jobs.handler("transmit")
    async def transmit(payload):
        calls.append(payload)

    await queue.put("transmit", {"issuer": "niño 🧾", "total": Decimal("1210.10")})
    async with queue.worker(jobs):
        await queue.drained()

    assert calls == [{"issuer": "niño 🧾", "total": Decimal("1210.10")}]


async def test_a_delayed_job_is_not_due_before_its_time(queue):
    await queue.put("transmit", delay=timedelta(minutes=5))

    (row,) = await queue.all("select due_at - created_at as wait from job")
    assert row["wait"] == timedelta(minutes=5)


async def test_waiting_jobs_of_one_dedupe_key_are_one_due_at_the_earlier_time(queue):
    await queue.put("transmit", dedupe_key="issuer-1", delay=timedelta(hours=1))
    await queue.put("transmit", dedupe_key="issuer-1", delay=timedelta(minutes=1))
    await queue.put("transmit", dedupe_key="issuer-1", delay=timedelta(hours=2))
    await queue.put("transmit", dedupe_key="issuer-2")
    await queue.put("purge", dedupe_key="issuer-1")

    rows = await queue.all(
        "select name, dedupe_key, due_at - created_at < interval '2 minutes' as soon from job order by id"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("transmit", "issuer-1", True),
        ("transmit", "issuer-2", True),
        ("purge", "issuer-1", True),
    ]


async def test_a_failed_job_keeps_its_pause_when_it_is_asked_for_again(queue):
    await queue.put("transmit", dedupe_key="issuer-1", delay=timedelta(hours=1))
    await queue.change("update job set attempts = 1")

    await queue.put("transmit", dedupe_key="issuer-1")

    (row,) = await queue.all("select due_at > now() + interval '50 minutes' as later from job")
    assert row["later"]


async def test_the_applications_role_may_enqueue_and_another_may_not(queue):
    await queue.put("transmit")

    (row,) = await queue.all("select current_user as me, has_table_privilege('public', 'job', 'select') as everybody")
    assert dict(row) == {"me": "ledgerkit_app", "everybody": False}


async def test_the_tables_survive_a_crash(queue):
    rows = await queue.all(
        "select relname, relpersistence::text from pg_class where relname in ('job', 'job_schedule')"
    )

    assert {row["relpersistence"] for row in rows} == {"p"}
    assert len(rows) == 2
