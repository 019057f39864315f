"""Selection from long series of cases: `make test` runs a part of each, `make test-all` all of it.

The part is the same on every machine and in every run, so that a failure can be repeated by anybody.
"""

from collections.abc import Collection
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

SERIES = 4
"""Cases of one test that are a long series: fewer are all run."""

_FEWEST_EXAMPLES = 5


class Extent:
    """The choice made by the option `--whole`; set before any test module is imported."""

    whole = False


def sampled(cases: Collection[T], one_in: int = 4) -> list[T]:
    """The cases whose text has a checksum that is a multiple of `one_in`, at least one; all of them with `--whole`."""
    if Extent.whole:
        return list(cases)
    ordered = sorted(cases, key=lambda case: crc32(repr(case).encode()))
    drawn = [case for case in cases if crc32(repr(case).encode()) % one_in == 0]
    return drawn or ordered[:1]


def examples(count: int, one_in: int = 4) -> int:
    """The number of examples for hypothesis, of which there are `count` with `--whole`."""
    return count if Extent.whole else min(count, max(_FEWEST_EXAMPLES, count // one_in))
