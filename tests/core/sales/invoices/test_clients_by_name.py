"""A client named by the name alone is the only stored client of that name; of several nobody guesses."""

from dataclasses import replace

import pytest

from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context, RequestMetadata
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from ledgerkit.problems import Invalid
from support.api import CLIENT, invoice_body


async def names(api):
    return sorted(one["name"] for one in await api.get("/api/clients"))


def named(name, **fields):
    return invoice_body(client={"name": name, **fields})


@pytest.mark.parametrize("name", ["Talleres Norte, S.L.", "TALLERES  NORTE,S.L.", " talleres nórte, s.l. "])
async def test_the_exact_name_is_the_client(ana, name):
    stored = await ana.post("/api/clients", {**CLIENT, "city": "Bilbao"})

    invoice = await ana.post("/api/invoices", named(name))

    assert (invoice["clientId"], invoice["warnings"]) == (stored["id"], [])
    copied = ("name", "taxId", "country", "email", "city")
    assert [invoice["client"][key] for key in copied] == [stored[key] for key in copied]
    assert await names(ana) == [CLIENT["name"]]


async def test_a_name_alone_keeps_the_country_that_is_stored(ana):
    stored = await ana.post("/api/clients", {"name": "Müller GmbH", "taxId": "DE811569869", "country": "DE"})

    for fields in ({}, {"country": "DE"}):
        invoice = await ana.post("/api/invoices", named("Muller GmbH", **fields))
        assert (invoice["clientId"], invoice["client"]["country"]) == (stored["id"], "DE")

    other = await ana.post("/api/invoices", named("Müller GmbH", country="AT"))
    assert other["clientId"] != stored["id"]


async def test_another_name_is_another_client(ana):
    await ana.post("/api/clients", CLIENT)

    invoice = await ana.post("/api/invoices", named("Talleres Norte"))

    assert await names(ana) == ["Talleres Norte", CLIENT["name"]]
    assert invoice["warnings"] == []


@pytest.fixture
async def namesakes(ana):
    first = {"name": "María López", "taxId": "12345678Z", "city": "Madrid"}
    return [await ana.post("/api/clients", one) for one in (first, {"name": "Maria Lopez", "city": "Vigo"})]


async def test_of_several_a_new_client_is_taken_and_the_others_are_named(ana, namesakes):
    invoice = await ana.post("/api/invoices", named("maria lopez"))

    assert invoice["clientId"] not in {one["id"] for one in namesakes}
    [warning] = invoice["warnings"]
    assert warning.startswith("CLIENT_AMBIGUOUS: ")
    assert f"{namesakes[0]['id']}, 12345678Z, Madrid" in warning
    assert f"{namesakes[1]['id']}, Vigo" in warning


async def test_a_tax_id_or_an_id_says_which_one(ana, namesakes):
    by_tax_id = await ana.post("/api/invoices", named("Maria Lopez", taxId="12345678Z"))
    by_id = await ana.post("/api/invoices", invoice_body(client=None, clientId=namesakes[1]["id"]))

    assert [by_tax_id["clientId"], by_id["clientId"]] == [one["id"] for one in namesakes]
    assert len(await ana.get("/api/clients")) == 2


async def test_sending_back_a_draft_keeps_its_client(ana, namesakes):
    invoice = await ana.post("/api/invoices", invoice_body(client=None, clientId=namesakes[1]["id"]))

    sent_back = {key: invoice["client"][key] for key in ("name", "taxId", "country", "city")}
    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"client": sent_back})

    assert (changed["clientId"], changed["warnings"]) == (namesakes[1]["id"], [])
    assert len(await ana.get("/api/clients")) == 2


async def test_an_assistant_is_asked_which_one(kernel, ana, namesakes):
    actor = await kernel.service(Authenticator).by_key(ana.api_key, pinned=ana.team["id"])
    ctx = Context(kernel=kernel, who=replace(actor, channel=Channel.MCP), request_metadata=RequestMetadata())

    with pytest.raises(Invalid) as caught:
        await invoices.create(ctx, InvoiceInput.model_validate(named("María López")))

    problem = caught.value.body()
    assert (problem["code"], problem["errors"][0]["field"]) == ("CLIENT_AMBIGUOUS", "client.name")
    assert all(one["id"] in problem["detail"] for one in namesakes)
    assert "clientId" in problem["remedy"]
    assert len(await ana.get("/api/clients")) == 2
