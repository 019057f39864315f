"""A sale may name its client: the simplified invoice does too, with the taxes that are due from that client."""

import pytest

from support.tills import line, movement, sale

RETAILER = {"name": "Mercería Sol", "taxId": "87654321X", "country": "ES"}
OTHER = {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES"}


@pytest.fixture
async def retailer(ana):
    return await ana.post("/api/clients", {**RETAILER, "equivalenceSurcharge": True})


async def test_the_simplified_invoice_names_the_client(ana, till, retailer):
    sold = await till.sells(126.2, line(100), clientId=retailer["id"])

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (invoice["docType"], invoice["clientId"]) == ("simplified", retailer["id"])
    assert invoice["client"]["taxId"] == "87654321X"


async def test_a_client_under_the_surcharge_pays_it_and_the_answer_says_so(till, retailer):
    answer = await till.api.post(f"{till.path}/movement", sale(126.2, line(100), clientId=retailer["id"]))

    (sold,) = answer["movements"]
    assert [(one["surchargeRate"], one["surchargeByDefault"]) for one in sold["lineItems"]] == [(5.2, True)]
    assert answer["warnings"][0].startswith("lineItems[0]: ")


async def test_a_price_with_tax_contains_the_surcharge(ana, till, retailer):
    sold = await till.sells(126.2, line(126.2), clientId=retailer["id"])

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (invoice["subtotal"], invoice["taxAmount"], invoice["surchargeAmount"]) == (100, 21, 5.2)


async def test_a_line_s_own_surcharge_wins(till, retailer):
    sold = await till.sells(121, line(100, surchargeRate=0), clientId=retailer["id"])

    assert sold["lineItems"][0]["surchargeRate"] == 0


async def test_a_refund_gives_the_surcharge_back(ana, till, retailer):
    sold = await till.sells(126.2, line(100), clientId=retailer["id"])

    back = await till.refunds(sold, 63.1, line(50))

    note = await ana.get(f"/api/invoices/{back['creditNoteId']}")
    assert (note["total"], note["surchargeAmount"]) == (-63.1, -2.6)


async def test_two_companies_are_never_mixed(till, retailer):
    problem = await till.refuses(sale(121, line(100), clientId=retailer["id"], client=OTHER))

    assert problem["code"] == "CLIENT_CONFLICT"


async def test_the_record_names_the_client_where_the_sale_says_so(ana, till):
    sold = await till.sells(121, line(100), client=OTHER, fiscalDetails={"identifiedRecipient": True})

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert invoice["fiscalDetails"] == {"identifiedRecipient": True}


@pytest.mark.parametrize("field", ["clientId", "client", "fiscalDetails"])
async def test_what_makes_no_invoice_names_no_client(ana, till, retailer, field):
    sent = {"clientId": retailer["id"], "client": OTHER, "fiscalDetails": {"coupon": True}}[field]
    sold = await till.sells(121, line(100))

    for body in (
        sale(121, line(100), invoiceId=sold["invoiceId"], **{field: sent}),
        movement("refund", 121, line(100), invoiceId=sold["invoiceId"], **{field: sent}),
        movement("cash_in", 5, **{field: sent}),
    ):
        problem = await till.refuses(body)
        assert [error["field"] for error in problem["errors"]] == [field]


async def test_a_sale_above_400_is_made_with_a_warning_until_the_team_says_that_it_is_retail(ana, till):
    low = await till.api.post(f"{till.path}/movement", sale(400, line(400, taxRate=21)))
    high = await till.api.post(f"{till.path}/movement", sale(400.01, line(400.01, taxRate=21)))
    await ana.put("/api/teams/current", {"higherSimplifiedLimit": True})
    retail = await till.api.post(f"{till.path}/movement", sale(400.01, line(400.01, taxRate=21)))

    (warning,) = high["warnings"]
    assert warning.startswith("SIMPLIFIED_LIMIT: ")
    assert high["movements"][-1]["invoiceId"]
    assert (low["warnings"], retail["warnings"]) == ([], [])
