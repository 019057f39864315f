"""No answer is kept by a browser or a proxy but the documentation, which is the same for everybody."""

import pytest

from support.description import operations
from support.routes import served
from support.scenes import ALL, EMISSION, ENDING, PRINTING, address, body, prepared, scene

PUBLIC = {"/docs", "/openapi.json", "/docs/assets/swagger-ui.css"}
ROWS = sorted(set(ALL) & operations().keys() - {*EMISSION, *PRINTING}, key=lambda row: (ENDING.get(row, 0), row))
STRANGERS_PATHS = sorted({(one.method, one.address) for one in served()} - {("GET", path) for path in PUBLIC})


def words(answer) -> set[str]:
    return {word.strip() for word in answer.headers["cache-control"].split(",")}


@pytest.mark.whole
async def test_no_answer_to_a_known_caller_is_kept(ana):
    ids = await scene(ana)
    kept, done = [], 0

    for row in ROWS:
        now = dict(await prepared(ana, ALL[row], ids))
        method, path = address(row, now)
        answer = await ana.request(method, path, body(ALL[row], now))
        done += answer.is_success
        if "no-store" not in words(answer):
            kept.append((row, answer.status_code))

    assert kept == []
    assert done > 60


async def test_no_printed_invoice_is_kept(ana, client):
    made = await ana.invoice()
    link = await ana.post(f"/api/invoices/{made['id']}/share")

    for path in (f"/api/invoices/{made['id']}/pdf", f"/s/{link['shareToken']}", f"/s/{link['shareToken']}/pdf"):
        answer = await client.get(path, headers=ana.headers if path.startswith("/api") else {})

        assert (answer.status_code, "no-store" in words(answer)) == (200, True), path


async def test_no_answer_to_a_stranger_is_kept(client):
    answers = {(method, path): await client.request(method, path) for method, path in STRANGERS_PATHS}

    assert len(answers) > 200
    assert [asked for asked, answer in answers.items() if "no-store" not in words(answer)] == []


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/docs/assets/nothing"])
async def test_what_is_not_there_is_asked_for_anew(client, path):
    assert "no-store" in words(await client.get(path))


@pytest.mark.parametrize("path", sorted(PUBLIC))
async def test_the_documentation_may_be_kept(client, path):
    assert "public" in words(await client.get(path))
