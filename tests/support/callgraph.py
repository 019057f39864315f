"""Call graph of core's functions, by the names in their source."""

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import ledgerkit.core
from support import sources

CORE = Path(ledgerkit.core.__file__).parent


def leads_to(start: Callable[..., Any], target: Callable[..., Any]) -> bool:
    """Return True when `start` names `target`, or a function that leads there: by call, lambda or callback."""
    seen, waiting = set(), [inspect.unwrap(start)]
    while waiting:
        one = waiting.pop()
        if one is target:
            return True
        if one not in seen:
            seen.add(one)
            waiting += named_by(one)
    return False


def naming(target: Callable[..., Any]) -> set[str]:
    """The functions and classes of core whose source names `target`, as `module.name`."""
    everything = [found for module in modules() for found in own(module)]
    return {f"{one.__module__}.{one.__qualname__}" for one in everything if target in named_by(one)}


@cache
def named_by(start: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The functions and classes of core that the source of a function, or of a class with its methods, names."""
    module = inspect.getmodule(start)
    node = source_of(module).get(start.__name__) if module else None
    if node is None:
        return []
    found = (resolved(one, module) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute))
    return [inspect.unwrap(one) for one in found if is_ours(one)]


@cache
def modules() -> list[ModuleType]:
    places = (path.relative_to(CORE.parents[1]).with_suffix("") for path in sorted(CORE.rglob("*.py")))
    return [import_module(".".join(place.parts).removesuffix(".__init__")) for place in places]


def own(module: ModuleType) -> Iterator[Callable[..., Any]]:
    for name in source_of(module):
        found = inspect.unwrap(getattr(module, name))
        if is_ours(found):
            yield found


@cache
def source_of(module: ModuleType) -> dict[str, ast.AST]:
    """The functions and classes at the top of a module."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name: node for node in sources.tree(Path(str(module.__file__))).body if isinstance(node, kinds)}


def resolved(node: ast.expr, module: ModuleType) -> object:
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    return getattr(resolved(node.value, module), node.attr, None) if isinstance(node, ast.Attribute) else None


def is_ours(found: object) -> bool:
    routine = inspect.isfunction(found) or inspect.isclass(found)
    return routine and str(getattr(found, "__module__", "")).startswith("ledgerkit.core")
