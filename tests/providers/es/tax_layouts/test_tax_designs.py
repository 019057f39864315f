"""Our descriptions of the official designs are whole, and agree with the reference field by field."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from ledgerkit.providers.api.tax_forms import TaxPeriod
from ledgerkit.providers.es.tax_forms.layouts import Design, Field, Segment, UnknownDesignError, all_designs, design_for
from ledgerkit.providers.es.tax_forms.layouts.design import Content, FieldType
from ledgerkit.providers.es.tax_forms.layouts.designs import LINE_BREAK, envelope_end, envelope_start
from ledgerkit.providers.es.tax_forms.layouts.encoding import encode
from ledgerkit.providers.es.tax_forms.layouts.notation import parsed_fields

REFERENCE = Path("spain") / "tax-layouts"

FILES = {
    ("111", "2016"): "111_2016",
    ("115", "2015"): "115_2015",
    ("130", "2015"): "130_2015",
    ("180", "2014"): "180_2014",
    ("190", "2025"): "190_2025",
    ("303", "2023"): "303_2023-01_2024-08",
    ("303", "2024-09"): "303_2024-09_2025-12",
    ("303", "2026"): "303_2026",
    ("347", "2014"): "347_2016",
    ("349", "2020"): "349_2020",
    ("390", "2024"): "390_2024",
    ("390", "2025"): "390_2025",
}
"""File of the reference for each design."""

NEVER_NEGATIVE = {("303", box) for box in ("70", "109")} | {("303 2026", box) for box in ("111", "112")}
"""Boxes that the reference signs and that are written without a sign.

AEAT, designs DR303e23 1.09 and DR303e26 1.01, page 03000: type Num.
"""

LONGER_CODES = {("303", "2026", "05000"): {"500", "505", "510", "515", "520"}}
"""Codes of activities with a figure more than in the reference, which has the page of the years before.

AEAT, design DR303e26 1.01, page 05000: four figures (CNAE-2025), 1,528 characters in all.
"""

OTHER_NAMES = {
    # Second time on that page, for those who are taxed in several territories.
    ("390", "06000", 123): "658",
    ("390", "06000", 140): "84",
    ("390", "06000", 174): "659",
    # Page 06000 has boxes with the numbers of the third pro rata.
    ("390", "07000", 409): "125",
    ("390", "07000", 426): "126",
    ("390", "07000", 443): "127",
    ("390", "07000", 444): "128",
    # Once for each activity.
    ("390", "05000", 13): "66",
    ("390", "05000", 333): "66",
}
"""Boxes of the reference that have a name instead, because their number is not theirs alone."""

SUMMARY_BOXES = {
    "347": {136: "01", 145: "02", 161: "03", 170: "04"},
    "349": {138: "01", 147: "02", 162: "03", 171: "04"},
    "190": {136: "01", 145: "02", 161: "03"},
}
"""Numbers that the forms' summaries print on the totals of the declarant; the reference has them in words or not."""

OPEN_CONSTANTS = {
    ("347", "declarant", 58): "T",
    ("190", "declarant", 58): "T",
    ("190", "declarant", 2): "190",
    ("347", "declared", 76): "D",
    ("347", "property", 76): "I",
}
"""Characters that the reference leaves open: sent by telecommunication, form, and kinds of sheets of model 347."""

SUBSTITUTE = [(179, 17, "An", 0, "", ""), (196, 40, "An", 0, "", ""), (236, 265, "An", 0, "", "")]
DIVIDED = {
    # AEAT, designs of records: complementary at 121, substitute at 122.
    ("347", "declarant", 121): [(121, 1, "A", 0, "", ""), (122, 1, "A", 0, "", "")],
    ("349", "declarant", 121): [(121, 1, "A", 0, "", ""), (122, 1, "A", 0, "", "")],
    # AEAT, annex of model 349: VAT number and name of the new customer at 179 and 196 (key C, call-off stock).
    ("349", "operator", 147): [(147, 32, "An", 0, "", ""), *SUBSTITUTE],
    ("349", "rectification", 179): SUBSTITUTE,
}
"""Fields that the reference has as one."""

designs = pytest.mark.parametrize("design", all_designs(), ids=lambda design: f"{design.form}-{design.code}")


def segments(design: Design) -> tuple[Segment, ...]:
    return (*design.pages, *design.records)


@designs
def test_fields_follow_each_other_without_gap_or_overlap(design):
    for segment in segments(design):
        assert segment.fields[0].position == 1
        for field, following in pairwise(segment.fields):
            assert following.position == field.position + field.length


@designs
def test_records_have_five_hundred_characters(design):
    assert {record.length for record in design.records} <= {500}


@designs
def test_flags_and_constants_fill_their_fields(design):
    for segment in segments(design):
        for field in segment.fields:
            assert field.content is not Content.FLAG or field.length == len(field.yes) == len(field.no) == 1
            assert field.content is not Content.CONSTANT or len(field.constant) == field.length


