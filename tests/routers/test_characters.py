"""Characters that PostgreSQL or UTF-8 cannot hold, in every text of every operation: refused, never a failure."""

import json
from dataclasses import replace
from itertools import product
from typing import Any
from urllib.parse import quote

from support.cases import try_each
from support.description import described, operations
from support.scenes import ALL, EMISSION, address, body, prepared, scene
from support.texts import UNSTORABLE, places, planted

IN_ADDRESSES = ["%00", "a%00b", "%ED%A0%80", "%C0%80", "%FF", "%01", "%EF%BF%BF"]
HEADERS = [
    "x-team-id",
    "idempotency-key",
    "if-match",
    "accept-language",
    "x-request-id",
    "x-forwarded-for",
    "content-type",
    "content-encoding",
]
MAIL_OR_AUTHORITY = {"PATCH /api/invoices/{id}/send", "GET /api/invoices/{id}/pdf"} | set(EMISSION)
"""Operations whose valid request needs more than the application; their texts are refused before that."""


def failed(answer: Any) -> bool:
    return answer.status_code >= 500 and answer.status_code != 501


ROWS = sorted(set(ALL) & operations().keys())
WITH_BODY = [row for row in ROWS if operations()[row].get("requestBody")]


async def test_no_text_of_a_body_is_a_failure(kernel, ana):
    made = await scene(ana)

    async def attempt(row):
        caller = replace(ana)
        ids = made if row in MAIL_OR_AUTHORITY else dict(await prepared(caller, ALL[row], made))
        method, path = address(row, ids)
        schema = operations()[row]["requestBody"]["content"]["application/json"]["schema"]
        valid, found = body(ALL[row], ids), []

        for place in places(schema, described()):
            for text in UNSTORABLE:
                content = json.dumps(planted(valid, place, text))
                headers = {**caller.headers, "Content-Type": "application/json"}
                answer = await caller.client.request(method, path, content=content, headers=headers)
                if failed(answer):
                    found.append((place, text, answer.status_code))

        assert found == []

    await try_each(kernel, WITH_BODY, attempt)


async def test_no_address_is_a_failure(kernel, ana):
    async def attempt(row):
        method, _, template = row.partition(" ")
        queries = [one["name"] for one in operations()[row].get("parameters", ()) if one["in"] == "query"]
        found = []

        for odd in IN_ADDRESSES:
            parts = [odd if part.startswith("{") else quote(part) for part in template.split("/")]
            for query in [None, *queries] if "{" in template else queries:
                path = "/".join(parts) + (f"?{query}={odd}" if query else "")
                answer = await ana.client.request(method, path, headers=ana.headers)
                if failed(answer) or (query is None and answer.status_code not in {400, 403, 404}):
                    found.append((path, answer.status_code))

        assert found == []

    await try_each(kernel, ROWS, attempt)


PAGES = ["/s/{}", "/s/{}/pdf", "/join/{}", "/docs/assets/{}", "/{}", "/api/{}"]


async def test_no_page_is_a_failure(kernel, client):
    async def attempt(case):
        method, path = case
        answer = await client.request(method, path, content=b"name=%00&password=%ED%A0%80")

        assert answer.status_code in {400, 404, 405}

    paths = [path.format(odd) for path in PAGES for odd in IN_ADDRESSES]
    await try_each(kernel, list(product(["GET", "POST", "DELETE"], paths)), attempt)


IN_HEADERS = [b"\x00", b"\xff", b"a\x00b", "\u20ac".encode(), b"%00", b"=,;", b"\xed\xa0\x80"]


async def test_no_header_is_a_failure(kernel, ana):
    invoice = await ana.invoice()
    requests = [("POST", "/api/clients"), ("PUT", f"/api/invoices/{invoice['id']}"), ("GET", "/api/invoices")]

    async def attempt(case):
        name, value = case
        for method, path in requests:
            headers = {key.encode(): text.encode() for key, text in ana.headers.items()}
            headers |= {b"content-type": b"application/json", name.encode(): value}
            answer = await ana.client.request(method, path, content=b'{"name": "x"}', headers=headers)

            assert not failed(answer), (method, path, answer.text)

    await try_each(kernel, list(product(HEADERS, IN_HEADERS)), attempt)


async def test_no_credential_is_a_failure(kernel, client):
    async def attempt(case):
        name, value = case
        answer = await client.get("/api/invoices", headers={name.encode(): value})

        assert answer.status_code == 401

    values = [b"\x00", b"Bearer \x00", b"Bearer \xff.\xff.\xff", b"lk_live_\xff", b"Bearer"]
    await try_each(kernel, list(product(["x-api-key", "authorization"], values)), attempt)
