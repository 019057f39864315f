"""Names stand on one line wherever they go, whatever was pasted into them."""

import pytest

from support.api import CLIENT

PASTED = "Talleres\r\nNorte\u2028 \u0085S.L.\t"
CLEAN = "Talleres Norte S.L."


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/teams", {"country": "ES"}),
        ("/api/clients", {}),
        ("/api/vendors", {}),
        ("/api/catalog", {"unitPrice": 1, "taxRate": 21}),
    ],
)
async def test_what_breaks_lines_becomes_a_space(ana, path, body):
    stored = await ana.post(path, {**body, "name": PASTED})

    assert stored["name"] == CLEAN


async def test_a_teams_company_and_an_invoices_client_too(ana):
    await ana.put("/api/teams/current", {"company": PASTED})
    invoice = await ana.invoice(client={**CLIENT, "taxId": None, "name": PASTED})

    assert (await ana.get("/api/teams/current"))["team"]["company"] == CLEAN
    assert invoice["client"]["name"] == CLEAN


async def test_a_name_of_nothing_else_is_none(ana):
    problem = await ana.refused(400, "POST", "/api/clients", {"name": "\r\n\u0081"})

    assert [one["field"] for one in problem["errors"]] == ["name"]


async def test_texts_of_several_lines_keep_them(ana):
    client = await ana.post("/api/clients", {"name": "Norte", "notes": "una\ndos"})

    assert client["notes"] == "una\ndos"
