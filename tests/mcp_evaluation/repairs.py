"""Mistakes that assistants make in arguments, and their repair by what the problem says and nothing else."""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ledgerkit.mcp_server.tool import Tool
from ledgerkit.mcp_server.tools import TOOLS

Json = dict[str, Any]
Path = tuple[str | int, ...]

UNKNOWN_ID = "0192f0c0-0000-7000-8000-000000000000"
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_SPANISH_DAY = re.compile(r"(\d\d)/(\d\d)/(\d{4})")
_SPANISH_NUMBER = re.compile(r"(-?\d{1,3}(?:\.\d{3})*,\d\d) euros")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Mistake:
    """Arguments with one thing wrong at `path`."""

    kind: str
    path: Path
    arguments: Json


def mistakes(tool: Tool, intended: Json) -> Iterator[Mistake]:
    """The mistakes that a call's arguments allow, one at a time."""
    for name in tool.full_schema.get("required", ()):
        if name in intended:
            yield Mistake("missing field", (name,), {key: value for key, value in intended.items() if key != name})
    for path, value in _leaves(intended):
        if wrong := _misspelt(path):
            yield Mistake("misspelt field", (*path[:-1], wrong), _renamed(intended, path, wrong))
        if isinstance(value, int | float) and not isinstance(value, bool) and path[-1] != "year":
            yield Mistake("1.234,56 euros", path, _put(intended, path, _spanish_number(value)))
        if isinstance(value, str) and (day := _ISO_DAY.fullmatch(value)):
            yield Mistake("01/03/2026", path, _put(intended, path, "/".join(reversed(day.groups()))))
        if path[-1] == "id" or str(path[-1]).endswith("Id"):
            yield Mistake("unknown id", path, _put(intended, path, UNKNOWN_ID))
        if "enum" in tool.schema["properties"].get(path[0], {}) and len(path) == 1:
            yield Mistake("wrong choice", path, _put(intended, path, f"{value}x"))


def nested_as_text(intended: Json) -> Json:
    """The arguments with objects and lists as JSON text, as some hosts send them."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        for name, value in intended.items()
    }


def repaired(arguments: Json, problem: Mapping[str, Any], intended: Json) -> Json:
    """Return the arguments after following a problem's `errors` and `remedy`.

    What the assistant wants to say, it knows; which field and which form, only the problem tells it.
    """
    arguments = deepcopy(arguments)
    for error in problem.get("errors", []):
        _follow(arguments, _path(error["field"]), error["message"], intended)
    if "errors" not in problem and _names_a_search(problem):
        for path, value in _leaves(arguments):
            if value == UNKNOWN_ID:
                _set(arguments, path, _at(intended, path))
    return arguments


def _follow(arguments: Json, path: Path, message: str, intended: Json) -> None:
    value = _at(arguments, path)
    if value is None:
        if (wanted := _at(intended, path)) is not None:
            _set(arguments, path, wanted)
        return
    similar = [name for name in _WORD.findall(message) if _at(intended, (*path[:-1], name)) == value]
    if similar:
        _at(arguments, path[:-1]).pop(path[-1])
        _set(arguments, (*path[:-1], similar[0]), value)
    elif isinstance(value, str) and (day := _SPANISH_DAY.fullmatch(value)):
        _set(arguments, path, "-".join(reversed(day.groups())))
    elif isinstance(value, str) and (number := _SPANISH_NUMBER.fullmatch(value)):
        _set(arguments, path, float(number[1].replace(".", "").replace(",", ".")))
    elif value == UNKNOWN_ID or str(_at(intended, path)) in message:
        _set(arguments, path, _at(intended, path))


def _names_a_search(problem: Mapping[str, Any]) -> bool:
    """True when the problem is about a record, and its texts name a tool or a list where its id is found."""
    words = f"{problem['message']} {problem['remedy']}"
    return problem["code"].endswith("NOT_FOUND") and (any(name in words for name in TOOLS) or "list" in words.lower())


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if members is None:
        yield path, value
    else:
        for name, member in members:
            yield from _leaves(member, (*path, name))


def _path(field: str) -> Path:
    return tuple(int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", field))


def _at(value: Any, path: Path) -> Any:
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _set(value: Any, path: Path, new: Any) -> None:
    _at(value, path[:-1])[path[-1]] = new


def _put(arguments: Json, path: Path, new: Any) -> Json:
    copy = deepcopy(arguments)
    _set(copy, path, new)
    return copy


def _misspelt(path: Path) -> str | None:
    """The last name with two letters exchanged; None for places in lists."""
    name = path[-1]
    if not isinstance(name, str) or len(name) <= 3 or name[-1] == name[-2]:
        return None
    return f"{name[:-2]}{name[-1]}{name[-2]}"


def _renamed(arguments: Json, path: Path, name: str) -> Json:
    copy = deepcopy(arguments)
    owner = _at(copy, path[:-1])
    owner[name] = owner.pop(path[-1])
    return copy


def _spanish_number(value: float) -> str:
    """The number with a unit in words; without one it is read (test_mcp_arguments)."""
    return f"{value:,.2f} euros".translate(str.maketrans(",.", ".,"))
