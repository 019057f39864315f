"""Answers of operations as JSON objects, for channels that do not send them as REST does."""

from typing import Any

from pydantic_core import from_json, to_jsonable_python

from ledgerkit.core.platform.api_types.list_pages import Page
from ledgerkit.core.platform.api_types.wire import Rendered, Wire

Json = dict[str, Any]

PRIVATE = ("logo", "apiKey")
"""Fields that are left out where an answer is shown or stored: a picture and a secret."""

PICTURE = "data:image/"
"""Beginning of a text that is a picture; null is shown in its place."""


def as_json(answer: object) -> Json:
    """Return an operation's answer as the JSON object that REST sends; `{"ok": true}` for an empty answer.

    A list becomes `{"items": [...]}`.
    """
    value = _dumped(answer)
    if value is None:
        return {"ok": True}
    return value if isinstance(value, dict) else {"items": value}


def _dumped(answer: object) -> Any:
    if isinstance(answer, Rendered | Page):
        return from_json(answer.body)
    if isinstance(answer, bytes):
        return from_json(answer)
    if isinstance(answer, Wire):
        return answer.model_dump(mode="json", by_alias=True)
    return to_jsonable_python(answer, by_alias=True)


def without_secrets(answer: Json) -> Json:
    """Return an answer without pictures and API keys at any depth."""
    return {name: _without_secrets(value) for name, value in answer.items() if name not in PRIVATE}


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return without_secrets(value)
    if isinstance(value, str) and value.startswith(PICTURE):
        return None
    return [_without_secrets(inner) for inner in value] if isinstance(value, list) else value
