"""Statements that a country's law requires in writing: the producer's declaration, and who must report since when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, kw_only=True)
class DeclarationItem:
    """One item in the law's order: its key there (`1.a`), the text that describes it, and what is declared."""

    key: str
    text: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Declaration of this software's producer for one version, in the country's official language.

    `notice` says why it is not a declaration yet (a producer for trying out); None for a real one.
    """

    title: str
    version: str
    language: str
    items: Sequence[DeclarationItem]
    annex: Sequence[DeclarationItem]
    notice: str | None = None


@dataclass(frozen=True, kw_only=True)
class FormerDate:
    """A day that was once the law, and what named it."""

    since: date
    source: str


@dataclass(frozen=True, kw_only=True)
class Obligation:
    """Duty to report: who has it, from which day on, by which source; `former` days, oldest first.

    `announced`: a change that is announced and not yet law, with who announced it and when.
    """

    who: str
    since: date
    source: str
    former: Sequence[FormerDate] = ()
    announced: str | None = None
