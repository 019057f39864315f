"""VAT and retentions of a quarter: by rate, on the days that the law says, and as form 303 would have it."""

import pytest

from support.api import Api, item

Q4 = {"year": 2026, "quarter": 4}


async def balance(studio, **asked) -> tuple[float, float, float]:
    report = await studio.report("vat-balance", **(Q4 | asked))
    assert report["balance"] == round(report["outputVat"] - report["deductibleInputVat"], 2)
    summary = await studio.report("tax-summary", **(Q4 | asked))
    output = summary["output"]
    assert round(output["tax"] + output["surcharge"], 2) == report["outputVat"]
    assert (summary["input"]["tax"], summary["balance"]) == (report["deductibleInputVat"], report["balance"])
    return report["outputVat"], report["deductibleInputVat"], report["balance"]


async def test_no_tax_is_owed_without_documents(studio):
    report = await studio.report("vat-balance")

    assert report == {
        "year": 2026,
        "quarter": 4,
        "from": "2026-10-01",
        "to": "2026-12-31",
        "currency": "EUR",
        "outputVat": 0,
        "deductibleInputVat": 0,
        "balance": 0,
    }


@pytest.mark.usefixtures("unreported")
async def test_output_is_told_by_rate_and_what_is_not_taxed_apart(studio, other):
    lines = [
        item(unitPrice=100),
        item(unitPrice=50, taxRate=10),
        item(unitPrice=20, taxRate=21, surchargeRate=5.2),
        item(unitPrice=40, taxCategory="exempt", exemptionCode="E1"),
        item(unitPrice=7, taxCategory="intra_eu_services"),
    ]
    await studio.sold(0, "2026-11-01", items=lines)
    await studio.sold(10, "2026-11-02")
    await other.sold(999, "2026-11-02")

    output = (await studio.report("tax-summary", **Q4))["output"]

    assert output == {
        "base": 180,
        "tax": 32.3,
        "surcharge": 1.04,
        "byRate": [
            {"rate": 21, "base": 130, "tax": 27.3, "surcharge": 1.04},
            {"rate": 10, "base": 50, "tax": 5, "surcharge": 0},
        ],
        "selfAssessed": {"base": 0, "tax": 0},
        "untaxed": 47,
    }
    assert await balance(studio) == (33.34, 0, 33.34)


async def test_input_is_the_deductible_share_only(studio):
    await studio.spend(121, "2026-11-01")
    await studio.spend(121, "2026-11-01", deductiblePercent=50)
    await studio.spend(121, "2026-11-01", deductible=False)
    await studio.spend(110, "2026-11-01", taxRate=10)
    await studio.spend(33.33, "2026-11-01", taxRate=0)

    report = (await studio.report("tax-summary", **Q4))["input"]

    assert report["byRate"] == [{"rate": 21, "base": 150, "tax": 31.5}, {"rate": 10, "base": 100, "tax": 10}]
    assert (report["base"], report["tax"]) == (250, 41.5)
    assert await balance(studio) == (0, 41.5, -41.5)


async def test_self_assessed_vat_counts_as_output_and_as_input(studio):
    await studio.spend(100, "2026-11-01", reverseCharge=True)
    await studio.spend(200, "2026-11-01", intraEu="goods", deductiblePercent=50)

    report = await studio.report("tax-summary", **Q4)

    assert report["output"]["selfAssessed"] == {"base": 300, "tax": 63}
    assert report["output"]["byRate"] == [{"rate": 21, "base": 300, "tax": 63, "surcharge": 0}]
    assert report["input"]["byRate"] == [{"rate": 21, "base": 200, "tax": 42}]
    assert await balance(studio) == (63, 42, 21)


async def test_output_belongs_to_the_quarter_of_the_operation(studio):
    await studio.sold(100, "2026-10-02", operationDate="2026-09-30")
    await studio.sold(10, "2026-10-02")

    assert await balance(studio, quarter=3) == (21, 0, 21)
    assert await balance(studio, quarter=4) == (2.1, 0, 2.1)


async def test_a_correction_belongs_to_the_quarter_of_its_issue(studio):
    sold = await studio.sold(100, "2026-09-30", paid_at="2026-09-30")
    note = {"docType": "credit_note", "rectifies": sold["id"], "operationDate": "2026-09-30"}
    await studio.sold(0, "2026-10-01", paid_at="2026-10-01", items=[item(unitPrice=-100)], **note)

    assert await balance(studio, quarter=3) == (21, 0, 21)
    assert await balance(studio, quarter=4) == (-21, 0, -21)


async def test_input_belongs_to_the_quarter_of_its_deduction(studio):
    await studio.spend(121, "2026-09-30", receptionDate="2026-10-01")
    await studio.spend(12.1, "2026-09-30", deductionDate="2026-10-01")
    await studio.spend(100, "2026-09-30", receptionDate="2026-10-01", reverseCharge=True)

    assert await balance(studio, quarter=3) == (21, 0, 21)
    assert await balance(studio, quarter=4) == (0, 44.1, -44.1)


async def test_retentions_are_told_on_both_sides(studio):
    await studio.sold(500, "2026-09-30", retentionRate=15)
    await studio.sold(1000, "2026-11-01", retentionRate=15)
    await studio.spend(1210, "2026-11-01", retentionRate=19)

    report = await studio.report("tax-summary", **Q4)

    assert report["retentions"] == {"suffered": 150, "withheld": 190}


async def test_cents_are_those_of_the_documents(studio):
    """55.55 + 11.11 at 23 % is the known trap: three invoices of 0.03 at 21 % hold 0.01 each, not 0.02 in all."""
    for _ in range(3):
        await studio.sold(0.03, "2026-11-01")

    assert await balance(studio) == (0.03, 0, 0.03)


async def test_emitted_invoices_count_even_when_hidden(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    draft = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    await ana.delete(f"/api/invoices/{draft['id']}")

    assert (await ana.get("/api/expenses/vat-balance"))["outputVat"] == 252
    assert (await ana.get("/api/expenses/income-summary"))["pending"] == 0


@pytest.mark.parametrize("name", ["tax-summary", "vat-balance"])
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("quarter=1", 200),
        ("quarter=4", 200),
        ("quarter=0", 400),
        ("quarter=5", 400),
        ("quarter=x", 400),
        ("year=2000", 200),
        ("year=1999", 400),
        ("year=2100&quarter=4", 200),
        ("year=2101", 400),
    ],
)
async def test_a_year_has_four_quarters(studio, name, query, status):
    answer = await studio.request("GET", f"/api/expenses/{name}?{query}")

    assert answer.status_code == status


async def test_a_year_alone_is_asked_for_its_current_quarter(studio):
    report = await studio.report("vat-balance", year=2024)

    assert (report["year"], report["quarter"], report["from"], report["to"]) == (2024, 4, "2024-10-01", "2024-12-31")
