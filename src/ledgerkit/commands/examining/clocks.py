"""Check that the clock of this machine is right, by PostgreSQL's."""

from ledgerkit.commands.examining.findings import Finding, advised, good
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.core.request.clock_watch import ClockWatch, Reference, is_wrong
from ledgerkit.core.request.context import Kernel


async def of_clock(kernel: Kernel) -> Finding:
    """Compare our clock with PostgreSQL's."""
    watch = ClockWatch(kernel.database)
    async with kernel.database.asking() as connection:
        await watch.ask(connection)
    offset = watch.offsets()[Reference.DATABASE]
    seconds = round(offset.total_seconds())
    return advised(DoctorMsg.CLOCK_WRONG, seconds=seconds) if is_wrong(offset) else good(DoctorMsg.CLOCK_RIGHT)
