"""A client under the equivalence surcharge is charged it, unless a line says otherwise."""

import pytest

from support.api import CLIENT, invoice_body, item

RETAILER = {"name": "Mercería Sol", "taxId": "87654321X", "country": "ES", "address": "Calle Sol 1"}
SHIRT = {"type": "product", "name": "Camisa", "unitPrice": 100}
ALTERATION = {"type": "service", "name": "Arreglo", "unitPrice": 100}


def goods(**fields):
    return item(**{"unitPrice": 100, **fields})


@pytest.fixture
async def retailer(ana):
    return await ana.post("/api/clients", {**RETAILER, "equivalenceSurcharge": True})


@pytest.fixture
def sold(ana, retailer):
    """A draft of these items to the retailer."""

    async def made(*items, **fields):
        return await ana.post("/api/invoices", {"clientId": retailer["id"], "items": items, "taxRate": 21, **fields})

    return made


def surcharges(invoice):
    return [(line["surchargeRate"], line["surchargeByDefault"]) for line in invoice["items"]]


@pytest.mark.parametrize(("rate", "surcharge"), [(21, 5.2), (10, 1.4), (4, 0.5), (0, None)])
async def test_goods_take_the_surcharge_that_goes_with_their_rate(sold, rate, surcharge):
    invoice = await sold(goods(taxRate=rate))

    assert surcharges(invoice) == [(surcharge, surcharge is not None)]
    assert invoice["surchargeAmount"] == (surcharge or 0)
    assert invoice["total"] == pytest.approx(100 + rate + (surcharge or 0))


async def test_the_rate_is_that_of_the_day_of_the_operation(sold):
    invoice = await sold(goods(taxRate=5), issueDate="2026-11-02", operationDate="2023-03-01")

    assert surcharges(invoice) == [(0.62, True)]


async def test_a_service_of_the_catalog_takes_none(ana, sold):
    shirt, alteration = [await ana.post("/api/catalog", one) for one in (SHIRT, ALTERATION)]

    invoice = await sold(goods(catalogItemId=shirt["id"]), goods(catalogItemId=alteration["id"]))

    assert surcharges(invoice) == [(5.2, True), (None, False)]


@pytest.mark.parametrize("stated", [0, 1.75])
async def test_what_a_line_says_itself_wins(sold, stated):
    invoice = await sold(goods(surchargeRate=stated))

    assert surcharges(invoice) == [(stated, False)]
    assert invoice["warnings"] == []


@pytest.mark.parametrize(
    "other", [{"taxCategory": "exempt", "exemptionCode": "E1"}, {"tax": "IGIC", "taxRate": 7, "regimeKey": "01"}]
)
async def test_only_lines_of_the_general_tax_take_the_surcharge(sold, other):
    invoice = await sold(goods(**other))

    assert surcharges(invoice) == [(None, False)]


async def test_clients_without_the_regime_take_no_surcharge(ana, retailer):
    assert surcharges(await ana.invoice()) == [(None, False)]


async def test_the_embedded_client_is_recognised(ana, retailer):
    invoice = await ana.post("/api/invoices", invoice_body(client=RETAILER))

    assert invoice["clientId"] == retailer["id"]
    assert surcharges(invoice) == [(5.2, True)]


async def test_the_answer_says_what_was_added_and_how_to_be_without(sold):
    invoice = await sold(goods(), goods(taxRate=10), goods(surchargeRate=0), goods())

    assert [one.partition(": ")[0] for one in invoice["warnings"]] == ["items[0], items[3]", "items[1]"]
    assert "5.2 %" in invoice["warnings"][0]
    assert "surchargeRate 0" in invoice["warnings"][0]


async def test_the_surcharge_is_explained_in_spanish(ana, retailer):
    body = {"clientId": retailer["id"], "items": [goods()], "taxRate": 21}

    answer = await ana.request("POST", "/api/invoices", body, **{"Accept-Language": "es"})

    assert "recargo de equivalencia del 5,2 %" in answer.json()["warnings"][0]


