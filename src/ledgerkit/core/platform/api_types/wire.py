"""Shapes on the wire: camelCase names, fixed timestamp form, and lists rendered by the database."""

from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel
from sqlalchemy import ColumnElement, Label, func, literal_column

from ledgerkit.money import with_numbers

T = TypeVar("T")


class Wire(BaseModel):
    """Base of all shapes. Unknown fields of a request are ignored (interface decisions 0)."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class Rendered(Wire):
    """A record with a long list inside, as the database rendered it: `body` is the JSON text of its shape."""

    body: str
    version: int


def utc_text(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds: `2026-11-21T12:00:00.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Timestamp = Annotated[
    datetime,
    PlainSerializer(utc_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


StoredResult = Annotated[dict[str, Any], PlainSerializer(with_numbers, return_type=dict[str, Any], when_used="json")]
"""A result as it is stored in a JSON column, answered with JSON numbers for its amounts."""


def wire_time(column: ColumnElement[datetime]) -> ColumnElement[str]:
    """`utc_text` in SQL."""
    return func.to_char(
        func.timezone(literal_column("'UTC'"), column), literal_column("""'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'""")
    )


def wire_column(name: str, value: ColumnElement[T]) -> Label[T]:
    """A column of a list rendered by the database, under its name on the wire."""
    return value.label(to_camel(name))
