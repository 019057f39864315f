"""Year and quarter of the tests: of the numbers that they get today, and of the declarations that they make."""

from datetime import date

from ledgerkit.clock import today
from ledgerkit.core.reports.input import quarter_of

YEAR = today("Europe/Madrid").year


def quarter(day: date) -> str:
    """The quarter of a day as declarations name it, as Q4."""
    return f"Q{quarter_of(day).number}"
