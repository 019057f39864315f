"""The interface's rows against the description the application gives of itself."""

from typing import Any

from support.description import described, operations
from support.interface import Row, additions, built, not_built, rows
from support.scenes import ALL

LOGGING_IN = {"POST /auth/login", "POST /auth/session"}
"""Operations whose 401 speaks of the password that they are sent."""

ADDITIONS = {"POST /api/einvoice", "GET /health", "GET /ready", *(row.name for row in additions())}
"""Operations beyond the interface's rows: the deprecated alias that it mentions, the probes, and our additions."""


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with its reference followed, and `null` taken out of its alternatives."""
    while True:
        if "$ref" in schema:
            schema = described()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            others = [one for one in schema["anyOf"] if one.get("type") != "null"]
            schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **others[0]}
        else:
            return schema


def test_there_are_112_rows():
    assert len(rows()) == len({row.name for row in rows()}) == 112


def test_the_rows_are_those_of_the_contract(contract):
    ours = {row.name: (row.auth, row.statuses, row.roles) for row in rows()}

    theirs = {
        one["id"]: (one["auth"], (*one["success"], *one["errors"]), tuple(one.get("roles", ())))
        for one in contract["operations"]
    }

    assert theirs == ours


def test_rows_that_are_not_built_are_not_described():
    assert not_built() & operations().keys() == set()


def test_rows_that_are_built_are_described():
    assert {row.name for row in built()} - operations().keys() == set()


def test_every_row_is_built():
    assert not_built() == set()


def test_nothing_else_is_described():
    assert operations().keys() - {row.name for row in rows()} == ADDITIONS


def test_every_built_row_has_a_request_in_these_tests():
    assert {row.name for row in built()} == ALL.keys()


def test_every_built_row_describes_its_statuses_and_its_login():
    undescribed = {row.name: set(row.statuses) - described_statuses(row) for row in built()}

    assert {row: statuses for row, statuses in undescribed.items() if statuses} == {}
    assert [row.name for row in built() if row.auth != bool(operations()[row.name].get("security"))] == []
    assert [
        row.name for row in built() if row.auth != (401 in described_statuses(row) and row.name not in LOGGING_IN)
    ] == []


def described_statuses(row: Row) -> set[int]:
    return {int(status) for status in operations()[row.name]["responses"]}


ELSE_COUNTED = {("PATCH /api/catalog/{id}/variant-stock", "adjustment")}
"""Fields that a counted `stock` may stand for: whoever sends what the contract requires is answered as it says."""


def test_request_bodies_have_the_fields_of_the_contract(contract):
    for one in contract["operations"]:
        if one["id"] in not_built() or "body" not in one:
            continue
        operation = operations()[one["id"]]
        schema = resolved(operation["requestBody"]["content"]["application/json"]["schema"])

        assert one["body_required"] == bool(operation["requestBody"].get("required")), one["id"]
        for name, field in one["body"].items():
            ours = resolved(schema["properties"][name])
            is_required = name in schema.get("required", ())
            assert field["required"] == is_required or (one["id"], name) in ELSE_COUNTED, (one["id"], name)
            for key in ("type", "format", "minLength", "maxLength", "enum", "minimum", "maximum"):
                assert key not in field or field[key] == ours.get(key), (one["id"], name, key)


def test_parts_of_an_invoice_have_the_fields_of_the_contract(contract):
    wanted = next(one["body"] for one in contract["operations"] if one["id"] == "POST /api/invoices")
    schema = resolved(operations()["POST /api/invoices"]["requestBody"]["content"]["application/json"]["schema"])

    client = resolved(schema["properties"]["client"])
    item = resolved(resolved(schema["properties"]["items"])["items"])

    for fields, ours in ((wanted["client"]["fields"], client), (wanted["items"]["itemFields"], item)):
        assert {name: one["type"] for name, one in fields.items()} == {
            name: resolved(ours["properties"][name])["type"] for name in fields
        }


def test_queries_have_the_parameters_of_the_contract(contract):
    for one in contract["operations"]:
        if one["id"] in not_built():
            continue
        ours = {p["name"]: p for p in operations()[one["id"]].get("parameters", ()) if p["in"] == "query"}
        for name, field in one["query"].items():
            schema = resolved(ours[name]["schema"])
            assert field["required"] == ours[name].get("required", False), (one["id"], name)
            for key in ("type", "enum", "minimum", "maximum", "default"):
                assert key not in field or field[key] == schema.get(key), (one["id"], name, key)


def test_path_parameters_have_the_names_of_the_contract(contract):
    for one in contract["operations"]:
        if one["id"] not in not_built():
            ours = [p["name"] for p in operations()[one["id"]].get("parameters", ()) if p["in"] == "path"]
            assert one["path_params"] == ours
