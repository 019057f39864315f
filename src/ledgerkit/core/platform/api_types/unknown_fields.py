"""Fields that a schema does not know: whoever misspells `dueDate` would never learn that it was dropped."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.core.platform.api_types.validation import field_error, printable
from ledgerkit.problems import FieldError
from ledgerkit.texts import text
from ledgerkit.texts.common import CommonMsg

MOST_NAMED = 20
"""Unknown fields named at most: they are corrected by the schema, and the search for the nearest name is slow."""

Schema = Mapping[str, Any]


class UnknownField(NamedTuple):
    """A field at `path`, and the names that are known in its place."""

    path: str
    name: str
    known: Sequence[str]

    @property
    def error(self) -> FieldError:
        """The refusal of the field, with the name that was probably meant, or with all of them."""
        similar = get_close_matches(self.name, self.known, n=1, cutoff=0.5)
        message = text(FormMsg.UNKNOWN_FIELD, known=", ".join(self.known) or CommonMsg.NONE)
        if similar:
            message = text(FormMsg.UNKNOWN_FIELD_SIMILAR, similar=similar[0])
        return field_error(self.path, "extra_forbidden", message)


def unknown_fields(schema: Schema, value: object) -> Iterator[UnknownField]:
    """Yield the fields at any depth of `value` that a JSON schema of pydantic does not have.

    Objects are closed, whether the schema says so or not; those without fields of their own may have any.
    """
    return _of(schema, value, "", schema.get("$defs", {}))


def _of(schema: Schema, value: object, path: str, definitions: Schema) -> Iterator[UnknownField]:
    kinds = {kind.get("type"): kind for kind in reversed(alternatives(schema, definitions))}
    if isinstance(value, list) and "array" in kinds:
        elements: Schema = kinds["array"].get("items", {})
        for place, element in enumerate(value):
            yield from _of(elements, element, f"{path}[{place}]", definitions)
    if isinstance(value, Mapping) and "object" in kinds:
        yield from _of_object(kinds["object"], value, path, definitions)


def _of_object(schema: Schema, value: Mapping[str, object], path: str, definitions: Schema) -> Iterator[UnknownField]:
    any_field = schema.get("additionalProperties")
    fields: Schema = schema.get("properties", {})
    if isinstance(any_field, Mapping):
        fields = dict.fromkeys(value, any_field)
    elif fields or any_field is False:
        unknown = [printable(name) for name in value if name not in fields]
        yield from (UnknownField(joined(path, name), name, list(fields)) for name in unknown)
    for name, element in value.items():
        if name in fields:
            yield from _of(fields[name], element, joined(path, printable(name)), definitions)


def alternatives(schema: Schema, definitions: Schema) -> list[Schema]:
    """Return the schemas of which a value has one, without references."""
    if "$ref" in schema:
        return alternatives(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    if "anyOf" in schema:
        return [kind for alternative in schema["anyOf"] for kind in alternatives(alternative, definitions)]
    return [schema]


def joined(path: str, name: str) -> str:
    """Return the path of a field in the object at `path`."""
    return f"{path}.{name}" if path else name
