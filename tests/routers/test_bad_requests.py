"""Requests that are wrong before their fields are looked at: bytes, media types, sizes, ids, headers, queries."""

import json

import pytest

from support.api import CLIENT, invoice_body, item
from support.database import row_counts
from support.description import operations
from support.problems import unhelpful
from support.scenes import ALL, address, scene

JSON = {"Content-Type": "application/json"}


UNREADABLE = {
    "nothing": b"",
    "half an object": b'{"client":',
    "a text": b"hello",
    "not UTF-8": b"\xff\xfe{}",
    "a wrong escape": b'{"notes": "\\x"}',
    "deep nesting": b"[" * 10_000,
    "deep objects": b'{"a":' * 2_500 + b"1" + b"}" * 2_500,
    "UTF-16": '{"client": 1}'.encode("utf-16"),
    "an endless number": b'{"taxRate": ' + b"1" * 5000 + b"}",
    "a list": b"[]",
    "a number": b"7",
    "null": b"null",
    "a quoted text": b'"hello"',
}


@pytest.mark.parametrize("path", ["/api/invoices", "/auth/register"])
async def test_what_is_no_json_object_is_refused(kernel, ana, path):
    before = await row_counts(kernel)

    for name, content in UNREADABLE.items():
        answer = await ana.client.post(path, content=content, headers={**ana.headers, **JSON})

        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (400, "VALIDATION_ERROR"), name
        assert answer.headers["content-type"] == "application/problem+json"
        assert [error["field"] for error in problem["errors"]] == ["body"], name
        assert not unhelpful(problem, path)
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("field", ["taxRate", "retentionRate", "unitPrice", "quantity", "discount"])
async def test_numbers_that_are_none_are_refused(ana, field):
    whole = invoice_body(taxRate=21, retentionRate=15, items=[item(discount=1)])
    place = whole if field in whole else whole["items"][0]
    place[field] = "@"

    for literal in ("NaN", "Infinity", "-Infinity", "1e400", "-1e400"):
        content = json.dumps(whole).replace('"@"', literal)
        answer = await ana.client.post("/api/invoices", content=content, headers={**ana.headers, **JSON})

        assert answer.status_code == 400, literal
        assert answer.json()["errors"][0]["field"].endswith(field)


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\udfff\\ud800", "\\uffff"])
@pytest.mark.parametrize("path", ["/api/clients", "/api/teams"])
async def test_characters_that_cannot_be_kept_are_refused(ana, path, escape):
    content = f'{{"name": "a{escape}b", "country": "ES"}}'

    answer = await ana.client.post(path, content=content, headers={**ana.headers, "Content-Type": "application/json"})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "name"


NOT_JSON = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/xml",
    "",
    "json",
    None,
]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/invoices"),
        ("PATCH", "/api/invoices/x/pay"),
        ("PUT", "/api/teams/current"),
        ("POST", "/auth/login"),
    ],
)
async def test_a_body_must_say_that_it_is_json(kernel, ana, method, path):
    before = await row_counts(kernel)

    for kind in NOT_JSON:
        headers = {**ana.headers, **({} if kind is None else {"Content-Type": kind})}
        answer = await ana.client.request(method, path, content=b"{}", headers=headers)

        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["x-request-id"] == problem["requestId"]
        assert problem["remedy"]
    assert await row_counts(kernel) == before


async def test_all_names_of_json_are_understood(ana):
    content = json.dumps(CLIENT).encode()

    for kind in ("application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json"):
        answer = await ana.client.post("/api/clients", content=content, headers={**ana.headers, "Content-Type": kind})
        assert answer.status_code == 201, kind


async def pieces(total: int):
    for _ in range(total >> 20):
        yield b" " * (1 << 20)


@pytest.mark.parametrize("content", [b" " * (20 << 20), pieces(20 << 20)], ids=["announced", "in pieces"])
async def test_a_body_of_twenty_megabytes_is_refused(kernel, ana, content):
    before = await row_counts(kernel)
    headers = {**ana.headers, "Content-Type": "application/json"}

    answer = await ana.client.post("/api/invoices", content=content, headers=headers)

    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (413, "BODY_TOO_LARGE")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == problem["requestId"]
    assert await row_counts(kernel) == before


# ---------------------------------------------------------------- ids, headers, paths


MALFORMED = ["x", "1", "%00", "..%2f..", "0" * 5000, "01890000-0000-7000-8000-00000000000g", "null", "%F0%9F%8D%95"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/invoices/{}"),
        ("PUT", "/api/clients/{}"),
        ("PATCH", "/api/invoices/{}/pay"),
        ("GET", "/api/einvoice/status/{}"),
    ],
)
async def test_a_malformed_id_is_a_missing_record(ana, method, path):
    for known in MALFORMED:
        problem = await ana.refused(404, method, path.format(known), None if method == "GET" else {})

        assert problem["code"] == "NOT_FOUND"
        assert problem["remedy"]


@pytest.mark.parametrize("key", ["x" * 256, "", "a\tb"])
async def test_an_idempotency_key_is_short_printable_ascii(kernel, ana, key):
    before = await row_counts(kernel)

    problem = await ana.refused(400, "POST", "/api/clients", CLIENT, **{"Idempotency-Key": key})

    assert problem["errors"][0]["field"] == "Idempotency-Key"
    assert await row_counts(kernel) == before


async def test_an_idempotency_key_of_255_characters_is_taken(ana):
    answer = await ana.request("POST", "/api/clients", CLIENT, **{"Idempotency-Key": "x" * 255})

    assert answer.status_code == 201


