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


def nearest_design(form: str, period: TaxPeriod) -> layouts.Design:
    """Return the design in force, or while it is not known the newest one before the period, else the first.

    A form is a draft on it: its file waits for the design in force.
    """
    of_form = sorted(
        (design for design in layouts.all_designs() if design.form == form), key=lambda design: design.since
    )
    earlier = [design for design in of_form if design.since <= period.span.last]
    return earlier[-1] if earlier else of_form[0]


def fields(form: str, period: TaxPeriod) -> Mapping[str, layouts.Field]:
    """Return the fields of the pages, or of the declarant's record, of the nearest design by their names."""
    return {name: field for segment in nearest_design(form, period).head for name, field in segment.named.items()}
