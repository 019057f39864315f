"""Sales that make their simplified invoice, and those that do not (interface decisions N, fiscal)."""

import pytest

from support.api import Api, invoice_body, item
from support.database import row_counts, set_role
from support.periods import YEAR
from support.tills import Till, line, sale

# ---------------------------------------------------------------- the invoice of a sale


async def test_a_sale_of_line_items_makes_its_simplified_invoice(ana, till):
    sold = await till.takes(sale(24.2, line(10, quantity=2, taxRate=21), paymentMethod="card"))

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (invoice["docType"], invoice["series"], invoice["number"]) == ("simplified", "T", f"T{YEAR}-0001")
    assert (invoice["status"], invoice["total"], invoice["amountPaid"], invoice["balance"]) == ("paid", 24.2, 24.2, 0)
    assert (invoice["client"]["name"], invoice["clientId"], invoice["paymentMethod"]) == (None, None, "card")
    assert invoice["issueDate"] == invoice["paidAt"] == invoice["dueDate"]
    assert (invoice["einvoice"]["status"], invoice["einvoice"]["number"]) == ("pending", f"T{YEAR}-0001")
    assert invoice["pricesIncludeTax"] is False
    assert [one["lineTotal"] for one in sold["lineItems"]] == [20]


async def test_the_payment_of_a_sale_is_kept_with_its_invoice(ana, till):
    sold = await till.takes(sale(12.1, line(10), paymentMethod="transfer"))

    [payment] = await ana.get(f"/api/invoices/{sold['invoiceId']}/payments")

    assert (payment["amount"], payment["method"]) == (12.1, "transfer")


async def test_a_sale_is_invoiced_without_retention_whatever_the_team_retains(ana, till):
    await ana.put("/api/teams/current", {"defaultRetentionRate": 15})

    sold = await till.takes(sale(12.1, line(10)))

    assert (await ana.get(f"/api/invoices/{sold['invoiceId']}"))["retentionAmount"] == 0


async def test_each_sale_has_a_record_in_the_chain(ana, till):
    for _ in range(3):
        await till.takes(sale(12.1, line(10)))

    invoices = await ana.get("/api/invoices")

    assert sorted(one["number"] for one in invoices) == [f"T{YEAR}-0001", f"T{YEAR}-0002", f"T{YEAR}-0003"]
    assert len({one["einvoice"]["hash"] for one in invoices}) == 3