async def test_a_preview_reckons_and_says_the_same(ana, retailer):
    body = {"clientId": retailer["id"], "items": [goods()], "taxRate": 21}

    preview, draft = [await ana.post(f"/api/invoices{path}", body) for path in ("/preview", "")]

    assert (preview["total"], preview["warnings"]) == (draft["total"], draft["warnings"])
    assert preview["total"] == 126.2


# ---------------------------------------------------------------- changes and copies


async def test_a_line_that_moves_to_another_rate_takes_that_rate_s_surcharge(ana, sold):
    invoice = await sold(goods(), goods(surchargeRate=0))

    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"taxRate": 10})

    assert surcharges(changed) == [(1.4, True), (0, False)]


async def test_a_draft_follows_its_client(ana, sold, retailer):
    invoice = await sold(goods())

    without = await ana.put(f"/api/invoices/{invoice['id']}", {"client": CLIENT})
    again = await ana.put(f"/api/invoices/{invoice['id']}", {"clientId": retailer["id"]})

    assert (surcharges(without), without["total"], without["warnings"]) == ([(None, False)], 121, [])
    assert (surcharges(again), again["total"], len(again["warnings"])) == ([(5.2, True)], 126.2, 1)


async def test_a_line_s_own_surcharge_stays_with_another_client(ana, sold):
    invoice = await sold(goods(surchargeRate=1.75))

    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"client": CLIENT})

    assert surcharges(changed) == [(1.75, False)]


async def test_a_copy_is_made_for_the_client_as_it_is_now(ana, sold, retailer):
    invoice = await sold(goods())
    await ana.put(f"/api/clients/{retailer['id']}", {"equivalenceSurcharge": False})

    copy = await ana.post(f"/api/invoices/{invoice['id']}/duplicate")

    assert (invoice["total"], copy["total"], copy["warnings"]) == (126.2, 121, [])


async def test_a_copy_says_what_was_added(ana, sold, retailer):
    await ana.put(f"/api/clients/{retailer['id']}", {"equivalenceSurcharge": False})
    invoice = await sold(goods())
    await ana.put(f"/api/clients/{retailer['id']}", {"equivalenceSurcharge": True})

    copy = await ana.post(f"/api/invoices/{invoice['id']}/duplicate")

    assert (invoice["total"], copy["total"], len(copy["warnings"])) == (121, 126.2, 1)


async def test_an_issued_invoice_keeps_what_it_was_issued_with(ana, sold, issue, retailer):
    plain = await issue(await ana.invoice(client=CLIENT, items=[goods()]))
    taken = await issue(await sold(goods()))
    await ana.put(f"/api/clients/{plain['clientId']}", {"equivalenceSurcharge": True})
    await ana.put(f"/api/clients/{retailer['id']}", {"equivalenceSurcharge": False})

    changed = [await ana.put(f"/api/invoices/{one['id']}", {"notes": "x"}) for one in (plain, taken)]

    assert [one["total"] for one in changed] == [121, 126.2]
    assert [one["warnings"] for one in changed] == [[], []]


# ---------------------------------------------------------------- credit notes


async def credit(ana, original, *items, **fields):
    body = {"docType": "credit_note", "rectifies": original["id"], "items": items, "taxRate": 21, **fields}
    return await ana.post("/api/invoices", body)


async def test_a_credit_note_gives_the_surcharge_back(ana, sold, issue):
    original = await issue(await sold(goods()))

    note = await credit(ana, original, goods(unitPrice=-50))

    assert (note["total"], surcharges(note)) == (-63.1, [(5.2, True)])


async def test_a_credit_note_gives_back_no_surcharge_that_was_not_charged(ana, issue):
    original = await issue(await ana.invoice(items=[goods()]))
    await ana.put(f"/api/clients/{original['clientId']}", {"equivalenceSurcharge": True})

    note = await credit(ana, original, goods(unitPrice=-50))

    assert (note["total"], surcharges(note)) == (-60.5, [(None, False)])


async def test_a_credit_note_by_substitution_says_what_the_client_should_have_been_charged(ana, issue):
    original = await issue(await ana.invoice(items=[goods()]))
    await ana.put(f"/api/clients/{original['clientId']}", {"equivalenceSurcharge": True})

    note = await credit(ana, original, goods(), correctionMethod="substitution")

    assert note["total"] == 126.2
