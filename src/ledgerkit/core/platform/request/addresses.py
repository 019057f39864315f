"""REST's addresses of operations. Texts name an operation by its address, and other channels show what they have."""

import re

_PARAMETER = re.compile(r"\{\w+\}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""A parameter of a path, or an id in its place."""

_OPERATIONS: dict[tuple[str, str], str] = {}


def register(method: str, path: str, operation: str) -> None:
    """Remember that REST does `operation` at an address, whose path may have parameters in braces."""
    _OPERATIONS[method, _PARAMETER.sub("{}", path)] = operation


def operation_at(method: str, path: str) -> str | None:
    """Return the name of the operation at an address; None if there is none. Names of parameters do not matter."""
    return _OPERATIONS.get((method, _PARAMETER.sub("{}", path)))
