"""Values as a language writes them: decimals, days, lists of values."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.texts.common import CommonMsg
from ledgerkit.texts.messages import Message, Text, shown


class _Value(Text):
    """A value that the catalogues say how to write."""

    @property
    def languages(self) -> tuple[str, ...]:
        return Message(CommonMsg.DECIMAL_MARK).languages

    @abstractmethod
    def in_language(self, language: str) -> str:
        """Return the value as the language writes it."""


@dataclass(frozen=True)
class Number(_Value):
    """A decimal without needless zeros: `7.5`, or `7,5`."""

    value: Decimal

    def in_language(self, language: str) -> str:
        return f"{self.value.normalize():f}".replace(".", shown(CommonMsg.DECIMAL_MARK, language))


@dataclass(frozen=True)
class Day(_Value):
    """A day in figures: `2026-01-31`, or `31/01/2026`."""

    value: date

    def in_language(self, language: str) -> str:
        return self.value.strftime(shown(CommonMsg.DAY, language))


@dataclass(frozen=True)
class Listed(_Value):
    """Values one after the other, between them a sign that none of them contains."""

    values: Sequence[object]

    def in_language(self, language: str) -> str:
        return shown(CommonMsg.BETWEEN_VALUES, language).join(shown(value, language) for value in self.values)
