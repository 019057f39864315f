"""Schemas without titles and defaults, which generators of clients misread.

Titles only repeat names. Generators read `default` as "always there": openapi-typescript makes such a field of a
component required, in requests, too. So requests state their defaults in words. Answers always have the field, so it is
required there.
"""

import json
from collections.abc import Iterator
from typing import Any

Schemas = dict[str, Any]

_PREFIX = "#/components/schemas/"
_CHANGES = {"put", "patch"}
"""Bodies of these keep what they leave out, so that a default of theirs is none."""


def settle(description: dict[str, Any]) -> None:
    """Take titles and defaults out of the schemas of components, and titles out of all others."""
    schemas: Schemas = description["components"]["schemas"]
    created = _reached(schemas, [body for method, body in _bodies(description) if method not in _CHANGES])
    sent = _reached(schemas, [body for _, body in _bodies(description)])
    for name, schema in schemas.items():
        for field, inner in schema.get("properties", {}).items():
            if "default" not in inner:
                continue
            default = inner.pop("default")
            if name not in sent and default is not None:
                schema["required"] = [*schema.get("required", ()), field]
            if name in created and default not in {None, ""}:
                inner["description"] = _with_default(inner.get("description"), default)
    _drop_titles(schemas)
    _drop_titles(description["paths"])


def _drop_titles(value: Any) -> None:
    """Remove the titles of schemas. A property named `title` stays: its value is not a text."""
    if isinstance(value, dict):
        if isinstance(value.get("title"), str):
            del value["title"]
        value = [inner for name, inner in value.items() if name not in _SHOWN]
    if isinstance(value, list):
        for inner in value:
            _drop_titles(inner)


_SHOWN = {"example", "examples", "const", "enum"}
"""Keys that hold values, not schemas."""


def _with_default(description: str | None, default: object) -> str:
    default_text = f"`{json.dumps(default)}`"
    if not description:
        return f"Default {default_text}"
    if description.endswith("."):
        return f"{description} Default {default_text}."
    return f"{description}; default {default_text}"


def _bodies(description: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield method and request body of every operation."""
    for item in description["paths"].values():
        yield from ((method, operation.get("requestBody")) for method, operation in item.items())


def _reached(schemas: Schemas, begin: Any) -> set[str]:
    """Return the names of all schemas that a part of the description refers to, directly or not."""
    names: set[str] = set()
    left = list(_references(begin))
    while left:
        name = left.pop()
        if name not in names:
            names.add(name)
            left += _references(schemas[name])
    return names


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if str(value.get("$ref")).startswith(_PREFIX):
            yield value["$ref"].removeprefix(_PREFIX)
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _references(inner)
