"""/api/ai: use of AI actions."""

from ledgerkit.core.platform.ai import operations as ai
from ledgerkit.core.platform.ai.api import AiUsage, ModelTried
from ledgerkit.core.platform.ai.model import operations as model_operations
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, paged
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/ai", tags=["AI actions"], about="What they were used for, and what is left.")


@router.get("/usage", operation=ai.usage, operation_id="getAiUsage")
async def get_ai_usage(ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> AiUsage:
    """Return the balance, this month's actions by kind, the packs, and the actions, newest first, fifty a page."""
    return await ai.usage(ctx, paged(page, limit))


@router.post("/test", operation=model_operations.ask_model, operation_id="testModel")
async def test_model(ctx: Ctx) -> ModelTried:
    """Test the model server with a picture to read. It costs no action. Owner or admin."""
    return await model_operations.ask_model(ctx)
