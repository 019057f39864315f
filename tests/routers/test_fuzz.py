"""Requests nobody thought of, drawn from each operation's own schema and bent: never a 500, never a wrong shape."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from support.api import Api
from support.cases import try_each
from support.description import described, differences, operations
from support.sampling import examples
from support.scenes import ALL, EMISSION, PRINTING, address, prepared, scene
from support.scenes.ask import filled

EXAMPLES = examples(24, 5)
NOT_FUZZED = {"GET /ready", "GET /health", *PRINTING}
"""Probes, and what prints a second each."""

NEVER_ACCEPTED = {
    "DELETE /api/invoices/{id}/share",
    "GET /api/attachments",
    "POST /api/einvoice",
    "POST /api/einvoice/credit-note",
    "POST /api/einvoice/annul",
    "POST /api/einvoice/emit",
    "GET /api/einvoice/status/{id}",
    "GET /api/einvoice/download/{id}",
    "GET /api/einvoice/xml/{id}",
    "GET /api/einvoice/events/xml",
    "POST /api/einvoice/send-email/{id}",
    "POST /api/expenses/scan-receipt",
    "POST /api/catalog/import-invoice",
    "GET /api/tax-declarations/books",
    "GET /api/tax-declarations/{id}/evidence",
}
"""There is nothing to revoke, no authority to emit to, no picture, and no box of a name that is thrown."""

ALONE = {"POST /api/go-live"}
"""Operations that are never accepted beside the records of the others."""

SET_UP = "POST /api/teams/current"
"""Accepted in a personal workspace alone."""

ROWS = sorted(operations().keys() - NOT_FUZZED - {SET_UP})

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["", " ", "\x00", "\u202e", "🍕", "'", "%", "ES", "2026-02-30", "2026-11-21", "0", "-1", "1e9"]),
    st.lists(st.none(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)


def number(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    cents = st.integers(int(schema.get("minimum", -9999) * 100), int(schema.get("maximum", 9999) * 100))
    return cents.map(lambda value: value / 100) | st.integers(0, 100)


def string(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    formats = {"date": st.dates().map(str), "email": st.sampled_from(["a@example.com", "ñ@example.com", "a@b", "@"])}
    return formats.get(schema.get("format", ""), st.text(max_size=30))


def valid(schema: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that the schema describes, more or less."""
    if "$ref" in schema:
        return valid(described()["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth)
    if "anyOf" in schema:
        return st.one_of([valid(one, depth) for one in schema["anyOf"]])
    kinds = {
        "object": lambda: record(schema, depth),
        "array": lambda: st.lists(bent(schema["items"], depth + 1), max_size=3),
        "number": lambda: number(schema),
        "integer": lambda: st.integers(schema.get("minimum", -5), schema.get("maximum", 10**6)),
        "boolean": st.booleans,
        "null": st.none,
    }
    return kinds.get(schema.get("type", ""), lambda: string(schema))()


def record(schema: dict[str, Any], depth: int) -> st.SearchStrategy[dict[str, Any]]:
    fields = schema.get("properties", {})
    if depth > 3 or not fields:
        return st.dictionaries(st.text(max_size=5), ODD, max_size=2)
    required = {name: bent(fields[name], depth + 1) for name in schema.get("required", ())}
    optional = {name: bent(one, depth + 1) for name, one in fields.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional)


def bent(schema: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    """Mostly what is described, now and then something else."""
    return st.integers(0, 9).flatmap(lambda draw: ODD if draw == 0 else valid(schema, depth))


@st.composite
def near(draw: st.DrawFn, row: str, schema: dict[str, Any]) -> Any:
    """The valid body of these tests, with up to two fields drawn anew: most of these are accepted."""
    ask = ALL.get(row)
    fields = described()["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {}).get("properties")
    if ask is None or ask.body is None or not fields:
        return draw(valid(schema))
    changed = draw(st.lists(st.sampled_from(sorted(fields)), max_size=2))
    return ask.body | {name: draw(bent(fields[name], 1)) for name in changed}


def requests(row: str) -> st.SearchStrategy[tuple[dict[str, Any], Any]]:
    """Query and body for an operation."""
    operation = operations()[row]
    query = {p["name"]: bent(p["schema"], 1) for p in operation.get("parameters", ()) if p["in"] == "query"}
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    drawn = st.none() if content is None else near(row, content["schema"]) | valid(content["schema"]) | ODD
    return st.tuples(st.fixed_dictionaries({}, optional=query), drawn)


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


async def attempt(ana: Api, row: str, ids: dict[str, str], query: dict[str, Any], body: Any) -> bool:
    method, _, path = row.partition(" ")
    ids = dict(await prepared(ana, ALL[row], ids)) if row in ALL else ids
    path = address(row, ids)[1].partition("?")[0] if row in ALL else path
    body = filled(body, {} if row in EMISSION else ids)
    headers = {**ana.headers, "Content-Type": "application/json"} if body is not None else ana.headers
    params = {name: as_text(value).replace("\x00", "%00") for name, value in query.items()}

    answer = await ana.client.request(
        method, path, params=params, headers=headers, content=None if body is None else json.dumps(body)
    )

    assert answer.status_code < 500, (params, body, answer.text)
    if "json" in answer.headers["content-type"] and str(answer.status_code) in operations()[row]["responses"]:
        assert differences(row, answer.status_code, answer.json()) == [], (params, body)
    if answer.status_code >= 400:
        problem = answer.json()
        assert answer.headers["content-type"] == "application/problem+json"
        assert problem["code"]
        assert problem["remedy"], problem
    return answer.is_success


def drawn(row: str) -> list[tuple[dict[str, Any], Any]]:
    """Queries and bodies for an operation, the same in every run."""
    found: list[tuple[dict[str, Any], Any]] = []

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(requests(row))
    def draw(example: tuple[dict[str, Any], Any]) -> None:
        found.append(example)

    draw()  # in a thread of its own hypothesis would look through the memory of the process again
    return found


@pytest.mark.parametrize("alone", [None, *ALONE])
async def test_whatever_is_sent_the_answer_is_a_promised_one(kernel, ana, alone):
    ids = await scene(ana, alone)

    async def attempts(row):
        caller = replace(ana)
        accepted = [await attempt(caller, row, ids, query, body) for query, body in drawn(row)]

        assert any(accepted) or row in NEVER_ACCEPTED

    await try_each(kernel, [alone] if alone else [row for row in ROWS if row not in ALONE], attempts)


async def test_whatever_a_company_is_set_up_with_the_answer_is_a_promised_one(client):
    newcomer = await Api.register(client, "eva@example.com")

    accepted = [await attempt(newcomer, SET_UP, {}, query, body) for query, body in drawn(SET_UP)]

    assert any(accepted)
