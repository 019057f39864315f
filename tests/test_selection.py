"""`-k word` leaves out the files that cannot have such a test, and `make test` the cases that are not in the sample."""

import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace

import pytest

from support.index import Index
from support.ordering import WAITING_FOLDERS, spread
from support.repeating import NEVER, failures_of, may_be_repeated
from support.sampling import Extent, examples, sampled

HERE = Path(__file__)
ROOT = HERE.parents[1]


@pytest.fixture
def index(request):
    """Index of this file's tests, for a word."""

    def of(word: str) -> Index:
        made = Index({}, word)
        made.update(item for item in request.session.items if item.path == HERE)
        return made

    return of


def test_a_file_is_left_out_while_it_has_no_test_of_that_name(index):
    assert index("absent_altogether").lacks_the_word(HERE)


@pytest.mark.parametrize("word", ["test_selection", "TEST_A_FILE", "word_of_a_case", "not absent"])
def test_a_file_that_may_have_such_a_test_is_imported(index, word):
    assert not index(word).lacks_the_word(HERE)


def test_a_file_that_changed_or_was_never_collected_is_imported(index):
    changed = index("absent_altogether")
    changed.entries[str(HERE)]["stamp"] = "of an earlier time"

    assert not changed.lacks_the_word(HERE)
    assert not Index({}, "absent_altogether").lacks_the_word(HERE)


@pytest.mark.parametrize("case", [HERE.name[::-1]])
def test_a_case_that_is_named_elsewhere_makes_its_file_depend_on_all_sources(index, case):
    changed = index("absent_altogether")
    changed.entries[str(HERE)]["sources"] = "of an earlier time"

    assert not changed.lacks_the_word(HERE)


def test_the_sample_is_the_same_each_time_and_never_empty(monkeypatch):
    monkeypatch.setattr(Extent, "whole", False)

    sample = sampled(range(1000))

    assert sampled(range(1000)) == sample
    assert 200 < len(sample) < 300
    assert all(len(sampled([case])) == 1 for case in range(100))
    assert (examples(400), examples(8), examples(3)) == (100, 5, 3)


def test_the_whole_is_everything(monkeypatch):
    monkeypatch.setattr(Extent, "whole", True)

    assert sampled(range(1000)) == list(range(1000))
    assert examples(400) == 400


@pytest.mark.parametrize(
    ("words", "is_run"),
    [("-k slow", False), ("tests", False), (f"tests/{HERE.name}", True), (f"tests/{HERE.name}::test_x -k slow", True)],
)
def test_a_slow_test_is_run_for_the_name_of_its_file_and_not_for_a_word(request, words, is_run):
    conftest = request.config.pluginmanager.get_plugin(str(HERE.with_name("conftest.py")))
    paths, _, keyword = words.partition("-k ")
    config = SimpleNamespace(args=paths.split(), getoption={"keyword": keyword}.get)

    assert conftest._is_named(config, request.node) is is_run


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_each_worker_begins_with_some_of_the_files_that_wait(workers):
    tests = [(Path(f"{kind}{number}"), case) for kind in ("busy", "waits") for number in range(8) for case in range(5)]

    order = spread(tests, workers, lambda test: test[0], lambda path: path.name.startswith("waits"))

    part = len(tests) // workers
    assert sorted(order) == sorted(tests)
    assert [order[worker * part][0].name[:5] for worker in range(workers)] == ["waits"] * workers
    assert [path for path, _ in groupby(order, key=lambda test: test[0])].count(Path("waits3")) == 1


# ---------------------------------------------------------------- second tries


def test_only_tests_that_wait_for_processes_are_repeated_and_none_that_must_be_exact():
    waits = "tests/live/test_strangers.py::test_slow"

    assert may_be_repeated([waits, "tests/core/database/postgres/test_postgres_life.py::test_a[b::c]"])
    assert not may_be_repeated([waits, "tests/core/invoices/test_paying.py::test_a"])
    assert not may_be_repeated([waits, "tests/live/test_chaos.py::test_a"])
    assert not may_be_repeated(["tests/live/test_strangers.py"])


def test_more_than_five_failures_are_no_chance():
    tests = [f"tests/web/test_web_login.py::test_{number}" for number in range(6)]

    assert may_be_repeated(tests[:5])
    assert not may_be_repeated(tests)
    assert not may_be_repeated([])


def test_every_file_that_is_never_repeated_is_there_and_waits():
    assert [file for file in sorted(NEVER) if not (ROOT / file).is_file()] == []
    assert [file for file in sorted(NEVER) if not any(f"tests/{folder}/" in file for folder in WAITING_FOLDERS)] == []


@pytest.mark.parametrize(("ended", "found"), [(1, ["a::b"]), (2, []), (0, [])])
def test_an_interrupted_run_has_no_second_try(tmp_path, ended, found):
    for name, content in {"ledgerkit/ended": ended, "cache/lastfailed": {"a::b": True}}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content))

    assert failures_of(tmp_path) == found


FLAKY = "from pathlib import Path\n\ndef test_late(): assert Path(__file__).with_suffix('.seen').exists()\n"
"""Fails until somebody says that it was seen."""


@pytest.mark.parametrize(("seen", "code", "said"), [(True, 0, "FLAKY tests/live/"), (False, 1, "1 failed")])
def test_what_fails_once_is_named_and_what_fails_twice_ends_the_run(tmp_path, seen, code, said):
    made = tmp_path / "tests" / "live" / "test_late.py"
    made.parent.mkdir(parents=True)
    made.write_text(FLAKY)
    for file in ("pyproject.toml", "tests/conftest.py", "tests/support"):
        (tmp_path / file).symlink_to(ROOT / file)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "tests")}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert run("pytest", "-q", "-n", "1").returncode == 1
    if seen:
        made.with_suffix(".seen").touch()
    again = run("support.repeating")

    assert again.returncode == code, again.stdout + again.stderr
    assert said in again.stdout
