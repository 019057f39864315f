"""`make conformance`: its locks, its table of expected failures, and when it fails."""

import json
import re
from pathlib import Path

import pytest

from conformance.results import Expectation, Result, expectations, report

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests" / "conformance"
EXPECTED = [Expectation("because", ("tasks-*: *",))]
FAILING_AS_EXPECTED = Result("suite", "tasks-wire: renamed", "no task")


def test_packages_are_locked_by_integrity_and_without_an_address():
    lock = json.loads((FOLDER / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}

    assert packages
    assert [name for name, entry in packages.items() if not re.match("sha512-", entry.get("integrity", ""))] == []
    assert [name for name, entry in packages.items() if "resolved" in entry] == []


def test_document_names_the_versions_that_run():
    document = (ROOT / "docs" / "conformance.md").read_text()
    wanted = json.loads((FOLDER / "package.json").read_text())["dependencies"]

    assert [name for name, version in wanted.items() if f"| `{name}` | {version} |" not in document] == []


def test_every_expected_failure_has_a_reason():
    assert expectations()
    assert [entry.checks for entry in expectations() if not entry.reason or not entry.checks] == []


@pytest.mark.parametrize(
    ("results", "as_expected", "line"),
    [
        ([FAILING_AS_EXPECTED, Result("suite", "ping: ping")], True, "| suite | 1 | 1 | 0 |"),
        ([FAILING_AS_EXPECTED, Result("suite", "ping: ping", "silent")], False, "UNEXPECTED suite: ping: ping: silent"),
        ([Result("suite", "tasks-wire: renamed")], False, "PASSES, remove from expected_failures.toml: tasks-*: *"),
    ],
)
def test_run_succeeds_only_when_exactly_the_expected_fails(results, as_expected, line):
    text, outcome = report(results, EXPECTED)

    assert outcome is as_expected
    assert line in text.splitlines()
