"""Warnings about the taxes of a draft, as the account's country has them."""

from dataclasses import replace

from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context, RequestMetadata
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from support.api import invoice_body, item

GERMAN = {"name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "address": "Hauptstr. 1"}
COMPANY = {"name": "Talleres Sur, S.L.", "taxId": "B12345674", "country": "ES"}
CODE = "FOREIGN_BUSINESS_DOMESTIC_VAT"


def codes(record):
    return [warning.partition(":")[0] for warning in record["warnings"]]


async def test_a_draft_with_domestic_vat_for_a_foreign_business_is_warned_of(ana):
    body = invoice_body(client=GERMAN)

    preview = await ana.post("/api/invoices/preview", body)
    draft = await ana.post("/api/invoices", body)
    read = await ana.get(f"/api/invoices/{draft['id']}")
    changed = await ana.put(f"/api/invoices/{draft['id']}", {"notes": "dos"})
    copy = await ana.post(f"/api/invoices/{draft['id']}/duplicate")

    assert [codes(one) for one in (preview, draft, read, changed, copy)] == [[CODE]] * 5


async def test_the_warning_goes_with_the_right_category(ana):
    draft = await ana.post("/api/invoices", invoice_body(client=GERMAN, taxRate=0))
    assert codes(draft) == [CODE]

    lines = [item(taxCategory="intra_eu_services")]
    changed = await ana.put(f"/api/invoices/{draft['id']}", {"items": lines})

    assert changed["warnings"] == []
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["warnings"] == []


async def test_an_issued_invoice_is_not_warned_of(ana):
    client = {"clientName": "Beispiel GmbH", "clientTaxId": "DE811569869", "clientCountry": "DE"}
    row = {"number": "A-1", "issueDate": "2026-03-05", **client, "base": 100, "taxRate": 21}
    await ana.post("/api/invoices/import", {"rows": [row]})
    [issued] = await ana.get("/api/invoices")

    assert (await ana.get(f"/api/invoices/{issued['id']}"))["warnings"] == []


async def test_domestic_clients_are_no_doubt(ana):
    assert (await ana.invoice())["warnings"] == []


async def test_a_simplified_invoice_above_400_is_warned_of_until_the_team_says_that_it_may(ana):
    body = invoice_body(docType="simplified", client=None, items=[item(unitPrice=400)])
    preview = await ana.post("/api/invoices/preview", body)
    draft = await ana.post("/api/invoices", body)
    low = await ana.post("/api/invoices", {**body, "items": [item(unitPrice=300)]})
    assert [codes(one) for one in (preview, draft, low)] == [["SIMPLIFIED_LIMIT"], ["SIMPLIFIED_LIMIT"], []]

    answer = await ana.put("/api/teams/current", {"higherSimplifiedLimit": True})

    assert answer["team"]["higherSimplifiedLimit"] is True
    assert codes(await ana.get(f"/api/invoices/{draft['id']}")) == []


async def test_the_limit_is_in_euro_whatever_the_invoices_currency(ana):
    money = {"currency": "USD", "exchangeRate": 0.5}
    low = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=600)], **money)
    high = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=700)], **money)

    assert [codes(one) for one in (low, high)] == [[], ["SIMPLIFIED_LIMIT"]]


async def test_missing_addresses_are_warned_of_until_they_are_there(ana):
    await ana.put("/api/teams/current", {"address": None})
    draft = await ana.invoice(client=COMPANY)
    assert codes(draft) == ["ADDRESS_MISSING"] * 2

    await ana.put("/api/teams/current", {"address": "Calle Mayor 1"})
    changed = await ana.put(f"/api/invoices/{draft['id']}", {"client": {**COMPANY, "address": "Calle Sur 3"}})

    assert codes(changed) == []


async def test_an_export_to_a_client_in_spain_is_warned_of_in_both_languages(ana):
    body = invoice_body(items=[item(taxCategory="export", taxRate=0)])

    spanish = (await ana.request("POST", "/api/invoices/preview", body, **{"Accept-Language": "es"})).json()
    english = (await ana.request("POST", "/api/invoices/preview", body, **{"Accept-Language": "en"})).json()

    assert codes(spanish) == codes(english) == ["EXPORT_WITHIN_SPAIN"]
    assert "el cliente está en España" in spanish["warnings"][0]
    assert "the client is in Spain" in english["warnings"][0]


async def test_a_rate_of_zero_for_a_client_in_spain_is_warned_of(ana):
    assert codes(await ana.invoice(taxRate=0)) == ["ZERO_RATE_WITHIN_SPAIN"]


