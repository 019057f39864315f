"""/api/messaging."""

from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.messaging.api import (
    InstalledMessenger,
    LinkInput,
    MessagingLink,
    NewMessagingLink,
    PreferencesInput,
    StoredPreferences,
)
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, tagged, whole
from ledgerkit.routers.routing import Router

router = Router(
    prefix="/api/messaging",
    tags=["Messaging"],
    about="The business in a chat: private chats that act for a member, and what they are sent. Nothing is changed"
    " there without a tap.",
)


@router.get("/messengers", operation=messaging.messengers, operation_id="listMessengers")
async def list_messengers(ctx: Ctx) -> list[InstalledMessenger]:
    """List the messengers that are set up on this server, with their bots. API keys are refused here."""
    return whole(ctx, await messaging.messengers(ctx))


@router.get("/links", operation=messaging.listing, operation_id="listMessagingLinks")
async def list_messaging_links(ctx: Ctx) -> list[MessagingLink]:
    """List the caller's linked chats in the active team; owners and admins see everybody's. API keys are refused."""
    return whole(ctx, await messaging.listing(ctx))


@router.post("/links", operation=messaging.link, operation_id="createMessagingLink", status_code=201)
async def create_messaging_link(ctx: Ctx, data: LinkInput) -> NewMessagingLink:
    """Make a code that links one private chat to the caller: within ten minutes, once. API keys are refused here.

    `url` opens the chat and sends the code. The chat acts with one's role of the moment and ends with one's membership.
    """
    return await messaging.link(ctx, data)


@router.delete("/links/{id}", operation=messaging.unlink, operation_id="deleteMessagingLink")
async def delete_messaging_link(ctx: Ctx, id: str) -> Ok:
    """Unlink a chat at once: one's own, or any of the team for owners and admins. Its open proposals are rejected."""
    await messaging.unlink(ctx, id)
    return Ok()


@router.get("/settings", operation=messaging.preferences, operation_id="getMessagingSettings")
async def get_messaging_settings(ctx: Ctx) -> StoredPreferences:
    """Return what the caller is sent in their chats."""
    return tagged(ctx, await messaging.preferences(ctx))


@router.put("/settings", operation=messaging.change_preferences, operation_id="changeMessagingSettings")
async def change_messaging_settings(ctx: Ctx, data: PreferencesInput) -> StoredPreferences:
    """Choose what the caller is sent in their chats: the digest of the day and its hour, quiet, and the language."""
    return tagged(ctx, await messaging.change_preferences(ctx, data))
