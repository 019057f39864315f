"""A sale without line items is one line of its description, with the tax in its amount (interface decisions P8)."""

import pytest

from support.api import Api
from support.database import row_counts
from support.periods import YEAR
from support.tills import Till, line, movement, sale


async def test_a_sale_without_line_items_makes_its_simplified_invoice(ana, till):
    sold = await till.sells(12.1, description="Menú del día", paymentMethod="card")

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (invoice["docType"], invoice["number"], invoice["status"]) == ("simplified", f"T{YEAR}-0001", "paid")
    assert (invoice["subtotal"], invoice["taxAmount"], invoice["total"], invoice["balance"]) == (10, 2.1, 12.1, 0)
    assert (invoice["einvoice"]["number"], invoice["einvoice"]["status"]) == (f"T{YEAR}-0001", "pending")
    [item] = sold["lineItems"]
    assert (item["description"], item["quantity"], item["unitPrice"], item["taxRate"]) == ("Menú del día", 1, 12.1, 21)
    assert sold["pricesIncludeTax"] is True


AMOUNTS = [0.01, 0.02, 0.1, 1.99, 7.77, 33.33, 99.99, 1234.56, 3010]


@pytest.mark.parametrize("rate", [21, 10, 4, 0])
@pytest.mark.parametrize("amount", AMOUNTS)
async def test_the_invoice_comes_to_what_was_taken(ana, till, amount, rate):
    sold = await till.sells(amount, taxRate=rate)

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (invoice["total"], invoice["amountPaid"], invoice["balance"]) == (amount, amount, 0)
    assert round(invoice["subtotal"] + invoice["taxAmount"], 2) == amount
    assert [row["rate"] for row in invoice["taxBreakdown"]] == [rate]


async def test_the_rate_is_the_teams_unless_the_sale_says_another(ana, till):
    await ana.put("/api/teams/current", {"defaultTaxRate": 10})

    usual, stated = await till.sells(11), await till.sells(10.4, taxRate=4)

    assert [one["lineItems"][0]["taxRate"] for one in (usual, stated)] == [10, 4]


async def test_a_rate_that_is_not_in_force_is_named(kernel, till):
    before = await row_counts(kernel)

    problem = await till.refuses(sale(12.1, taxRate=20))

    assert (problem["code"], [error["field"] for error in problem["errors"]]) == ("TAX_RATE_UNKNOWN", ["taxRate"])
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("rate", [-1, 101, "21"])
async def test_a_rate_of_a_wrong_form_is_named(till, rate):
    problem = await till.refuses(sale(12.1, taxRate=rate))

    assert [error["field"] for error in problem["errors"]] == ["taxRate"]


async def test_a_rate_is_of_a_sale_of_one_amount_only(ana, till):
    sold, invoice = await till.sells(12.1), await ana.invoice()

    for body in (
        sale(12.1, line(10), taxRate=21),
        sale(12.1, invoiceId=invoice["id"], taxRate=21),
        movement("refund", 12.1, invoiceId=sold["invoiceId"], taxRate=21),
        movement("cash_in", 5, taxRate=21),
    ):
        problem = await till.refuses(body)
        assert [error["field"] for error in problem["errors"]] == ["taxRate"]


async def test_it_may_name_its_client(ana, till):
    client = {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES"}

    sold = await till.sells(121, client=client, fiscalDetails={"identifiedRecipient": True})

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (invoice["client"]["name"], invoice["total"]) == ("Talleres Norte, S.L.", 121)


async def test_beyond_the_limit_of_simplified_invoices_it_is_refused(kernel, till):
    before = await row_counts(kernel)

    problem = await till.refuses(sale(3010.01))

    assert (problem["code"], problem["errors"][0]["field"]) == ("FISCAL_CHECK_FAILED", "amount")
    assert await row_counts(kernel) == before


@pytest.mark.parametrize(("country", "tax_id"), [("ES", None), ("PT", "501964843")])
async def test_with_electronic_invoicing_off_the_line_is_kept_with_the_movement(client, country, tax_id):
    eva = await Api.register(client, "eva@example.com")
    await eva.post("/api/teams", {"name": "Eva", "country": country, "taxId": tax_id, "defaultTaxRate": 4})
    till = await Till.of(eva)

    sold = await till.sells(10.4)

    [item] = sold["lineItems"]
    assert (sold["invoiceId"], sold["pricesIncludeTax"], item["taxRate"]) == (None, True, 4)
    assert await eva.get("/api/invoices") == []


async def test_the_sums_of_the_day_and_the_books_hold_it(ana, till):
    await till.sells(12.1)
    await till.sells(24.2, paymentMethod="card")

    closed = await ana.post(f"{till.path}/close", {"closingAmount": 112.1})

    taxes = await ana.get("/api/expenses/tax-summary")
    assert (closed["totals"]["sales"], closed["salesCount"], closed["difference"]) == (36.3, 2, 0)
    assert (taxes["output"]["base"], taxes["output"]["tax"]) == (30, 6.3)
