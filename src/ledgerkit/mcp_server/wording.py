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

_SETTING_IN_BRACKETS = re.compile(r" ?\(LEDGERKIT_[A-Z_]+(?:=[\w.-]+)?\)")
_SETTING = re.compile(r"LEDGERKIT_[A-Z_]+\*?(?:=(?:<[^>]*>|[\w:/.-]*\w))?")

_MARKS = (b" /api/", b" /auth/", b"LEDGERKIT_")

_TOLD = frozenset(
    {"error", "errors", "hint", "message", "problem", "reason", "remedy", "troubles", "warning", "warnings"}
)
"""Fields of answers whose texts are ours, and tell what happened or what to do."""


def names_what_is_not_here(json_text: bytes) -> bool:
    """Return True if a JSON text may name requests of REST or settings of the server."""
    return any(mark in json_text for mark in _MARKS)


def for_assistants(value: Any, language: str, *, is_told: bool = False) -> Any:
    """Return a JSON value in which our texts are `worded`. Texts of records stay as they are; `is_told` takes all."""
    if isinstance(value, dict):
        return {
            name: for_assistants(inner, language, is_told=is_told or name in _TOLD) for name, inner in value.items()
        }
    if isinstance(value, list):
        return [for_assistants(inner, language, is_told=is_told) for inner in value]
    return worded(value, language) if is_told and isinstance(value, str) else value


def worded(told: str, language: str) -> str:
    """Return a text with the tool for each request of REST that it names; the web app where no tool does it."""
    told = _REQUEST.sub(lambda request: _in_place_of(request, language), told)
    told = _SETTING_IN_BRACKETS.sub("", told)
    return _SETTING.sub(lambda _: text(McpMsg.A_SETTING).in_language(language), told)


def _in_place_of(request: re.Match[str], language: str) -> str:
    method, path, body = request["method"], request["path"], request["body"] or ""
    if path.startswith(("/api/", "/auth/", "/oauth/")):
        operation = addresses.operation_at(method, path.rstrip("/"))
        if operation in _tools():
            given = ", ".join(part.replace("=", ": ") for part in (request["query"] or "").split("&") if part)
            return f"{request['joint'] or ''}`{_tools()[operation]}{f' {{{given}}}' if given else body}`"
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


@cache
def _tools() -> dict[str, str]:
    """Return the tool that does an operation, by the operation's name; the one with the fewest others."""
    return dict(_pairs())


def _pairs() -> Iterator[tuple[str, str]]:
    for tool in sorted(TOOLS.values(), key=lambda tool: -len(tool.declared)):
        for operation in tool.declared:
            yield operation.name, tool.name
