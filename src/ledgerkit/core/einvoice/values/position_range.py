"""A stretch of a chain of records or events, by the positions of its first and last one."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PositionRange:
    """Positions in a chain, both included."""

    first: int
    last: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1
