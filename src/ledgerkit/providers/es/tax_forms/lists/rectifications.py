"""Rectifications of form 349: the base declared for an earlier period, and the base after a correction.

Source: RD 1624/1992 (RIVA), art. 80.3; Orden EHA/769/2010: base declared before, and rectified base.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from pydantic import JsonValue

from ledgerkit.money import ZERO
from ledgerkit.providers.api import PreviousDeclaration, TaxPeriod
from ledgerkit.providers.es.tax_forms.layouts import official_period
from ledgerkit.providers.es.tax_forms.lists.eu_operations import EuOperation, operator_named, period_of

FORM = "349"


class Corrected(NamedTuple):
    """Object of a rectification: the operations with an operator and key in an earlier period."""

    operator: str
    key: str
    period: TaxPeriod


@dataclass(frozen=True, kw_only=True)
class History:
    """Knowledge of earlier periods: their declarations, and the documents since the first day that was read."""

    declarations: Sequence[PreviousDeclaration]
    operations: Sequence[EuOperation]
    first_period: TaxPeriod
    current: TaxPeriod

    def declared_before(self, corrected: Corrected) -> Decimal | None:
        """Return the base that counts as declared; None where neither declarations nor documents have it.

        Its last rectification counts, else its declaration; without a stored one, the sum of its documents and of their
        corrections since then.
        """
        rectified = self._last_rectification(corrected)
        if rectified is not None:
            return rectified
        records = self._records(corrected.period)
        if records:
            return _base(records, corrected)
        return self._of_documents(corrected) if corrected.period >= self.first_period else None

    def _last_rectification(self, corrected: Corrected) -> Decimal | None:
        later = sorted(
            (declaration for declaration in self.declarations if corrected.period < declaration.period < self.current),
            key=lambda declaration: (_order(declaration.period), declaration.submitted),
        )
        bases = [base for declaration in later if (base := _rectified(declaration.records, corrected)) is not None]
        return bases[-1] if bases else None

    def _records(self, period: TaxPeriod) -> Sequence[Mapping[str, JsonValue]]:
        stored = [
            declaration for declaration in self.declarations if declaration.period == period and declaration.records
        ]
        return max(stored, key=lambda declaration: declaration.submitted).records if stored else ()

    def _of_documents(self, corrected: Corrected) -> Decimal:
        same = (operation for operation in self.operations if (operation.operator, operation.key) == corrected[:2])
        return sum(
            (declaration.base for declaration in same if self._counted_before(declaration, corrected.period)), ZERO
        )

    def _counted_before(self, operation: EuOperation, period: TaxPeriod) -> bool:
        booked = period_of(operation.day, self.current.code)
        target = operation.corrected_period(self.current.code)
        return booked < self.current and (target or booked) == period and booked >= period


def _order(period: TaxPeriod) -> tuple[int, str]:
    return period.year, period.code


def _rectified(records: Iterable[Mapping[str, JsonValue]], corrected: Corrected) -> Decimal | None:
    period = corrected.period
    record_key = ("rectification", str(period.year), official_period(period))
    for record in records:
        if (record["record"], record.get("correctedYear"), record.get("correctedPeriod")) == record_key and _is_of(
            record, corrected
        ):
            return Decimal(str(record["correctedBase"]))
    return None


def _base(records: Iterable[Mapping[str, JsonValue]], corrected: Corrected) -> Decimal:
    same = (record for record in records if record["record"] == "operator" and _is_of(record, corrected))
    return sum((Decimal(str(declaration["base"])) for declaration in same), ZERO)


def _is_of(record: Mapping[str, JsonValue], corrected: Corrected) -> bool:
    operator = record.get("partyVatNumber") or operator_named(str(record.get("partyName")))
    return (operator, record.get("operationKey")) == corrected[:2]
