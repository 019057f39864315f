"""Which problems each operation can answer with."""

from typing import Any

from ledgerkit.core.wire import Wire
from ledgerkit.problems import Code

MEDIA = "application/problem+json"


class FieldErrorBody(Wire):
    field: str
    code: str
    message: str


class ProblemBody(Wire):
    """RFC 9457, with a stable code and what to do next."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None
    code: Code
    error: str
    errors: list[FieldErrorBody]
    remedy: str | None
    request_id: str | None


_TEXTS = {
    "400": "The request is not valid; `errors` names the fields",
    "401": "Credentials are missing or not valid",
    "402": "The plan's limit is reached",
    "403": "Your role does not allow this",
    "404": "There is no such record",
    "409": "It exists already, or the idempotency key is in use",
    "412": "The record has changed since you read it",
    "413": "The body is too large",
    "415": "The body does not say that it is JSON",
    "422": "The fiscal authority rejected the document",
    "429": "Too many requests",
    "502": "The mail server or the printer failed",
    "503": "The database does not answer; try again",
}
_OWN = {
    "/auth/login": {"401", "429"},
    "/auth/register": {"403", "429"},
    "/api/einvoice": {"402", "404", "422"},
    "/api/einvoice/emit": {"402", "404", "422"},
    "/api/cash-register/{id}/movement": {"402"},
}
"""What single paths answer beyond what their form says."""

_WRITES = {"post", "put", "patch"}
_NAMING = {"/api/teams/current"}
_NAMING_IN_BODY = {("/api/tasks", "post")}
"""What has no record's name in its path, and may yet not find one."""


def add_schemas(schemas: dict[str, Any]) -> None:
    """Put the problem's schema in the place of FastAPI's own."""
    schema = ProblemBody.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(schema.pop("$defs"))
    schemas["Problem"] = schema
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)


def add(path: str, method: str, operation: dict[str, Any]) -> None:
    """Validation answers 400 here, never FastAPI's 422; that one belongs to the fiscal authority."""
    responses = operation["responses"]
    responses.pop("422", None)
    reference = {"$ref": "#/components/schemas/Problem"}
    for status in _statuses(path, method, operation):
        responses[status] = {"description": _TEXTS[status], "content": {MEDIA: {"schema": reference}}}


def _statuses(path: str, method: str, operation: dict[str, Any]) -> list[str]:
    statuses = {"413"} | ({"503"} if path != "/health" else set())
    if operation.get("parameters") or operation.get("requestBody"):
        statuses |= {"400"}
    if operation.get("security"):
        statuses |= {"401", "403", "429"}
    if "{" in path or path in _NAMING or (path, method) in _NAMING_IN_BODY:
        statuses |= {"404"}
    if method in _WRITES and path.startswith("/api"):
        statuses |= {"400", "409", "412"}
    if operation.get("requestBody"):
        statuses |= {"413", "415"}
    if path.endswith(("/send", "/pdf", "/download/{id}")):
        statuses |= {"502"}
    return sorted(statuses | _OWN.get(path, set()))
