"""Refusals of pydantic have words of ours, in English and in Spanish, by the names on the wire."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_core._pydantic_core import list_all_errors

import ledgerkit
from ledgerkit.core.platform.api_types.validation import BY_ERROR_TYPE, MAX_ERRORS, refusal_text
from ledgerkit.mcp_server.calls import read
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Invalid
from support.api import invoice_body, item
from support.description import operations
from support.scenes import ALL, address
from support.wrongness import alternatives, body_schema, filled, flat, query_parameters

SOURCES = Path(ledgerkit.__file__).parent
JSON = {"Content-Type": "application/json"}

WRONG: list[Any] = [
    None,
    True,
    "",
    "x",
    "x" * 30_000,
    "a\x00b",
    "\ud800",
    "NaN",
    "2026-02-30",
    "2026-11-21T10:00:00",
    "1999-12-31",
    1.5,
    -1,
    10**18,
    10**400,
    [],
    ["x"] * 2000,
    {},
    {"x": 1},
]


def _regex(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{\w+\\}", ".*", re.escape(template)), re.DOTALL)


PYDANTICS = [
    _regex(error[name])
    for error in list_all_errors()
    for name in ("message_template_python", "message_template_json")
    if name in error and error[name] != "{error}"
]
SNAKES = {"idempotency_key", "confirmation_token"}
"""Names of the wire that are no camels."""
THEIRS = ("value is not a valid email address", "Value error", "Input should", "Field required")


def foreign(errors: list[dict[str, Any]]) -> list[str]:
    """Errors in pydantic's words, in one language only, or of a field by no name of the wire's, nor of a setting."""
    return [str(error)[:300] for error in errors if not _ours(error)]


def _ours(error: dict[str, Any]) -> bool:
    english = error["message"]
    said = error.get("translations", {})
    theirs = any(one.fullmatch(english) for one in PYDANTICS) or english.startswith(THEIRS)
    translated = {"en", "es"} <= said.keys() and said["es"]["message"] != english == said["en"]["message"]
    left_open = "{" in english or "{" in said.get("es", {}).get("message", "{")
    named = error["field"] in SNAKES or error["field"].startswith("LEDGERKIT_") or "_" not in error["field"]
    return named and translated and not theirs and not left_open


def test_the_words_of_pydantic_are_known_for_what_they_are():
    error = {"field": "taxRate", "message": "Input should be a valid string", "translations": {}}

    assert foreign([error])


BODIES = [row for row in sorted(operations()) if body_schema(row)]
QUERIES = [row for row in sorted(operations()) if query_parameters(row)]


async def refusals(api, method: str, path: str, bodies: Iterator[Any]) -> list[str]:
    """Errors that are not in our words in the refusals of these bodies; every refusal is JSON."""
    found = []
    for body in bodies:
        answer = await api.client.request(method, path, content=json.dumps(body), headers={**api.headers, **JSON})
        if answer.status_code == 400:
            found += foreign(answer.json()["errors"])
            assert answer.json()["remedy"]
        assert answer.status_code < 500, body
    return found


@pytest.mark.parametrize("row", BODIES)
async def test_a_body_that_is_wrong_everywhere_is_refused_in_words_of_ours(ana, row):
    schema = body_schema(row)
    method, path = address(row, {}) if row in ALL else row.split(" ")
    wrong = [made for value in WRONG for made in (filled(schema, value), flat(schema, value), value)]

    assert await refusals(ana, method, path, iter(wrong)) == []


@pytest.mark.parametrize("row", QUERIES)
async def test_a_query_that_is_wrong_everywhere_is_refused_in_words_of_ours(ana, row):
    method, path = row.split(" ")
    found = []

    for value in ("", "x", "NaN", "-1", "1e3", "9" * 30, "2026-02-30", "1999-12-31", "%00", "x" * 300):
        for name in query_parameters(row):
            answer = await ana.request(method, f"{path}?{name}={value}")
            if answer.status_code == 400:
                found += foreign(answer.json()["errors"])
                fields = {error["field"].partition("[")[0] for error in answer.json()["errors"]}
                assert fields <= {*query_parameters(row), "body"}
            assert answer.status_code < 500

    assert found == []


def test_arguments_of_tools_that_are_wrong_everywhere_are_refused_in_words_of_ours():
    found = {(name, repr(value)[:40]): foreign(refused(tool, value)) for name, tool in TOOLS.items() for value in WRONG}

    assert {asked: errors for asked, errors in found.items() if errors} == {}


def refused(tool: Tool, value: Any) -> list[dict[str, Any]]:
    """Errors of a call whose arguments all have this value."""
    given = dict.fromkeys((*tool.full_schema.get("properties", {}), "unknown"), value)
    try:
        read(tool, given)
    except Invalid as refusal:
        return [error.body() for error in refusal.errors]
    return [{"field": "unknown", "message": "was taken"}]


async def test_the_language_asked_for_is_spoken(ana):
    query = "/api/invoices?page=0&status=x"

    english = await ana.refused(400, "GET", query)
    spanish = await ana.refused(400, "GET", query, **{"Accept-Language": "es"})

    assert [error["message"] for error in english["errors"]] == [
        "must be at least 1",
        "must be one of: draft, sent, paid, overdue",
    ]
    assert [error["message"] for error in spanish["errors"]] == [
        "debe ser 1 como mínimo",
        "debe ser uno de: draft, sent, paid, overdue",
    ]
    assert spanish["detail"] == "No vale: page, status."


MESSAGES = [
    ({"items": {}}, "items", "must be a list"),
    ({"items": [item()] * 1001}, "items", "may have at most 1000 entries"),
    ({"client": "Norte"}, "client", "must be an object"),
    ({"client": {"name": 7}}, "client.name", "must be a text"),
    ({"client": {"name": ""}}, "client.name", "may not be empty"),
    ({"client": {"name": "x" * 121}}, "client.name", "may have at most 120 characters"),
    ({"client": {"name": "x", "email": "x"}}, "client.email", "must be an e-mail address, as ana@example.com"),
    ({"client": {"name": "x", "country": "Spain"}}, "client.country", "must be a country's code of two letters, as ES"),
    ({"items": [item(unitPrice="1")]}, "items[0].unitPrice", "must be a number"),
    ({"items": [item(discount=101)]}, "items[0].discount", "must lie between 0 and 100"),
    ({"items": [item(variantIndex=1.5)]}, "items[0].variantIndex", "must be a whole number"),
    ({"pricesIncludeTax": 1}, "pricesIncludeTax", "must be true or false"),
    ({"issueDate": "21/11/2026"}, "issueDate", "must be a date, as 2026-11-21"),
    ({"docType": "x"}, "docType", "must be one of: invoice, simplified, credit_note"),
    (
        {"fiscalDetails": {"x": 1}},
        "fiscalDetails.x",
        "must be true, false or a text of at most 200 characters",
    ),
    ({"fiscalDetails": {"x" * 99: True}}, f"fiscalDetails.{'x' * 80}", "may have at most 60 characters"),
]


@pytest.mark.parametrize(("fields", "field", "message"), MESSAGES, ids=lambda value: str(value)[:40])
async def test_a_message_says_what_is_allowed(ana, fields, field, message):
    sent = invoice_body(**fields)
    sent = {name: value for name, value in sent.items() if value is not None}

    problem = await ana.refused(400, "POST", "/api/invoices", sent)

    assert [(error["field"], error["message"]) for error in problem["errors"]] == [(field, message)]


async def test_a_hundred_fields_are_named_and_the_others_counted(ana):
    problem = await ana.refused(400, "POST", "/api/invoices", invoice_body(items=[{}] * 1000))

    assert len(problem["errors"]) == MAX_ERRORS
    assert problem["detail"].endswith(", items[49].unitPrice and 1900 more.")


# ---------------------------------------------------------------- the table

ERRORS_OF: dict[str, set[str]] = {
    "any": set(),
    "bool": {"bool_type", "bool_parsing"},
    "date": {"date_type", "date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"},
    "dict": {"dict_type", "too_long"},
    "enum": {"enum"},
    "int": {"int_type", "int_parsing", "int_parsing_size", "int_from_float", "greater_than_equal", "less_than_equal"},
    "list": {"list_type", "too_long", "too_short"},
    "literal": {"literal_error"},
    "model": {"model_type", "model_attributes_type"},
    "model-fields": {"missing", "model_attributes_type"},
    "str": {"string_type", "string_unicode", "string_too_short", "string_too_long", "string_pattern_mismatch"},
}
"""Refusals of pydantic by the kinds of types that our requests are made of (pydantic_core/_pydantic_core)."""

WRAPPERS = {"default", "function-after", "function-before", "function-plain", "function-wrap", "nullable", "union"}
"""Kinds that refuse nothing themselves. A union's choices are heard one by one, in words of its validator."""


