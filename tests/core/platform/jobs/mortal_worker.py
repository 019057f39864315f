"""A worker process that a test kills: says `begun` when its job has begun, and never finishes it."""

import asyncio
import os

from ledgerkit.core.platform.jobs import Jobs, Pace, Worker

jobs = Jobs()


@jobs.handler("transmit")
async def transmit(payload: dict[str, object]) -> None:
    print("begun", flush=True)  # noqa: T201 - the test reads it
    await asyncio.Event().wait()


async def main() -> None:
    await Worker(os.environ["QUEUE_URL"], jobs, Pace(poll=0.02, lease=1.0, renewal=0.2)).start()
    await asyncio.Event().wait()


asyncio.run(main())
