"""/health and /ready: for programs that watch the process."""

from fastapi import Request

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database import readiness
from ledgerkit.core.platform.database.readiness import Life
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.routers.routing import Router

router = Router(tags=["Health"], about="Whether the server lives and is ready.")


class Health(Wire):
    status: str
    """`ok` or `ready`."""


# No operation: it is about the process, and needs no database.
@router.get("/health", operation=None, operation_id="health")
async def health(request: Request) -> Health:
    """The process is alive, and needs no restart. 503 when only a restart can help it: see /ready for anything else."""
    kernel: Kernel = request.app.state.kernel
    await kernel.service(Life).check()
    return Health(status="ok")


# No operation: it is about the process and its database, and reads no records.
@router.get("/ready", operation=None, operation_id="ready")
async def ready(request: Request) -> Health:
    """The process can do its work: PostgreSQL answers, and there is room to write. Otherwise 503 or 507."""
    kernel: Kernel = request.app.state.kernel
    await readiness.check(kernel.database, kernel.settings)
    return Health(status="ready")
