"""What the official forms share: their calendar, their designs by year, and the profile as it stands in the period."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from ledgerkit.providers.api import Box, DateSpan, TaxForm, TaxPeriod, TaxProfile
from ledgerkit.providers.es.tax_forms import calendar
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile

QUARTERS = ("Q1", "Q2", "Q3", "Q4")
MONTHS = tuple(f"M{number:02d}" for number in range(1, 13))
YEAR = ("Y",)


@dataclass(frozen=True, kw_only=True)
class DesignInForce:
    """Official design and the first year of periods that it serves."""

    name: str
    since_year: int


class OfficialForm(TaxForm):
    """Form with a fixed set of boxes and a list of designs, the newest first."""

    designs: ClassVar[Sequence[DesignInForce]]
    period_codes: ClassVar[tuple[str, ...]]
    official_boxes: ClassVar[Mapping[str, Box]]

    def periods(self, year: int) -> tuple[str, ...]:
        return self.period_codes if year >= min(design.since_year for design in self.designs) else ()

    def layout(self, period: TaxPeriod) -> str:
        """Return the design of the period's year. Raises ValueError for a year before the first one."""
        for design in self.designs:
            if period.year >= design.since_year:
                return design.name
        raise ValueError(f"{self.code} {period.year}")

    def boxes(self, period: TaxPeriod) -> Mapping[str, Box]:  # noqa: ARG002 - they are the same in every design
        return self.official_boxes

    def due_date(self, period: TaxPeriod) -> date:
        return calendar.due_date(self.code, period)

    def direct_debit_date(self, period: TaxPeriod) -> date | None:
        return calendar.direct_debit_date(self.code, period)

    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        return period.span


def profile_in(profile: TaxProfile, period: TaxPeriod) -> SpanishTaxProfile:
    """Return the Spanish profile as it stands on the last day of a period."""
    if not isinstance(profile, SpanishTaxProfile):
        raise TypeError(f"{type(profile).__name__} is no profile of Spain")
    return profile.on(period.span.last)


def files_by(profile: SpanishTaxProfile, period: TaxPeriod) -> bool:
    """Return True when the period is as long as those of the account: months for who files the 303 monthly."""
    return period.code in (MONTHS if profile.files_monthly else QUARTERS)
