"""Calendar, designs and files of official forms, and the profile as it stands in a period."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar

from ledgerkit.providers.api import (
    Box,
    DateSpan,
    FieldProblem,
    FileInput,
    FilingNotice,
    FormFile,
    ReadFile,
    TaxForm,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms import calendar, filing_places, layouts, official_file
from ledgerkit.providers.es.tax_forms.messages import TaxFormMsg
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.sheet import Outcome, Values
from ledgerkit.texts import FixedText, Text, text

QUARTERS = ("Q1", "Q2", "Q3", "Q4")
MONTHS = tuple(f"M{number:02d}" for number in range(1, 13))
YEAR = ("Y",)


class OfficialForm(TaxForm):
    """Form with a fixed set of boxes, those of the nearest design where that of a period is not known."""

    period_codes: ClassVar[tuple[str, ...]]
    official_boxes: ClassVar[Mapping[str, Box]]

    def periods(self, year: int) -> tuple[str, ...]:  # noqa: ARG002 - they are the same in every year
        return self.period_codes

    def period_name(self, period: TaxPeriod) -> Text:
        """Return `1T 2025`, or `01 2025` for a month; a year in words, where files have 0A."""
        if period.code in YEAR:
            return text(TaxFormMsg.YEAR, year=period.year)
        return FixedText(f"{layouts.official_period(period)} {period.year}")

    def layout(self, period: TaxPeriod) -> str:
        """Return the design in force, or the nearest one while that of the period is not known."""
        return layouts.nearest_design(self.code, period).code

    def knows_layout(self, period: TaxPeriod) -> bool:
        return layouts.is_known(self.code, period)

    def boxes(self, period: TaxPeriod) -> Mapping[str, Box]:  # noqa: ARG002 - they are the same in every design
        return self.official_boxes

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Return True for a year, and for a period as long as those of the account: no profile tells more.

        A form of which the profile does tell more overrides it.
        """
        return period.code in YEAR or files_by(profile_in(profile, period), period)

    def filing_notice(self, profile: TaxProfile, period: TaxPeriod) -> FilingNotice | None:
        return filing_places.filing_notice(self.code, profile_in(profile, period))

    def due_date(self, period: TaxPeriod) -> date | None:
        return calendar.due_date(self.code, period)

    def direct_debit_date(self, period: TaxPeriod) -> date | None:
        return calendar.direct_debit_date(self.code, period)

    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        return period.span

    def outcome(self, boxes: Values, period: TaxPeriod) -> Outcome:  # noqa: ARG002 - as for all that only inform
        """Return what the boxes come to; nothing, and no letter, for a declaration that only informs."""
        return Outcome(types={})

    def file_problems(self, content: FileInput) -> Sequence[FieldProblem]:  # noqa: ARG002 - as for most forms
        """Return what the file lacks beside that which its design demands."""
        return ()

    def render_file(self, content: FileInput) -> FormFile:
        types = tuple(self.outcome(content.boxes, content.period).types)
        return official_file.rendered(self.code, content, types, self.file_problems(content))

    def read_file(self, content: bytes) -> ReadFile:
        stated = official_file.read(self.code, content)
        official = self.boxes(stated.period)
        return replace(stated, boxes={key: amount for key, amount in stated.boxes.items() if key in official})


def profile_in(profile: TaxProfile, period: TaxPeriod) -> SpanishTaxProfile:
    """Return the Spanish profile as it stands on the last day of a period."""
    return spanish(profile).on(period.span.last)


def files_by(profile: SpanishTaxProfile, period: TaxPeriod) -> bool:
    """Return True when the period is as long as those of the account: months for who files the 303 monthly."""
    return period.code in (MONTHS if profile.files_monthly else QUARTERS)
