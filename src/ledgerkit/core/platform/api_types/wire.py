"""Shapes on the wire: camelCase names, fixed timestamp form, and lists rendered by the database."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from inspect import getsource
from itertools import pairwise
from typing import Annotated, Any, ClassVar, TypeVar, Unpack

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, PlainSerializer, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from sqlalchemy import ColumnElement, Label, func, literal_column

from ledgerkit.core.platform.database.row_types import Row, meanings
from ledgerkit.core.platform.database.stored_json import StoredObject
from ledgerkit.money import with_numbers

T = TypeVar("T")

Source = type[Row] | type[StoredObject]
"""A type of what is stored, whose columns or fields have sentences."""


class Wire(BaseModel):
    """Base of all shapes. Unknown fields of a request are ignored (interface decisions 0).

    A field is described by the docstring below it. `class Client(Wire, row=ClientRow)`: the others are described as
    the columns, or the fields of a stored object, of the same names.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)

    row_type: ClassVar[Source | None] = None

    def __init_subclass__(cls, *, row: Source | None = None, **options: Unpack[ConfigDict]) -> None:
        super().__init_subclass__(**options)
        if row is not None:
            cls.row_type = row

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        texts = sentences(cls, cls.row_type)
        for name, field in cls.model_fields.items():
            property_name = field.alias or name
            if name in texts and field.description is None and property_name in properties:
                properties[property_name]["description"] = texts[name]
        return schema


def sentences(shape: type, source: Source | None) -> Mapping[str, str]:
    """Return the sentences of a shape's fields, by the names of the fields in Python.

    A sentence is the docstring below a field, else that of the column of its name. Docstrings are read from the sources
    when a schema is first made, so that importing a shape costs nothing.
    """
    if source is None:
        stored: Mapping[str, str] = {}
    elif issubclass(source, Row):
        stored = _on_the_wire(meanings(source))
    else:
        stored = attribute_docstrings(source)
    return {**stored, **attribute_docstrings(shape)}


def attribute_docstrings(cls: type) -> Mapping[str, str]:
    """Return the docstrings below the fields of a class and of its bases, by field. One paragraph is one line."""
    docstrings: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            docstrings.update(_of_module(base.__module__).get(base.__name__, {}))
    return docstrings


@cache
def _of_module(module: str) -> Mapping[str, Mapping[str, str]]:
    classes = (
        statement for statement in ast.parse(getsource(sys.modules[module])).body if isinstance(statement, ast.ClassDef)
    )
    return {entry.name: dict(_of_class(entry)) for entry in classes}


def _of_class(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(definition.body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                yield name, " ".join(docstring.split())


def _on_the_wire(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return columns' sentences in which columns have their JSON names. A word in backticks is a value, not a name."""
    names = re.compile("|".join(rf"(?<!`)\b{name}\b" for name in texts if "_" in name) or "(?!)")
    return {name: names.sub(lambda name: to_camel(name[0]), text) for name, text in texts.items()}


class Rendered(Wire):
    """A record with a long list inside, as the database rendered it: `body` is the JSON text of its shape."""

    body: str
    version: int


def utc_text(moment: datetime) -> str:
    """Return a moment as in RFC 3339, in UTC with milliseconds: `2026-11-21T12:00:00.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Timestamp = Annotated[
    datetime,
    PlainSerializer(utc_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


StoredResult = Annotated[dict[str, Any], PlainSerializer(with_numbers, return_type=dict[str, Any], when_used="json")]
"""A result as it is stored in a JSON column, answered with JSON numbers for its amounts."""


def wire_time(column: ColumnElement[datetime]) -> ColumnElement[str]:
    """Return the SQL expression of `utc_text`."""
    return func.to_char(
        func.timezone(literal_column("'UTC'"), column), literal_column("""'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'""")
    )


def wire_column(name: str, value: ColumnElement[T]) -> Label[T]:
    """Return a column of a list that the database renders, under its JSON name."""
    return value.label(to_camel(name))
