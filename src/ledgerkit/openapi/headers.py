"""Headers of requests and responses, and the links of a created record."""

from typing import Any

from ledgerkit.core.platform.request.previews import PREVIEW_MEDIA

_TEAM = {
    "name": "X-Team-Id",
    "in": "header",
    "description": "One of your teams, in which this request works instead of your active team",
    "schema": {"type": "string", "format": "uuid"},
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Key of your choice: a repetition of the request with this key is not done, but answered the same",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
}
_VERSION = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag you read, or several, or `*`. 412 if the record is at none of these versions. "
    "The comparison is strong: a weak tag (`W/`) matches nothing",
    "schema": {"type": "string"},
}
_DRY_RUN = {
    "name": "Dry-Run",
    "in": "header",
    "description": f"`true`: do nothing and answer 200 with a DryRun (`{PREVIEW_MEDIA}`), "
    "which holds the answer that would be given. Refusals are the same as without it",
    "schema": {"type": "string", "enum": ["true", "false"]},
}
_ITS_ID = {"id": "$response.body#/id"}
PARAMETERS = {"TeamId": _TEAM, "IdempotencyKey": _KEY, "IfMatch": _VERSION, "DryRun": _DRY_RUN}
DRY_RUN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Answer to a request with `Dry-Run: true`, whatever the operation: nothing was sent, queued, "
    "numbered or stored",
    "required": ["dryRun", "status", "answer", "writes", "leftOut"],
    "properties": {
        "dryRun": {"type": "boolean", "const": True, "description": "Always true: nothing was done"},
        "status": {"type": "integer", "description": "Status that would be answered"},
        "answer": {"description": "Body that would be answered; null for a file, or where a step left out decides it"},
        "writes": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/ActivityLog"},
            "description": "Entries that the activity log would get; their ids and times are of this run",
        },
        "leftOut": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Steps that are not part of a dry run, in the language of the request",
        },
    },
}
HEADERS: dict[str, Any] = {
    "X-Request-Id": {"description": "Id of this request in the server's log", "schema": {"type": "string"}},
    "ETag": {
        "description": "The record's version, for If-Match; absent where there is none",
        "schema": {"type": "string"},
    },
    "X-Total-Count": {"description": "Records in the whole list", "schema": {"type": "integer"}},
    "X-Page": {"description": "This page, from 1", "schema": {"type": "integer"}},
    "X-Page-Size": {"description": "Records a page", "schema": {"type": "integer"}},
    "Link": {"description": "first, prev, next and last page (RFC 8288)", "schema": {"type": "string"}},
}
"""Headers of answers, for the components."""


def add(path: str, method: str, operation: dict[str, Any], *, runs_dry: bool) -> None:
    """Add the headers of requests and answers. `runs_dry` is true if the path has an operation."""
    parameters = operation.setdefault("parameters", [])
    sent = ["TeamId"] if operation["security"] else []
    if method in {"post", "patch"}:
        sent.append("IdempotencyKey")
    if operation["security"] and conditional(path, method):
        sent.append("IfMatch")
    if runs_dry:
        sent.append("DryRun")
        rehearsed = operation["responses"].setdefault("200", {"description": "Answer to a dry run (`Dry-Run: true`)"})
        rehearsed.setdefault("content", {})[PREVIEW_MEDIA] = {"schema": {"$ref": "#/components/schemas/DryRun"}}
    parameters += [{"$ref": f"#/components/parameters/{name}"} for name in sent]
    if not parameters:
        del operation["parameters"]
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            names = _out(method, operation, answer)
            answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def conditional(path: str, method: str) -> bool:
    """Return True when an operation changes one record that the caller may have read before."""
    return method in {"put", "patch", "delete"} or (method == "post" and "{" in path)


def _out(method: str, operation: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    parameter_names = {parameter.get("name") for parameter in operation.get("parameters", ())}
    if schema.get("type") == "array":
        return [
            "X-Request-Id",
            "X-Total-Count",
            "X-Page",
            "X-Page-Size",
            *(["Link"] if "page" in parameter_names else []),
        ]
    if "$ref" in schema and method != "delete":
        return ["X-Request-Id", "ETag"]
    return ["X-Request-Id"]


def add_links(paths: dict[str, Any]) -> None:
    """Link each operation that answers 201 with a record to the operations on `{id}` below its path."""
    for path, item in paths.items():
        for operation in item.values():
            created = operation["responses"].get("201")
            if created is None:
                continue
            below = _below(paths, path.removesuffix("/{id}/duplicate"))
            if below:
                created["links"] = {name: {"operationId": name, "parameters": _ITS_ID} for name in below}


def _below(paths: dict[str, Any], collection: str) -> list[str]:
    """Return the ids of all operations under `collection/{id}`."""
    operation_ids = []
    for path, item in paths.items():
        parts = path.removeprefix(f"{collection}/").split("/")
        if path.startswith(f"{collection}/") and parts[0] == "{id}" and path.count("{") == 1:
            operation_ids += [operation["operationId"] for operation in item.values()]
    return operation_ids
