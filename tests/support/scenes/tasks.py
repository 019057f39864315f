"""Tasks."""

from support.scenes.ask import Ask, Failing

ASKS: dict[str, Ask] = {}

FAILURES: dict[tuple[str, int], Failing] = {}
