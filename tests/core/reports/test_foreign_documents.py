"""Documents in another currency count in euros by their exchange rate, in every report; without one, nowhere."""

from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest

from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.reports import ledger
from ledgerkit.providers.api import DateSpan, LedgerPayment, Omission
from support.api import invoice_body, item

AUTUMN = DateSpan(first=date(2026, 9, 1), last=date(2026, 11, 30))
DOLLARS = {"currency": "USD", "exchangeRate": 0.92, "exchangeRateSource": "ECB 2026-11-20"}
EXPORT = {"taxCategory": "export", "taxRate": 0, "exemptionCode": "E2"}


def d(amount: str) -> Decimal:
    return Decimal(amount)


async def read(studio):
    return await ledger.read(await accounts.system_context(studio.kernel, UUID(studio.team["id"])), AUTUMN)


@pytest.fixture
async def studio(studio):
    await studio.put("/api/teams/current", {"einvoicing": "off"})
    return studio


async def figures(studio):
    profit = await studio.report("profit-loss")
    vat = await studio.report("vat-balance")
    [client] = await studio.get("/api/clients")
    pending = (await studio.report("income-summary"))["pending"]
    return profit["income"], vat["outputVat"], client["totalInvoiced"], client["balance"], pending


async def test_an_export_in_dollars_is_income_in_euros(studio):
    sold = await studio.sold(0, "2026-11-01", items=[item(unitPrice=1000, **EXPORT)], **DOLLARS)

    assert (sold["total"], sold["balance"], sold["exchangeRate"]) == (1000, 1000, 0.92)
    assert (sold["converted"]["total"], sold["converted"]["taxBreakdown"][0]["base"]) == (920, 920)
    assert await figures(studio) == (920, 0, 920, 920, 920)
    assert (await studio.report("tax-summary"))["output"]["untaxed"] == 920
    [sale] = (await read(studio)).sales
    assert (sale.gross_total, sale.taxes[0].base) == (920, 920)


async def test_vat_is_counted_in_euros(studio):
    # 1000.01 x 0.92 = 920.0092; 210.00 x 0.92 = 193.20
    sold = await studio.sold(1000.01, "2026-11-01", retentionRate=15, **DOLLARS)

    summary = await studio.report("tax-summary")
    assert summary["output"]["byRate"] == [{"rate": 21, "base": 920.01, "tax": 193.2, "surcharge": 0}]
    assert summary["retentions"]["suffered"] == 138  # 150.00 x 0.92
    assert await figures(studio) == (920.01, 193.2, 975.21, 975.21, 975.21)
    [sale] = (await read(studio)).sales
    assert (sale.gross_total, sale.retention) == (d("1113.21"), d("138.00"))
    assert sold["converted"]["retentionAmount"] == 138


async def test_payments_are_in_its_currency_and_count_in_euros(studio):
    sold = await studio.sold(0, "2026-11-01", items=[item(unitPrice=0.07, taxRate=0)] * 3, **DOLLARS)
    for amount in (0.1, 0.11):
        await studio.patch(f"/api/invoices/{sold['id']}/pay", {"amount": amount, "paidAt": "2026-11-02"})

    paid = await studio.get(f"/api/invoices/{sold['id']}/payments")
    assert [(one["amount"], one["baseAmount"]) for one in paid] == [(0.1, 0.09), (0.11, 0.1)]  # 0.21 x 0.92 = 0.1932
    [sale] = (await read(studio)).sales
    assert sale.payments == tuple(LedgerPayment(day=date(2026, 11, 2), amount=d(part)) for part in ("0.09", "0.10"))
    assert (await studio.report("cashflow"))["months"][-1]["inflow"] == 0.19
    assert await figures(studio) == (0.19, 0, 0.19, 0, 0)


