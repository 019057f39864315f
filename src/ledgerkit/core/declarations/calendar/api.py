"""Response schemas of a year: what is due when, and sums that have to agree (interface decisions I)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.money import Sum
from ledgerkit.providers.api import CheckState


class CalendarEntry(Wire):
    """Declaration that is due on a day of the year, as far as the account's tax profile and its documents tell."""

    country: str
    """Country of the form, two capital letters (ISO 3166)."""
    form: str
    """Official code of the form, as 303."""
    name: str
    """Name of the form."""
    year: int
    """Year of the period."""
    period: str
    """Period within the year: Q1 to Q4, M01 to M12, or Y for the whole year."""
    period_start: date
    """First day of the period."""
    period_end: date
    """Last day of the period."""
    due_date: Annotated[
        date, Field(description="Moved to a working day by national holidays; regional ones may extend it")
    ]
    direct_debit_date: Annotated[date | None, Field(description="Last day to file with direct debit")]
    only_if: Annotated[str | None, Field(description="Who files it, where the profile does not tell: due only then")]
    status: Annotated[Literal["missing", "draft", "submitted"], Field(description="Of its declaration here")]
    declaration_id: str | None
    """Id of that declaration; null where it is missing."""


class CrossCheckTerm(Wire):
    """Part of a side: boxes of a declaration, or a sum of the record books."""

    form: Annotated[str | None, Field(description="null: the record books, of which `name` says what")]
    period: str
    """Period of the declaration or of the books, as Q1, M01 or Y."""
    name: str | None
    """Name of the sum; null where form and boxes say it."""
    boxes: Annotated[list[str], Field(description="Official numbers, or keys of a list's records")]
    amount: Annotated[Sum | None, Field(description="null where the declaration is missing or does not tell it")]
    status: Literal["missing", "draft", "submitted"] | None
    """State of the declaration; null for the record books."""
    declaration_id: str | None
    """Id of the declaration; null where there is none."""


class CrossCheckSide(Wire):
    name: str
    """Name of the side."""
    amount: Annotated[Sum | None, Field(description="Sum of the terms that are known")]
    terms: list[CrossCheckTerm]
    """Parts of the sum."""


class CrossCheckResult(Wire):
    """Two sides that have to agree, from declarations of a year or its books; it blocks nothing."""

    code: str
    """Stable code of the check."""
    title: str
    """Name of the comparison."""
    source: Annotated[str, Field(description="Law or instruction by which both say the same")]
    state: Annotated[CheckState, Field(description="`different` by more than the tolerance")]
    left: CrossCheckSide
    """One side."""
    right: CrossCheckSide
    """The other side."""
    difference: Annotated[Sum | None, Field(description="Left less right, as far as both are known")]
    tolerance: Sum
    """Difference up to which the sides count as equal, in euros."""
    note: Annotated[str | None, Field(description="What to do; null where nothing is")]
