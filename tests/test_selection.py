"""`-k word` leaves out the files that cannot have such a test, and `make test` the cases that are not in the sample."""

from itertools import groupby
from pathlib import Path

import pytest

from support.index import Index
from support.ordering import spread
from support.sampling import Extent, examples, sampled

HERE = Path(__file__)


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


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_each_worker_begins_with_some_of_the_files_that_wait(workers):
    tests = [(Path(f"{kind}{number}"), case) for kind in ("busy", "waits") for number in range(8) for case in range(5)]

    order = spread(tests, workers, lambda test: test[0], lambda path: path.name.startswith("waits"))

    part = len(tests) // workers
    assert sorted(order) == sorted(tests)
    assert [order[worker * part][0].name[:5] for worker in range(workers)] == ["waits"] * workers
    assert [path for path, _ in groupby(order, key=lambda test: test[0])].count(Path("waits3")) == 1
