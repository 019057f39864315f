"""Documents that state facts of the code are compared with the code."""

import ast
import re
import runpy
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from ledgerkit import problems
from ledgerkit.core.platform.request.operation import Effect
from ledgerkit.mcp_server.tool import Confirmed
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Code, Problem
from support import sources
from test_repository import tracked

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "ledgerkit"
SANDBOX = SOURCES / "providers" / "es" / "sandbox"
"""The sandbox's problems stop the start of a process; they are no answers."""

KINDS = {name: kind for name, kind in vars(problems).items() if isinstance(kind, type) and issubclass(kind, Problem)}


def test_the_table_of_settings_is_what_the_code_says():
    page = runpy.run_path(str(ROOT / "scripts" / "settings_table.py"))["page"]()

    assert (ROOT / "docs" / "settings.md").read_text() == page


def documented() -> dict[str, set[int]]:
    """Code to statuses, as docs/problems.md has them."""
    text = (ROOT / "docs" / "problems.md").read_text()
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([\d, ]+) \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)
    return {code: {int(one) for one in statuses.split(",")} for code, statuses in rows}


def raised() -> dict[str, set[int]]:
    """Code to statuses, as the sources raise them."""
    found = defaultdict(set)
    for path in sources.files(SOURCES):
        if path.is_relative_to(SANDBOX):
            continue
        for node in sources.nodes(path, ast.Call):
            if kind := _kind(node):
                code = next((ast.unparse(one.value) for one in node.keywords if one.arg == "code"), None)
                if code is None or code.startswith("Code."):
                    found[code.removeprefix("Code.") if code else kind.default_code.value].add(kind.status)
    return dict(found)


def _kind(call: ast.Call) -> type[Problem] | None:
    """The kind of problem that `Kind(...)`, `Kind.field(...)`, `bilingual(Kind, ...)`, `bilingual_field(...)` makes."""
    called = call.func
    if isinstance(called, ast.Name) and called.id == "bilingual_field":
        return problems.Invalid
    if isinstance(called, ast.Name) and called.id == "bilingual":
        called = call.args[0]
    if isinstance(called, ast.Attribute) and called.attr == "field":
        called = called.value
    return KINDS.get(called.id) if isinstance(called, ast.Name) else None


def test_every_problem_is_documented_with_the_statuses_it_is_sent_with():
    assert documented() == raised()


def test_no_code_is_documented_twice():
    text = (ROOT / "docs" / "problems.md").read_text()
    codes = re.findall(r"^\| `([A-Z_]+)` \| [\d, ]+ \|", text, re.MULTILINE)

    assert [code for code, times in Counter(codes).items() if times > 1] == []


def test_every_code_is_documented_in_the_order_of_the_code():
    assert list(documented()) == [code.value for code in Code]


def test_the_table_of_tools_is_what_they_declare():
    text = (ROOT / "docs" / "mcp.md").read_text()
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]+ \| (\w+) \| (\w+) \| *(yes)? *\| *(yes|sometimes)? *\|$", text, re.MULTILINE
    )
    confirmed = {Confirmed.NEVER: "", Confirmed.ALWAYS: "yes", Confirmed.SOMETIMES: "sometimes"}

    assert [(name, module, scope, bool(reads), asks) for name, module, scope, reads, asks in rows] == [
        (name, tool.module, tool.scope, Effect.READ_ONLY in tool.effects, confirmed[tool.confirmed])
        for name, tool in TOOLS.items()
    ]


DECISIONS = sorted((ROOT / "docs" / "adr").glob("0*.md"))


def enforcement(decision: Path) -> str:
    return decision.read_text().partition("\n## Enforced by\n")[2]


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda path: path.stem[:4])
def test_a_decision_names_tests_that_exist(decision):
    named = re.findall(r"`(tests/[^`]+|bench/[^`]+)`", enforcement(decision))

    absent = []
    for name in named:
        path, _, test = name.partition("::")
        found = ROOT / path
        if not found.exists() or (test and f"def {test}(" not in found.read_text()):
            absent.append(name)

    assert enforcement(decision)
    assert absent == []


def test_every_decision_is_in_the_list_of_decisions():
    listed = re.findall(r"\]\((0\d{3}-[a-z0-9-]+\.md)\)", (ROOT / "docs" / "adr" / "README.md").read_text())

    assert listed == [decision.name for decision in DECISIONS]


MACHINES = re.compile(rb"(?<![\w./${}-])/(?:home|Users|root|work)/[A-Za-z]")


def test_no_committed_file_names_a_place_on_somebodys_machine():
    assert [path.relative_to(ROOT) for path in tracked() if MACHINES.search(path.read_bytes())] == []


def test_no_committed_file_puts_off_what_is_to_be_done():
    words = b"|".join([b"TO" + b"DO", b"FIX" + b"ME"])
    put_off = re.compile(rb"\b(?:" + words + rb")\b")
    texts = [path for path in tracked() if path.suffix not in {".otf", ".tsv"}]

    assert [path.relative_to(ROOT) for path in texts if put_off.search(path.read_bytes())] == []
