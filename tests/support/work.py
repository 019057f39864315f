"""The work that requests leave to a worker, done at once and in order, by the handlers that a worker has."""

import json

from sqlalchemy import text

from ledgerkit.core.einvoice.issuance.seals import TRANSMIT
from ledgerkit.core.operation.installation.server.scheduled_jobs import all_jobs
from ledgerkit.core.platform.request.context import Kernel
from support.database import as_owner

MOST = 500
"""Jobs of one call: a handler that goes on for ever is a mistake."""


async def worked_off(kernel: Kernel) -> list[str]:
    """Do every job that waits, and those that these leave, and give their names; a failing one raises here.

    Fiscal records stay where they are: sending them takes an authority (support.office).
    """
    handlers, done = all_jobs(kernel).handlers, list[str]()
    while (waiting := await next_job(kernel)) is not None:
        name, payload = waiting
        done.append(name)
        assert len(done) < MOST, done[-5:]
        await handlers[name](payload)
    return done


async def next_job(kernel: Kernel) -> tuple[str, dict[str, object]] | None:
    """The job that was enqueued first, taken out of the queue."""
    async with as_owner(kernel) as connection:
        taken = await connection.execute(
            text(
                "delete from job where id = (select id from job where name <> :left order by id limit 1)"
                " returning name, payload::text"
            ),
            {"left": TRANSMIT},
        )
        found = taken.one_or_none()
    return None if found is None else (found.name, json.loads(found.payload))
