"""Shapes of linked chats and of what they are sent (interface decisions Q)."""

from typing import Annotated

from pydantic import ConfigDict, Field

from ledgerkit.core.messaging.table import PreferencesRow
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire


class InstalledMessenger(Wire):
    """A messenger that chats can be linked in."""

    name: str
    """Name, as telegram."""
    title: str
    """Name as people write it, as Telegram."""
    bot_name: str | None
    """Name of the bot there; null before the server has reached the messenger."""
    problem: str | None
    """Trouble that keeps the bot from working: token, other_poller, unreachable or webhook; null where it works."""


class LinkInput(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"messenger": "telegram"}]})

    messenger: Annotated[ShortText, Field(description="Name of the messenger, as telegram")]


class NewMessagingLink(Wire):
    """A code that links one private chat to the caller, once."""

    id: str
    """Id that the link gets when the code is used."""
    code: str
    """The code, which is shown only now."""
    url: str | None
    """Address that opens the chat and sends the code; null where a person types it."""
    qr: str | None
    """Picture of the address for a telephone (QR), as a `data:` URL; null without an address."""
    expires_at: Timestamp
    """Moment in UTC from which the code links nothing."""


class MessagingLink(Wire):
    """A private chat that acts for a member, with the role of each moment."""

    id: str
    """Id of the link."""
    messenger: str
    """Name of the messenger, as telegram."""
    external_name: str
    """Name of the person in the messenger when they linked it."""
    user_id: str
    """Id of the user for whom it acts."""
    user_name: str
    """Name of that user."""
    linked_at: Timestamp
    """Moment in UTC at which it was linked."""
    last_seen_at: Timestamp | None
    """Time of the person's last message; null before the first."""


Hour = Annotated[int, Field(strict=True, ge=0, le=23, description="Hour of the day in the account's time zone")]


class Preferences(Wire, row=PreferencesRow):
    """Messages that a member is sent in their chats."""

    digest_hour: Hour = 8
    digest: Annotated[bool, Field(strict=True, description="Whether a digest of the day is sent")] = True
    quiet: Annotated[bool, Field(strict=True, description="Whether nothing is sent unasked")] = False
    language: Annotated[ShortText | None, Field(description="Language of the chat, as es; null for one's own")] = None


class StoredPreferences(Preferences, row=PreferencesRow):
    version: Annotated[int, Field(exclude=True)]


class PreferencesInput(Preferences):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"digestHour": 8, "digest": True, "quiet": False, "language": "es"}]}
    )
