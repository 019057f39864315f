"""Shapes of the business context (interface decisions H)."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ledgerkit.core.platform.api_types.fields import PRINTABLE, LongText, ShortText, WholeNumber
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire

MAX_ENTRIES = 200

Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
Content = Annotated[str, StringConstraints(min_length=1, max_length=20_000), PRINTABLE]
Category = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), PRINTABLE]


class EntryInput(Wire):
    """An entry: a new key creates one, an existing key changes its entry; absent fields keep their values."""

    key: Key
    content: Content
    title: ShortText | None = None
    category: Category | None = None
    order: Annotated[WholeNumber, Field(ge=0, le=1_000_000, description="Place within the category, ascending")] = 0


class SummaryInput(Wire):
    summary: LongText


class BusinessEntry(Wire):
    key: str
    title: str | None
    content: str
    category: str | None
    order: int
    created_at: Timestamp
    updated_at: Timestamp
    updated_by: str | None


class BusinessContext(Wire):
    """Summary and entries; `teamId` is null in a personal workspace, `updatedAt` before the first write."""

    id: str
    team_id: str | None
    summary: str
    entries: list[BusinessEntry]
    updated_at: Timestamp | None
    version: Annotated[int, Field(exclude=True)]


class ContextMarkdown(Wire):
    markdown: str
    entry_count: int


class SavedEntry(Wire):
    message: str
    entry: BusinessEntry
    created: Annotated[bool, Field(exclude=True)]
    version: Annotated[int, Field(exclude=True)]


class SavedSummary(Wire):
    summary: str
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class Message(Wire):
    message: str
