"""NaN, infinities and what exceeds a double: refused wherever they stand in a body or a query, by their names."""

import json

import pytest

from ledgerkit.core.platform.api_types.validation import MAX_ERRORS
from support.api import CLIENT, invoice_body
from support.cases import try_each
from support.database import row_counts
from support.description import operations
from support.scenes import ALL, address
from support.wrongness import body_schema, filled, numbers, query_parameters, required_parameters

JSON = {"Content-Type": "application/json"}
LITERALS = ["NaN", "Infinity", "-Infinity", "1e999", "-1E+999", f"{'9' * 400}.0"]
BODIES = [row for row in sorted(operations()) if body_schema(row)]
NUMERIC = [row for row in BODIES if list(numbers(body_schema(row)))]
QUERIES = [
    (row, name)
    for row in sorted(operations())
    for name, schema in query_parameters(row).items()
    if {"integer", "number"} & {kind.get("type") for kind in (schema, *schema.get("anyOf", ()))}
]


async def sent(api, row: str, content: str):
    method, path = address(row, {}) if row in ALL else row.split(" ")
    return await api.client.request(method, path, content=content, headers={**api.headers, **JSON})


def fields(answer) -> list[str]:
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR"), answer.text
    return [error["field"] for error in answer.json()["errors"]]


async def test_nan_and_infinity_are_refused_in_fields_that_nobody_reads(kernel, ana):
    before = await row_counts(kernel)

    async def attempt(row):
        for literal in LITERALS:
            answer = await sent(ana, row, f'{{"a": [1, {{"b": [[{literal}], 2.5]}}], "c": {literal}}}')

            assert fields(answer) == ["a[1].b[0][0]", "c"]
        assert await row_counts(kernel) == before

    await try_each(kernel, BODIES, attempt)


async def test_nan_and_infinity_are_refused_in_every_number(kernel, ana):
    async def attempt(row):
        content = json.dumps(filled(body_schema(row), "@"))
        for literal in LITERALS:
            found = fields(await sent(ana, row, content.replace('"@"', literal)))

            assert set(numbers(body_schema(row))) <= set(found)

    await try_each(kernel, NUMERIC, attempt)


async def test_texts_are_refused_where_a_number_is_meant(kernel, ana):
    async def attempt(row):
        for text in ("NaN", "Infinity", "-Infinity", "inf", "1e999", "12.5", "0x10"):
            found = fields(await sent(ana, row, json.dumps(filled(body_schema(row), text))))

            assert set(numbers(body_schema(row))) <= set(found)

    await try_each(kernel, NUMERIC, attempt)


async def test_nan_and_infinity_are_refused_in_a_query(kernel, ana):
    async def attempt(case):
        row, name = case
        method, path = row.split(" ")
        for text in ("NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "9" * 400):
            assert set(fields(await ana.request(method, f"{path}?{name}={text}"))) == {name, *required_parameters(row)}

    await try_each(kernel, QUERIES, attempt)


async def test_names_may_be_what_numbers_may_not(ana):
    made = await ana.post("/api/clients", {**CLIENT, "name": "NaN Infinity, S.L."})

    assert made["name"] == "NaN Infinity, S.L."


async def test_a_hundred_of_them_are_named(ana):
    answer = await sent(ana, "POST /api/invoices", json.dumps(invoice_body(tags=[float("nan")] * 500)))

    assert fields(answer) == [f"tags[{place}]" for place in range(MAX_ERRORS)]


async def test_the_names_of_deep_fields_are_cut_off(ana):
    deep = f"[{','.join(['NaN'] * 200)}]"
    for _ in range(500):
        deep = f'{{"{"x" * 90}": {deep}}}'

    answer = await sent(ana, "POST /api/invoices", deep)

    assert max(len(field) for field in fields(answer)) < 500
    assert len(answer.content) < 2 * len(deep) + 300_000


@pytest.mark.parametrize("content", ["[NaN", '{"a": NaN', "NaN NaN", "[" * 100_000 + "NaN"])
async def test_malformed_json_with_nan_in_it_is_malformed_json(ana, content):
    assert fields(await sent(ana, "POST /api/clients", content)) == ["body"]


async def test_the_largest_double_is_a_number(ana):
    answer = await sent(ana, "POST /api/clients", json.dumps({**CLIENT, "unread": 1.7976931348623157e308}))

    assert answer.status_code == 201
