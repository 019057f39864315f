"""Figures of the evaluation, with the bar that each has to reach."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from goals import Outcome


@dataclass(frozen=True)
class Score:
    """A figure; `is_reached` says how it stands to its bar, None where it has none."""

    name: str
    value: str
    bar: str = ""
    is_reached: bool = True


@dataclass
class Scores:
    """The table of one run."""

    rows: list[Score] = field(default_factory=list)
    performed: dict[str, int] = field(default_factory=dict)
    goals: dict[str, Outcome] = field(default_factory=dict)
    goals_skipped: str = ""
    model: str = ""

    def at_least(self, name: str, value: float, bar: float) -> None:
        """Note a share that has to reach `bar`. Raises AssertionError below it."""
        self._note(Score(name, f"{value:.3f}", f">= {bar}", value >= bar))

    def at_most(self, name: str, value: float, bar: float) -> None:
        """Note an amount that may not pass `bar`. Raises AssertionError above it."""
        self._note(Score(name, f"{value:,.0f}", f"<= {bar:,.0f}", value <= bar))

    def count(self, name: str) -> None:
        """Count one more of `name`."""
        self.performed[name] = self.performed.get(name, 0) + 1

    def note(self, name: str, value: str) -> None:
        """Note a figure without a bar."""
        self.rows.append(Score(name, value))

    def lines(self) -> Iterator[str]:
        yield f"{'':52}{'measured':>12}{'to reach':>14}"
        rows = [*(Score(name, str(number)) for name, number in self.performed.items()), *self.rows]
        for row in rows:
            yield f"{row.name:52}{row.value:>12}{row.bar:>14}  {'' if row.is_reached else 'MISSED'}".rstrip()
        yield from self._goal_lines()

    def _goal_lines(self) -> Iterator[str]:
        if self.goals_skipped:
            yield f"goals given to a model: skipped, {self.goals_skipped}"
        for name, outcome in self.goals.items():
            verdict = "passed" if outcome.is_reached else "failed"
            figures = f"{verdict:>12}{outcome.turns:>7} turns{outcome.tokens:>10,} tokens"
            yield f"  {name:50}{figures}  {outcome.reason}".rstrip()
        if self.goals:
            passed = sum(outcome.is_reached for outcome in self.goals.values())
            tokens = sum(outcome.tokens for outcome in self.goals.values())
            share = f"{passed} of {len(self.goals)} ({passed / len(self.goals):.3f})"
            yield f"{'goals reached by ' + self.model:52}{share}, {tokens:,} tokens"

    def _note(self, score: Score) -> None:
        self.rows.append(score)
        assert score.is_reached, f"{score.name}: {score.value}, {score.bar}"
