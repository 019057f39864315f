"""Operations of the interface that the next versions bring: they say so instead of being absent."""

from ledgerkit.problems import NotBuilt
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.messages import RoutersMsg
from ledgerkit.routers.routing import Router

ROWS = (
    "POST /api/expenses/scan-receipt",
    "POST /api/catalog/import-invoice",
)

router = Router()


async def _not_built(ctx: Ctx) -> None:  # noqa: ARG001 - asks for credentials as the operation itself will
    raise NotBuilt(RoutersMsg.NOT_BUILT)


for row in ROWS:
    method, _, path = row.partition(" ")
    router.add_api_route(path, _not_built, methods=[method], include_in_schema=False)
