"""Requests that are wrong in every field at once, made from an operation's own description."""

from collections.abc import Iterator
from typing import Any

from support.description import described, operations

DEEPEST = 3

Schema = dict[str, Any]


def body_schema(row: str) -> Schema | None:
    """Schema of an operation's JSON body, None where it takes nothing."""
    content = operations()[row].get("requestBody", {}).get("content", {}).get("application/json")
    return None if content is None else content["schema"]


def query_parameters(row: str) -> dict[str, Schema]:
    return {p["name"]: p["schema"] for p in operations()[row].get("parameters", ()) if p["in"] == "query"}


def required_parameters(row: str) -> set[str]:
    return {p["name"] for p in operations()[row].get("parameters", ()) if p["in"] == "query" and p.get("required")}


def alternatives(schema: Schema) -> list[Schema]:
    """The schemas that a value may be of, references followed."""
    if "$ref" in schema:
        return alternatives(described()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return [kind for one in schema["anyOf"] for kind in alternatives(one)]
    return [schema]


def filled(schema: Schema, value: Any, depth: int = 0) -> Any:
    """An object of the schema in which every field that holds nothing further is `value`."""
    for kind in alternatives(schema):
        if depth < DEEPEST and kind.get("type") == "object" and "properties" in kind:
            return {name: filled(one, value, depth + 1) for name, one in kind["properties"].items()}
        if depth < DEEPEST and kind.get("type") == "array":
            return [filled(kind["items"], value, depth + 1)]
    return value


def flat(schema: Schema, value: Any) -> Any:
    """An object of the schema in which every field of its own is `value`."""
    kinds = [kind for kind in alternatives(schema) if "properties" in kind]
    return {name: value for kind in kinds for name in kind["properties"]}


def numbers(schema: Schema, path: str = "", depth: int = 0) -> Iterator[str]:
    """Paths of the fields that take a number."""
    for kind in alternatives(schema):
        if kind.get("type") in {"number", "integer"}:
            yield path
        if depth < DEEPEST and kind.get("type") == "array":
            yield from numbers(kind["items"], f"{path}[0]", depth + 1)
        if depth < DEEPEST and kind.get("type") == "object":
            for name, one in kind.get("properties", {}).items():
                yield from numbers(one, f"{path}.{name}" if path else name, depth + 1)
