"""Every place where a text may stand in a value, by its JSON schema, and values with something else there."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

UNSTORABLE = ["a\x00b", "\x00", "a\ud800", "\udfff\ud800b"]
"""Texts that neither PostgreSQL nor UTF-8 can hold."""

Schema = dict[str, Any]
Place = tuple[str | int, ...]


def places(schema: Schema, document: Schema, place: Place = ()) -> Iterator[Place]:
    """Places of texts in a schema, keys of objects included; references are looked up in `document`."""
    for kind in _resolved(schema, document):
        if kind.get("type") == "object" and len(place) < 6:
            for name, field in kind.get("properties", {}).items():
                yield from places(field, document, (*place, name))
            if kind.get("additionalProperties"):
                yield from [(*place, "key"), (*place, "{key}")]
        elif kind.get("type") == "array":
            yield from places(kind["items"], document, (*place, 0))
        elif kind.get("type") in {"string", None}:
            yield place


def planted(whole: Any, place: Place, text: str) -> Any:
    """`whole` with `text` at that place; what lies on the way and is not there is made."""
    name, *rest = place
    name = text if name == "{key}" else name
    if isinstance(name, int):
        grown = deepcopy(whole) if isinstance(whole, list) and whole else [None]
    else:
        grown = deepcopy(whole) if isinstance(whole, dict) else {}
    inner = grown[name] if isinstance(name, int) else grown.get(name)
    grown[name] = planted(inner, tuple(rest), text) if rest else text
    return grown


def _resolved(schema: Schema, document: Schema) -> list[Schema]:
    """The schemas that a value may be of."""
    if "$ref" in schema:
        found: Any = document
        for name in schema["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return _resolved(found, document)
    return [found for one in schema["anyOf"] for found in _resolved(one, document)] if "anyOf" in schema else [schema]
