"""The arithmetic of documents, on examples that others have got wrong (interface decisions B4)."""

from decimal import Decimal

import pytest

from ledgerkit.core.platform.documents.totals import Line, total
from ledgerkit.money import RoundingPolicy
from ledgerkit.providers.api import TaxCategory
from support.api import item


def line(quantity: str, price: str, rate: str = "21", discount: str = "0") -> Line:
    return Line(
        quantity=Decimal(quantity),
        unit_price=Decimal(price),
        discount=Decimal(discount),
        category=TaxCategory.STANDARD,
        rate=Decimal(rate),
    )


TRAPS = [
    ([("1", "55.55", "23"), ("1", "11.11", "23")], "document", "66.66", "15.33"),
    ([("1", "55.55", "23"), ("1", "11.11", "23")], "line", "66.66", "15.34"),
    ([("16", "348.35", "22", "4")], "document", "5350.66", "1177.15"),
    ([("1", "3.60", "5.5")], "document", "3.60", "0.20"),
    ([("10", "3.60", "5.5")], "document", "36.00", "1.98"),
    ([("1", "3.60", "5.5")] * 10, "line", "36.00", "2.00"),
    ([("3", "0.335")], "document", "1.01", "0.21"),
    ([("1", "0.335")] * 3, "document", "1.02", "0.21"),
    ([("1", "2.675")], "document", "2.68", "0.56"),
    ([("1", "1.005")], "document", "1.01", "0.21"),
    ([("-1", "1.005")], "document", "-1.01", "-0.21"),
    ([("0.1", "3"), ("0.2", "3")], "document", "0.90", "0.19"),
    ([("1", "99.99", "21", "100")], "document", "0.00", "0.00"),
    ([("9999999.9999", "0.0001")], "document", "1000.00", "210.00"),
]
"""Lines, the policy, and what the subtotal and the tax must be."""


@pytest.mark.parametrize(("lines", "per", "subtotal", "tax"), TRAPS)
def test_documents_round_once_per_rate_and_half_up(lines, per, subtotal, tax):
    sums = total([line(*one) for one in lines], Decimal(0), RoundingPolicy(per=per))

    assert (sums.subtotal, sums.tax) == (Decimal(subtotal), Decimal(tax))
    assert sums.total == sums.subtotal + sums.tax


async def test_the_example_of_the_freelancer(ana):
    invoice = await ana.invoice(retentionRate=15, items=[item(quantity=2, unitPrice=600)])

    amounts = ("subtotal", "taxAmount", "retentionAmount", "surchargeAmount", "total", "balance")
    assert {name: invoice[name] for name in amounts} == {
        "subtotal": 1200,
        "taxAmount": 252,
        "retentionAmount": 180,
        "surchargeAmount": 0,
        "total": 1272,
        "balance": 1272,
    }


async def test_each_rate_and_category_has_its_row(ana):
    lines = [
        item(unitPrice=100, taxRate=21, surchargeRate=5.2),
        item(unitPrice=50, taxRate=10),
        item(unitPrice=50, taxRate=10, discount=50),
        item(unitPrice=30, taxCategory="exempt", exemptionCode="E1"),
        item(unitPrice=20, taxCategory="reverse_charge"),
    ]

    invoice = await ana.invoice(items=lines)

    keys, amounts = ("category", "rate"), ("base", "amount", "surchargeAmount")
    rows = {tuple(map(row.get, keys)): tuple(map(row.get, amounts)) for row in invoice["taxBreakdown"]}
    assert rows == {
        ("standard", 21): (100, 21, 5.2),
        ("standard", 10): (75, 7.5, 0),
        ("exempt", 0): (30, 0, 0),
        ("reverse_charge", 0): (20, 0, 0),
    }
    assert [one["lineTotal"] for one in invoice["items"]] == [100, 50, 25, 30, 20]
    assert (invoice["subtotal"], invoice["taxAmount"], invoice["surchargeAmount"], invoice["total"]) == (
        225,
        28.5,
        5.2,
        258.7,
    )


async def test_the_order_of_lines_changes_no_amount(ana):
    lines = [item(unitPrice=0.01 * number, taxRate=rate) for number in range(1, 12) for rate in (21, 10, 4, 0)]
    lines = [{**one, "unitPrice": round(one["unitPrice"], 2)} for one in lines]

    one, other = await ana.invoice(items=lines), await ana.invoice(items=lines[::-1])

    assert one["taxBreakdown"] == other["taxBreakdown"]
    assert (one["taxAmount"], one["total"]) == (other["taxAmount"], other["total"])


@pytest.mark.parametrize("price", [0.1, 0.3, 1.1, 99999999.9999, 0.0001, 4503599.6273, 1234567.89, 70368744.1776])
async def test_prices_come_back_as_they_were_sent(ana, price):
    invoice = await ana.invoice(items=[item(unitPrice=price)])

    [listed] = await ana.get("/api/invoices")

    assert invoice["items"][0]["unitPrice"] == listed["items"][0]["unitPrice"] == price


async def test_rates_in_force_on_the_day_of_the_operation(ana):
    invoice = await ana.invoice(taxRate=5, issueDate="2024-12-01", operationDate="2024-09-30")

    assert invoice["taxRate"] == 5
    await ana.refused(400, "POST", "/api/invoices", {**invoice, "operationDate": None})


INCLUDED = [
    ([("1", "10")], "8.26", "1.74"),
    ([("3", "1")], "2.48", "0.52"),
    ([("1", "1.10", "10"), ("1", "1.21")], "2.00", "0.31"),
    ([("1", "0.01")], "0.01", "0.00"),
    ([("1", "99.99", "4", "10")], "86.53", "3.46"),
    ([("-1", "10")], "-8.26", "-1.74"),
]
"""Lines whose prices contain the tax, and the base and tax that are in them."""


@pytest.mark.parametrize(("lines", "subtotal", "tax"), INCLUDED)
def test_tax_within_prices_is_what_is_left_of_them(lines, subtotal, tax):
    sums = total([line(*one) for one in lines], Decimal(0), RoundingPolicy(), prices_include_tax=True)

    assert (sums.subtotal, sums.tax) == (Decimal(subtotal), Decimal(tax))
    assert sums.total == sum(sums.lines) == sums.subtotal + sums.tax


async def test_an_invoice_whose_prices_contain_the_tax_comes_to_what_they_say(ana):
    invoice = await ana.invoice(pricesIncludeTax=True, items=[item(quantity=1, unitPrice=10)])
    copied = await ana.post(f"/api/invoices/{invoice['id']}/duplicate")
    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"notes": "x"})
    turned = await ana.put(f"/api/invoices/{invoice['id']}", {"pricesIncludeTax": False})

    for one in (invoice, copied, changed):
        amounts = (one["subtotal"], one["taxAmount"], one["total"], one["items"][0]["lineTotal"])
        assert (one["pricesIncludeTax"], *amounts) == (True, 8.26, 1.74, 10, 10)
    assert (turned["pricesIncludeTax"], turned["subtotal"], turned["total"]) == (False, 10, 12.1)
