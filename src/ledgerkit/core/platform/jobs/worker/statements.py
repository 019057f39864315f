"""Statements of a worker on the queue, each of which is a transaction of its own.

Claiming a job counts the attempt, so that a job which kills its worker is given up too. `id`, `worker` and `attempts`
together are the claim: a worker whose lease ran out, and whose job another one took, changes nothing.
"""

# A job with an order key begins when no other of its key waits before it or is running. One that has begun already (its
# worker died) goes first, since it still occupies the key.
CLAIM = """
with ready as (
    select id from job
    where failed_at is null and due_at <= now() and name = any($2::text[]) and id <> all($5::uuid[])
      and (order_key is null or worker is not null or not exists (
          select from job other
          where other.order_key = job.order_key and other.failed_at is null and other.id <> job.id
            and (other.id < job.id or other.worker is not null)))
    order by due_at, id
    limit $3
    for update skip locked
)
update job set worker = $1, attempts = attempts + 1, due_at = now() + $4::interval
from ready where job.id = ready.id
returning job.id, job.name, job.payload, job.attempts, job.error
"""
"""Parameters: worker, names, limit, lease, ids running here. Unique violation: another worker has claimed the key."""

RENEW = "update job set due_at = now() + $2::interval where worker = $1 and id = any($3::uuid[])"

DONE = "delete from job where id = $1 and worker = $2 and attempts = $3"

GIVE_UP = "update job set worker = null, failed_at = now(), error = $4 where id = $1 and worker = $2 and attempts = $3"

# When a second job of the same dedupe key waits by now, that one will do the work, and this one ends.
PUT_BACK = """
with claimed as (select id, name, dedupe_key from job where id = $1 and worker = $2 and attempts = $3 for update),
waiting as (
    select from claimed join job on job.name = claimed.name and job.dedupe_key = claimed.dedupe_key
    where worker is null and failed_at is null
),
deleted as (delete from job using claimed where job.id = claimed.id and exists (select from waiting))
update job set worker = null, due_at = now() + $4::interval, attempts = $5, error = $6
from claimed where job.id = claimed.id and not exists (select from waiting)
"""
"""Parameters: the claim, delay, attempts to count from now on, error. Unique violation: a second job came just now."""

STORE_SCHEDULES = """
insert into job_schedule (name, expression, next_at)
select * from unnest($1::text[], $2::text[], $3::timestamptz[])
on conflict (name) do update set expression = excluded.expression, next_at = excluded.next_at
where job_schedule.expression <> excluded.expression
"""

# A schedule that is due fires once, however long no worker looked; a job that still waits stands for the next one too.
FIRE_SCHEDULES = """
with due as (
    update job_schedule set next_at = next_times.next_at
    from unnest($1::text[], $2::timestamptz[], $3::uuid[]) as next_times (name, next_at, id)
    where job_schedule.name = next_times.name and job_schedule.next_at <= now()
    returning next_times.id, next_times.name
)
insert into job (id, name, payload, dedupe_key, order_key)
select id, name, '{}', 'schedule', 'schedule:' || name from due
on conflict (name, dedupe_key) where worker is null and failed_at is null do nothing
"""
