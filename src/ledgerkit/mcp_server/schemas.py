"""JSON schemas that tools/list publishes. Every conversation pays for them, so they hold names, types and few words."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import EnumSchema, ModelSchema, WithDefaultSchema

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.money import to_number

Schema = Mapping[str, Any]

OTHER = "other"
"""Field that takes the rarely needed fields of REST. Its description only lists their names."""

EXTRAS = ("idempotency_key", "confirmation_token", "detail")
"""Fields that belong to the call, not to the body of REST."""

DETAIL = "detail"
"""Field that every tool takes: how much its answer has."""

_HOW_MUCH: dict[str, Any] = {"type": "string", "enum": ["concise", "full"]}

_NESTED = frozenset(
    {
        "InvoiceClientInput",
        "InvoiceItemInput",
        "LineItemInput",
        "SupplierInvoiceItemInput",
        "VariantInput",
        "Adjustment",
    }
)
"""Objects within arguments whose fields are published. Unknown fields of any object are refused all the same."""


_WHOLE = ("type", "enum", "const", "format")
_SHORT = ("type",)


def full(shape: type[Wire]) -> dict[str, Any]:
    """Return the whole JSON schema of a tool's arguments, which take no unknown field."""
    schema = shape.model_json_schema(schema_generator=_Plain)
    return {**schema, "properties": {**schema.get("properties", {}), DETAIL: _HOW_MUCH}}


def arguments_schema(
    shape: type[Wire],
    described: Collection[str],
    hints: Mapping[str, str],
    like: Mapping[str, str],
    *,
    is_long: bool,
) -> dict[str, Any]:
    """Return the published schema of a tool's arguments.

    It has the fields in `described`, or all if that is empty. OTHER lists the names of the rest. `hints` are their
    descriptions by field. `like` names, by field, a tool whose schema describes the same field, or for OTHER lists the
    same names. Every tool takes DETAIL; it is published where answers are long (`is_long`).
    """
    whole = full(shape)
    definitions, properties = whole.get("$defs", {}), dict(whole["properties"])
    if not is_long:
        del properties[DETAIL]
    names = [name for name in properties if not described or name in described or name in EXTRAS]
    words = {**hints, **{name: f"As of {tool}" for name, tool in like.items()}}
    slim_properties = {
        name: _with_hint(_slim(properties[name], definitions, outer=name not in like), words.get(name))
        for name in names
    }
    left_out = [name for name in properties if name not in names]
    if left_out:
        slim_properties[OTHER] = {"type": "object", "description": words.get(OTHER) or ", ".join(left_out)}
    schema: dict[str, Any] = {"type": "object", "properties": slim_properties, "additionalProperties": False}
    required = [name for name in whole.get("required", ()) if name in names]
    return {**schema, "required": required} if required else schema


def _with_hint(schema: dict[str, Any], hint: str | None) -> dict[str, Any]:
    return {**schema, "description": hint} if hint else schema


def _slim(schema: Schema, definitions: Schema, *, outer: bool = True) -> dict[str, Any]:
    """Return the type of a field; with `outer` also the fields of objects in it."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return _slim_object(name, definitions, outer=outer)
    if "anyOf" in schema:
        return _slim_choice(schema, definitions, outer=outer)
    slim: dict[str, Any] = {name: schema[name] for name in (_WHOLE if outer else _SHORT) if name in schema}
    if slim.get("format") not in {None, "date"}:
        del slim["format"]
    if slim.get("type") == "array" and outer:
        slim["items"] = _slim(schema.get("items", {}), definitions, outer=outer)
    if slim.get("type") == "integer" and "maximum" in schema and schema["maximum"] <= 2100:
        slim["maximum"] = schema["maximum"]
    return slim


def _slim_choice(schema: Schema, definitions: Schema, *, outer: bool) -> dict[str, Any]:
    choices = [_slim(choice, definitions, outer=outer) for choice in schema["anyOf"] if choice.get("type") != "null"]
    is_nullable = len(choices) < len(schema["anyOf"])
    if len(choices) > 1:
        return {}
    (choice,) = choices
    if is_nullable and not outer and "enum" not in choice and "type" in choice:
        return {**choice, "type": [choice["type"], "null"]}
    return choice


def _slim_object(name: str, definitions: Schema, *, outer: bool) -> dict[str, Any]:
    definition = definitions[name]
    if definition.get("type") != "object":
        return _slim(definition, definitions, outer=outer)
    if not outer or name not in _NESTED:
        return {"type": "object"}
    properties = {field: _slim(schema, definitions) for field, schema in definition["properties"].items()}
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, "required": definition["required"]} if "required" in definition else closed


class _Plain(GenerateJsonSchema):
    """Generator without titles, which only repeat names. Arguments are closed: an unknown field is refused."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - the generator's signature
        return False

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        json_schema = super().model_schema(schema)
        json_schema.pop("title", None)
        json_schema["additionalProperties"] = False
        return json_schema

    def enum_schema(self, schema: EnumSchema) -> JsonSchemaValue:
        json_schema = super().enum_schema(schema)
        json_schema.pop("title", None)
        return json_schema

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        """Leave out `"default": null`: a field that is not in `required` is optional anyway."""
        json_schema = super().default_schema(schema)
        if json_schema.get("default", ...) is None:
            json_schema.pop("default")
        return json_schema

    def encode_default(self, dft: Any) -> Any:
        """Write the default of an amount as a JSON number."""
        return to_number(dft) if isinstance(dft, Decimal) else super().encode_default(dft)