async def test_the_web_app_says_it_in_the_words_of_its_screens(kernel, ana):
    body = invoice_body(client=GERMAN)
    actor = await kernel.service(Authenticator).by_key(ana.api_key, pinned=ana.team["id"])

    async def warned(channel):
        metadata = RequestMetadata(language="es")
        ctx = Context(kernel=kernel, who=replace(actor, channel=channel), request_metadata=metadata)
        return (await invoices.preview(ctx, InvoiceInput.model_validate(body))).warnings

    [for_programs], [for_people] = await warned(Channel.MCP), await warned(Channel.WEB)
    assert for_programs == (await warned(Channel.API))[0]
    assert for_programs.startswith(f"{CODE}: ")
    assert "taxCategory intra_eu_services" in for_programs
    assert for_people.startswith("El cliente es una empresa de otro país de la UE y lleva IVA al 21 %.")
    assert for_people.endswith("si es un particular, desmarca en su ficha que es una empresa.")


# ---------------------------------------------------------------- retention

PERSON = {"name": "Lucía Vega", "taxId": "00000014Z", "country": "ES", "address": "Calle Sur 3"}


async def on_every_answer(api, body):
    """Codes of the warnings of the preview, and of the draft when it is made, read, changed and copied."""
    preview = await api.post("/api/invoices/preview", body)
    draft = await api.post("/api/invoices", body)
    read = await api.get(f"/api/invoices/{draft['id']}")
    changed = await api.put(f"/api/invoices/{draft['id']}", {"notes": "dos"})
    copy = await api.post(f"/api/invoices/{draft['id']}/duplicate")
    answers = [codes(one) for one in (preview, draft, read, changed, copy)]
    assert answers == [answers[0]] * 5
    return answers[0]


async def test_a_private_person_with_retention_is_warned_of(ana):
    body = invoice_body(client=PERSON, retentionRate=15)

    assert await on_every_answer(ana, body) == ["RETENTION_BY_PRIVATE_PERSON"]

    [card] = await ana.get("/api/clients?search=Vega")
    assert card["isCompany"] is False


async def test_so_is_the_retention_that_the_team_takes_by_default(ana):
    await ana.put("/api/teams/current", {"defaultRetentionRate": 15})

    assert codes(await ana.invoice(client=PERSON)) == ["RETENTION_BY_PRIVATE_PERSON"]
    assert codes(await ana.invoice()) == []
    assert codes(await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=100)])) == [
        "RETENTION_BY_PRIVATE_PERSON"
    ]


async def test_a_professional_is_said_to_be_one_on_the_card_once(ana):
    draft = await ana.invoice(client=PERSON, retentionRate=15)
    await ana.put(f"/api/clients/{draft['clientId']}", {"isCompany": True})

    again = await ana.invoice(client=PERSON, retentionRate=7)

    assert codes(await ana.get(f"/api/invoices/{draft['id']}")) == codes(again) == []


async def test_a_business_client_retains(ana):
    assert await on_every_answer(ana, invoice_body(retentionRate=15)) == []


async def test_a_foreign_business_with_vat_and_retention_is_warned_of_both(ana):
    body = invoice_body(client=GERMAN, retentionRate=15)

    assert await on_every_answer(ana, body) == [CODE, "RETENTION_FROM_ABROAD"]


async def test_a_retention_that_does_not_exist_is_warned_of(ana):
    assert await on_every_answer(ana, invoice_body(retentionRate=18)) == ["RETENTION_RATE_UNKNOWN"]


async def test_an_old_retention_is_given_back_without_a_warning(ana):
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.invoice(client=PERSON, retentionRate=18)
    sold = await ana.patch(f"/api/invoices/{draft['id']}/pay")

    note = await ana.post(
        "/api/invoices", {"docType": "credit_note", "rectifies": sold["id"], "items": [item(unitPrice=-1)]}
    )

    assert (note["retentionRate"], codes(note)) == (18, [])


# ---------------------------------------------------------------- companies and persons


async def test_who_is_a_company_follows_from_the_tax_id_unless_it_is_said(ana):
    async def company(**fields):
        card = await ana.post("/api/clients", {"name": "Uno", **fields})
        read = await ana.get(f"/api/clients/{card['id']}")
        return read["isCompany"]

    assert await company() is True
    assert await company(taxId="B12345674") is True
    assert await company(taxId=PERSON["taxId"]) is False
    assert await company(taxId=PERSON["taxId"], isCompany=True) is True
    assert await company(taxId=PERSON["taxId"], isCompany=None) is False
    assert await company(taxId="AB123", taxIdKind="passport", country="FR") is False
    assert await company(taxId="DE811569869", country="DE") is True
    assert await company(isCompany=False) is False


async def test_a_change_keeps_what_the_card_says(ana):
    card = await ana.post("/api/clients", {"name": "Uno", "taxId": PERSON["taxId"], "isCompany": True})

    changed = await ana.put(f"/api/clients/{card['id']}", {"city": "Lugo", "isCompany": None})

    assert changed["isCompany"] is True


async def test_a_private_person_abroad_bears_iva(ana):
    assert codes(await ana.invoice(client={"name": "Jeanne Petit", "country": "FR", "address": "Rue 1"})) == []
    numbered = {"name": "Rui Costa", "taxId": "PT223456789", "country": "PT", "address": "Rua 1"}
    draft = await ana.invoice(client=numbered)
    assert codes(draft) == [CODE]

    await ana.put(f"/api/clients/{draft['clientId']}", {"isCompany": False})

    assert codes(await ana.get(f"/api/invoices/{draft['id']}")) == []


