"""A draft follows its client's card until it is issued, unless its copy was edited."""

import pytest

from support.api import CLIENT

CARD = {"name": "Rótulos Ebro", "country": "ES", "city": "Zaragoza"}
NIF = "B64717838"


@pytest.fixture
async def card(ana):
    return await ana.post("/api/clients", CARD)


async def change(ana, card, **fields):
    return await ana.put(f"/api/clients/{card['id']}", fields)


async def client_of(ana, draft):
    return (await ana.get(f"/api/invoices/{draft['id']}"))["client"]


async def test_a_draft_takes_over_what_its_card_becomes_and_can_be_issued(ana, card):
    draft = await ana.invoice(client=None, clientId=card["id"])
    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    assert "client.taxId" in [error["field"] for error in problem["errors"]]

    await change(ana, card, taxId=NIF, email="hola@ebro.example")

    followed = await ana.get(f"/api/invoices/{draft['id']}")
    assert (followed["client"]["taxId"], followed["client"]["email"]) == (NIF, "hola@ebro.example")
    assert (followed["clientId"], followed["total"]) == (card["id"], draft["total"])
    assert [one["id"] for one in await ana.get(f"/api/invoices?search={NIF}")] == [draft["id"]]
    await ana.patch(f"/api/invoices/{draft['id']}/pay")


async def test_the_draft_s_version_says_that_it_has_changed(ana, card):
    draft = await ana.invoice(client=None, clientId=card["id"])
    before = (await ana.request("GET", f"/api/invoices/{draft['id']}")).headers["ETag"]

    await change(ana, card, taxId=NIF)

    await ana.refused(412, "PUT", f"/api/invoices/{draft['id']}", {"notes": "Urgente"}, **{"If-Match": before})


async def test_what_is_issued_stays_as_it_was(ana, card):
    await change(ana, card, taxId=NIF)
    draft = await ana.invoice(client=None, clientId=card["id"])
    await ana.patch(f"/api/invoices/{draft['id']}/pay")

    await change(ana, card, city="Huesca")

    assert (await client_of(ana, draft))["city"] == "Zaragoza"


async def test_an_edited_copy_stays(ana, card):
    draft = await ana.invoice(client=None, clientId=card["id"])
    await ana.put(f"/api/invoices/{draft['id']}", {"clientId": card["id"], "client": {**CARD, "city": "Teruel"}})

    await change(ana, card, taxId=NIF, city="Huesca")

    kept = await client_of(ana, draft)
    assert (kept["city"], kept["taxId"]) == ("Teruel", None)


async def test_sending_back_what_was_read_is_no_edit(ana, card):
    draft = await ana.invoice(client=None, clientId=card["id"])
    read = await ana.get(f"/api/invoices/{draft['id']}")
    await ana.put(f"/api/invoices/{draft['id']}", {"client": read["client"], "notes": "Urgente"})

    await change(ana, card, taxId=NIF)
    again = await ana.get(f"/api/invoices/{draft['id']}")
    assert again["client"]["taxId"] == NIF
    await ana.put(f"/api/invoices/{draft['id']}", {"client": again["client"]})

    assert (await ana.get(f"/api/invoices/{draft['id']}"))["clientId"] == card["id"]
    assert len(await ana.get("/api/clients")) == 1


async def test_other_clients_drafts_are_left_alone(ana, card):
    other = await ana.invoice(client=CLIENT)

    await change(ana, card, taxId=NIF)

    assert await client_of(ana, other) == other["client"]


async def test_a_client_who_comes_under_the_surcharge_has_it_on_the_drafts(ana, card):
    draft = await ana.invoice(client=None, clientId=card["id"])

    await change(ana, card, equivalenceSurcharge=True)

    followed = await ana.get(f"/api/invoices/{draft['id']}")
    assert followed["total"] > draft["total"]


async def test_a_draft_that_could_not_have_the_new_card_keeps_the_old_one(ana):
    card = await ana.post("/api/clients", {"name": "Dupont", "country": "FR", "taxId": "FR40303265045"})
    items = [{"description": "Taza", "unitPrice": 10, "taxCategory": "intra_eu_goods"}]
    draft = await ana.invoice(client=None, clientId=card["id"], items=items, triangular=True)

    await change(ana, card, country="ES", taxId=NIF)

    assert (await client_of(ana, draft))["country"] == "FR"
