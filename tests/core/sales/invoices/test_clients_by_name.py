"""A client named by the name alone is the only stored client of that name; of several nobody guesses."""

from dataclasses import replace

import pytest

from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context, RequestMetadata
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientInput
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from ledgerkit.problems import Conflict, Invalid
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


async def conversation(kernel, person):
    """Return the context of an assistant of this person."""
    actor = await kernel.service(Authenticator).by_key(person.api_key, pinned=person.team["id"])
    return Context(kernel=kernel, who=replace(actor, channel=Channel.MCP), request_metadata=RequestMetadata())


async def asked(kernel, person, body):
    """Return the problem with which an assistant's draft is answered."""
    ctx = await conversation(kernel, person)
    with pytest.raises(Invalid) as caught:
        await invoices.create(ctx, InvoiceInput.model_validate(body))
    return caught.value.body()


async def test_an_assistant_is_asked_which_one(kernel, ana, namesakes):
    problem = await asked(kernel, ana, named("María López"))

    assert (problem["code"], problem["errors"][0]["field"]) == ("CLIENT_AMBIGUOUS", "client.name")
    assert all(one["id"] in problem["detail"] for one in namesakes)
    assert "clientId" in problem["remedy"]
    assert len(await ana.get("/api/clients")) == 2


async def test_what_tells_namesakes_apart_is_named(kernel, ana, namesakes):
    draft = await ana.post("/api/invoices", invoice_body(client=None, clientId=namesakes[0]["id"]))
    await ana.post("/api/invoices", invoice_body(client=None, clientId=namesakes[1]["id"]))  # stays a draft
    issued = await ana.patch(f"/api/invoices/{draft['id']}/pay")

    problem = await asked(kernel, ana, named("María López"))
    over_rest = await ana.post("/api/invoices", named("María López"))

    assert problem["candidates"] == [
        {"id": namesakes[1]["id"], "name": "Maria Lopez", "city": "Vigo"},
        {
            "id": namesakes[0]["id"],
            "name": "María López",
            "taxId": "12345678Z",
            "city": "Madrid",
            "lastInvoiceDate": issued["issueDate"],
        },
    ]
    told = f"{namesakes[0]['id']}, 12345678Z, Madrid, last invoice {issued['issueDate']}"
    assert told in problem["detail"]
    assert told in over_rest["warnings"][0]


async def test_another_tax_id_is_another_client(kernel, ana):
    stored = await ana.post("/api/clients", CLIENT)

    invoice = await ana.post("/api/invoices", named(CLIENT["name"], taxId="B29805314"))

    assert invoice["clientId"] != stored["id"]
    assert await names(ana) == [CLIENT["name"], CLIENT["name"]]
    assert (await asked(kernel, ana, named(CLIENT["name"])))["code"] == "CLIENT_AMBIGUOUS"


@pytest.fixture
async def doubled(ana):
    """Three cards of one company: two with an address, and a bare one after them."""
    cards = ({**CLIENT, "city": "Bilbao"}, {**CLIENT, "city": "Vigo"}, {"name": "TALLERES NORTE SL"})
    return [await ana.post("/api/clients", {"taxId": CLIENT["taxId"], **card}) for card in cards]


async def test_of_several_of_a_name_and_tax_id_the_oldest_complete_one_is_taken_with_a_warning(ana, doubled):
    by_both = named(CLIENT["name"], taxId=CLIENT["taxId"])

    for answer in (await ana.post("/api/invoices/preview", by_both), await ana.post("/api/invoices", by_both)):
        [warning] = answer["warnings"]
        assert warning.startswith("CLIENT_AMBIGUOUS: ")
        assert f"{doubled[0]['id']} was taken" in warning
        assert all(card["id"] in warning for card in doubled)
    assert answer["clientId"] == doubled[0]["id"]
    assert len(await ana.get("/api/clients")) == 3


async def test_a_draft_keeps_its_client_of_several_with_a_tax_id(ana, doubled):
    invoice = await ana.post("/api/invoices", invoice_body(client=None, clientId=doubled[1]["id"]))

    sent_back = {key: invoice["client"][key] for key in ("name", "taxId", "country")}
    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"client": {**sent_back, "city": "Lugo"}})

    assert (changed["clientId"], changed["warnings"]) == (doubled[1]["id"], [])


