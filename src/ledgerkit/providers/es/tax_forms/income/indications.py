"""Signs in the books that forms 111, 115, 180 and 190 are due, since no profile tells who withholds."""

from collections.abc import Collection
from datetime import date

from ledgerkit.providers.api import BooksOutline, DateSpan, RetentionKind, TaxPeriod
from ledgerkit.providers.es.tax_forms.income.retentions import CERTAIN_CATEGORIES


def withholds(
    forms: Collection[str], kinds: Collection[RetentionKind], period: TaxPeriod, outline: BooksOutline
) -> bool:
    """Return True where purchases since the year before bear a retention of the kinds, or of none that is said.

    A purchase is declared when it is paid, so an earlier one tells as much as one of the period; and who declared one
    of `forms` goes on until nothing is withheld any more.
    """
    span = since_the_year_before(period, outline.today)
    kinds_withheld = (
        payment.kind or CERTAIN_CATEGORIES.get(payment.category)
        for payment in outline.withheld
        if payment.month in span
    )
    return not outline.declared.isdisjoint(forms) or any(kind is None or kind in kinds for kind in kinds_withheld)


def since_the_year_before(period: TaxPeriod, today: date) -> DateSpan:
    """Return the days to the end of a period from the year before it on, or before today if that is earlier."""
    return DateSpan(first=date(min(period.year, today.year) - 1, 1, 1), last=period.span.last)
