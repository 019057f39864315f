"""OpenAPI description of the application, and answers compared with it."""

import fcntl
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from ledgerkit.app import create_app
from ledgerkit.settings import Settings
from support.common import Common

SHARED = {"responses", "parameters", "headers", "examples"}
"""Kinds of components that operations refer to."""
METHODS = ("get", "post", "put", "patch", "delete")


@cache
def described() -> dict[str, Any]:
    """The OpenAPI description. The first worker that asks for it makes it, which takes seconds, for all of a run."""
    if Common.folder is None:
        return _made()
    with (Common.folder / "openapi.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stored: Path = Common.folder / "openapi.json"
        if not stored.exists():
            stored.write_text(json.dumps(_made()))
    found: dict[str, Any] = json.loads(stored.read_text())
    return found


def _made() -> dict[str, Any]:
    made: dict[str, Any] = create_app(Settings(_env_file=None)).openapi()
    return made


@cache
def operations() -> dict[str, dict[str, Any]]:
    """Every described operation by `METHOD /path`, its references followed but for those to schemas."""
    paths = described()["paths"]
    return {
        f"{method.upper()} {path}": followed(item[method])
        for path, item in paths.items()
        for method in METHODS
        if method in item
    }


def followed(value: Any) -> Any:
    """`value` with the shared responses, parameters, headers and examples in the places that refer to them."""
    if isinstance(value, list):
        return [followed(one) for one in value]
    if not isinstance(value, dict):
        return value
    _, kind, name = str(value.get("$ref", "//")).rsplit("/", 2)
    if kind in SHARED:
        return followed(described()["components"][kind][name])
    return {name: followed(one) for name, one in value.items()}


def schema_of(row: str, status: int) -> dict[str, Any] | None:
    """The JSON schema of an operation's answer; None where the answer is no JSON."""
    content = operations()[row]["responses"][str(status)].get("content", {})
    media = content.get("application/json") or content.get("application/problem+json")
    return None if media is None else {**media["schema"], "components": described()["components"]}


def differences(row: str, status: int, answer: Any) -> list[str]:
    """Differences between an answer and its operation's description."""
    schema = schema_of(row, status)
    assert schema is not None, f"{row} {status} promises no JSON"
    found = Draft202012Validator(schema).iter_errors(answer)
    return [f"{error.json_path}: {error.message}" for error in found]


def undescribed(method: str, path: str, answer: Any) -> list[str]:
    """Faults of a problem that its operation's description lacks; none for a path that is not described."""
    row = next((row for row in operations() if row.startswith(f"{method} ") and _template(row).fullmatch(path)), None)
    if row is None:
        return []
    status = answer.status_code
    if str(status) not in operations()[row]["responses"]:
        return [f"{row} does not announce a {status} {answer.json()['code']} (ledgerkit/openapi/codes.py)"]
    return [f"{row} {status} {answer.json()['code']}: {text}" for text in differences(row, status, answer.json())]


@cache
def _template(row: str) -> re.Pattern[str]:
    parts = re.split(r"{\w+}", row.partition(" ")[2])
    return re.compile("[^/]+".join(re.escape(part) for part in parts))
