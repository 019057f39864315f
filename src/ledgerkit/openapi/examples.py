"""Examples of bodies, made from their schemas: the name of a field decides its value."""

from collections.abc import Mapping
from typing import Any

Schemas = Mapping[str, Any]

_WORDS: Mapping[str, Any] = {
    "accessToken": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkz...",
    "address": "Calle Mayor 1",
    "amount": 121,
    "category": "software",
    "city": "Madrid",
    "company": "Estudio Ruiz, S.L.",
    "country": "ES",
    "creditNote": "R",
    "currency": "EUR",
    "description": "Identidad visual",
    "detail": "client.taxId: the control character is wrong",
    "email": "ana@example.com",
    "file": "MIIKpAIBAzCCCl4GCSqGSIb3DQEHAaCC",
    "hash": "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60",
    "iban": "ES9121000418450200051332",
    "invoice": "F",
    "invoiceNumber": "2026/118",
    "key": "opening-hours",
    "language": "es",
    "lastFingerprint": "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60",
    "name": "Talleres Norte, S.L.",
    "number": "F2026-0001",
    "password": "a long enough secret",
    "paymentMethod": "transfer",
    "phone": "+34 600 000 000",
    "postalCode": "28013",
    "province": "Madrid",
    "quantity": 2,
    "retentionRate": 15,
    "series": "F",
    "simplified": "T",
    "sku": "LOGO-1",
    "taxId": "B12345674",
    "taxRate": 21,
    "timezone": "Europe/Madrid",
    "title": "Enviar el presupuesto",
    "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkz...",
    "unitPrice": 60.5,
    "vendor": "Papelería Sol",
}
_ID = "019aa6a4-7c1e-7d2b-8f3a-5b1c2d3e4f50"
_FORMATS: Mapping[str, str] = {
    "date": "2026-11-21",
    "date-time": "2026-11-21T09:30:00Z",
    "email": "ana@example.com",
    "uri": "https://example.com/s/x",
    "uuid": _ID,
}


def add(operation: dict[str, Any], components: dict[str, Any]) -> None:
    """Give each JSON body of the operation an example in the components."""
    schemas, shared = components["schemas"], components["examples"]
    sent = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if sent is not None:
        _share(shared, sent, operation, _request(sent["schema"], schemas))
    for status, answer in operation["responses"].items():
        content = answer.get("content", {}).get("application/json")
        if content is not None and status.startswith("2"):
            _share(shared, content, operation, _value("", content["schema"], schemas, whole=True))


def _share(shared: dict[str, Any], content: dict[str, Any], operation: dict[str, Any], value: Any) -> None:
    name = _name(content["schema"]) or operation["operationId"]
    assert shared.setdefault(name, {"value": value}) == {"value": value}, name  # noqa: S101 - a name is one schema's
    content["examples"] = {name: {"$ref": f"#/components/examples/{name}"}}


def _name(schema: dict[str, Any]) -> str | None:
    """Return the name of a schema, with `List` for an array of it; None for a schema without a name."""
    if schema.get("type") == "array" and (inner := _name(schema["items"])):
        return f"{inner}List"
    return str(schema["$ref"]).rpartition("/")[2] if "$ref" in schema else None


def _request(schema: dict[str, Any], schemas: Schemas) -> Any:
    """Return the example in the schema; without one, an example of its required fields."""
    resolved = _resolved(schema, schemas)
    if "examples" in resolved:
        return resolved["examples"][0]
    return _value("", schema, schemas, whole=False)


def _resolved(schema: dict[str, Any], schemas: Schemas) -> dict[str, Any]:
    while "$ref" in schema or "anyOf" in schema or "allOf" in schema:
        if "$ref" in schema:
            schema = schemas[schema["$ref"].rpartition("/")[2]]
        else:
            chosen = schema.get("anyOf") or schema["allOf"]
            other_keywords = {name: value for name, value in schema.items() if name not in {"anyOf", "allOf"}}
            schema = {**other_keywords, **chosen[0]}
    return schema


def _value(name: str, schema: dict[str, Any], schemas: Schemas, *, whole: bool) -> Any:
    resolved = _resolved(schema, schemas)
    for keyword in ("const", "default"):
        if resolved.get(keyword) is not None:
            return resolved[keyword]
    if "enum" in resolved:
        return resolved["enum"][0]
    kind = resolved.get("type", "object")
    if kind == "object":
        required = resolved.get("required", ())
        fields = resolved.get("properties", {}).items()
        return {
            field: _value(field, inner, schemas, whole=whole) for field, inner in fields if whole or field in required
        }
    if kind == "array":
        return [_value(_singular(name), resolved["items"], schemas, whole=whole)] if "items" in resolved else []
    return _scalar(name, kind, resolved)


def _scalar(name: str, kind: str, schema: dict[str, Any]) -> Any:
    if kind == "string":
        return _text(name, schema)
    if kind in {"integer", "number"}:
        return _number(name, kind, schema)
    return {"boolean": True, "null": None}[kind]


def _number(name: str, kind: str, schema: dict[str, Any]) -> float:
    """Return the word's number, or 1, as far as the schema allows it."""
    word = _WORDS.get(name)
    example = word if isinstance(word, int) or (kind == "number" and isinstance(word, float)) else 1
    most: float = schema.get("maximum", example)
    return min(example, most)


def _text(name: str, schema: dict[str, Any]) -> str:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    if name == "id" or (name.endswith("Id") and name != "taxId"):
        return _ID
    word = _WORDS.get(name, name or "text")
    return word if isinstance(word, str) else name


def _singular(name: str) -> str:
    return name.removesuffix("s")
