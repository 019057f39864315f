"""The machine-readable description is whole, valid and served without a login and without other sites."""

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ledgerkit.problems import Code
from support.description import described, operations

OPEN = {"POST /auth/register", "POST /auth/login", "GET /health", "GET /ready"}
EMITTING = {"POST /api/einvoice/emit", "POST /api/einvoice"}
PARAMETERS = re.compile(r"{(\w+)}")


def references(value: Any) -> list[str]:
    """Every $ref inside a value."""
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for one in value.values() for found in references(one)]
    if isinstance(value, list):
        return [found for one in value for found in references(one)]
    return []


def test_it_is_openapi_3_1_of_version_1_0_0():
    found = described()

    assert found["openapi"].startswith("3.1.")
    assert found["info"]["version"] == "1.0.0"
    assert found["info"]["title"] == "ledgerkit"
    assert found["info"]["license"]["identifier"] == "Apache-2.0"


def test_every_operation_says_what_it_is():
    for row, operation in operations().items():
        for name in ("operationId", "summary", "description", "tags", "responses"):
            assert operation.get(name), (row, name)


def test_operation_ids_are_unique_words():
    ids = [operation["operationId"] for operation in operations().values()]

    assert len(ids) == len(set(ids))
    assert [one for one in ids if not re.fullmatch("[a-z][A-Za-z]+", one)] == []


def test_every_answer_has_a_description_and_a_schema():
    for row, operation in operations().items():
        for status, answer in operation["responses"].items():
            assert answer["description"], (row, status)
            assert answer["content"], (row, status)
            for media, content in answer["content"].items():
                assert content["schema"], (row, status, media)
                assert (media == "application/problem+json") == (int(status) >= 400), (row, status)


def test_422_belongs_to_the_fiscal_authority():
    assert {row for row, operation in operations().items() if "422" in operation["responses"]} == EMITTING
    assert "HTTPValidationError" not in described()["components"]["schemas"]


def test_both_credentials_are_described():
    schemes = described()["components"]["securitySchemes"].values()

    assert {(one["type"], one.get("scheme") or one.get("name")) for one in schemes} == {
        ("http", "bearer"),
        ("apiKey", "x-api-key"),
    }


def test_every_other_operation_needs_either_credential():
    names = set(described()["components"]["securitySchemes"])

    for row, operation in operations().items():
        assert (row in OPEN) == (not operation.get("security")), row
        if row not in OPEN:
            assert {name for one in operation["security"] for name in one} == names
            assert all(len(one) == 1 for one in operation["security"]), row


def test_every_reference_leads_somewhere():
    known = {f"#/components/schemas/{name}" for name in described()["components"]["schemas"]}

    assert set(references(described())) <= known


def test_every_schema_is_a_json_schema():
    for schema in described()["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_path_parameter_is_described_and_required():
    for row, operation in operations().items():
        inside = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "path" and p["required"]}
        assert inside == set(PARAMETERS.findall(row)), row


def test_problems_name_every_code():
    problem = described()["components"]["schemas"]["Problem"]

    assert set(described()["components"]["schemas"]["Code"]["enum"]) == {code.value for code in Code}
    assert {"type", "title", "status", "detail", "code", "error", "errors", "remedy", "requestId"} <= set(
        problem["properties"]
    )


@pytest.mark.parametrize("path", ["/health", "/ready", "/openapi.json", "/docs", "/docs/assets/swagger-ui.css"])
async def test_watching_and_reading_need_no_login(client, path):
    assert (await client.get(path)).status_code == 200


async def test_the_served_description_is_this_one(client):
    assert (await client.get("/openapi.json")).json() == described()


async def test_the_documentation_fetches_nothing_from_elsewhere(client):
    page = (await client.get("/docs")).text

    assets = re.findall(r"""(?:src|href|url)\s*[=:]\s*["']([^"']+)""", page)
    assert assets
    assert [one for one in assets if not one.startswith("/")] == []
    assert "//cdn" not in page
    for asset in assets:
        assert (await client.get(asset)).status_code == 200, asset
