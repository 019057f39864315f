"""Shapes of API keys with scopes."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field

from ledgerkit.core.platform.api_types.fields import LAST_DAY, Name
from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.identity.table import ScopedKeyRow
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.texts.refusals import refusal


def _plausible(moment: datetime) -> datetime:
    if moment > _LAST_MOMENT:
        raise refusal("date_out_of_range", FormMsg.DAY_OUT_OF_RANGE)
    return moment


_LAST_MOMENT = datetime(LAST_DAY.year, LAST_DAY.month, LAST_DAY.day, tzinfo=UTC)


class ApiKeyInput(Wire):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "Gestoría", "scopes": ["read"], "expiresAt": "2027-12-31T23:00:00.000Z"}]
        }
    )

    name: Annotated[Name, Field(description="The program that uses it; shown in the activity log")]
    scopes: Annotated[
        list[Scope], Field(min_length=1, max_length=len(Scope), description="What the key covers, within your role")
    ]
    expires_at: Annotated[
        Annotated[AwareDatetime, AfterValidator(_plausible)] | None,
        Field(description="End of the key, with its offset from UTC; null for a key without an end"),
    ] = None


class ApiKey(Wire, row=ScopedKeyRow):
    id: str
    name: str
    prefix: str
    scopes: list[Scope]
    created_at: Timestamp
    expires_at: Timestamp | None
    last_used_at: Timestamp | None


class NewApiKey(ApiKey):
    key: Annotated[str, Field(description="The key itself, which is shown only now")]
