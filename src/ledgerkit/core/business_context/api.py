"""Shapes of the business context (interface decisions H)."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ledgerkit.core.business_context.table import BusinessContextRow, ContextEntryRow
from ledgerkit.core.platform.api_types.fields import ONE_LINE, PRINTABLE, LongText, ShortText, WholeNumber
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire

MAX_ENTRIES = 200

Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
Content = Annotated[str, StringConstraints(min_length=1, max_length=20_000), PRINTABLE]
Category = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), PRINTABLE, ONE_LINE]


class EntryInput(Wire, row=ContextEntryRow):
    """An entry: a new key creates one, an existing key changes its entry; absent fields keep their values."""

    key: Key
    content: Content
    title: ShortText | None = None
    category: Category | None = None
    order: Annotated[WholeNumber, Field(ge=0, le=1_000_000)] = 0


class SummaryInput(Wire, row=BusinessContextRow):
    summary: LongText


class BusinessEntry(Wire, row=ContextEntryRow):
    key: str
    title: str | None
    content: str
    category: str | None
    order: int
    created_at: Timestamp
    updated_at: Timestamp
    updated_by: str | None


class BusinessContext(Wire, row=BusinessContextRow):
    """Summary and entries; `teamId` is null in a personal workspace, `updatedAt` before the first write."""

    id: str
    """Id of the account whose notes these are."""
    team_id: str | None
    """Id of the team, the same; null in a personal workspace."""
    summary: str
    entries: list[BusinessEntry]
    """All entries, by category, order and key; those without category first."""
    updated_at: Timestamp | None
    """Moment in UTC of the last write of the summary or an entry; null before the first."""
    version: Annotated[int, Field(exclude=True)]


class ContextMarkdown(Wire):
    markdown: str
    """Summary and entries as one document in Markdown, under the issuer's name."""
    entry_count: int
    """Number of entries in it."""


class SavedEntry(Wire):
    message: str
    """Sentence that says if the entry was added or changed."""
    entry: BusinessEntry
    """The entry as it is stored now."""
    created: Annotated[bool, Field(exclude=True)]
    version: Annotated[int, Field(exclude=True)]


class SavedSummary(Wire, row=BusinessContextRow):
    summary: str
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class Message(Wire):
    message: str
    """Sentence that says what was done."""
