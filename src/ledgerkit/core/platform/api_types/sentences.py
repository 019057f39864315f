"""Meanings of the fields of shapes: the docstring below a field, else the sentence of the column of that name.

Docstrings are read from the sources when a schema is first made, so that importing a shape costs nothing.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import getsource
from itertools import pairwise

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from ledgerkit.core.platform.database.row_types import Row, meanings
from ledgerkit.core.platform.database.stored_json import StoredObject

Source = type[Row] | type[StoredObject]
"""A type of what is stored, whose columns or fields have sentences."""


def sentences(shape: type, source: Source | None) -> Mapping[str, str]:
    """Return the sentences of a shape's fields, by the names of the fields in Python."""
    if source is None:
        stored: Mapping[str, str] = {}
    elif issubclass(source, Row):
        stored = _on_the_wire(meanings(source))
    else:
        stored = attribute_docstrings(source)
    return {**stored, **attribute_docstrings(shape)}


def attribute_docstrings(cls: type) -> Mapping[str, str]:
    """Return the docstrings below the fields of a class and of its bases, by field. One paragraph is one line."""
    docstrings: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            docstrings.update(_of_module(base.__module__).get(base.__name__, {}))
    return docstrings


@cache
def _of_module(module: str) -> Mapping[str, Mapping[str, str]]:
    classes = (
        statement for statement in ast.parse(getsource(sys.modules[module])).body if isinstance(statement, ast.ClassDef)
    )
    return {entry.name: dict(_of_class(entry)) for entry in classes}


def _of_class(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(definition.body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                yield name, " ".join(docstring.split())


def _on_the_wire(says: Mapping[str, str]) -> Mapping[str, str]:
    """Columns' sentences with other columns by their names on the wire. A word in backticks is a value, no name."""
    names = re.compile("|".join(rf"(?<!`)\b{name}\b" for name in says if "_" in name) or "(?!)")
    return {name: names.sub(lambda name: to_camel(name[0]), text) for name, text in says.items()}