def kinds(schema: Any) -> Iterator[str]:
    """The kinds of core schemas in one, without those of what is only serialized."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema["type"]
        for name, one in schema.items():
            if name not in {"serialization", "metadata", "json_schema_input_schema", "default"}:
                yield from kinds(one)
    elif isinstance(schema, list | tuple):
        for one in schema:
            yield from kinds(one)


def asked(client) -> Iterator[Any]:
    """The core schemas of all bodies, queries and tool arguments."""
    yield from (tool.arguments.__pydantic_core_schema__ for tool in TOOLS.values())
    for route in client._transport.app.routes:
        dependants = [route.dependant] if hasattr(route, "dependant") else []
        while dependants:
            one = dependants.pop()
            dependants += one.dependencies
            for field in (*one.query_params, *one.body_params, *one.header_params, *one.path_params):
                yield field._type_adapter.core_schema


async def test_every_error_that_pydantic_can_raise_here_is_in_the_table(client):
    found = {kind for schema in asked(client) for kind in kinds(schema)} - {"no-info", "with-info", "model-field"}

    assert found - WRAPPERS <= ERRORS_OF.keys()
    assert {error for kind in found & ERRORS_OF.keys() for error in ERRORS_OF[kind]} <= BY_ERROR_TYPE.keys()


def test_every_error_of_our_own_validators_brings_its_text():
    raising = [path.name for path in SOURCES.rglob("*.py") if "PydanticCustomError(" in path.read_text()]

    assert raising == ["refusals.py"]


KNOWN = {error["type"]: error.get("example_context") or {} for error in list_all_errors()}


def test_the_table_is_about_errors_that_exist():
    assert BY_ERROR_TYPE.keys() <= KNOWN.keys()


def test_every_error_of_pydantic_is_said_in_words_of_ours():
    words = {
        kind: [refusal_text(kind, context).in_language(language) for language in ("en", "es")]
        for kind, context in KNOWN.items()
    }
    unsaid = {kind for kind, said in words.items() if said == ["is not valid", "no es válido"]}

    assert {kind: said for kind, said in words.items() if "{" in "".join(said)} == {}
    assert unsaid == KNOWN.keys() - BY_ERROR_TYPE.keys() | {"extra_forbidden"}


def test_every_pattern_is_explained():
    found = {pattern for row in BODIES for pattern in patterns(body_schema(row))}
    explained = {pattern: refusal_text("string_pattern_mismatch", {"pattern": pattern}) for pattern in found}

    assert found
    assert {
        pattern for pattern, text in explained.items() if pattern in text.in_language("en") + text.in_language("es")
    } == set()


def patterns(schema: dict[str, Any], depth: int = 0) -> Iterator[str]:
    for kind in alternatives(schema) if depth < 4 else ():
        yield from [kind["pattern"]] if "pattern" in kind else []
        for one in (*kind.get("properties", {}).values(), *([kind["items"]] if "items" in kind else [])):
            yield from patterns(one, depth + 1)
