"""Shapes of exports and of the deletion of an account (interface decisions A9)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.identity.schemas import TypedPassword


class DataExport(Wire):
    """An export of a person's data; `failed` when there was not enough disk space for it."""

    state: Literal["making", "ready", "failed"]
    created_at: Timestamp
    ready_at: Timestamp | None
    expires_at: Annotated[Timestamp, Field(description="Moment when it is removed from this server")]
    size: Annotated[int | None, Field(description="Bytes, once it is ready")]
    download_url: Annotated[str | None, Field(description="Address to download it from with the same login")]


class Goodbye(Wire):
    password: TypedPassword


class KeptTeam(Wire):
    """An account whose books the law requires to be kept: locked, with access for nobody, until that day."""

    id: str
    name: str
    kept_until: date


class AccountDeleted(Wire):
    """Result of a deletion; `kept_until` is the last day of retention, null where nothing has to be kept."""

    ok: Literal[True] = True
    kept_until: date | None
    kept: list[KeptTeam]
