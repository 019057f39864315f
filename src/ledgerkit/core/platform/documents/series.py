"""Series of document numbers: the prefix of each kind, and other names for one that is taken."""

from collections.abc import Iterator, Mapping
from itertools import product
from string import ascii_uppercase

from ledgerkit.providers.api import CountryProvider, DocumentKind

LONGEST_PREFIX = 10
"""Characters of a prefix, as teams choose it."""

_LETTERS = {DocumentKind.INVOICE: "F", DocumentKind.CREDIT_NOTE: "R", DocumentKind.SIMPLIFIED: "T"}


def prefix(of_team: Mapping[str, str], country: CountryProvider | None, kind: DocumentKind) -> str:
    """Return the team's prefix for this kind, else the country's, else the letter of the interface (F, R, T)."""
    chosen = of_team.get(kind.value)
    if chosen:
        return chosen
    return country.tax.numbering.series[kind] if country else _LETTERS[kind]


def other_names(name: str) -> Iterator[str]:
    """Return other prefixes that tell of `name`, the shortest first: F gives FB, FC ... FZ, FBB, FBC ..."""
    letters = ascii_uppercase[1:]
    for length in range(1, 4):
        for suffix in product(letters, repeat=length):
            yield name[: LONGEST_PREFIX - length] + "".join(suffix)