async def test_without_a_rate_it_is_nowhere_but_among_the_omitted(studio):
    sold = await studio.sold(1000, "2026-11-01", currency="USD")
    owed = await studio.owe("2026-11-01", currency="USD")

    assert (sold["exchangeRate"], sold["converted"], owed["converted"]) == (None, None, None)
    assert await figures(studio) == (0, 0, 0, 0, 0)
    found = await read(studio)
    assert (found.sales, found.purchases) == ([], [])
    assert [(one.document_id, one.reason) for one in found.omitted] == [
        (one["id"], Omission.FOREIGN_CURRENCY) for one in (sold, owed)
    ]


@pytest.mark.parametrize("paid", [None, "2026-11-02"])
async def test_a_rate_may_be_added_later_and_then_stays(studio, paid):
    sold = await studio.sold(1000, "2026-11-01", paid, currency="USD")
    path = f"/api/invoices/{sold['id']}"

    await studio.put(path, {"exchangeRate": 0.92})

    assert await figures(studio) == (920, 193.2, 1113.2, 0 if paid else 1113.2, 0 if paid else 1113.2)
    [sale] = (await read(studio)).sales
    assert [payment.amount for payment in sale.payments] == ([d("1113.20")] if paid else [])
    for change in ({"exchangeRate": 0.93}, {"exchangeRate": None}, {"exchangeRateSource": "ECB"}):
        problem = await studio.refused(400, "PUT", path, change)
        assert problem["code"] == "INVOICE_LOCKED"
    assert (await studio.put(path, {"notes": "Gracias"}))["exchangeRate"] == 0.92


async def test_a_credit_note_has_the_rate_of_its_invoice(studio):
    sold = await studio.sold(1000, "2026-10-01", **DOLLARS)
    same = {"docType": "credit_note", "rectifies": sold["id"], "currency": "USD"}

    refused = await studio.refused(400, "POST", "/api/invoices", invoice_body(**same, exchangeRate=0.93))
    note = await studio.sold(-1000, "2026-11-01", **same)

    assert refused["errors"][0]["field"] == "exchangeRate"
    assert (note["exchangeRate"], note["exchangeRateSource"]) == (0.92, "ECB 2026-11-20")
    assert note["converted"]["total"] == -1113.2
    assert await figures(studio) == (0, 0, 0, 0, 0)
    assert (await studio.get(f"/api/invoices/{sold['id']}"))["balance"] == 0


async def test_a_credit_note_by_substitution_changes_by_the_difference_in_euros(studio):
    sold = await studio.sold(1000, "2026-10-01", **DOLLARS)
    right = {"docType": "credit_note", "rectifies": sold["id"], "correctionMethod": "substitution"}
    await studio.sold(600, "2026-11-01", currency="USD", **right)

    # 600 x 0.92 = 552 and 126 x 0.92 = 115.92 in place of 920 and 193.20
    assert await figures(studio) == (552, 115.92, 667.92, 667.92, 667.92)
    sale = (await read(studio)).sales[-1]
    assert [(line.base, line.amount) for line in sale.taxes] == [(552, d("115.92")), (-920, d("-193.20"))]
    assert sale.gross_total == d("-445.28")


async def test_a_note_of_an_invoice_without_a_rate_has_none(studio):
    sold = await studio.sold(1000, "2026-10-01", currency="USD")
    same = {"docType": "credit_note", "rectifies": sold["id"], "currency": "USD"}
    note = await studio.sold(-1000, "2026-11-01", **same)

    early = await studio.refused(400, "PUT", f"/api/invoices/{note['id']}", {"exchangeRate": 0.92})
    await studio.put(f"/api/invoices/{sold['id']}", {"exchangeRate": 0.92})
    await studio.put(f"/api/invoices/{note['id']}", {"exchangeRate": 0.92})

    assert early["errors"][0]["field"] == "exchangeRate"
    assert await figures(studio) == (0, 0, 0, 0, 0)


async def test_a_draft_takes_the_rate_that_its_currency_has(studio):
    draft = await studio.invoice(**DOLLARS)
    path = f"/api/invoices/{draft['id']}"

    pounds = await studio.put(path, {"currency": "GBP"})
    euros = await studio.put(path, {"currency": "EUR", "exchangeRate": 1})
    dollars = await studio.put(path, {"currency": "USD", "exchangeRate": 0.9})
    copy = await studio.post(f"{path}/duplicate")

    shown = [(one["exchangeRate"], one["exchangeRateSource"]) for one in (pounds, euros, dollars, copy)]
    assert shown == [(None, None), (None, None), (0.9, None), (None, None)]


