"""Every official box of every form: given by hand, it stands in the form's file, and the computed amount stays visible.

The official boxes are those of the agency's designs that hold an amount.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import pytest
from income_books import OWNER, SETTLED, given

from ledgerkit.providers.api import Box, FileInput, TaxForm, TaxPeriod
from ledgerkit.providers.es import country
from ledgerkit.providers.es.tax_forms.profile import Activity, FilingPeriod
from ledgerkit.texts import languages
from support.sampling import sampled


@dataclass(frozen=True)
class Design:
    """Design of a form, a period of it, and its numbered fields that are no boxes to fill in, with the reason."""

    form: str
    file: str
    year: int
    code: str
    constants: str = ""

    @property
    def period(self) -> TaxPeriod:
        return TaxPeriod(self.year, self.code)


RATES = "151 166 02 154 05 08 157 169 17 20 23"
"""Rates of form 303: the file has the official ones."""
ZEROS = "89 90 91 92 107"
"""Percents of the foral territories in form 303: the design says `a cero`."""
TEXTS_303 = "500 503 505 508 510 513 515 518 520 523"
TEXTS_390 = "66 114 117 119 122 124 129 132 134 137"
"""Activities and kinds of prorrata: codes and letters, from the profile."""

DESIGNS = [
    Design("303", "303_2023-01_2024-08", 2023, "Q4", f"{RATES} {ZEROS} {TEXTS_303}"),
    Design("303", "303_2024-09_2025-12", 2025, "Q4", f"{RATES} {ZEROS} {TEXTS_303}"),
    Design("303", "303_2026", 2026, "Q4", f"{RATES} {ZEROS} {TEXTS_303}"),
    Design("390", "390_2024", 2024, "Y", TEXTS_390),
    Design("390", "390_2025", 2025, "Y", TEXTS_390),
    Design("130", "130_2015", 2026, "Q2"),
    Design("111", "111_2016", 2026, "Q2"),
    Design("115", "115_2015", 2026, "Q2"),
    Design("180", "180_2014", 2025, "Y"),
    Design("190", "190_2025", 2025, "Y"),
    Design("347", "347_2016", 2025, "Y"),
    Design("349", "349_2020", 2026, "Q2"),
]
FORMS = {form.code: form for form in country.declarations}
PROFILE = SETTLED.model_copy(
    update={
        "exempt_from_390": True,
        "filing": FilingPeriod.QUARTERLY,
        "activities": (Activity(iae="763", cnae="6201", description="Programación"),),
    }
)
"""Freelancer who fills in the last page of the 303 too."""


def amounts(boxes: Mapping[str, Box]) -> dict[str, Decimal]:
    """Amounts that differ from box to box, and that neither rounding nor a formula makes; a percent has five digits."""
    return {
        key: Decimal(37 + place) if box.decimals == 0 else Decimal(3721 + 7 * place) / 100
        for place, (key, box) in enumerate(boxes.items())
    }


def read_back(form: TaxForm, period: TaxPeriod, boxes: Mapping[str, Decimal]) -> Mapping[str, Decimal]:
    """Return the boxes of the file that these are written to."""
    content = FileInput(
        period=period, owner=OWNER, boxes=boxes, records=[], declaration_type=None, iban=None, profile=PROFILE
    )
    return form.read_file(form.render_file(content).content).boxes


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.file)
def test_every_box_given_by_hand_is_in_the_file_and_what_was_computed_stays_visible(design):
    form, form_input = FORMS[design.form], given(design.code, year=design.year, profile=PROFILE)
    given_by_hand = amounts(form.boxes(design.period))

    computation = form.compute(replace(form_input, overrides=given_by_hand))

    untouched = form.compute(form_input)
    in_file = read_back(form, design.period, computation.effective)
    assert {key: computation.effective[key] for key in given_by_hand} == given_by_hand
    assert {key: in_file.get(key) for key in given_by_hand} == given_by_hand
    assert computation.computed == untouched.computed
    assert [key for key, amount in given_by_hand.items() if computation.computed[key] == amount] == []


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.file)
def test_a_box_that_is_filled_alone_brings_its_page(design):
    """Pages are left out when they are empty."""
    form = FORMS[design.form]
    boxes = form.boxes(design.period)
    alone = dict(sampled(amounts(boxes).items()))

    in_file = {
        key: read_back(form, design.period, {**dict.fromkeys(boxes, Decimal(0)), key: amount}).get(key)
        for key, amount in alone.items()
    }

    assert in_file == alone


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.file)
def test_every_official_box_can_be_given(design, shared):
    with (shared / "spain" / "tax-layouts" / f"{design.file}.csv").open(encoding="utf-8") as table:
        official = {row["box"] for row in csv.DictReader(table) if row["box"].isdigit()}

    boxes = FORMS[design.form].boxes(design.period)

    assert official - set(design.constants.split()) - boxes.keys() == set()


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.file)
def test_names_of_boxes_differ(design):
    boxes = FORMS[design.form].boxes(design.period)

    for language in languages():
        assert len({box.name.in_language(language) for box in boxes.values()}) == len(boxes)
