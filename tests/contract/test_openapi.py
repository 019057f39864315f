"""The machine-readable description is whole, valid and served without a login and without other sites."""

import re
from typing import Any, get_args
from uuid import uuid4

import pytest
from jsonschema import Draft202012Validator

from ledgerkit import __version__, money
from ledgerkit.core.platform.request.previews import PREVIEW_MEDIA
from ledgerkit.problems import Code
from support.description import described, operations
from support.interface import OF_LOGINS

DRY_RUN = {"$ref": "#/components/schemas/DryRun"}
OPEN = {
    "POST /auth/register",
    "POST /auth/login",
    "POST /auth/session",
    "GET /auth/session",
    "POST /auth/password/forgot",
    "POST /auth/password/reset",
    "POST /auth/verify",
    "GET /health",
    "GET /ready",
}
STANDING_FOR_OTHERS = {"POST /api/approvals", "POST /api/approvals/{id}/approve"}
"""Rows that answer with the problems of what they propose or do."""

REPORTING = {
    "POST /api/einvoice/emit",
    "POST /api/einvoice",
    "POST /api/einvoice/annul",
    "POST /api/einvoice/credit-note",
}
LONGEST = 200
"""Characters of a field's description."""
PARAMETERS = re.compile(r"{(\w+)}")


def references(value: Any) -> list[str]:
    """Every $ref inside a value."""
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for one in value.values() for found in references(one)]
    if isinstance(value, list):
        return [found for one in value for found in references(one)]
    return []


def test_the_description_is_openapi_3_1_of_version_1_0_0():
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
    rows = {row for row, operation in operations().items() if "422" in operation["responses"]}

    assert rows - STANDING_FOR_OTHERS == REPORTING
    assert "HTTPValidationError" not in described()["components"]["schemas"]


def test_all_credentials_are_described():
    schemes = described()["components"]["securitySchemes"].values()

    assert {(one["type"], one.get("scheme") or one.get("name")) for one in schemes} == {
        ("http", "bearer"),
        ("apiKey", "x-api-key"),
        ("apiKey", "ledgerkit_session"),
    }


def test_every_other_operation_needs_one_of_the_credentials():
    names = set(described()["components"]["securitySchemes"])

    for row, operation in operations().items():
        assert (row in OPEN) == (not operation.get("security")), row
        if row not in OPEN:
            accepted = {"bearer", "session"} if row in OF_LOGINS else names
            assert {name for one in operation["security"] for name in one} == accepted
            assert all(len(one) == 1 for one in operation["security"]), row


def test_every_reference_leads_somewhere():
    components = described()["components"]
    known = {f"#/components/{kind}/{name}" for kind in components for name in components[kind]}

    assert set(references(described())) <= known
    shared = {one for one in known if one.split("/")[2] not in {"schemas", "securitySchemes"}}
    assert shared <= set(references(described()))


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


def bodies() -> list[tuple[str, str, dict[str, Any]]]:
    """Row, place and content of every JSON body that succeeds."""
    found = []
    for row, operation in operations().items():
        places = {"request": operation.get("requestBody", {}), **operation["responses"]}
        for place, one in places.items():
            content = one.get("content", {}).get("application/json")
            if content is not None:
                found.append((row, place, content))
    return found


def test_every_body_has_an_example_that_fits_its_schema():
    wrong = {(row, place): faults_of_example(content) for row, place, content in bodies()}

    assert len(wrong) > 200
    assert {body: faults for body, faults in wrong.items() if faults} == {}


def faults_of_example(content: dict[str, Any]) -> list[str]:
    schema = {**content["schema"], "components": described()["components"]}
    examples = [one["value"] for one in content.get("examples", {}).values()]
    if len(examples) != 1:
        return [f"has {len(examples)} examples"]
    return [error.message for error in Draft202012Validator(schema).iter_errors(examples[0])]


WITH_BODIES = [row for row, place, _ in bodies() if place == "request"]


@pytest.mark.parametrize("row", WITH_BODIES)
async def test_the_example_of_a_request_is_taken_as_valid(ana, row):
    method, path = row.split(" ")
    content = operations()[row]["requestBody"]["content"]["application/json"]

    (example,) = content["examples"].values()

    answer = await ana.request(method, PARAMETERS.sub(str(uuid4()), path), example["value"])

    assert answer.is_success or answer.status_code in {401, 404, 409} or answer.json()["code"] in OF_ITS_RECORDS


OF_ITS_RECORDS = {
    "NOT_READY_FOR_PRODUCTION",
    "EMAIL_TAKEN",
    "NOT_EMITTED",
    "STOCK_NOT_ADJUSTABLE",
    "CERTIFICATE_UNUSABLE",
    "LINK_INVALID",
}
"""Codes of a 400 that speak of what is stored, or of a file that only its owner has, not of the body."""


def test_links_lead_to_operations_with_that_parameter():
    by_id = {operation["operationId"]: row for row, operation in operations().items()}
    seen = 0
    for operation in operations().values():
        for link in operation["responses"].get("201", {}).get("links", {}).values():
            seen += 1
            assert set(link["parameters"]) == set(PARAMETERS.findall(by_id[link["operationId"]]))

    assert seen > 10