async def test_a_preview_shows_the_conversion_and_asks_for_the_rate(studio):
    dollars = await studio.post("/api/invoices/preview", invoice_body(**DOLLARS))
    unknown = await studio.post("/api/invoices/preview", invoice_body(currency="USD"))
    wrong = await studio.refused(400, "POST", "/api/invoices/preview", invoice_body(exchangeRate=1.1))

    assert dollars["converted"]["total"] == round(dollars["total"] * 0.92, 2)
    assert not [warning for warning in dollars["warnings"] if "exchangeRate" in warning]
    assert [warning for warning in unknown["warnings"] if "exchangeRate" in warning]
    assert wrong["errors"][0]["field"] == "exchangeRate"


async def test_services_from_abroad_with_reverse_charge_count_in_euros(studio):
    owed = await studio.owe("2026-11-01", total=1000, reverseCharge=True, **DOLLARS)

    assert (owed["total"], owed["selfAssessedTax"]) == (1000, 210)
    assert (owed["converted"]["total"], owed["converted"]["selfAssessedTax"]) == (920, 193.2)
    vat, profit = await studio.report("vat-balance"), await studio.report("profit-loss")
    assert (vat["outputVat"], vat["deductibleInputVat"], profit["expenses"]) == (193.2, 193.2, 920)
    [purchase] = (await read(studio)).purchases
    assert (purchase.taxes[0].base, purchase.taxes[0].tax, purchase.taxes[0].deductible_tax) == (
        920,
        d("193.20"),
        d("193.20"),
    )
    assert (purchase.cost, purchase.gross_total) == (920, 920)


async def test_what_is_owed_to_vendors_is_in_euros(studio):
    owed = await studio.owe("2026-11-01", total=1210, retentionRate=0, **DOLLARS)
    await studio.settle(owed, 605, "2026-11-02")

    summary, aging = [await studio.get(f"/api/supplier-invoices/{name}") for name in ("summary", "aging")]
    [vendor] = await studio.get("/api/supplier-invoices/accounts-payable")
    shown = await studio.get(f"/api/supplier-invoices/{owed['id']}")

    assert (summary["totalPending"], summary["monthPayments"]) == (556.6, 556.6)
    assert (aging["buckets"]["current"], aging["details"]["current"][0]["balance"]) == (556.6, 605)
    assert (vendor["totalInvoiced"], vendor["totalPaid"], vendor["balance"]) == (1113.2, 556.6, 556.6)
    assert (shown["balance"], shown["payments"][0]["baseAmount"]) == (605, 556.6)
    assert (await studio.report("cashflow"))["months"][-1]["outflow"] == 556.6
    [purchase] = (await read(studio)).purchases
    assert [payment.amount for payment in purchase.payments] == [d("556.60")]


async def test_a_cancelled_one_is_owed_no_more(studio):
    owed = await studio.owe("2026-11-01", **DOLLARS)
    await studio.put(f"/api/supplier-invoices/{owed['id']}/cancel", {})

    assert await studio.get("/api/supplier-invoices/accounts-payable") == []
    assert (await studio.get("/api/supplier-invoices/summary"))["totalPending"] == 0


async def test_lists_show_what_single_documents_show(studio):
    sold, owed = await studio.sold(1000, "2026-11-01", **DOLLARS), await studio.owe("2026-11-01", **DOLLARS)

    assert await studio.get("/api/invoices") == [sold]
    assert await studio.get("/api/supplier-invoices") == [owed]


async def test_a_document_in_euros_holds_nothing_more(studio):
    sold, owed = await studio.sold(1000, "2026-11-01"), await studio.owe("2026-11-01")

    for one in (sold, owed):
        assert (one["exchangeRate"], one["exchangeRateSource"], one["converted"]) == (None, None, None)
