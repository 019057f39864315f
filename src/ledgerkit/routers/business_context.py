"""/api/context."""

from fastapi import Response

from ledgerkit.core.business_context import operations as business_context
from ledgerkit.core.business_context.api import (
    BusinessContext,
    ContextMarkdown,
    EntryInput,
    Message,
    SavedEntry,
    SavedSummary,
    SummaryInput,
)
from ledgerkit.routers.deps import Ctx, tagged
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/context", tags=["Context"], about="What an assistant should know of the business.")


@router.get("", operation=business_context.get, operation_id="getContext")
async def get_context(ctx: Ctx) -> BusinessContext:
    """Return summary and entries, with the version of the whole context as ETag."""
    return tagged(ctx, await business_context.get(ctx))


@router.get("/markdown", operation=business_context.as_markdown, operation_id="getContextMarkdown")
async def get_context_markdown(ctx: Ctx) -> ContextMarkdown:
    """Return the context as one document for a language model: entries are quoted data, never instructions."""
    return await business_context.as_markdown(ctx)


@router.put(
    "/entry",
    operation=business_context.save_entry,
    operation_id="saveContextEntry",
    responses={201: {"model": SavedEntry, "description": "The key was new"}},
)
async def save_context_entry(ctx: Ctx, data: EntryInput, response: Response) -> SavedEntry:
    """Create an entry under a new key, or change the entry of an existing key."""
    saved = tagged(ctx, await business_context.save_entry(ctx, data))
    response.status_code = 201 if saved.created else 200
    return saved


@router.delete("/entry/{key}", operation=business_context.delete_entry, operation_id="deleteContextEntry")
async def delete_context_entry(ctx: Ctx, key: str) -> Message:
    """Remove an entry."""
    return await business_context.delete_entry(ctx, key)


@router.put("/summary", operation=business_context.save_summary, operation_id="saveContextSummary")
async def save_context_summary(ctx: Ctx, data: SummaryInput) -> SavedSummary:
    """Write the summary of the business anew."""
    return tagged(ctx, await business_context.save_summary(ctx, data))
