"""Statements that a country's law requires in writing: the producer's declaration, and who must report since when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal


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
class Announcement:
    """Change of the day that somebody has announced and no law has made: it is `enacted` never, and binds nobody.

    `since`: the new day as far as it is known, ISO 8601: a day, or only its month (`2028-10`); None where `text` says
    it. `announced_on`: the day of the announcement by `source`; None where it is not known.
    """

    text: str
    source: str
    since: str | None = None
    announced_on: date | None = None
    enacted: Literal[False] = False


@dataclass(frozen=True, kw_only=True)
class Obligation:
    """Duty to report: who has it, from which day on, by which source; `former` days, oldest first.

    The day `since` is the law in force. `announced` stands beside it and changes nothing.
    """

    who: str
    since: date
    source: str
    former: Sequence[FormerDate] = ()
    announced: Announcement | None = None
