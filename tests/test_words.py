"""The words of the house: docstrings that stand alone, and names that mean one thing."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import sources

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "ledgerkit"
CORE = SOURCES / "core"

RIDDLES = re.compile(r"(What|Whether|Who|Whom|Whose|Where|Which|How|Why|Of|The same|It|Its|This|That)\b")
"""Beginnings of a sentence that cannot be understood without the code below it."""

PRIVATE_WORDS = {"courses", "exchange", "keeping", "late", "papers", "persist", "tally", "upkeep", "wired"}
"""Module and function names that only meant something to those who had chosen them."""

ORIGINS = {
    *("found", "said", "told", "made", "given", "done", "kept", "known", "held", "asked", "answered", "begun", "taken"),
    *("seen", "wanted", "past", "rest", "own", "mine", "theirs", "here", "there", "one"),
}
"""Words for the origin of a value, its place or its owner: as a variable's name they hide what the value is."""

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def descriptions(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings of modules, classes, functions, and of the values above them."""
    for node in sources.with_statements(sources.tree(path)):
        body = getattr(node, "body", None)
        statements = body if isinstance(body, list) else []
        for place, statement in enumerate(statements):
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if is_text and isinstance(statement.value.value, str) and (place or isinstance(node, DOCUMENTED)):
                yield statement.lineno, statement.value.value


def variables(path: Path) -> Iterator[tuple[int, str]]:
    """Names that are assigned to, and parameters; not the fields of classes, which may be names on the wire.

    A comprehension may call its variable `one`: it is gone at the line's end.
    """
    fields = {
        id(statement.target)
        for node in sources.nodes(path, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    clauses = sources.nodes(path, ast.comprehension)
    short_lived = {id(node) for clause in clauses for node in ast.walk(clause.target)}
    for node in sources.nodes(path, ast.arg):
        yield node.lineno, node.arg
    for node in sources.nodes(path, ast.Name):
        exempt = id(node) in fields or (node.id == "one" and id(node) in short_lived)
        if isinstance(node.ctx, ast.Store) and not exempt:
            yield node.lineno, node.id


@pytest.mark.parametrize("folder", ["src", "tests", "bench"])
def test_descriptions_stand_alone(folder):
    riddles = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources.files(ROOT / folder)
        for line, text in descriptions(path)
        if RIDDLES.match(text.lstrip())
    ]

    assert riddles == []


def test_variables_say_what_they_hold():
    origins = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sources.files(SOURCES)
        for line, name in variables(path)
        if name.strip("_") in ORIGINS
    ]

    assert origins == []


def test_a_public_class_of_core_has_its_name_alone():
    names = Counter(
        node.name
        for path in sources.files(CORE)
        for node in sources.nodes(path, ast.ClassDef)
        if not node.name.startswith("_")
    )

    assert [name for name, count in names.items() if count > 1] == []


def test_modules_and_functions_have_names_of_the_field():
    private = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources.files(SOURCES)
        for name in [path.stem, *(node.name for node in sources.nodes(path, ast.FunctionDef))]
        if name.strip("_") in PRIVATE_WORDS
    ]

    assert private == []
