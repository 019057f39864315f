"""Signs in the books that forms 111, 115, 180, 190 and 349 are due."""

from datetime import date

import pytest

from ledgerkit.providers.api import BooksOutline, RetentionKind, TaxPeriod, WithheldPurchases
from ledgerkit.providers.es.tax_forms.income.form_111 import Form111
from ledgerkit.providers.es.tax_forms.income.form_115 import Form115
from ledgerkit.providers.es.tax_forms.lists.form_180 import Form180
from ledgerkit.providers.es.tax_forms.lists.form_190 import Form190
from ledgerkit.providers.es.tax_forms.lists.form_347 import Form347
from ledgerkit.providers.es.tax_forms.lists.form_349 import Form349

TODAY = date(2026, 2, 10)
MAY_2025 = date(2025, 5, 1)
WORK, RENT = (Form111(), Form190()), (Form115(), Form180())


def withheld(kind, category="other", month=MAY_2025):
    return BooksOutline(today=TODAY, withheld=frozenset({WithheldPurchases(month=month, kind=kind, category=category)}))


def is_indicated(form, outline, year=2025, code="Q3"):
    return form.is_indicated(TaxPeriod(year, "Y" if form.code in {"180", "190"} else code), outline)


RETENTIONS = [
    # kind, category, in 111 and 190, in 115 and 180
    (RetentionKind.EMPLOYMENT, "other", True, False),
    (RetentionKind.EMPLOYMENT_IN_KIND, "other", True, False),
    (RetentionKind.PROFESSIONAL, "other", True, False),
    (RetentionKind.RENT, "other", False, True),
    (RetentionKind.OTHER, "other", False, False),
    (None, "rent", False, True),
    (None, "professional", True, False),
    (None, "other", True, True),
]


@pytest.mark.parametrize(("kind", "category", "of_work", "of_rent"), RETENTIONS)
def test_a_retention_indicates_the_forms_of_its_kind(kind, category, of_work, of_rent):
    outline = withheld(kind, category)

    assert [is_indicated(form, outline) for form in (*WORK, *RENT)] == [of_work, of_work, of_rent, of_rent]


@pytest.mark.parametrize(
    ("year", "code", "expected"),
    [(2024, "Q4", False), (2025, "Q1", False), (2025, "Q2", True), (2026, "Q4", True), (2027, "Q1", True)],
)
def test_it_does_so_from_its_quarter_until_the_year_after(year, code, expected):
    assert is_indicated(Form111(), withheld(RetentionKind.PROFESSIONAL), year, code) == expected


def test_a_declaration_indicates_its_yearly_summary_and_the_reverse():
    of_work, of_rent = (BooksOutline(today=TODAY, declared=frozenset({form})) for form in ("111", "180"))

    assert [is_indicated(form, of_work) for form in (*WORK, *RENT)] == [True, True, False, False]
    assert [is_indicated(form, of_rent) for form in (*WORK, *RENT)] == [False, False, True, True]


SALES = [("FR", True), ("GR", True), ("GB", True), ("US", False), ("CH", False)]


@pytest.mark.parametrize(("country", "expected"), SALES)
def test_sales_to_the_eu_indicate_form_349(country, expected):
    outline = BooksOutline(today=TODAY, sold_abroad=frozenset({(MAY_2025, country)}))

    assert is_indicated(Form349(), outline, code="Q2") == expected


@pytest.mark.parametrize(
    ("year", "code", "expected"),
    [(2025, "Q2", True), (2025, "Q3", False), (2025, "M05", True), (2025, "M06", False), (2026, "Q1", True)],
)
def test_an_ended_period_needs_an_operation_of_its_own(year, code, expected):
    outline = BooksOutline(today=TODAY, acquired_in_eu=frozenset({MAY_2025}))

    assert is_indicated(Form349(), outline, year, code) == expected


def test_form_347_keeps_its_condition():
    assert Form347().is_indicated(TaxPeriod(2025, "Y"), BooksOutline(today=TODAY))
