"""Texts for assistants: the tool in place of REST's request, and no names of the server's settings."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from ledgerkit.core.platform.request import addresses
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.texts import text

_REQUEST = re.compile(
    r"(?P<joint>\b(?:with|by|through|con|mediante|amb) )?"
    r"`?\b(?P<method>GET|POST|PUT|PATCH|DELETE) (?P<path>/[\w/-]*(?:\{\w+\}[\w/-]*)*)"
    r"(?:\?(?P<query>[\w=&-]+(?:\.{3})?))?`?"
    r"(?P<body> ?\{[^{}]*\})?"
)
"""A request as texts name it: how it is joined to its sentence, method, path, query and body."""

_SETTING = r"LEDGERKIT_[A-Z_]*\*?(?:=(?:<[^>]*>|[\w:/.-]*\w))?"
_IN_BRACKETS = re.compile(rf" ?\({_SETTING}(?:, {_SETTING})*\)")
_IN_SENTENCE = re.compile(_SETTING)

_MARKS = (b" /api/", b" /auth/", b"LEDGERKIT_")

_OURS = frozenset(
    {"error", "errors", "hint", "message", "nextStep", "problem", "remedy", "troubles", "warning", "warnings"}
)
"""Fields of answers whose texts are ours, and tell what happened or what to do."""


def names_what_is_not_here(json_text: bytes) -> bool:
    """Return True if a JSON text may name requests of REST or settings of the server."""
    return any(mark in json_text for mark in _MARKS)


def for_assistants(value: Any, language: str, *, is_ours: bool = False) -> Any:
    """Return a JSON value in which our texts are `worded`. Texts of records stay as they are; `is_ours` is for all."""
    if isinstance(value, dict):
        return {
            name: for_assistants(inner, language, is_ours=is_ours or name in _OURS) for name, inner in value.items()
        }
    if isinstance(value, list):
        return [for_assistants(inner, language, is_ours=is_ours) for inner in value]
    return worded(value, language) if is_ours and isinstance(value, str) else value


def worded(words: str, language: str) -> str:
    """Return a text with the tool for each request of REST that it names; the web app where no tool does it."""
    words = _REQUEST.sub(lambda request: _in_place_of(request, language), words)
    words = _IN_BRACKETS.sub("", words)
    return _IN_SENTENCE.sub(lambda _: text(McpMsg.SERVER_SETTINGS).in_language(language), words)


def _in_place_of(request: re.Match[str], language: str) -> str:
    method, path, body = request["method"], request["path"], request["body"] or ""
    if path.startswith(("/api/", "/auth/", "/oauth/")):
        operation = addresses.operation_at(method, path.rstrip("/"))
        if operation in _tools():
            query = ", ".join(part.replace("=", ": ") for part in (request["query"] or "").split("&") if part)
            return f"{request['joint'] or ''}`{_tools()[operation]}{f' {{{query}}}' if query else body}`"
        return _web_app(request, language)
    return request[0]


def _web_app(request: re.Match[str], language: str) -> str:
    before = request.string[: request.start()]
    if request["joint"] or before.endswith("("):
        return text(McpMsg.IN_THE_WEB_APP).in_language(language)
    phrase = text(McpMsg.THE_WEB_APP).in_language(language)
    return phrase[0].upper() + phrase[1:] if _begins(before) else phrase


def _begins(before: str) -> bool:
    """Return True at the beginning of a text or of a sentence in it."""
    return not before.strip() or before.rstrip().endswith((".", ":", "?", "!"))


_INSTEAD = {"teams.create": "save_company", "teams.me": "whoami"}
"""Tool for an operation that it does not call, but whose work it does for an assistant."""


@cache
def _tools() -> dict[str, str]:
    """Return the tool that does an operation, by the operation's name; the one with the fewest others."""
    return _INSTEAD | dict(_pairs())


def _pairs() -> Iterator[tuple[str, str]]:
    for tool in sorted(TOOLS.values(), key=lambda tool: -len(tool.declared)):
        for operation in tool.declared:
            yield operation.name, tool.name
