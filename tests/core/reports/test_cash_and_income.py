"""Cash by its own days, income by clients and months, and the summary of all."""

import pytest

from support.api import item

OTHER_CLIENT = {"name": "Sur, S.L.", "taxId": "B87654323", "country": "ES"}


def months(found) -> dict[str, dict[str, float]]:
    return {one.pop("month"): one for one in found["months"]}


async def test_cash_of_nothing(studio):
    report = await studio.report("cashflow")

    assert (report["from"], report["to"], report["opening"]) == ("2025-12-01", "2026-11-21", 0)
    assert list(months(report)) == ["2025-12", *(f"2026-{month:02d}" for month in range(1, 12))]
    assert report["expected"] == {"inflow30": 0, "outflow30": 0}


async def test_cash_moves_on_the_days_of_payment(studio, other):
    await studio.sold(100, "2026-01-10", paid_at="2026-03-05")
    partly = await studio.sell(1000, "2026-01-10")
    for amount, day in ((210, "2026-03-31"), (1000, "2026-04-01")):
        await studio.patch(f"/api/invoices/{partly['id']}/pay", {"amount": amount, "paidAt": day})
    await studio.spend(121, "2026-03-01", paidAt="2026-04-30", retentionRate=15)
    await studio.spend(50, "2026-03-01", status="pending")
    await studio.sold(100, "2026-01-10", paid_at="2026-11-22")
    await other.sold(999, "2026-03-01", paid_at="2026-03-05")

    report = await studio.report("cashflow", opening=1000.5)

    moved = {month: one for month, one in months(report).items() if one["inflow"] or one["outflow"]}
    assert moved == {
        "2026-03": {"inflow": 331, "outflow": 0, "net": 331, "cumulative": 1331.5},
        "2026-04": {"inflow": 1000, "outflow": 106, "net": 894, "cumulative": 2225.5},
    }
    assert report["opening"] == 1000.5


async def test_a_moved_date_of_payment_moves_the_cash(studio):
    sold = await studio.sold(100, "2026-01-10", paid_at="2026-03-05")

    await studio.patch(f"/api/invoices/{sold['id']}/pay", {"paidAt": "2026-05-05"})

    report = months(await studio.report("cashflow"))
    assert (report["2026-03"]["inflow"], report["2026-05"]["inflow"]) == (0, 121)


@pytest.mark.usefixtures("unreported")
async def test_cash_goes_back_with_a_credit_note_and_away_with_a_voided_invoice(studio):
    sold = await studio.sold(100, "2026-03-01", paid_at="2026-03-05")
    note = {"docType": "credit_note", "rectifies": sold["id"], "items": [item(unitPrice=-40)]}
    await studio.sold(0, "2026-04-01", paid_at="2026-04-05", **note)
    voided = await studio.sold(7, "2026-04-01", paid_at="2026-04-05")
    await studio.delete(f"/api/invoices/{voided['id']}")

    report = months(await studio.report("cashflow"))

    assert (report["2026-03"]["inflow"], report["2026-04"]["inflow"]) == (121, -48.4)


async def test_expected_is_what_is_due_within_thirty_days(studio):
    for due in ("2026-11-01", "2026-12-21", "2026-12-22"):
        await studio.sold(100, "2026-11-01", dueDate=due)
    for day in ("2026-11-01", "2026-12-21", "2026-12-22"):
        await studio.spend(121, day, status="pending", retentionRate=15)

    report = await studio.report("cashflow")

    assert report["expected"] == {"inflow30": 2 * 121, "outflow30": 2 * 106}


@pytest.mark.parametrize(("opening", "status"), [("-5.25", 200), ("1.005", 400), ("x", 400), ("1e30", 400)])
async def test_an_opening_balance_is_an_amount(studio, opening, status):
    answer = await studio.request("GET", f"/api/expenses/cashflow?opening={opening}")

    assert answer.status_code == status


async def test_income_by_client_and_month(studio):
    await studio.sold(100, "2026-02-10", paid_at="2026-03-05")
    await studio.sold(50, "2026-02-11", dueDate="2026-03-11")
    await studio.sold(1000, "2026-11-10", client=OTHER_CLIENT, dueDate="2026-12-10")
    await studio.sold(5, "2026-11-10", paid_at="2026-11-10", docType="simplified", client={"name": "Alguien"})

    report = await studio.report("income-summary")

    assert (report["invoiced"], report["invoiceCount"], report["averageInvoice"]) == (1155, 4, 288.75)
    assert report["collected"] == 121 + 6.05
    assert (report["pending"], report["overdue"]) == (60.5 + 1210, 60.5)
    shares = [(one["name"], one["invoiced"], one["invoiceCount"]) for one in report["byClient"]]
    assert shares == [("Sur, S.L.", 1000, 1), ("Talleres Norte, S.L.", 150, 2), (None, 5, 1)]
    by_month = {one.pop("month"): one for one in report["byMonth"]}
    assert by_month["2026-02"] == {"invoiced": 150, "collected": 0}
    assert by_month["2026-03"] == {"invoiced": 0, "collected": 121}
    assert by_month["2026-11"] == {"invoiced": 1005, "collected": 6.05}


async def test_corrections_lower_income_but_are_no_invoices(studio):
    sold = await studio.sold(100, "2026-02-10", paid_at="2026-02-10")
    note = {"docType": "credit_note", "rectifies": sold["id"], "items": [item(unitPrice=-40)]}
    await studio.sold(0, "2026-02-11", paid_at="2026-02-11", **note)

    report = await studio.report("income-summary")

    assert (report["invoiced"], report["invoiceCount"], report["averageInvoice"]) == (60, 1, 60)
    assert report["collected"] == 72.6


async def test_the_summary_agrees_with_the_reports(studio):
    await studio.sold(100, "2026-02-10", paid_at="2026-03-05", retentionRate=15)
    await studio.sold(200, "2026-10-10", dueDate="2026-11-11")
    await studio.sold(300, "2026-11-10", client=OTHER_CLIENT, dueDate="2026-12-11")
    await studio.spend(121, "2026-10-20", deductiblePercent=50)
    await studio.spend(60.5, "2026-03-20", status="pending")

    report = await studio.get("/api/invoices/context")

    year, quarter = await studio.report("profit-loss"), await studio.report("vat-balance")
    income = await studio.report("income-summary")
    cash = await studio.report("cashflow")
    assert report["year"] == {
        "invoiced": year["income"],
        "collected": income["collected"],
        "expenses": year["expenses"],
        "profit": year["profit"],
    }
    assert (report["quarter"]["outputVat"], report["quarter"]["vatBalance"]) == (
        quarter["outputVat"],
        quarter["balance"],
    )
    assert report["quarter"]["expenses"] == 110.5
    assert report["pending"] == {"count": 2, "amount": income["pending"]}
    assert report["overdue"] == {"count": 1, "amount": 242, "oldestDays": 10}
    assert [one["invoiced"] for one in report["topClients"]] == [300, 300]
    assert report["cash"] == {"inflow": 106, "outflow": 121, "net": -15, "expected": cash["expected"]}
    assert len(report["recentInvoices"]) == 3
