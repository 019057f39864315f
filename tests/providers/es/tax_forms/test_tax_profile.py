"""Tax profile of a Spanish account: defaults, refusals, changes of the census."""

from datetime import date
from decimal import Decimal

import pytest
from pydantic import ValidationError

from ledgerkit.providers.es.tax_forms.profile import Activity, CensusChange, EstimationMode, SpanishTaxProfile


def profile(**given):
    return SpanishTaxProfile.model_validate(given)


def test_every_field_has_a_default_and_a_description():
    assert SpanishTaxProfile() == profile()
    for model in (SpanishTaxProfile, Activity, CensusChange):
        assert all(field.description for field in model.model_fields.values())


def test_it_is_written_and_read_as_json():
    whole = profile(
        lastYearNetIncome=8500.5,
        activities=[{"kind": "A05", "iae": "763", "since": "2025-02-01"}],
        censusChanges=[{"since": "2026-01-01", "prorrata": "general", "provisionalPercent": 60}],
    )

    assert SpanishTaxProfile.model_validate(whole.model_dump(mode="json", by_alias=True)) == whole
    assert whole.last_year_net_income == Decimal("8500.50")


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"person": "company", "estimation": "modules"}, "company_modules"),
        ({"person": "company", "homeLoan": True}, "company_home_loan"),
        ({"provisionalPercent": 50}, "percent_without_prorrata"),
        ({"prorrata": "special", "provisionalPercent": 50}, "percent_without_prorrata"),
        ({"prorrata": "general", "provisionalPercent": 101}, "less_than_equal"),
        ({"lastYearNetIncome": "8500"}, "number_type"),
        ({"censusChanges": [{"since": "2026-01-01"}]}, "change_empty"),
        (
            {
                "censusChanges": [
                    {"since": "2026-01-01", "cashAccounting": True},
                    {"since": "2026-01-01", "monthlyRefunds": True},
                ]
            },
            "change_repeated",
        ),
        ({"person": "company", "censusChanges": [{"since": "2026-01-01", "estimation": "modules"}]}, "company_modules"),
        ({"activities": [{"since": "2026-02-01", "until": "2026-01-31"}]}, "ends_before_start"),
        ({"activities": [{"iae": "76.3"}]}, "string_pattern_mismatch"),
        ({"activities": [{"kind": "Z"}]}, "enum"),
        ({"unheardOf": 1}, "extra_forbidden"),
    ],
)
def test_what_makes_no_sense_is_refused(given, kind):
    with pytest.raises(ValidationError) as refused:
        profile(**given)

    assert [error["type"] for error in refused.value.errors()] == [kind]


def test_changes_hold_from_their_day_on_whatever_their_order():
    changing = profile(
        prorrata="general",
        provisionalPercent=60,
        lastYearNetIncome=8000,
        censusChanges=[
            {"since": "2027-01-01", "prorrata": "none", "lastYearNetIncome": None, "monthlyRefunds": False},
            {"since": "2026-07-01", "monthlyRefunds": True},
        ],
    )

    before, between, after = (changing.on(day) for day in (date(2026, 6, 30), date(2026, 7, 1), date(2027, 1, 1)))
    assert (before.files_monthly, between.files_monthly, after.files_monthly) == (False, True, False)
    assert (between.provisional_percent, after.provisional_percent) == (60, None)
    assert (between.last_year_net_income, after.last_year_net_income) == (8000, None)
    assert after.census_changes == ()


def test_a_change_says_what_is_not_known_and_nothing_of_what_it_leaves_out():
    stated = {"since": "2026-07-01", "lastYearNetIncome": None}
    changing = profile(lastYearNetIncome=8000, censusChanges=[stated])

    assert changing.on(date(2026, 7, 1)).last_year_net_income is None
    assert changing.model_dump(mode="json", by_alias=True)["censusChanges"] == [stated]


def test_a_later_change_without_a_value_leaves_that_of_an_earlier_one():
    changes = [
        {"since": "2026-04-01", "estimation": "normal"},
        {"since": "2026-07-01", "estimation": None, "filing": "monthly"},
    ]

    assert profile(censusChanges=changes).on(date(2026, 7, 1)).estimation is EstimationMode.NORMAL


def test_who_files_form_390():
    """RD 1624/1992, art. 71: not who is exempt, files monthly, or sells only under the equivalence surcharge."""
    assert profile().files_390
    for given in ({"exemptFrom390": True}, {"filing": "monthly"}, {"monthlyRefunds": True}, {"surchargeRegime": True}):
        assert not profile(**given).files_390


def test_the_start_is_known_where_every_activity_states_it():
    assert profile().started is None
    assert profile(activities=[{"since": "2026-02-01"}, {"since": "2025-03-01"}]).started == date(2025, 3, 1)
    assert profile(activities=[{"since": "2026-02-01"}, {}]).started is None
