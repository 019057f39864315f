"""The Python sources as syntax trees, each parsed and walked once for all tests that read them."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

Kind = TypeVar("Kind", bound=ast.AST)

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Attributes of a node that hold statements, or parts with statements of their own."""


@cache
def files(folder: Path) -> list[Path]:
    """The Python files of a folder and of those below it, sorted."""
    return sorted(folder.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    """The module of a file."""
    return ast.parse(path.read_text())


def nodes(path: Path, *kinds: type[Kind]) -> Iterator[Kind]:
    """The nodes of a file that are of these kinds, kind by kind, each kind in the order of `ast.walk`."""
    by_kind = _by_kind(path)
    for kind in kinds:
        yield from by_kind.get(kind, ())


@cache
def _by_kind(path: Path) -> dict[type, list]:
    found: dict[type, list] = defaultdict(list)
    for node in ast.walk(tree(path)):
        found[type(node)].append(node)
    return dict(found)


def with_statements(node: ast.AST) -> Iterator[ast.AST]:
    """A node, and all nodes within it that statements can stand in; no expression has any."""
    yield node
    for name in _BLOCKS:
        parts = getattr(node, name, ())
        if isinstance(parts, list):
            for part in parts:
                yield from with_statements(part)
