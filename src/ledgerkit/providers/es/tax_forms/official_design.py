"""Designs of the forms' files: which one serves a period, and its fields."""

from collections.abc import Mapping

from ledgerkit.providers.api import TaxPeriod
from ledgerkit.providers.es.tax_forms import layouts


def is_known(form: str, period: TaxPeriod) -> bool:
    """Return True where the official design of a period is known."""
    try:
        layouts.design_for(form, period)
    except layouts.UnknownDesignError:
        return False
    return True


def newest_design(form: str, period: TaxPeriod) -> layouts.Design:
    """Return the design in force, or the newest one while that of a later period is not published.

    Raises UnknownDesignError (LookupError) for a period before the first design that is known.
    """
    earlier = [one for one in layouts.all_designs() if one.form == form and one.since <= period.span.last]
    if not earlier:
        raise layouts.UnknownDesignError(f"form {form}, period {period.year} {period.code}")
    return max(earlier, key=lambda one: one.since)


def fields(form: str, period: TaxPeriod) -> Mapping[str, layouts.Field]:
    """Return the fields of the pages, or of the declarant's record, of the newest design by their names."""
    return {name: field for segment in newest_design(form, period).head for name, field in segment.named.items()}
