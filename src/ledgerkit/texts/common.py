"""Words that texts of all domains use, and values as a language writes them: decimals, days, lists."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.texts.messages import Message, MessageId, Text, shown


class CommonMsg(MessageId):
    AND = "common.and"
    BETWEEN_VALUES = "common.between_values"
    CORRECT_FIELD = "common.correct_field"
    DAY = "common.day"
    DECIMAL_MARK = "common.decimal_mark"
    OR = "common.or"
    NONE = "common.none"


class CountedMsg(MessageId):
    """Nouns with their number, for texts that count several things."""

    ACCOUNTS = "counted.accounts", "count"
    CASH_REGISTERS = "counted.cash_registers", "count"
    CATALOG_ITEMS = "counted.catalog_items", "count"
    CLIENTS = "counted.clients", "count"
    DIFFERENCES = "counted.differences", "count"
    DOCUMENTS = "counted.documents", "count"
    DRAFTS = "counted.drafts", "count"
    EVENTS = "counted.events", "count"
    EXPENSES = "counted.expenses", "count"
    FISCAL_RECORDS = "counted.fiscal_records", "count"
    INVOICES = "counted.invoices", "count"
    PAYMENTS = "counted.payments", "count"
    RECORDS = "counted.records", "count"
    ROWS = "counted.rows", "count"
    SIGNATURES = "counted.signatures", "count"
    SUPPLIER_INVOICES = "counted.supplier_invoices", "count"
    TABLES = "counted.tables", "count"
    TAX_DECLARATIONS = "counted.tax_declarations", "count"
    USERS = "counted.users", "count"
    VENDORS = "counted.vendors", "count"


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
