"""What the application says of itself: its OpenAPI description, and answers held against it."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from ledgerkit.app import create_app
from ledgerkit.settings import Settings

METHODS = ("get", "post", "put", "patch", "delete")


@cache
def described() -> dict[str, Any]:
    """The OpenAPI description, made once."""
    made: dict[str, Any] = create_app(Settings(_env_file=None)).openapi()
    return made


def operations() -> dict[str, dict[str, Any]]:
    """Every described operation by `METHOD /path`."""
    paths = described()["paths"]
    return {
        f"{method.upper()} {path}": item[method] for path, item in paths.items() for method in METHODS if method in item
    }


def schema_of(row: str, status: int) -> dict[str, Any] | None:
    """The JSON schema of an operation's answer; None where the answer is no JSON."""
    content = operations()[row]["responses"][str(status)].get("content", {})
    media = content.get("application/json") or content.get("application/problem+json")
    return None if media is None else {**media["schema"], "components": described()["components"]}


def differences(row: str, status: int, answer: Any) -> list[str]:
    """Where an answer is not what its operation promises."""
    schema = schema_of(row, status)
    assert schema is not None, f"{row} {status} promises no JSON"
    found = Draft202012Validator(schema).iter_errors(answer)
    return [f"{error.json_path}: {error.message}" for error in found]
