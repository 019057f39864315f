"""Read a tool's arguments: refuse what its schema does not know, take what hosts send as text."""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from ledgerkit.core.platform.api_types.validation import (
    field_error,
    field_errors,
    not_valid,
    printable,
    require_finite,
)
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.bodies import JsonMeasure
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.schemas import OTHER, Schema
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.problems import FieldError, Problem
from ledgerkit.texts import text
from ledgerkit.texts.common import CommonMsg

_NAMED = 20
"""Unknown fields named at most; an agent corrects them by the schema, and looking for the nearest costs time."""


_COUNTED = frozenset({"page", "offset", "nextPage"})
"""Names by which readers of other lists count; pages of ours may be cut, so that what they count would be left out."""


def read(tool: Tool, arguments: Mapping[str, Any]) -> Wire:
    """Return `arguments` in the shape of the tool's; fields within `other` stand for those beside it.

    Raises Invalid naming every wrong field, unknown ones first: REST ignores those (interface decisions 0), but an
    agent that misspells `dueDate` would never learn that its date was dropped.
    """
    reading = _Reading(tool.full_schema)
    plain = reading.plain(tool.full_schema, _levelled(tool, arguments), "")
    require_finite(plain)
    wrong: dict[tuple[str, str], FieldError] = {}
    for shape in (tool.creates, tool.arguments) if tool.creates and plain.get("id") is None else (tool.arguments,):
        try:
            value = shape.model_validate(plain)
        except ValidationError as error:
            wrong |= {(field.field, field.code): field for field in field_errors(error.errors())}
    if reading.unknown or wrong:
        raise not_valid([*reading.unknown, *wrong.values()])
    return value


def _levelled(tool: Tool, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments with those fields at the top that the tool's schema puts into OTHER."""
    others = _parsed(arguments.get(OTHER), dict) if OTHER in tool.schema["properties"] else None
    if others is None:
        return arguments
    return {**others, **{name: value for name, value in arguments.items() if name != OTHER}}


class _Reading:
    """One walk along a value and its schema."""

    def __init__(self, root: Schema) -> None:
        self._definitions: Schema = root.get("$defs", {})
        self.unknown: list[FieldError] = []

    def plain(self, schema: Schema, value: Any, path: str) -> Any:
        """`value` with texts that hold an object or list replaced by it, where the schema wants one.

        Some hosts send nested arguments as JSON text.
        """
        for kind in self._alternatives(schema):
            if (expected_type := {"object": dict, "array": list}.get(kind.get("type", ""))) is None:
                continue
            parsed = _parsed(value, expected_type)
            if isinstance(parsed, Mapping):
                return self._object(kind, parsed, path)
            if isinstance(parsed, list):
                return [self.plain(kind.get("items", {}), element, f"{path}[{n}]") for n, element in enumerate(parsed)]
        return value

    def _object(self, schema: Schema, value: Mapping[str, Any], path: str) -> dict[str, Any]:
        any_name = schema.get("additionalProperties")
        if isinstance(any_name, Mapping):
            return {name: self.plain(any_name, element, _joined(path, name)) for name, element in value.items()}
        if "properties" not in schema:
            return dict(value)
        properties: Schema = schema["properties"]
        unknown_names = [name for name in value if name not in properties][: _NAMED - len(self.unknown)]
        self.unknown += [_unknown(name, properties, path) for name in unknown_names]
        return {
            name: self.plain(properties[name], element, _joined(path, name))
            for name, element in value.items()
            if name in properties
        }

    def _alternatives(self, schema: Schema) -> list[Schema]:
        if "$ref" in schema:
            return self._alternatives(self._definitions[schema["$ref"].removeprefix("#/$defs/")])
        if "anyOf" in schema:
            return [kind for alternative in schema["anyOf"] for kind in self._alternatives(alternative)]
        return [schema]


def _parsed(value: Any, expected_type: type) -> Any:
    """The object or list in `value`, None when there is none."""
    if isinstance(value, str):
        try:
            JsonMeasure().add(value.encode())
            value = json.loads(value)
        except (ValueError, RecursionError, Problem):
            return None
    return value if isinstance(value, expected_type) else None


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _unknown(name: str, properties: Schema, path: str) -> FieldError:
    printable_name = printable(name)
    similar = get_close_matches(printable_name, list(properties), n=1, cutoff=0.5)
    message = text(McpMsg.UNKNOWN_FIELD, known=", ".join(properties) or CommonMsg.NONE)
    if printable_name in _COUNTED and "cursor" in properties:
        message = text(McpMsg.PAGES_BY_CURSOR)
    elif similar:
        message = text(McpMsg.UNKNOWN_FIELD_SIMILAR, similar=similar[0])
    return field_error(_joined(path, printable_name), "extra_forbidden", message)