async def test_an_assistant_is_asked_which_one_of_a_tax_id(kernel, ana, doubled):
    for name in (CLIENT["name"], "Otro nombre"):
        problem = await asked(kernel, ana, named(name, taxId=CLIENT["taxId"]))

        assert (problem["code"], problem["errors"][0]["field"]) == ("CLIENT_AMBIGUOUS", "client.taxId")
        assert {one["id"] for one in problem["candidates"]} == {card["id"] for card in doubled}
        assert f"{doubled[1]['id']}, {CLIENT['name']}, Vigo" in problem["detail"]
    assert len(await ana.get("/api/clients")) == 3


async def test_an_assistant_is_not_asked_about_a_branch_that_it_names(kernel, ana):
    cards = [await ana.post("/api/clients", {**CLIENT, "name": name}) for name in ("Sede Norte", "Sede Sur")]

    invoice = await ana.post("/api/invoices", named("sede norte", taxId=CLIENT["taxId"]))
    drafted = await invoices.create(
        await conversation(kernel, ana), InvoiceInput.model_validate(named("sede norte", taxId=CLIENT["taxId"]))
    )

    assert (invoice["clientId"], drafted.client_id) == (cards[0]["id"], cards[0]["id"])


async def test_an_assistant_does_not_store_a_client_twice(kernel, ana, doubled):
    ctx = await conversation(kernel, ana)
    same = {"name": "Talleres Norte SL", "taxId": "b-12345674"}

    with pytest.raises(Conflict) as caught:
        await clients.create(ctx, ClientInput.model_validate(same))
    problem = caught.value.body()

    assert problem["code"] == "CLIENT_EXISTS"
    assert {one["id"] for one in problem["candidates"]} == {card["id"] for card in doubled}
    assert doubled[0]["id"] in problem["detail"]
    branch = await clients.create(ctx, ClientInput.model_validate({**same, "name": "Sede Sur"}))
    assert branch.name == "Sede Sur"
    assert len(await ana.get("/api/clients")) == 4


async def test_what_the_draft_says_differently_of_a_client_is_named(ana):
    stored = await ana.post("/api/clients", {**CLIENT, "city": "Bilbao"})

    invoice = await ana.post("/api/invoices", named(CLIENT["name"], city="Vigo", province="Pontevedra"))

    assert (invoice["clientId"], invoice["client"]["city"]) == (stored["id"], "Vigo")
    [warning] = invoice["warnings"]
    assert "client.city" in warning
    assert "client.province" not in warning  # not known before, so nothing differs


SPELLINGS = ["Talleres Norte SL", "talleres norte, S. L.", "TALLERES NORTE S.L", "Talleres Norte sl."]


@pytest.mark.parametrize("stored_name", ["Talleres Norte, S.L.", "Talleres Norte SL"])
async def test_signs_of_the_legal_form_make_no_other_company(ana, stored_name):
    stored = await ana.post("/api/clients", {**CLIENT, "name": stored_name})

    for name in SPELLINGS:
        invoice = await ana.post("/api/invoices", named(name))
        assert (invoice["clientId"], invoice["client"]["name"]) == (stored["id"], stored_name)


async def test_the_name_as_it_is_written_comes_before_another_spelling(ana):
    await ana.post("/api/clients", {**CLIENT, "name": "Talleres Norte SL"})
    exact = await ana.post("/api/clients", {"name": "Talleres Norte, S.L."})

    invoice = await ana.post("/api/invoices", named("Talleres Norte, S.L."))

    assert (invoice["clientId"], invoice["warnings"]) == (exact["id"], [])


@pytest.mark.parametrize("name", ["Talleres Norte SA", "Talleres Norte SLU", "Talleres Nortes L", "Talleres Norte"])
async def test_another_legal_form_is_another_company(ana, name):
    stored = await ana.post("/api/clients", CLIENT)

    invoice = await ana.post("/api/invoices", named(name))

    assert invoice["clientId"] != stored["id"]