MALFORMED_TAGS = [
    "nonsense",
    "1",
    "-1",
    "",
    " ",
    ",",
    '"1',
    '1"',
    "'1'",
    "W/1",
    'w/"1"',
    'W/ "1"',
    '"a"b"',
    '"a b"',
    '"1" "2"',
    '"1"; "2"',
    '*, "1"',
    '"1", *',
    "**",
    '"1", 2',
    '"é\t"',
]


@pytest.mark.parametrize("tag", MALFORMED_TAGS)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_what_is_no_list_of_etags_is_refused(ana, method, tag):
    made = await ana.invoice()
    sent = {"notes": "x"} if method == "PUT" else None

    answer = await conditional(ana, method, made, sent, tag)

    assert answer.status_code == 400, answer.text
    assert [error["field"] for error in answer.json()["errors"]] == ["If-Match"]
    assert await ana.get(f"/api/invoices/{made['id']}") == made


async def conditional(api, method, record, sent, *tags):
    """The answer to a change with these lines of If-Match, byte for byte."""
    headers = [*api.headers.items(), *(("If-Match", tag.encode("latin-1")) for tag in tags)]
    path = f"/api/invoices/{record['id']}"
    return await api.client.request(method, path, headers=headers, **({} if sent is None else {"json": sent}))


UNMATCHED = ['"x"', '"0"', '"01"', '""', '"2"', '"-1"', 'W/"1"', '"99999999999999999999"', '"2", W/"1", "x,1"', '"é"']


@pytest.mark.parametrize("tag", UNMATCHED)
async def test_an_etag_of_another_version_does_not_match(ana, tag):
    made = await ana.invoice()

    answer = await conditional(ana, "PUT", made, {"notes": "x"}, tag)

    assert (answer.status_code, answer.json()["code"]) == (412, "VERSION_MISMATCH")
    assert await ana.get(f"/api/invoices/{made['id']}") == made


MATCHED = [('"1"',), ("*",), (' "1" ',), ('"1","2"',), ('"x", "1"',), (', ,"1",',), ('W/"9", "1"',), ('"5"', '"1"')]


@pytest.mark.parametrize("tags", MATCHED)
async def test_one_matching_etag_of_a_list_is_enough(ana, tags):
    made = await ana.invoice()

    answer = await conditional(ana, "PUT", made, {"notes": "x"}, *tags)

    assert (answer.status_code, answer.headers["etag"]) == (200, '"2"')


async def test_credentials_come_before_the_condition(ana):
    answer = await ana.client.get("/api/invoices", headers={"If-Match": "nonsense"})

    assert answer.status_code == 401


@pytest.mark.parametrize("given", ["", "ä", "x" * 129, "a b", "<script>", "a,b"])
async def test_a_request_id_that_is_unfit_is_replaced(ana, given):
    answer = await ana.client.get("/health", headers={"X-Request-Id": given.encode()})

    assert answer.headers["x-request-id"] not in {"", given}
    assert len(answer.headers["x-request-id"]) == 32


@pytest.mark.parametrize(
    "query",
    [
        "page=0",
        "page=-1",
        "page=x",
        "limit=0",
        "limit=101",
        "limit=",
        "page=1e3",
        "page=99999999999999999999999",
        "search=%00",
        "search=" + "x" * 201,
        "includeDeleted=perhaps",
        "status=x",
    ],
)
async def test_a_wrong_query_is_named(ana, query):
    problem = await ana.refused(400, "GET", f"/api/invoices?{query}")

    assert [error["field"] for error in problem["errors"]] == [query.partition("=")[0]]


async def test_a_page_past_the_end_is_empty(ana):
    await ana.invoice()

    answer = await ana.request("GET", "/api/invoices?page=1000000000&limit=100")

    assert (answer.json(), answer.headers["x-total-count"]) == ([], "1")


async def test_unknown_paths_and_methods_are_problems(ana):
    nowhere = await ana.refused(404, "GET", "/api/nothing")
    wrong = await ana.request("DELETE", "/api/invoices")

    assert nowhere["code"] == "NOT_FOUND"
    assert (wrong.status_code, wrong.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert wrong.headers["allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/tasks/my", "GET, HEAD"),
        ("/api/tasks/x", "GET, HEAD, PUT, DELETE"),
        ("/api/teams/current", "GET, HEAD, POST, PUT"),
        ("/api/tasks/x/complete", "PATCH"),
        ("/health", "GET, HEAD"),
    ],
)
async def test_a_path_names_its_own_methods(ana, path, methods):
    answer = await ana.request("OPTIONS", path)

    assert (answer.status_code, answer.headers["allow"]) == (405, methods)


async def test_requests_without_a_needed_body_are_refused(ana):
    ids = await scene(ana)

    for row, operation in operations().items():
        if not operation.get("requestBody", {}).get("required"):
            continue
        method, path = address(row, ids) if row in ALL else row.split(" ")
        problem = await ana.refused(400, method, path)
        assert [error["field"] for error in problem["errors"]] == ["body"], row


async def test_an_object_of_too_many_members_is_one_mistake(ana):
    details = {f"key{n}": [] for n in range(20_000)}

    answer = await ana.request("POST", "/api/invoices", invoice_body(fiscalDetails=details))

    assert [error["field"] for error in answer.json()["errors"]] == ["fiscalDetails"]
    assert len(answer.content) < 1000


async def test_a_hundred_wrong_fields_are_named_and_no_more(ana):
    answer = await ana.request("POST", "/api/invoices", invoice_body(items=[{}] * 1000))

    assert answer.status_code == 400
    assert len(answer.json()["errors"]) == 100
