"""Supplier invoices count beside expenses in every report, each on its own day."""

import pytest

MIXED = [
    {"description": "Papel", "unitPrice": 0.33, "taxRate": 21},
    {"description": "Libros", "unitPrice": 10.1, "taxRate": 4},
    {"description": "Sellos", "unitPrice": 5, "taxRate": 0},
]
"""Taxes of 0.07 and 0.40."""


async def test_costs_are_those_of_both(studio, other):
    await studio.owe("2026-11-01", category="office")
    await studio.owe("2026-11-02")
    await studio.owe("2026-10-31", receptionDate="2026-11-03", deductiblePercent=50, category="office")
    await studio.owe("2026-11-02", currency="USD")
    await studio.spend(60.5, "2026-11-02", category="office")
    await other.owe("2026-11-01")

    report = await studio.report("profit-loss", **{"from": "2026-11-01"})

    assert report["byCategory"] == [{"category": "office", "amount": 260.5}, {"category": "other", "amount": 100}]
    assert report["expenses"] == 360.5


async def test_a_cancelled_one_is_nowhere(studio):
    owed = await studio.owe("2026-11-01")
    await studio.put(f"/api/supplier-invoices/{owed['id']}/cancel", {})

    profit, vat = await studio.report("profit-loss"), await studio.report("vat-balance")
    cash = await studio.report("cashflow")

    assert (profit["expenses"], vat["deductibleInputVat"], cash["expected"]["outflow30"]) == (0, 0, 0)


async def test_input_vat_is_told_by_rate_and_sums_to_what_the_document_deducts(studio):
    owed = await studio.owe("2026-11-01", items=MIXED, deductiblePercent=33.333)

    report = (await studio.report("tax-summary"))["input"]

    assert owed["deductibleTaxAmount"] == report["tax"] == 0.16
    assert report["byRate"] == [{"rate": 21, "base": 0.11, "tax": 0.02}, {"rate": 4, "base": 3.37, "tax": 0.14}]
    profit = await studio.report("profit-loss")
    assert profit["expenses"] == 15.43 + 0.47 - 0.16


async def test_the_deduction_has_its_own_day(studio):
    await studio.owe("2026-09-30", receptionDate="2026-10-01")
    await studio.owe("2026-09-30", deductionDate="2026-10-01")
    await studio.owe("2026-09-30")

    quarters = [await studio.report("vat-balance", year=2026, quarter=number) for number in (3, 4)]

    assert [one["deductibleInputVat"] for one in quarters] == [21, 42]


@pytest.mark.parametrize("flag", [{"reverseCharge": True}, {"intraEu": "goods"}])
async def test_self_assessed_vat_counts_as_output_and_as_input(studio, flag):
    await studio.owe("2026-11-01", total=100, deductiblePercent=50, **flag)

    vat, profit = await studio.report("vat-balance"), await studio.report("profit-loss")

    assert (vat["outputVat"], vat["deductibleInputVat"], vat["balance"]) == (21, 10.5, 10.5)
    assert profit["expenses"] == 110.5


async def test_what_was_withheld_is_owed_to_the_authority(studio):
    await studio.owe("2026-11-01", total=106, retentionRate=15)

    report = await studio.report("tax-summary")

    assert report["retentions"] == {"suffered": 0, "withheld": 15}


async def test_payments_are_cash_on_their_own_days(studio):
    owed = await studio.owe("2026-01-01")
    await studio.settle(owed, 21, "2026-03-31")
    await studio.settle(owed, 60, "2026-04-01")
    foreign = await studio.owe("2026-01-01", currency="USD")
    await studio.settle(foreign, 121, "2026-03-31")

    cash = await studio.report("cashflow")

    out = {one["month"]: one["outflow"] for one in cash["months"] if one["outflow"]}
    assert out == {"2026-03": 21, "2026-04": 60}
    assert cash["expected"]["outflow30"] == 40


async def test_what_is_due_later_is_not_expected_yet(studio):
    for due in ("2026-11-01", "2026-12-21", "2026-12-22"):
        await studio.owe("2026-11-01", dueDate=due)

    cash = await studio.report("cashflow")

    assert cash["expected"]["outflow30"] == 242
    assert (await studio.get("/api/invoices/context"))["cash"]["expected"]["outflow30"] == 242