@designs
def test_a_name_stands_for_one_field(design):
    head = [name for segment in design.head for name in segment.named]

    assert sorted(head) == sorted(set(head))
    for segment in segments(design):
        named = [field.name for field in segment.fields if field.name]
        assert sorted(named) == sorted(set(named))


@designs
def test_rules_and_usual_values_name_fields_of_the_design(design):
    head = {name for segment in design.head for name in segment.named}
    lines = {segment.name: set(segment.named) for segment in design.records[1:]}

    assert {name for one in design.usual for name in one.values} <= head
    assert {name for page in design.pages for name in page.condition.fields} <= head
    for one in design.requirements:
        known = head if one.record is None else lines[one.record]
        assert {*one.fields, *one.condition.fields} <= known


@designs
def test_every_form_asks_who_declares(design):
    mandatory = {field.name for segment in design.head for field in segment.fields if field.mandatory}

    assert mandatory & {"surname_name", "surnames"}
    assert mandatory >= {"tax_id", "year"}


@designs
def test_a_design_names_its_source(design):
    assert design.source.startswith("AEAT, ")


def test_designs_of_a_form_follow_each_other():
    for earlier, later in pairwise(all_designs()):
        assert earlier.since <= earlier.until
        assert earlier.form != later.form or later.since == earlier.until + timedelta(days=1)


@pytest.mark.parametrize(
    ("form", "year", "code", "expected"),
    [
        # Reference, table of section 7: "monthly 2024-09 to 2025-12, quarters 3T-2024 to 4T-2025".
        ("303", 2023, "Q1", "2023"),
        ("303", 2024, "Q2", "2023"),
        ("303", 2024, "M08", "2023"),
        ("303", 2024, "Q3", "2024-09"),
        ("303", 2024, "M09", "2024-09"),
        ("303", 2025, "Q4", "2024-09"),
        ("303", 2026, "M01", "2026"),
        ("303", 2026, "Q1", "2026"),
        ("390", 2024, "Y", "2024"),
        ("390", 2025, "Y", "2025"),
        ("130", 2026, "Q4", "2015"),
        ("111", 2026, "M12", "2016"),
        ("115", 2026, "Q4", "2015"),
        ("180", 2025, "Y", "2014"),
        ("190", 2025, "Y", "2025"),
        ("347", 2025, "Y", "2014"),
        ("349", 2026, "Q2", "2020"),
    ],
)
def test_the_last_day_of_the_period_decides(form, year, code, expected):
    assert design_for(form, TaxPeriod(year, code)).code == expected


@pytest.mark.parametrize(
    ("form", "year"), [("303", 2022), ("390", 2023), ("390", 2026), ("190", 2024), ("190", 2026), ("999", 2025)]
)
def test_a_period_without_a_known_design_is_refused(form, year):
    with pytest.raises(UnknownDesignError):
        design_for(form, TaxPeriod(year, "Y"))


@pytest.mark.parametrize(
    "description",
    [
        "1 An2 -\n4 An1 -",
        "1 An2 -\n2 An1 -",
        "1 Bn2 -",
        "1 An2,Num3 tax_id",
        "1 An2 Tax-Id",
    ],
    ids=["gap", "overlap", "type", "unfinished turn", "content"],
)
def test_a_wrong_description_is_refused(description):
    with pytest.raises(ValueError, match=r"."):
        parsed_fields(description)


# --- Agreement with the reference ------------------------------------------------------------------------------------

Fact = dict[str, str | int | None]
Described = tuple[int, int, str, int, str, str]
"""Position, length, type, decimals, box and constant."""


def reference(design: Design, shared: Path) -> dict[str, list[Fact]]:
    """Fields of the reference by the name of our page or record."""
    records = json.loads((shared / REFERENCE / f"{FILES[design.form, design.code]}.json").read_text("utf-8"))["records"]
    return {_segment_name(record["record"], record["fields"]): record["fields"] for record in records}


def _segment_name(name: str, fields: list[Fact]) -> str:
    if name.startswith("type"):
        return name.partition("_")[2]
    opening = "".join(str(field["const"]) for field in fields if field["pos"] <= 11)
    return name if name == "envelope" else opening[5:10]


def described(design: Design, segment: Segment) -> list[Described]:
    """Our fields; constants that follow each other are one."""
    return _joined(_ours(design, segment, field) for field in segment.fields)


def _ours(design: Design, segment: Segment, field: Field) -> Described:
    box = "" if (design.form, segment.name, field.position) in OTHER_NAMES or not field.name.isdigit() else field.name
    kind = "" if field.constant else field.type.value
    return field.position, field.length, kind, field.decimals, box, field.constant


def expected(design: Design, name: str, facts: list[Fact]) -> list[Described]:
    """Fields of the reference with the differences that are listed above, each for its reason."""
    return _joined(_lengthened(_theirs(design, name, facts), LONGER_CODES.get((design.form, design.code, name), set())))


def _lengthened(fields: Iterator[Described], boxes: set[str]) -> Iterator[Described]:
    shift = 0
    for position, length, kind, decimals, box, constant in fields:
        longer = box in boxes
        yield position + shift, length + longer, kind, decimals, box, constant
        shift += longer


