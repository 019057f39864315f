"""The words of the house: docstrings that stand alone, and names that mean one thing."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def trees(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


def descriptions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Docstrings of modules, classes, functions, and of the values above them."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        statements = body if isinstance(body, list) else []
        for place, statement in enumerate(statements):
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if is_text and isinstance(statement.value.value, str) and (place or isinstance(node, DOCUMENTED)):
                yield statement.lineno, statement.value.value


def variables(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Names that are assigned to, and parameters; not the fields of classes, which may be names on the wire.

    A comprehension may call its variable `one`: it is gone at the line's end.
    """
    nodes = list(ast.walk(tree))
    fields = {
        id(statement.target)
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    clauses = [node for node in nodes if isinstance(node, ast.comprehension)]
    short_lived = {id(node) for clause in clauses for node in ast.walk(clause.target)}
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            exempt = short_lived | fields if node.id == "one" else fields
            if id(node) not in exempt:
                yield node.lineno, node.id


@pytest.mark.parametrize("folder", ["src", "tests", "bench"])
def test_descriptions_stand_alone(folder):
    riddles = [
        f"{path}:{line}"
        for path, tree in trees(ROOT / folder)
        for line, text in descriptions(tree)
        if RIDDLES.match(text.lstrip())
    ]

    assert riddles == []


def test_variables_say_what_they_hold():
    origins = [
        f"{path}:{line} {name}"
        for path, tree in trees(SOURCES)
        for line, name in variables(tree)
        if name.strip("_") in ORIGINS
    ]

    assert origins == []


def test_a_public_class_of_core_has_its_name_alone():
    names = Counter(
        node.name
        for _, tree in trees(CORE)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert [name for name, count in names.items() if count > 1] == []


def test_modules_and_functions_have_names_of_the_field():
    private = [
        f"{path}: {name}"
        for path, tree in trees(SOURCES)
        for name in [Path(path).stem, *(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]
        if name.strip("_") in PRIVATE_WORDS
    ]

    assert private == []
