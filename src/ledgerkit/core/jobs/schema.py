"""The queue's tables as SQL, as migration 0001 creates them: logged tables, no trigger, sequence or type of their own.

Frozen with that migration: a later change of `models` is a migration of its own, not an edit here.
"""

from ledgerkit.core.db import APP_ROLE

_INSTALL = (
    """create table job (
    id uuid not null,
    name text not null,
    payload jsonb not null,
    dedupe_key text,
    order_key text,
    attempts integer default 0 not null,
    due_at timestamp with time zone default now() not null,
    worker uuid,
    error text,
    failed_at timestamp with time zone,
    created_at timestamp with time zone default now() not null,
    constraint pk_job primary key (id)
)""",
    "create index ix_job_due_at on job (due_at) where failed_at is null",
    "create unique index uq_job_waiting on job (name, dedupe_key) where worker is null and failed_at is null",
    "create unique index uq_job_seat on job (order_key) where worker is not null",
    "create index ix_job_order_key on job (order_key, id) where failed_at is null",
    """create table job_schedule (
    name text not null,
    expression text not null,
    next_at timestamp with time zone not null,
    constraint pk_job_schedule primary key (name)
)""",
    f"grant select, insert, update, delete on job, job_schedule to {APP_ROLE}",
)


def install_statements() -> list[str]:
    """SQL, one statement each, in order; the role `ledgerkit_app` must exist."""
    return list(_INSTALL)


def uninstall_statements() -> list[str]:
    """SQL that takes back what `install_statements` made, with all jobs in it."""
    return ["drop table job_schedule", "drop table job"]
