"""Shapes of exports and of the deletion of an account (interface decisions A9)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.operation.personal_data.table import DataExportRow
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.identity.api import TypedPassword


class DataExport(Wire, row=DataExportRow):
    """An export of a person's data; `failed` when there was not enough disk space for it."""

    state: Literal["making", "ready", "failed"]
    created_at: Timestamp
    ready_at: Timestamp | None
    expires_at: Timestamp
    size: int | None
    download_url: Annotated[str | None, Field(description="Address to download it from with the same login")]


class Goodbye(Wire):
    password: TypedPassword
    """Password of whoever is logged in, typed again."""


class KeptTeam(Wire):
    """An account whose books the law requires to be kept: locked, with access for nobody, until that day."""

    id: str
    """Id of the account."""
    name: str
    """Name of the team or person."""
    kept_until: date
    """Last day of retention."""


class AccountDeleted(Wire):
    """Result of a deletion; `kept_until` is the last day of retention, null where nothing has to be kept."""

    ok: Literal[True] = True
    """Always true: a failure is a problem."""
    kept_until: date | None
    """Latest day of retention of all of them; null where nothing has to be kept."""
    kept: list[KeptTeam]
    """The person's accounts that are kept; empty for none."""
