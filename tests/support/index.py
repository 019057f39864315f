"""The names of the tests in each file as they were last collected, so that `-k word` imports the files that have it.

Importing all test modules takes longer than most selections of tests.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

import pytest

ROOT = Path(__file__).parents[2]


class Entry(TypedDict):
    """A file's stamp and names; `sources` is the stamp of all sources where a case's name is made outside of it."""

    stamp: str
    sources: str | None
    names: str


class Index:
    """`entries` by path, from earlier runs; an entry holds as long as what its names are made of is the same."""

    def __init__(self, entries: dict[str, Entry], keyword: str) -> None:
        self.entries = entries
        self._sources = _stamp(path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py"))
        self._word = keyword.lower() if re.fullmatch(r"\w+", keyword) else None

    def lacks_the_word(self, path: Path) -> bool:
        """Say that no test of this file can be meant. An expression of several words may mean any test."""
        entry = self.entries.get(str(path))
        if self._word is None or entry is None or entry["stamp"] != _stamp([path]):
            return False
        return entry["sources"] in {None, self._sources} and self._word not in entry["names"]

    def update(self, items: Iterable[pytest.Item]) -> None:
        """Note all tests of the files in which these are."""
        by_file: dict[Path, list[pytest.Item]] = {}
        for item in items:
            by_file.setdefault(item.path, []).append(item)
        self.entries |= {str(path): self._entry(path, tests) for path, tests in by_file.items()}

    def _entry(self, path: Path, tests: list[pytest.Item]) -> Entry:
        text = path.read_text()
        names = "\n".join(sorted({name for test in tests for name in test.keywords})).lower()
        cases = {part for test in tests if (spec := getattr(test, "callspec", None)) for part in spec.id.split("-")}
        made_elsewhere = any(case not in text for case in cases)
        return Entry(stamp=_stamp([path]), sources=self._sources if made_elsewhere else None, names=names)


def _stamp(paths: Iterable[Path]) -> str:
    """Changes with the time or size of any of the files."""
    states = sorted((str(path), state.st_mtime_ns, state.st_size) for path in paths for state in [path.stat()])
    return sha256(repr(states).encode()).hexdigest()