async def test_a_member_sells_with_an_invoice_though_they_may_not_issue_one(kernel, ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    till = await Till.of(rosa)

    sold = await till.takes(sale(12.1, line(10)))

    assert (await rosa.get(f"/api/invoices/{sold['invoiceId']}"))["status"] == "paid"


# ---------------------------------------------------------------- which prices are meant


PRICES = [
    (12.1, [line(10, taxRate=21)], False, 12.1),
    (10, [line(10, taxRate=21)], True, 10),
    (10, [line(8.26, taxRate=21)], False, 9.99),
    (3.3, [line(1.1, quantity=3, taxRate=10)], True, 3.3),
    (1, [line(0.3333, quantity=3, taxRate=21)], True, 1),
    (25, [line(10, taxRate=21), line(15, taxRate=4)], True, 25),
    (27.7, [line(10, taxRate=21), line(15, taxRate=4)], False, 27.7),
    (5, [line(5, taxRate=0)], False, 5),
    (9, [line(10, discount=10, taxRate=10)], True, 9),
    (0.05, [line(0.05, taxRate=21)], True, 0.05),
    (30, [line(30, taxCategory="exempt", exemptionCode="E1")], False, 30),
]
"""Amount and lines; whether the prices contain the tax, and what the invoice comes to."""


@pytest.mark.parametrize("priced", PRICES, ids=str)
async def test_prices_are_taken_as_they_match_the_amount(ana, till, priced):
    amount, lines, included, total = priced

    sold = await till.takes(sale(amount, *lines))

    invoice = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (sold["pricesIncludeTax"], invoice["pricesIncludeTax"], invoice["total"]) == (included, included, total)
    assert round(invoice["subtotal"] + invoice["taxAmount"], 2) == total
    assert sold["amount"] == amount


TOLERATED = [
    (12.08, 200),
    (12.12, 200),
    (12.07, 400),
    (12.13, 400),
    (9.98, 200),
    (10.02, 200),
    (9.97, 400),
    (10.03, 400),
]


@pytest.mark.parametrize(("amount", "status"), TOLERATED)
async def test_lines_match_the_amount_within_two_cents(kernel, till, amount, status):
    before = await row_counts(kernel)

    answer = await till.api.request("POST", f"{till.path}/movement", sale(amount, line(10, taxRate=21)))

    assert answer.status_code == status
    if status == 400:
        [error] = answer.json()["errors"]
        assert error["field"] == "lineItems"
        assert "12.10" in error["message"]
        assert "10.00" in error["message"]
        assert await row_counts(kernel) == before


# ---------------------------------------------------------------- no invoice


async def test_a_sale_of_an_invoice_that_exists_makes_no_other(ana, till):
    invoice = await ana.invoice()

    sold = await till.takes(sale(1452, line(1200), invoiceId=invoice["id"]))

    assert sold["invoiceId"] == invoice["id"]
    [only] = await ana.get("/api/invoices")
    assert (only["status"], only["number"]) == ("draft", None)


@pytest.mark.parametrize(("amounts", "status", "open_after"), [((1000,), "sent", 451), ((1000, 900), "paid", 0)])
async def test_a_sale_pays_what_is_open_on_the_invoice_it_names(ana, till, amounts, status, open_after):
    invoice = await ana.invoice(items=[item(quantity=1, unitPrice=1200)])
    await ana.patch(f"/api/invoices/{invoice['id']}/pay", {"amount": 1})

    for amount in amounts:
        await till.takes({"type": "sale", "amount": amount, "description": "Cobro", "invoiceId": invoice["id"]})

    paid = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (paid["status"], paid["balance"]) == (status, open_after)


@pytest.mark.parametrize(("country", "tax_id"), [("ES", None), ("PT", "501964843")])
async def test_with_electronic_invoicing_off_a_sale_makes_none(client, country, tax_id):
    eva = await Api.register(client, "eva@example.com")
    await eva.post("/api/teams", {"name": "Eva", "country": country, "taxId": tax_id})
    till = await Till.of(eva)

    sold = await till.takes(sale(10, line(10, taxRate=21)))

    assert (sold["invoiceId"], sold["pricesIncludeTax"], len(sold["lineItems"])) == (None, True, 1)
    assert await eva.get("/api/invoices") == []


# ---------------------------------------------------------------- what cannot be invoiced


@pytest.mark.parametrize(("amount", "status"), [(3010, 200), (3010.01, 400)])
async def test_beyond_the_limit_of_simplified_invoices_a_sale_is_refused(kernel, till, amount, status):
    before = await row_counts(kernel)

    answer = await till.api.request("POST", f"{till.path}/movement", sale(amount, line(amount, taxRate=21)))

    assert answer.status_code == status
    if status == 400:
        problem = answer.json()
        assert (problem["code"], problem["errors"][0]["field"]) == ("FISCAL_CHECK_FAILED", "amount")
        assert "invoiceId" in problem["remedy"]
        assert "full invoice" in problem["remedy"]
        assert await row_counts(kernel) == before


async def test_the_remedy_for_a_large_sale_works(ana, till):
    full = await ana.post("/api/invoices", invoice_body(items=[item(unitPrice=5000)]))

    sold = await till.takes(sale(6050, line(5000), invoiceId=full["id"]))

    assert sold["invoiceId"] == full["id"]


async def test_a_sale_in_a_currency_that_the_authority_does_not_take_is_refused(kernel, ana):
    till = await Till.of(ana, currency="usd")
    before = await row_counts(kernel)

    for body in (sale(12.1, line(10)), sale(12.1)):
        problem = await till.refuses(body)
        assert (problem["code"], problem["errors"][0]["field"]) == ("FISCAL_CHECK_FAILED", "currency")

    assert await row_counts(kernel) == before


async def test_too_many_rates_are_told_as_line_items(till):
    lines = [line(1, taxRate=21, taxCategory="standard")] * 2 + [line(1, taxRate=3)]

    problem = await till.refuses(sale(3, *lines))

    assert [error["field"] for error in problem["errors"]] == ["lineItems[2].taxRate"]
    assert problem["code"] == "TAX_RATE_UNKNOWN"
    assert problem["detail"].startswith("lineItems[2].taxRate: ")


class TestWithALimitOfEmissions:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"einvoice_limit": 1})

    async def test_sales_beyond_it_are_a_402_and_leave_nothing(self, kernel, till):
        await till.takes(sale(12.1, line(10)))
        before = await row_counts(kernel)

        problem = await till.refuses(sale(12.1, line(10)), status=402)

        assert problem["code"] == "EINVOICE_LIMIT"
        assert await row_counts(kernel) == before


async def test_the_invoices_of_sales_are_counted_once(ana, till):
    await ana.invoice()
    for _ in range(2):
        await till.takes(sale(12.1, line(10)))

    totals = {
        status: (await ana.request("GET", f"/api/invoices?status={status}")).headers["x-total-count"]
        for status in ("draft", "sent", "paid")
    }

    assert totals == {"draft": "1", "sent": "0", "paid": "2"}


async def test_the_qr_of_a_receipt_has_its_legal_size_and_words(ana, berta):
    till = await Till.of(ana)
    sold = await till.sells(12.1, line(10, taxRate=21))
    draft = await ana.invoice()

    code = await ana.get(f"/api/invoices/{sold['invoiceId']}/qr")

    stamp = (await ana.get(f"/api/invoices/{sold['invoiceId']}"))["einvoice"]
    assert (code["url"], code["above"], code["below"]) == (stamp["qrUrl"], "QR tributario:", "VERI*FACTU")
    assert code["image"].startswith("data:image/svg+xml;base64,")
    assert code["widthMm"] == 35 + 2 * 6
    assert await ana.get(f"/api/invoices/{draft['id']}/qr") is None
    await berta.refused(404, "GET", f"/api/invoices/{sold['invoiceId']}/qr")
