"""Records of a list as a printed draft shows them: fields by name, with amounts, percents, codes and flags in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.declarations.table import StoredRecord
from ledgerkit.core.sales.invoices.pdf.formats import Formats
from ledgerkit.providers.api import FieldKind, RecordField
from ledgerkit.texts import FixedText


@dataclass(frozen=True, kw_only=True)
class RecordLines:
    """Lines of a form's records in one language; a field that the form does not describe is shown unchanged."""

    fields: Mapping[str, RecordField]
    formats: Formats
    language: str
    yes: str
    no: str

    def line(self, record: StoredRecord) -> str:
        """Return the fields that have a value, each after its name."""
        filled = ((key, value) for key, value in record.fields.items() if value not in {None, ""})
        return " · ".join(self._field(key, value) for key, value in filled)

    def _field(self, key: str, value: object) -> str:
        described = self.fields.get(key, RecordField(name=FixedText(key)))
        return f"{described.name.in_language(self.language)}: {self._value(described, value)}"

    def _value(self, described: RecordField, value: object) -> str:
        match described.kind:
            case FieldKind.FLAG:
                return self.yes if value else self.no
            case FieldKind.AMOUNT:
                return self.formats.money(Decimal(str(value)))
            case FieldKind.PERCENT:
                return self.formats.percent(Decimal(str(value)))
            case FieldKind.TEXT:
                words = described.values.get(str(value))
                return str(value) if words is None else words.in_language(self.language)
