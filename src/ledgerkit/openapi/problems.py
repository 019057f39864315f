"""Problems that each operation can answer with."""

from collections.abc import Iterator, Sequence
from typing import Any

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.openapi.headers import conditional
from ledgerkit.problems import Code, Problem

MEDIA = "application/problem+json"
_CODES_IN_A_NAME = 3
_CHANGE_FORBIDDEN = {Code.FORBIDDEN_ROLE, Code.INSUFFICIENT_SCOPE, Code.CSRF_REFUSED, Code.NOT_TEAM_MEMBER}


class WordingBody(Wire):
    message: str
    """Fault, in words."""
    remedy: str
    """Remedy, in words; empty where the message says it."""


class FieldErrorBody(Wire):
    """Fault of one field. `remedy` and `translations` (by language) are set for documents that are reported."""

    field: str
    """Field of the request by its path, as `items[0].unitPrice`."""
    code: str
    """Stable code of what is wrong with it."""
    message: str
    """Fault, in the language asked for."""
    remedy: str | None = None
    """Remedy; null where the message says it."""
    translations: dict[str, WordingBody] | None = None
    """Message and remedy by two-letter code of the language; null for none."""


class ProblemBody(Wire):
    """RFC 9457, with a stable code and what to do next."""

    type: str
    """URN of the kind of problem, as `urn:ledgerkit:problem:not-found`."""
    title: str
    """Name of the kind of problem."""
    status: int
    """HTTP status of the answer."""
    detail: str
    """Fault, in words."""
    instance: str | None
    """Path of the request; null where there is none."""
    code: Code
    """Stable code of the problem, to decide by."""
    error: str
    """Copy of `detail`."""
    errors: list[FieldErrorBody]
    """Faults of single fields; empty where no field is to blame."""
    remedy: str | None
    """Remedy, in words; null where nothing helps."""
    request_id: str | None
    """Id of the request, as in the server's log; null where it has none."""


_TEXTS = {
    400: "The request is not valid; `errors` names the fields",
    401: "Credentials are missing or not valid",
    402: "The plan's limit is reached",
    403: "You may not do this",
    404: "There is no such record",
    408: "The body did not come in time",
    409: "It exists already, is still needed, or the idempotency key is in use",
    412: "The record has changed since you read it",
    413: "The body is too large",
    415: "The body does not say that it is JSON",
    422: "The fiscal authority rejected the document",
    429: "Too many requests",
    502: "The mail server or the printer failed",
    503: "The server cannot do it at this moment; try again",
    507: "The server's disk is full",
}


def add_schemas(schemas: dict[str, Any]) -> None:
    """Put the problem's schema in the place of FastAPI's own."""
    schema = ProblemBody.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(schema.pop("$defs"))
    schemas["Problem"] = schema
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)


def add(path: str, method: str, operation: dict[str, Any], errors: Errors, shared: dict[str, Any]) -> None:
    """Let the operation's failures be responses among those that are `shared` (components), which grow by new ones.

    They are those of its form and the `errors` that its service function declares.

    Validation answers 400 here, never FastAPI's 422; that one belongs to the fiscal authority.
    """
    responses = operation["responses"]
    responses.pop("422", None)
    for status, codes in sorted(_answers(path, method, operation, errors).items()):
        response = _response(status, codes)
        shared_name = next((name for name, entry in shared.items() if entry == response), None)
        name = shared_name or _name(status, codes, operation["operationId"])
        assert shared.setdefault(name, response) == response, name  # noqa: S101 - two answers would be one
        responses[str(status)] = {"$ref": f"#/components/responses/{name}"}


def _response(status: int, codes: Sequence[Code]) -> dict[str, Any]:
    named = ", ".join(f"`{code.value}`" for code in codes)
    reference = {"$ref": "#/components/schemas/Problem"}
    schema = {"allOf": [reference, {"properties": {"code": {"enum": [code.value for code in codes]}}}]}
    return {"description": f"{_TEXTS[status]} ({named})", "content": {MEDIA: {"schema": schema}}}


def _name(status: int, codes: Sequence[Code], operation_id: str) -> str:
    """`NotFound`, `ValidationErrorOrTaxIdInvalid`; where the codes are many, the operation and the kind of problem."""
    if len(codes) <= _CODES_IN_A_NAME:
        return "Or".join(code.value.title().replace("_", "") for code in codes)
    if set(codes) == _CHANGE_FORBIDDEN:
        return "ChangeForbidden"
    kind = next(kind for kind in Problem.__subclasses__() if kind.status == status)
    return f"{operation_id[0].upper()}{operation_id[1:]}{kind.__name__}"


def _answers(path: str, method: str, operation: dict[str, Any], errors: Errors) -> dict[int, list[Code]]:
    """The codes of each status: those that any operation of this form can answer with, and those of its own."""
    declared = ((kind.status, codes) for kind, codes in errors)
    codes_by_status: dict[int, set[Code]] = {}
    for status, codes in (*_by_form(path, method, operation), *declared):
        codes_by_status.setdefault(status, set()).update(codes)
    order = list(Code)
    return {status: sorted(codes, key=order.index) for status, codes in codes_by_status.items()}


def _by_form(path: str, method: str, operation: dict[str, Any]) -> Iterator[tuple[int, set[Code]]]:
    if method in {"post", "put", "patch"}:
        yield 408, {Code.BODY_TIMEOUT}
        yield 413, {Code.BODY_TOO_LARGE}
    yield 503, {Code.DATABASE_UNAVAILABLE}
    if path != "/health":
        yield 503, {Code.DATABASE_TIMEOUT}
        yield 507, {Code.STORAGE_FULL}
    if operation.get("parameters") or operation.get("requestBody"):
        yield 400, {Code.VALIDATION_ERROR}
    if operation.get("requestBody"):
        yield 415, {Code.UNSUPPORTED_MEDIA_TYPE}
    if "{" in path:
        yield 404, {Code.NOT_FOUND}
    if operation["security"]:
        yield from _of_whom(path, method)


def _of_whom(path: str, method: str) -> Iterator[tuple[int, set[Code]]]:
    """List the problems with credentials, and with what is sent along with them."""
    yield 401, {Code.UNAUTHENTICATED}
    yield 403, {Code.FORBIDDEN_ROLE, Code.INSUFFICIENT_SCOPE, Code.NOT_TEAM_MEMBER}
    if method != "get":
        yield 403, {Code.CSRF_REFUSED}
    yield 429, {Code.RATE_LIMITED}
    if method in {"post", "patch"}:
        yield 409, {Code.IDEMPOTENCY_CONFLICT, Code.REQUEST_IN_FLIGHT}
    if conditional(path, method):
        yield 412, {Code.VERSION_MISMATCH}
