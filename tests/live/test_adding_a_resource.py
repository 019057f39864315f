"""docs/adding-a-resource.md, followed literally in a copy of the source tree: nothing else is needed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "adding-a-resource.md"
FOLDERS = ("src", "tests", "migrations", "docs")

BLOCK = re.compile(r"^`([^`\n]+)`\n\n```(python|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ONE_MORE_FIELD = "## One more field\n"
"""A file's path on a line of its own, and what becomes of it: the whole file, or lines of it."""

MOST_LINES_ELSEWHERE = 3


MOST_FILES_OF_A_FIELD = 6
MOST_EDITS_OF_A_FIELD = 8


def blocks(tree: Path = ROOT, *, of_field: bool = False) -> list[tuple[str, str, str]]:
    """Path, kind and text of each block of one half of the page, the migration numbered after the newest of a tree."""
    newest = max(path.name[:4] for path in (tree / "migrations" / "versions").glob("0*.py"))
    text = GUIDE.read_text().split(ONE_MORE_FIELD)[of_field]
    documented = re.search(r'down_revision = "(\d+)"', text)[1]
    text = text.replace(f"{int(documented) + 1:04d}", f"{int(newest) + 1:04d}").replace(
        f'"{documented}"', f'"{newest}"'
    )
    return BLOCK.findall(text)


def with_changed_lines(text: str, change: str) -> str:
    """`text` with the lines of a diff: those that stay and go are found once, next to each other."""
    lines = change.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(before) == 1, before
    return text.replace(before, after)


def apply(tree: Path, changes: list[tuple[str, str, str]]) -> None:
    for path, kind, text in changes:
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if kind == "python" else with_changed_lines(target.read_text(), text))


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The source tree with its compiled modules, copied, with what both halves of the guide add."""
    tree = tmp_path_factory.mktemp("tree")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("dist"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    apply(tree, blocks())
    apply(tree, blocks(tree, of_field=True))
    return tree


def run(tree: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree / 'tests'}"}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def passed(output: str, word: str) -> int:
    """Number of the tests that passed and have this word in their names or files."""
    return len([line for line in output.splitlines() if " PASSED" in line and word in line])


def test_only_a_few_lines_are_added_elsewhere():
    added = [line for _, kind, text in blocks() if kind == "diff" for line in text.splitlines() if line[0] == "+"]

    assert len(added) <= MOST_LINES_ELSEWHERE


@pytest.mark.whole
def test_the_resource_keeps_the_ladder(copy):
    run(copy, str(Path(sys.executable).with_name("lint-imports")), "--no-cache")


@pytest.mark.whole
def test_the_resource_and_the_field_work_on_all_ways_and_pass_every_sweep(copy):
    """The field is sent, imported, printed and told to assistants; the description has the resource."""
    for file, text in TESTS.items():
        (copy / file).write_text(text)
    folders = (
        "tests/core/projects",
        "tests/contract",
        "tests/routers/test_isolation.py",
        "tests/core/platform/database",
        "tests/test_texts.py",
    )
    over_routes = ("test_contract_answers", "test_isolation")
    sweeps = " or ".join(
        ("every_built_row or nothing_else", "test_comments or test_row_types or test_texts", *over_routes)
    )
    options = ("-v", "-p", "no:cacheprovider", "--whole", "-k", f"project or delivery_note or {sweeps}")

    output = run(copy, sys.executable, "-m", "pytest", *folders, *TESTS, *options)

    assert passed(output, "project") > 5
    assert min(passed(output, f"{file}.py") for file in over_routes) > 3
    assert passed(output, "test_delivery_note.py") == 5
    assert passed(output, "test_description_of_projects.py") == 1
    assert min(passed(output, f"{file}.py") for file in ("test_comments", "test_row_types", "test_texts")) > 0


# ---------------------------------------------------------------- one more field


def test_one_more_field_takes_six_files_and_eight_edits():
    changes = blocks(of_field=True)

    assert len({path for path, _, _ in changes}) <= MOST_FILES_OF_A_FIELD
    assert len(changes) <= MOST_EDITS_OF_A_FIELD


DELIVERY_NOTE = '''"""Delivery note of an invoice, on all ways."""

from ledgerkit.core.sales.invoices.api import Invoice
from ledgerkit.mcp_server.calls import read
from ledgerkit.mcp_server.tools import TOOLS
from support.printed import texts

DRAFT = {"client": {"name": "Norte"}, "items": [{"description": "Madera", "unitPrice": 10}], "deliveryNote": "A-17"}


async def test_it_is_sent_and_changed(ana):
    made = await ana.post("/api/invoices", DRAFT)
    changed = await ana.put("/api/invoices/" + made["id"], {"deliveryNote": "A-18"})

    assert (made["deliveryNote"], changed["deliveryNote"]) == ("A-17", "A-18")


async def test_it_is_imported(ana):
    row = {"number": "F-1", "issueDate": "2026-01-07", "clientName": "Eva", "base": 100, "taxRate": 21}
    await ana.post("/api/invoices/import", {"rows": [{**row, "deliveryNote": "A-17"}]})

    [found] = await ana.get("/api/invoices")
    assert (await ana.get("/api/invoices/" + found["id"]))["deliveryNote"] == "A-17"


async def test_it_is_printed_under_its_word(ana):
    made = await ana.post("/api/invoices", DRAFT)

    pdf = await ana.request("GET", "/api/invoices/" + made["id"] + "/pdf")

    assert "Albarán A-17" in " ".join(" ".join(texts(pdf.content)).split())


def test_clients_are_told_what_it_is():
    described = Invoice.model_json_schema(mode="serialization")["properties"]["deliveryNote"]

    assert described["description"] == "Number of the delivery note of the goods; null for none."


def test_an_assistant_sends_it():
    assert read(TOOLS["create_invoice"], DRAFT).delivery_note == "A-17"
'''

DESCRIPTION = '''"""Description of the projects: it follows from their declaration."""

from ledgerkit.app import create_app
from ledgerkit.settings import Settings


def test_it_has_what_can_be_answered():
    deletion = create_app(Settings(_env_file=None)).openapi()["paths"]["/api/projects/{id}"]["delete"]

    assert deletion["operationId"] == "deleteProject"
    assert sorted(deletion["responses"]) == ["200", "400", "401", "403", "404", "412", "429", "503", "507"]
'''

TESTS = {
    "tests/live/test_delivery_note.py": DELIVERY_NOTE,
    "tests/contract/test_description_of_projects.py": DESCRIPTION,
}
"""Tests that are put into the copy, by their place in it."""
