"""Shapes of exports and of the end of an account (interface decisions A9)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.api_types.wire import Timestamp, Wire
from ledgerkit.core.identity.schemas import TypedPassword


class DataExport(Wire):
    """An export of everything that is a person's own; `failed` when there was no room for it."""

    state: Literal["making", "ready", "failed"]
    created_at: Timestamp
    ready_at: Timestamp | None
    expires_at: Annotated[Timestamp, Field(description="When it is removed from this server")]
    size: Annotated[int | None, Field(description="Bytes, once it is ready")]
    download_url: Annotated[str | None, Field(description="To be fetched with the same login, once it is ready")]


class Goodbye(Wire):
    password: TypedPassword


class KeptTeam(Wire):
    """An account whose books the law wants kept: locked, without access for anybody, until that day."""

    id: str
    name: str
    kept_until: date


class AccountDeleted(Wire):
    """`kept_until` is the last of those days; null where nothing had to be kept."""

    ok: Literal[True] = True
    kept_until: date | None
    kept: list[KeptTeam]
