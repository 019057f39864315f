"""Result of form 390: formulas of its boxes, and its summary of the year's 303s.

Sources: instructions of form 390; Ley 37/1992, art. 99.Cinco. What is applied in the year comes from the year before
first: quotas expire after four years, so that the oldest are used first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from ledgerkit.money import ZERO
from ledgerkit.providers.api import PreviousDeclaration, TaxPeriod
from ledgerkit.providers.es.tax_forms.sheet import Formula, Values, sum_of, total
from ledgerkit.providers.es.tax_forms.vat import boxes as vat_boxes
from ledgerkit.providers.es.tax_forms.vat import rate_boxes as rates
from ledgerkit.providers.es.tax_forms.vat.rate_boxes import RateBoxes
from ledgerkit.providers.es.tax_forms.vat.result_303 import FORM_303, REFUNDS, pending_after, settled

FORM_390 = "390"

_OUTPUT_TABLES = (
    rates.OUTPUT_390,
    rates.GROUP_390,
    rates.CASH_390,
    rates.USED_GOODS_390,
    rates.TRAVEL_390,
    rates.INTRA_EU_GOODS_390,
    rates.INTRA_EU_SERVICES_390,
)
_INPUT_TOTALS = (
    ("48", "49", rates.DOMESTIC_390),
    ("512", "513", rates.GROUP_INPUT_390),
    ("50", "51", rates.DOMESTIC_INVESTMENT_390),
    ("520", "521", rates.GROUP_INVESTMENT_390),
    ("52", "53", rates.IMPORT_390),
    ("54", "55", rates.IMPORT_INVESTMENT_390),
    ("56", "57", rates.INTRA_EU_INPUT_390),
    ("58", "59", rates.INTRA_EU_INVESTMENT_390),
    ("597", "598", rates.SERVICES_INPUT_390),
)
_TURNOVER = ("99", "653", "103", "104", "105", "110", "125", "126", "127", "128", "100", "101", "102", "227", "228")


def _bases(table: Sequence[RateBoxes]) -> tuple[str, ...]:
    return tuple(row.base for row in table)


def _quotas(table: Sequence[RateBoxes]) -> tuple[str, ...]:
    return tuple(row.quota for row in table)


def _input_totals() -> tuple[Formula, ...]:
    pairs = ((sum_of(base, _bases(table)), sum_of(quota, _quotas(table))) for base, quota, table in _INPUT_TOTALS)
    return tuple(chain.from_iterable(pairs))


FORMULAS: tuple[Formula, ...] = (
    sum_of("33", (*chain.from_iterable(map(_bases, _OUTPUT_TABLES)), "27", "29", "649", "31")),
    sum_of("34", (*chain.from_iterable(map(_quotas, _OUTPUT_TABLES)), "28", "30", "650", "32")),
    sum_of("47", ("34", *_quotas(rates.SURCHARGE_390), "44", "46")),
    *_input_totals(),
    sum_of("64", (*(quota for _, quota, _ in _INPUT_TOTALS), "61", "661", "62", "652", "63", "522")),
    sum_of("65", ("47",), ("64",)),
    sum_of("79", ("74", "75", "76", "77", "78")),
    sum_of("82", ("80", "81")),
    sum_of("83", ("79",), ("82",)),
    sum_of("84", ("65", "83", "658")),
    sum_of("86", ("84", "659"), ("85",)),
    sum_of("108", _TURNOVER, ("106", "107")),
    *vat_boxes.formulas(vat_boxes.SECTORS_390),
)


@dataclass(frozen=True, kw_only=True)
class YearOfReturns:
    """The 303s of a year, the last one of each period, by the end of their periods."""

    returns: tuple[PreviousDeclaration, ...]

    def missing(self, codes: Sequence[str]) -> tuple[str, ...]:
        """Return those of the periods that have no return."""
        filed = {entry.period.code for entry in self.returns}
        return tuple(code for code in codes if code not in filed)

    def boxes(self) -> Mapping[str, Decimal]:
        """Return the boxes of form 390 that come from the returns; none of them without returns."""
        if not self.returns:
            return {}
        last = self.returns[-1]
        before = total(self.returns[0].boxes, "110")
        applied = self._sum("78")
        results = [settled(entry) for entry in self.returns]
        refunds = [max(ZERO, -result) for result in results]
        ended = last.period.is_last_of_year
        return {
            "63": self._sum("43"),
            "658": self._sum("76"),
            "659": self._sum("77"),
            "85": min(before, applied),
            "95": sum((max(ZERO, result) for result in results), ZERO),
            "96": sum(refunds[:-1] if ended else refunds, ZERO),
            "97": pending_after(last.boxes, last.declaration_type) - total(last.boxes, "87") if ended else ZERO,
            "98": refunds[-1] if ended and last.declaration_type in REFUNDS else ZERO,
            "662": max(ZERO, total(last.boxes, "87") - max(ZERO, before - applied)),
        }

    def adjustment(self) -> Decimal | None:
        """Return box 44 of the last period; None where that is not here."""
        last = self.returns[-1] if self.returns else None
        return last.boxes.get("44", ZERO) if last is not None and last.period.is_last_of_year else None

    def _sum(self, key: str) -> Decimal:
        return sum((total(entry.boxes, key) for entry in self.returns), ZERO)


def returns_of(previous: Sequence[PreviousDeclaration], year: TaxPeriod) -> YearOfReturns:
    """Return the 303s of a year. Of several of one period the last one given counts."""
    of_year = {
        declaration.period: declaration
        for declaration in previous
        if declaration.form == FORM_303 and declaration.period.year == year.year
    }
    return YearOfReturns(
        returns=tuple(
            sorted(of_year.values(), key=lambda declaration: (declaration.period.span.last, declaration.period))
        )
    )


def result_by_returns(values: Values) -> Decimal:
    """Return the year's result as the returns make it: paid, less refunded and less what is left to compensate."""
    return total(values, "95") - total(values, "96", "97", "98", "662")
