"""The machine-readable description: OpenAPI 3.1, version 1.0.0, with the problems each operation can answer."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from ledgerkit.core.wire import Wire
from ledgerkit.problems import Code

VERSION = "1.0.0"
PROBLEM_MEDIA = "application/problem+json"


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
    "409": "The idempotency key is in use",
    "412": "The record has changed since you read it",
    "413": "The body is too large",
    "415": "The body does not say that it is JSON",
    "422": "The fiscal authority rejected the document",
    "429": "Too many requests",
    "502": "The mail server or the printer failed",
    "503": "The database does not answer; try again",
}
_WRITES = {"post", "put", "patch"}
_OPEN = {"/auth/register", "/auth/login", "/health", "/ready"}
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "Token of POST /auth/login, or an API key"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "The account's or team's key"},
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of `app`, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="ledgerkit",
            version=VERSION,
            openapi_version="3.1.0",
            summary="Invoicing and light ERP",
            description="Every list is a bare array; totals and neighbours are in headers. Every failure is a problem.",
            license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
            routes=app.routes,
        )
        _add_schemas(made)
        made["components"]["securitySchemes"] = _SCHEMES
        for path, item in made["paths"].items():
            for method, operation in item.items():
                if path not in _OPEN:
                    operation["security"] = [{name: []} for name in _SCHEMES]
                _add_problems(path, method, operation)
        app.openapi_schema = made
    return app.openapi_schema


def _add_schemas(made: dict[str, Any]) -> None:
    schemas = made["components"]["schemas"]
    schema = ProblemBody.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(schema.pop("$defs"))
    schemas["Problem"] = schema
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)


def _add_problems(path: str, method: str, operation: dict[str, Any]) -> None:
    """Validation answers 400 here, never FastAPI's 422; that one belongs to the fiscal authority."""
    responses = operation["responses"]
    responses.pop("422", None)
    reference = {"$ref": "#/components/schemas/Problem"}
    for status in _statuses(path, method, operation):
        responses[status] = {"description": _TEXTS[status], "content": {PROBLEM_MEDIA: {"schema": reference}}}


def _statuses(path: str, method: str, operation: dict[str, Any]) -> list[str]:
    statuses = {"503"} if path != "/health" else set()
    if operation.get("parameters") or operation.get("requestBody"):
        statuses |= {"400"}
    if operation.get("security"):
        statuses |= {"401", "403", "429"}
    if "{" in path or path in {"/api/teams/current", "/api/einvoice", "/api/einvoice/emit"}:
        statuses |= {"404"}
    if method in _WRITES and path.startswith("/api"):
        statuses |= {"400", "409", "412"}
    if operation.get("requestBody"):
        statuses |= {"413", "415"}
    if path in {"/api/einvoice", "/api/einvoice/emit"}:
        statuses |= {"402", "422"}
    if path.endswith(("/send", "/pdf", "/download/{id}")):
        statuses |= {"502"}
    if path == "/auth/login":
        statuses |= {"401", "429"}
    if path == "/auth/register":
        statuses |= {"403", "429"}
    return sorted(statuses)
