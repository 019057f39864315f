"""A clientId and a client that are two companies make no invoice; where they are one, the client says the rest."""

import pytest

from support.api import CLIENT, invoice_body, item
from support.database import row_counts

OTHER = {"name": "Papelería Sur", "taxId": "B64717838", "country": "ES", "address": "Mar 1", "city": "Sevilla"}


@pytest.fixture
async def stored(ana):
    return await ana.post("/api/clients", OTHER)


async def test_two_companies_are_never_mixed(ana, kernel, stored):
    before = await row_counts(kernel)

    for path in ("", "/preview"):
        body = invoice_body(clientId=stored["id"], client=CLIENT)
        problem = await ana.refused(400, "POST", f"/api/invoices{path}", body)

        assert problem["code"] == "CLIENT_CONFLICT"
        assert [error["field"] for error in problem["errors"]] == ["client.taxId"]
        assert "Papelería Sur" in problem["detail"]
    assert await row_counts(kernel) == before


async def test_the_conflict_is_told_in_spanish(ana, stored):
    body = invoice_body(clientId=stored["id"], client=CLIENT)

    problem = await ana.refused(400, "POST", "/api/invoices", body, **{"Accept-Language": "es"})

    assert "Papelería Sur" in problem["detail"]
    assert "no los dos" in problem["remedy"]


async def test_a_draft_is_not_changed_to_two_companies(ana, stored):
    draft = await ana.invoice()

    body = {"clientId": stored["id"], "client": CLIENT}
    problem = await ana.refused(400, "PUT", f"/api/invoices/{draft['id']}", body)

    assert problem["code"] == "CLIENT_CONFLICT"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["client"] == draft["client"]


@pytest.mark.parametrize("written", ["B64717838", "es-b64.717.838"])
async def test_the_same_company_fills_in_what_is_left_out(ana, stored, written):
    invoice = await ana.invoice(clientId=stored["id"], client={"name": "Papelería Sur", "taxId": written})

    assert (invoice["clientId"], invoice["client"]["taxId"], invoice["client"]["city"]) == (
        stored["id"],
        "B64717838",
        "Sevilla",
    )
    assert invoice["warnings"] == []


async def test_without_a_tax_id_the_client_s_own_is_filled_in(ana, stored):
    invoice = await ana.invoice(clientId=stored["id"], client={"name": "Papelería Sur"})

    assert invoice["client"]["taxId"] == "B64717838"


async def test_a_stored_client_without_tax_id_takes_the_one_given(ana):
    plain = await ana.post("/api/clients", {"name": "Luz Gil"})

    invoice = await ana.invoice(clientId=plain["id"], client={"name": "Luz Gil", "taxId": "87654321X"})

    assert (invoice["clientId"], invoice["client"]["taxId"]) == (plain["id"], "87654321X")


async def test_a_wrong_tax_id_beside_a_client_id_is_refused(ana, stored):
    body = invoice_body(clientId=stored["id"], client={"name": "Papelería Sur", "taxId": "B64717839"})

    problem = await ana.refused(400, "POST", "/api/invoices", body)

    assert problem["code"] == "TAX_ID_INVALID"


async def test_what_the_invoice_says_otherwise_than_the_stored_client_is_told(ana, stored):
    invoice = await ana.invoice(
        clientId=stored["id"], client={"name": "Sur, S.L.", "city": "Cádiz", "address": "Mar 1"}
    )

    assert (invoice["client"]["name"], invoice["client"]["city"]) == ("Sur, S.L.", "Cádiz")
    assert [one.partition(": ")[0] for one in invoice["warnings"]] == ["client.name, client.city"]
    assert invoice["items"][0]["description"] == item()["description"]
