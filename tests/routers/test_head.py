"""HEAD wherever GET is: the status and headers of GET, and no content."""

from dataclasses import replace

import pytest

from support.cases import try_each
from support.description import operations
from support.scenes import ALL, FILES, PRINTING, address, prepared, scene

READ = [row for row in sorted(operations()) if row.startswith("GET ") and row not in PRINTING]
NEVER_ALIKE = {"x-request-id", "date"}


async def both(client, path, headers):
    """The answers to HEAD and GET, and the headers that each comes with."""
    head = await client.request("HEAD", path, headers=headers)
    get = await client.request("GET", path, headers=headers)
    seen = [{k: v for k, v in answer.headers.items() if k not in NEVER_ALIKE} for answer in (head, get)]
    return head, get, seen


async def test_head_is_get_without_its_content(kernel, ana):
    made = await scene(ana)

    async def attempt(row):
        caller = replace(ana)
        ids = await prepared(caller, ALL[row], made) if row in ALL else {}
        path = address(row, ids)[1] if row in ALL else row.removeprefix("GET ")

        head, get, seen = await both(caller.client, path, caller.headers)

        assert (head.status_code, head.content) == (get.status_code, b"")
        assert get.content
        if row not in FILES:  # an archive has the moment of its making in it
            assert seen[0] == seen[1]
        assert "x-request-id" in head.headers

    await try_each(kernel, READ, attempt)


PAGES = ["/", "/docs", "/docs/assets/swagger-ui.css", "/openapi.json", "/s/unknown", "/join/unknown", "/api/nothing"]


@pytest.mark.parametrize("path", PAGES)
async def test_pages_answer_head_too(client, path):
    head, get, seen = await both(client, path, {})

    assert (head.status_code, head.content) == (get.status_code, b"")
    assert seen[0] == seen[1]


async def test_head_of_a_printed_and_of_a_shared_invoice(ana):
    made = await ana.invoice()
    shared = (await ana.post(f"/api/invoices/{made['id']}/share"))["shareToken"]

    for path in (f"/api/invoices/{made['id']}/pdf", f"/s/{shared}", f"/s/{shared}/pdf"):
        head, get, seen = await both(ana.client, path, ana.headers)
        assert (head.status_code, head.content) == (200, b"")
        assert seen[0] == seen[1]
        assert int(head.headers["content-length"]) == len(get.content)


async def test_head_asks_for_credentials_as_get_does(client):
    head, _, seen = await both(client, "/api/invoices", {})

    assert (head.status_code, head.content) == (401, b"")
    assert seen[0] == seen[1]


async def test_head_is_not_where_get_is_not(ana):
    answer = await ana.client.request("HEAD", "/api/tasks/x/complete", headers=ana.headers)

    assert (answer.status_code, answer.content, answer.headers["allow"]) == (405, b"", "PATCH")
