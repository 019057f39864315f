"""docs/tour.md, pasted block after block, as a new user does."""

import re

import pytest

from support.interface import additions, not_built, rows
from support.pages import blocks, pasted
from support.serving import served

BLOCKS = blocks("docs/tour.md", "tour")

ELSEWHERE = {
    "POST /auth/login",
    "GET /api/invoices/{id}/pdf",
    "DELETE /api/clients/{id}",
    "DELETE /api/catalog/{id}",
    "POST /api/catalog/import-invoice",
    "POST /api/catalog/confirm-import",
    "DELETE /api/context/entry/{key}",
    "POST /api/expenses/scan-receipt",
    "DELETE /api/expenses/{id}",
    "DELETE /api/vendors/{id}",
    "GET /api/tasks/{id}",
    "PUT /api/tasks/{id}",
    "POST /api/einvoice/chain/continue",
    "GET /api/einvoice/events/xml",
    "POST /api/teams/switch/{teamId}",
    "DELETE /api/teams/current/members/{memberId}",
}
"""Rows that the page leaves out: the README's own, what docs/es/verifactu.md and docs/receipts.md do, and the
reading and deleting that looks like its neighbours'."""


@pytest.mark.whole
async def test_the_tour_can_be_walked_from_beginning_to_end(tmp_path, fresh_urls):
    async with served(tmp_path / "data", DATABASE_URL=fresh_urls.owner) as server:
        await pasted(BLOCKS, tmp_path, server)

    assert (tmp_path / "einvoice.pdf").read_bytes().startswith(b"%PDF-")


def test_the_tour_passes_by_every_row():
    calls = re.findall(r'call (GET|POST|PUT|PATCH|DELETE) "?([^\s"?]+)', "\n".join(BLOCKS))
    calls += [("POST", "/auth/register")]
    passed = {(method, re.sub(r"\$\w+", "{}", path)) for method, path in calls}

    toured = rows() + [row for row in additions() if "/einvoice/" in row.path]
    left_out = {
        row.name for row in toured if (row.method, re.sub(r"{\w+}", "{}", row.path)) not in passed
    } - not_built()

    assert left_out == ELSEWHERE - not_built()
