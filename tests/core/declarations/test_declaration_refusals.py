"""Requests about declarations that are refused, each with the field and what to do instead."""

import pytest

from support.declarations import PATH, QUARTER

GENERATE = [
    ({"year": 1999}, "year", "2000"),
    ({"year": 2101}, "year", "2100"),
    ({"year": "many"}, "year", "number"),
    ({"year": 2010}, "year", "VT1"),
    ({"period": "Q5"}, "period", "Q1, Q2, Q3, Q4"),
    ({"period": "M01"}, "period", "Q1, Q2, Q3, Q4"),
    ({"period": "Y"}, "period", "Q1, Q2, Q3, Q4"),
    ({"period": 3}, "period", "text"),
    ({"country": "XX"}, "country", "VT"),
    ({"country": "Spain"}, "country", "two letters"),
    ({"form": "999"}, "form", "VT1, VT2"),
    ({"amends": {"reason": "R"}}, "amends.receiptNumber", "required"),
]


@pytest.mark.parametrize(("fields", "field", "words"), GENERATE, ids=str)
async def test_what_cannot_be_generated_is_refused_with_its_field(declarant, fields, field, words):
    problem = await declarant.refused(400, "POST", f"{PATH}/generate", QUARTER | fields)

    [error] = problem["errors"]
    assert error["field"] == field
    assert words in f"{error['message']} {error['remedy']}"


CHANGES = [
    ({"manualOverrides": {"99": 1}}, "manualOverrides.99", "VT1 2026 Q3"),
    ({"manualOverrides": {"10": "many"}}, "manualOverrides.10", "number"),
    ({"manualOverrides": {"10": True}}, "manualOverrides.10", "number"),
    ({"manualOverrides": {"10": None}}, "manualOverrides.10", "number"),
    ({"manualOverrides": {"10": 1.005}}, "manualOverrides.10", "2 decimals"),
    ({"manualOverrides": {"10": 1e15}}, "manualOverrides.10", "between"),
    ({"manualOverrides": {"25": -1}}, "manualOverrides.25", "zero"),
    ({"manualOverrides": [1]}, "manualOverrides", "object"),
    ({"notes": "x" * 5001}, "notes", "5000"),
    ({"iban": "ES00 1234"}, "iban", "IBAN"),
    ({"declarationType": "Z"}, "declarationType", "N"),
    ({"amends": {"receiptNumber": ""}}, "amends.receiptNumber", "empty"),
]


@pytest.mark.parametrize(("fields", "field", "words"), CHANGES, ids=lambda one: str(one)[:40])
async def test_what_cannot_be_changed_is_refused_with_its_field(declarant, fields, field, words):
    made = await declarant.generated()

    problem = await declarant.refused(400, "PATCH", f"{PATH}/{made['id']}", fields)

    [error] = problem["errors"]
    assert error["field"] == field
    assert words in f"{error['message']} {error['remedy']}"
    assert (await declarant.read(made))["manualOverrides"] == {}


async def test_a_count_takes_no_decimals(declarant):
    made = await declarant.generated(form="VT2", period="Y")

    problem = await declarant.refused(400, "PATCH", f"{PATH}/{made['id']}", {"manualOverrides": {"01": 1.5}})

    assert problem["errors"][0]["field"] == "manualOverrides.01"


async def test_every_wrong_box_is_named(declarant):
    made = await declarant.generated()

    problem = await declarant.refused(400, "PATCH", f"{PATH}/{made['id']}", {"manualOverrides": {"98": 1, "99": 1}})

    assert [one["field"] for one in problem["errors"]] == ["manualOverrides.98", "manualOverrides.99"]


async def test_boxes_that_are_typed_in_are_those_of_the_form(declarant):
    problem = await declarant.refused(400, "POST", f"{PATH}/previous", QUARTER | {"boxes": {"71": 1}})

    assert problem["errors"][0]["field"] == "boxes.71"


@pytest.mark.parametrize(
    ("method", "rest"),
    [
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("PATCH", "/submit"),
        ("GET", "/evidence?box=10"),
        ("GET", "/file"),
        ("GET", "/pdf"),
    ],
)
async def test_a_foreign_declaration_is_a_missing_one(declarant, berta, method, rest):
    made = await declarant.generated()

    await berta.refused(404, method, f"{PATH}/{made['id']}{rest}", {} if method == "PATCH" and not rest else None)

    assert (await berta.get(PATH))["declarations"] == []


async def test_a_form_that_is_not_installed_any_more_is_still_read(declarant, kernel, countries):
    made = await declarant.generated()
    app = declarant.client._transport.app
    without = type(countries)({code: one for code, one in countries.countries.items() if code != "VT"})
    app.state.kernel = type(kernel)(**{**vars(kernel), "countries": without})

    read = await declarant.read(made)
    problem = await declarant.refused(400, "PATCH", f"{PATH}/{made['id']}", {"notes": "x"})
    listed = await declarant.get(PATH)

    assert (read["boxes"], read["boxNames"]) == (made["boxes"], {})
    assert "not installed any more" in problem["detail"]
    assert len(listed["declarations"]) == 1