def _theirs(design: Design, name: str, facts: list[Fact]) -> Iterator[Described]:
    sign_of: Fact | None = None
    for fact in facts:
        position, length = int(fact["pos"]), int(fact["len"])
        if position == 501 or (length == 2 and position == 347 and name == "envelope"):
            continue  # the line break
        if re.search(r"\(signo\)|^Sign of", str(fact["desc"])):
            sign_of = fact  # a sign of its own: we describe it and its number as one field of type N
        elif sign_of is not None:
            yield int(sign_of["pos"]), length + 1, "N", int(fact["decimals"]), _box(design, name, fact), ""
            sign_of = None
        elif (design.form, name, position) in DIVIDED:
            yield from DIVIDED[design.form, name, position]
        else:
            constant = _constant(design, name, fact)
            kind = "" if constant else _type(design, name, fact)
            yield position, length, kind, int(fact["decimals"] or 0), _box(design, name, fact), constant


def _type(design: Design, name: str, fact: Fact) -> str:
    if {(design.form, fact["box"]), (f"{design.form} {design.code}", fact["box"])} & NEVER_NEGATIVE:
        return "Num"
    if (design.form, name, fact["pos"]) == ("190", "declarant", 161):
        return "Num"  # AEAT, design of model 190: withholdings have no sign but 15 digits
    return str(fact["type"])


def _box(design: Design, name: str, fact: Fact) -> str:
    if (design.form, name, fact["pos"]) in OTHER_NAMES:
        assert fact["box"] == OTHER_NAMES[design.form, name, fact["pos"]]
        return ""
    summary = SUMMARY_BOXES.get(design.form, {}) if name == "declarant" else {}
    return summary.get(fact["pos"], str(fact["box"] or ""))


def _constant(design: Design, name: str, fact: Fact) -> str:
    if fact["const"]:
        return "" if fact["box"] else str(fact["const"])
    return OPEN_CONSTANTS.get((design.form, name, fact["pos"]), "")


def _joined(fields: Iterator[Described]) -> list[Described]:
    joined: list[Described] = []
    for field in fields:
        if joined and field[5] and joined[-1][5]:
            position, length, *_, constant = joined.pop()
            joined.append((position, length + field[1], "", 0, "", constant + field[5]))
        else:
            joined.append(field)
    return joined


@designs
def test_pages_and_records_are_those_of_the_reference_in_its_order(design, shared):
    names = [name for name in reference(design, shared) if name != "envelope"]

    assert names == [segment.name for segment in segments(design)]


@designs
def test_every_field_agrees_with_the_reference(design, shared):
    facts = reference(design, shared)

    for segment in segments(design):
        assert described(design, segment) == expected(design, segment.name, facts[segment.name])


@designs
def test_rates_that_the_reference_prints_are_the_usual_ones(design, shared):
    periods = [TaxPeriod(year, code) for year in range(2015, 2027) for code in ("Q1", "Q2", "Q3", "Q4")]
    printed = {
        str(fact["box"]): str(fact["const"])
        for facts in reference(design, shared).values()
        for fact in facts
        if fact["box"] and fact["const"]
    }
    fields = {name: field for segment in design.head for name, field in segment.named.items()}

    for period in periods:
        if printed and design.since <= period.span.last <= design.until:
            usual = {name: value for one in design.usual if one.applies(period) for name, value in one.values.items()}
            assert {box: encode(fields[box], usual[box], design.style, box) for box in printed} == printed


@designs
def test_the_envelope_agrees_with_the_reference(design, shared):
    facts = reference(design, shared).get("envelope")
    if facts is None:
        assert design.records
        return

    start, end = described(design, envelope_start(design.form)), described(design, envelope_end(design.form))
    opening = _joined(field for field in expected(design, "envelope", facts) if field[0] < 329)
    closing = [fact for fact in facts if fact["pos"] >= 329]

    assert start == opening
    assert end == [(1, 7, "", 0, "", f"</T{design.form}0"), (8, 4, "An", 0, "", ""), (12, 2, "An", 0, "", ""),
                   (14, 5, "", 0, "", "0000>")]  # fmt: skip
    assert sum(field[1] for field in end) == closing[0]["len"]
    assert (len(LINE_BREAK) if design.final_break else 0) == sum(int(fact["len"]) for fact in closing[1:])


def test_every_design_is_compared():
    assert {(design.form, design.code) for design in all_designs()} == set(FILES)


def test_numbers_of_three_types_have_their_decimals():
    fields = {name: field for segment in design_for("303", TaxPeriod(2026, "Q1")).pages
              for name, field in segment.named.items()}  # fmt: skip

    assert (fields["07"].type, fields["07"].length, fields["07"].decimals) == (FieldType.NUM, 17, 2)
    assert (fields["14"].type, fields["14"].length, fields["14"].decimals) == (FieldType.N, 17, 2)
    assert (fields["08"].type, fields["08"].length, fields["08"].decimals) == (FieldType.NUM, 5, 2)
