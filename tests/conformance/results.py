"""Results of checks, failures that are expected, and the table of both."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

EXPECTED = Path(__file__).with_name("expected_failures.toml")


@dataclass(frozen=True)
class Result:
    """Result of one check: `tool` ran it, `problem` is None where it passed."""

    tool: str
    check: str
    problem: str | None = None


@dataclass(frozen=True)
class Expectation:
    """Checks that fail by design, as patterns of their names, with the reason."""

    reason: str
    checks: tuple[str, ...]


def expectations() -> list[Expectation]:
    entries = tomllib.loads(EXPECTED.read_text())["expected"]
    return [Expectation(entry["reason"], tuple(entry["checks"])) for entry in entries]


def report(results: Sequence[Result], expected: Sequence[Expectation]) -> tuple[str, bool]:
    """Return a text for people, and True when every failure is expected and every expectation has failed."""
    reasons = {pattern: entry.reason for entry in expected for pattern in entry.checks}
    failures = [result for result in results if result.problem is not None]
    unexpected = [result for result in failures if not any(fnmatchcase(result.check, pattern) for pattern in reasons)]
    passing = [pattern for pattern in reasons if not any(fnmatchcase(one.check, pattern) for one in failures)]
    lines = [
        "| Tool | Passed | Expected failures | Unexpected failures |",
        "|---|---|---|---|",
        *_counts(results, unexpected),
    ]
    lines += ["", *(f"UNEXPECTED {one.tool}: {one.check}: {one.problem}" for one in unexpected)]
    lines += [f"PASSES, remove from {EXPECTED.name}: {pattern}" for pattern in passing]
    return "\n".join(lines), not unexpected and not passing


def _counts(results: Sequence[Result], unexpected: Sequence[Result]) -> Iterable[str]:
    for tool in dict.fromkeys(result.tool for result in results):
        of_tool = [result for result in results if result.tool == tool]
        failed = sum(result.problem is not None for result in of_tool)
        surprises = sum(result.tool == tool for result in unexpected)
        yield f"| {tool} | {len(of_tool) - failed} | {failed - surprises} | {surprises} |"
