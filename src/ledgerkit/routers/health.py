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


# No operation: it only asks about the process, without the database.
@router.get("/health", operation=None, operation_id="health")
async def health(request: Request) -> Health:
    """Report that the process lives; 503 if only a restart can help. Other faults are reported by /ready."""
    kernel: Kernel = request.app.state.kernel
    await kernel.service(Life).check()
    return Health(status="ok")


# No operation: it asks about the process and its database, and reads no records.
@router.get("/ready", operation=None, operation_id="ready")
async def ready(request: Request) -> Health:
    """Report that the process can work: PostgreSQL answers (else 503), and the disk has room to write (else 507)."""
    kernel: Kernel = request.app.state.kernel
    await readiness.check(kernel.database, kernel.settings)
    return Health(status="ready")
