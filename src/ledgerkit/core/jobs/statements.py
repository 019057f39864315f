"""What a worker says to the queue: each one statement, each its own transaction.

Whoever claims a job counts the attempt then, so that a job which kills its worker is given up too. `id`, `worker`
and `attempts` together are the claim: a worker whose lease ran out, and whose job another one took, changes nothing.
"""

# A job with an order key begins when none of its key waits before it and none is at work; one that began already
# (its worker died) goes first, since it holds the key's seat.
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
"""Parameters: worker, names, limit, lease, ids at work here. A unique violation: another worker took that seat."""

RENEW = "update job set due_at = now() + $2::interval where worker = $1 and id = any($3::uuid[])"

DONE = "delete from job where id = $1 and worker = $2 and attempts = $3"

GIVE_UP = "update job set worker = null, failed_at = now(), error = $4 where id = $1 and worker = $2 and attempts = $3"

# Where a second job of the same dedupe key came to wait meanwhile, that one will do the work: this one ends.
PUT_BACK = """
with mine as (select id, name, dedupe_key from job where id = $1 and worker = $2 and attempts = $3 for update),
twin as (
    select from mine join job on job.name = mine.name and job.dedupe_key = mine.dedupe_key
    where worker is null and failed_at is null
),
gone as (delete from job using mine where job.id = mine.id and exists (select from twin))
update job set worker = null, due_at = now() + $4::interval, attempts = $5, error = $6
from mine where job.id = mine.id and not exists (select from twin)
"""
"""Parameters: the claim, delay, attempts to count from now on, error. A unique violation: the second came just now."""

PLANT = """
insert into job_schedule (name, expression, next_at)
select * from unnest($1::text[], $2::text[], $3::timestamptz[])
on conflict (name) do update set expression = excluded.expression, next_at = excluded.next_at
where job_schedule.expression <> excluded.expression
"""

# However long nobody looked, a schedule that is due fires once; a firing that still waits takes in the next one.
FIRE = """
with due as (
    update job_schedule set next_at = coming.next_at
    from unnest($1::text[], $2::timestamptz[], $3::uuid[]) as coming (name, next_at, id)
    where job_schedule.name = coming.name and job_schedule.next_at <= now()
    returning coming.id, coming.name
)
insert into job (id, name, payload, dedupe_key, order_key)
select id, name, '{}', 'schedule', 'schedule:' || name from due
on conflict (name, dedupe_key) where worker is null and failed_at is null do nothing
"""
