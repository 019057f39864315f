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


def blocks(*, of_field: bool = False) -> list[tuple[str, str, str]]:
    """Path, kind and text of each block of one half of the page, the migration numbered after the newest one."""
    newest = max(path.name[:4] for path in (ROOT / "migrations" / "versions").glob("0*.py"))
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


def with_blocks(tree: Path, changes: list[tuple[str, str, str]]) -> Path:
    """The source tree, copied, with what the guide adds."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    for path, kind, text in changes:
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if kind == "python" else with_changed_lines(target.read_text(), text))
    return tree


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    return with_blocks(tmp_path_factory.mktemp("tree"), blocks())


def run(tree: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree / 'tests'}"}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def passed(output: str) -> int:
    return int(re.search(r"(\d+) passed", output)[1])


def test_only_a_few_lines_are_added_elsewhere():
    added = [line for _, kind, text in blocks() if kind == "diff" for line in text.splitlines() if line[0] == "+"]

    assert len(added) <= MOST_LINES_ELSEWHERE


@pytest.mark.whole
def test_the_resource_keeps_the_ladder(copy):
    run(copy, str(Path(sys.executable).with_name("lint-imports")), "--no-cache")


@pytest.mark.whole
def test_the_resource_works_over_rest_and_passes_every_sweep(copy):
    folders = (
        "tests/core/projects",
        "tests/contract",
        "tests/routers/test_isolation.py",
        "tests/core/platform/database",
    )
    chosen = "project or every_built_row or nothing_else"

    output = run(
        copy, sys.executable, "-m", "pytest", *folders, "-q", "-p", "no:cacheprovider", "--whole", "-k", chosen
    )

    assert passed(output) > 30


@pytest.mark.whole
def test_the_description_has_the_resource_and_what_follows_from_its_declaration(copy):
    told = run(copy, sys.executable, "-c", DESCRIPTION)

    assert told.split() == ["deleteProject", "200", "400", "401", "403", "404", "412", "429", "503", "507"]


DESCRIPTION = """
from ledgerkit.app import create_app
from ledgerkit.settings import Settings
one = create_app(Settings(_env_file=None)).openapi()["paths"]["/api/projects/{id}"]["delete"]
print(one["operationId"], *sorted(one["responses"]))
"""


# ---------------------------------------------------------------- one more field


def test_one_more_field_takes_six_files_and_eight_edits():
    changes = blocks(of_field=True)

    assert len({path for path, _, _ in changes}) <= MOST_FILES_OF_A_FIELD
    assert len(changes) <= MOST_EDITS_OF_A_FIELD


@pytest.mark.whole
def test_one_more_field_is_sent_imported_printed_and_told_to_assistants(tmp_path):
    tree = with_blocks(tmp_path, blocks(of_field=True))
    (tree / "tests" / "live" / "test_delivery_note.py").write_text(USE)
    comments, types = "tests/core/platform/database/test_comments.py", "tests/core/platform/database/test_row_types.py"

    chosen = ("tests/live/test_delivery_note.py", comments, types, "tests/test_texts.py")
    output = run(tree, sys.executable, "-m", "pytest", *chosen, "-q", "-p", "no:cacheprovider")

    assert passed(output) > 8


USE = '''"""Delivery note of an invoice, on all ways."""

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