async def test_a_client_outside_the_eu_is_asked_about_until_its_card_says_it(ana):
    draft = await ana.invoice(client={"name": "Acme Inc", "country": "US", "address": "Main St. 1"})
    assert codes(draft) == ["FOREIGN_CLIENT_UNKNOWN"]
    assert draft["taxRate"] == 21

    async def answered(**fields):
        await ana.put(f"/api/clients/{draft['clientId']}", fields)
        return codes(await ana.get(f"/api/invoices/{draft['id']}"))

    assert await answered(phone="1") == ["FOREIGN_CLIENT_UNKNOWN"]
    assert await answered(isCompany=True) == [CODE]
    assert await answered(phone="2") == [CODE]
    assert await answered(isCompany=False) == []


async def test_a_stated_business_of_the_eu_is_one_without_its_number(ana):
    german = {"name": "Berlin GmbH", "country": "DE", "address": "Hauptstr. 1"}
    unsaid = await ana.post("/api/clients", german)
    said = await ana.post("/api/clients", {**german, "name": "Bonn GmbH", "isCompany": True})

    found = [codes(await ana.invoice(client=None, clientId=card["id"])) for card in (unsaid, said)]

    assert found == [[], [CODE]]


async def test_a_retention_by_a_client_without_a_nif_is_warned_of(ana):
    draft = await ana.invoice(client={"name": "Pepe Pérez", "country": "ES", "address": "Calle 1"}, retentionRate=15)
    assert codes(draft) == ["RETENTION_BY_PRIVATE_PERSON"]

    await ana.put(f"/api/clients/{draft['clientId']}", {"defaultRetentionRate": 15})

    assert codes(await ana.get(f"/api/invoices/{draft['id']}")) == []


# ---------------------------------------------------------------- places and reasons


async def test_a_place_of_supply_in_spain_explains_the_vat(ana):
    assert await on_every_answer(ana, invoice_body(client=GERMAN, placeOfSupply="ES")) == []


async def test_no_vat_abroad_says_why(ana):
    client = {"name": "Jeanne Petit", "country": "FR", "address": "Rue 1"}

    assert await on_every_answer(ana, invoice_body(client=client, taxRate=0)) == ["ZERO_RATE_WITHOUT_REASON"]
    for line in (
        item(taxCategory="exempt", exemptionCode="E1"),
        item(taxCategory="not_subject", notSubjectReason="location_rules"),
        item(taxRate=21, regimeKey="17"),
    ):
        assert codes(await ana.invoice(client=client, items=[line], taxRate=None)) == []


async def test_a_company_in_the_canary_islands_with_iva_is_warned_of(ana):
    canarian = {**COMPANY, "address": "Calle Triana 1", "postalCode": "35002"}

    assert await on_every_answer(ana, invoice_body(client=canarian)) == ["IVA_OUTSIDE_ITS_TERRITORY"]
    assert codes(await ana.invoice(client={**PERSON, "postalCode": "38001"})) == []
    for line in (item(taxCategory="export"), item(taxCategory="not_subject", notSubjectReason="location_rules")):
        assert codes(await ana.invoice(client=canarian, items=[line])) == []
    unsaid = await ana.invoice(client=canarian, items=[item(taxCategory="not_subject")])
    assert codes(unsaid) == ["NOT_SUBJECT_WITHOUT_REASON"]


async def test_a_draft_whose_client_moves_home_is_warned_of_its_category(ana):
    draft = await ana.invoice(client=GERMAN, items=[item(taxCategory="intra_eu_services")])

    moved = await ana.put(f"/api/invoices/{draft['id']}", {"client": {**COMPANY, "address": "Calle Sur 3"}})

    assert codes(moved) == ["VAT_NUMBER_MISSING"]


# ---------------------------------------------------------------- rates of other days


async def test_a_rate_that_does_not_exist_on_that_day_is_refused_with_those_that_do(ana):
    for body, field in (
        (invoice_body(taxRate=19), "taxRate"),
        (invoice_body(items=[item(taxRate=5)]), "items[0].taxRate"),
        (invoice_body(taxRate=7.5, operationDate="2024-09-30"), "taxRate"),
    ):
        for path in ("/api/invoices", "/api/invoices/preview"):
            problem = await ana.refused(400, "POST", path, body)
            assert problem["code"] == "TAX_RATE_UNKNOWN"
            assert [error["field"] for error in problem["errors"]] == [field]
            assert "21, 10, 4" in problem["remedy"]


async def test_the_rates_of_that_day_are_taken(ana):
    for rate, day in ((7.5, "2024-10-01"), (5, "2023-06-01"), (0, "2023-06-01")):
        draft = await ana.invoice(taxRate=rate, operationDate=day)
        assert (draft["taxRate"], codes(draft)) == (rate, [])
