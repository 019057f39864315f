"""The headers that go along: who and which version in, totals, version and the request's name out."""

from typing import Any

_TEAM = {
    "name": "X-Team-Id",
    "in": "header",
    "description": "Work in this team of yours for this one request, whatever your active one is",
    "schema": {"type": "string", "format": "uuid"},
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A word of your choice: the same request with the same key is done once, and answered again",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
}
_VERSION = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag you read: refused with 412 when the record has changed since",
    "schema": {"type": "string"},
}
_REQUEST_ID = {"description": "This request's name in the server's log", "schema": {"type": "string"}}
_TAG = {"description": "The record's version, for If-Match; absent where there is none", "schema": {"type": "string"}}
_PAGED = {
    "X-Total-Count": {"description": "Records in the whole list", "schema": {"type": "integer"}},
    "X-Page": {"description": "This page, from 1", "schema": {"type": "integer"}},
    "X-Page-Size": {"description": "Records a page", "schema": {"type": "integer"}},
    "Link": {"description": "first, prev, next and last page (RFC 8288)", "schema": {"type": "string"}},
}


def add(path: str, method: str, operation: dict[str, Any]) -> None:
    parameters = operation.setdefault("parameters", [])
    if operation["security"]:
        parameters.append(_TEAM)
    if method in {"post", "patch"}:
        parameters.append(_KEY)
    if operation["security"] and conditional(path, method):
        parameters.append(_VERSION)
    if not parameters:
        del operation["parameters"]
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            answer["headers"] = _out(method, operation, answer)


def conditional(path: str, method: str) -> bool:
    """Whether an operation changes one record that the caller may have read before."""
    return method in {"put", "patch", "delete"} or (method == "post" and "{" in path)


def _out(method: str, operation: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    asked = {parameter["name"] for parameter in operation.get("parameters", ())}
    if schema.get("type") == "array" and "page" in asked:
        return {"X-Request-Id": _REQUEST_ID, **_PAGED}
    if schema.get("type") == "array":
        return {"X-Request-Id": _REQUEST_ID, **{name: one for name, one in _PAGED.items() if name != "Link"}}
    if "$ref" in schema and method != "delete":
        return {"X-Request-Id": _REQUEST_ID, "ETag": _TAG}
    return {"X-Request-Id": _REQUEST_ID}
