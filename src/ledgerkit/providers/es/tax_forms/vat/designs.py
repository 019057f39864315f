"""Official designs of the VAT forms, by the days of the periods for which they hold."""

from dataclasses import dataclass
from datetime import date

from ledgerkit.providers.api import TaxPeriod


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """Design of a form for periods that end on `since` or later, until the next one."""

    code: str
    since: date
    source: str


DESIGNS_303 = (
    Design(code="2023", since=date(2023, 1, 1), source="DR303e23, Orden HFP/1124/2022"),
    Design(code="2024-09", since=date(2024, 9, 1), source="DR303e24, Orden HAC/819/2024"),
    Design(code="2026", since=date(2026, 1, 1), source="DR303e26 v1.01 of 2026-01-28, Orden HAC/27/2026"),
)
DESIGNS_390 = (
    Design(code="2024", since=date(2024, 12, 31), source="dr390e2024"),
    Design(code="2025", since=date(2025, 12, 31), source="dr390e2025"),
)


def design(period: TaxPeriod, designs: tuple[Design, ...]) -> Design | None:
    """Return the design in force for a period; None before the first one that is known."""
    end = period.span.last
    return next((one for one in reversed(designs) if one.since <= end), None)
