"""/health and /ready: for whoever watches the process."""

from fastapi import Request

from ledgerkit.core.context import Kernel
from ledgerkit.core.db import persist
from ledgerkit.core.wire import Wire
from ledgerkit.routers.routing import Router

router = Router(tags=["Health"])


class Health(Wire):
    status: str


@router.get("/health", operation_id="health")
async def health() -> Health:
    """The process is alive."""
    return Health(status="ok")


@router.get("/ready", operation_id="ready")
async def ready(request: Request) -> Health:
    """The process can do its work: PostgreSQL answers. Otherwise 503."""
    kernel: Kernel = request.app.state.kernel
    await persist(kernel.database.ready)
    return Health(status="ready")