def test_what_is_made_links_to_where_it_is_read():
    for row, operation in operations().items():
        made = operation["responses"].get("201")
        reading = f"GET {row.partition(' ')[2]}/{{id}}"
        if made and reading in operations():
            assert operations()[reading]["operationId"] in made["links"]


def test_headers_of_lists_and_records_are_described():
    clients = operations()["GET /api/clients"]["responses"]["200"]["headers"]
    client = operations()["GET /api/clients/{id}"]["responses"]["200"]["headers"]

    assert {"X-Request-Id", "X-Total-Count", "X-Page", "X-Page-Size", "Link"} == set(clients)
    assert {"X-Request-Id", "ETag"} == set(client)


def test_what_may_be_sent_along_is_described():
    found = {row: headers_described(operation) for row, operation in operations().items()}

    assert {row: headers for row, headers in found.items() if headers != headers_wanted(row)} == {}


def headers_described(operation: dict[str, Any]) -> set[str]:
    return {p["name"] for p in operation.get("parameters", ()) if p["in"] == "header"}


def headers_wanted(row: str) -> set[str]:
    method, path = row.split(" ")
    wanted = {"X-Team-Id"} if operations()[row]["security"] else set()
    if method in {"POST", "PATCH"}:
        wanted.add("Idempotency-Key")
    if method in {"PUT", "PATCH", "DELETE"} or (method == "POST" and "{" in path):
        wanted.add("If-Match")
    if row not in {"GET /health", "GET /ready"}:
        wanted.add("Dry-Run")
    return wanted


# ---------------------------------------------------------------- what generated clients get


def test_every_problem_is_a_shared_response():
    for path, item in described()["paths"].items():
        for method, operation in item.items():
            for status, answer in operation["responses"].items():
                shared = answer.get("$ref", "").startswith("#/components/responses/")
                assert shared == (int(status) >= 400), (method, path, status)


def test_a_problem_of_an_operation_names_its_codes():
    answer = operations()["GET /api/teams/my-role"]["responses"]["404"]

    _, own = answer["content"]["application/problem+json"]["schema"]["allOf"]
    assert own["properties"]["code"]["enum"] == ["NO_TEAM"]


def schema_fields() -> list[tuple[str, str, dict[str, Any]]]:
    """Schema, name and schema of every field of the components."""
    schemas = described()["components"]["schemas"]
    return [
        (name, field, one) for name, schema in schemas.items() for field, one in schema.get("properties", {}).items()
    ]


def test_every_field_of_a_component_has_a_sentence():
    """At most 200 characters, and not only those of a number's type, which every amount shares."""
    of_types = {
        one.description for kind in vars(money).values() for one in get_args(kind)[1:] if isinstance(one, money.Number)
    }

    assert [(name, field) for name, field, one in schema_fields() if not one.get("description")] == []
    assert [(name, field) for name, field, one in schema_fields() if one["description"] in of_types] == []
    assert [(name, field) for name, field, one in schema_fields() if len(one["description"]) > LONGEST] == []
    assert len(of_types) > 5


def test_no_field_of_a_component_has_a_default():
    """Generators take such a field for one that is always there, in requests too."""
    assert [(name, field) for name, field, one in schema_fields() if "default" in one] == []


@pytest.mark.parametrize(
    ("schema", "field", "told"),
    [
        ("InvoiceItemInput", "quantity", "`1`"),
        ("InvoiceInput", "docType", '`"invoice"`'),
        ("Registration", "country", '`"ES"`'),
        ("ItemInput", "isActive", "`true`"),
        ("EmitInput", "correct", "`false`"),
    ],
)
def test_what_a_new_record_leaves_out_is_told_in_words(schema, field, told):
    found = described()["components"]["schemas"][schema]

    assert field not in found.get("required", ())
    assert told in found["properties"][field]["description"]


def test_what_a_change_leaves_out_has_no_default():
    change = described()["components"]["schemas"]["ItemChange"]

    assert "required" not in change
    assert "efault" not in change["properties"]["type"].get("description", "")


def test_what_answers_always_hold_is_required():
    schemas = described()["components"]["schemas"]

    assert "ok" in schemas["Deleted"]["required"]
    assert "remedy" not in schemas["FieldErrorBody"]["required"]


def test_titles_do_not_repeat_names():
    assert [(name, field) for name, field, one in schema_fields() if isinstance(one.get("title"), str)] == []
    assert [name for name, one in described()["components"]["schemas"].items() if "title" in one] == []


def test_the_interfaces_version_and_the_packages_are_explained():
    assert f"ledgerkit {__version__}" in described()["info"]["description"]
    assert "version is that of the interface" in described()["info"]["description"]


def test_each_operation_that_can_be_rehearsed_describes_the_answer():
    """Beside its own answers, in a media type that is not theirs: files, empty answers and creations included."""
    undescribed = [
        row
        for row, operation in operations().items()
        if "Dry-Run" in {one["name"] for one in operation.get("parameters", ())}
        and operation["responses"].get("200", {}).get("content", {}).get(PREVIEW_MEDIA, {}).get("schema") != DRY_RUN
    ]
    rehearsed = [row for row, operation in operations().items() if PREVIEW_MEDIA in str(operation["responses"])]

    assert undescribed == []
    assert len(rehearsed) == sum("Dry-Run" in str(operation.get("parameters")) for operation in operations().values())
    assert all(row.partition(" ")[2].startswith(("/api/", "/auth/")) for row in rehearsed)
