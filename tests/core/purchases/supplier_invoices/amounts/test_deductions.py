"""Deductible shares of a bill whose lines have different uses (Ley 37/1992 arts. 95 and 108)."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.purchases.supplier_invoices.amounts.deductions import Use, UsedLine, deductions
from ledgerkit.money import percent_of
from ledgerkit.providers.api import TaxCategory, TaxLine

BILL = {"invoiceNumber": "2026/7", "invoiceDate": "2026-05-20"}


def use(percent: str = "100", *, investment: bool = False, life: int | None = None) -> Use:
    return Use(deductible_percent=Decimal(percent), investment_good=investment, useful_life_years=life)


def line(net: str, rate: str, of: Use) -> UsedLine:
    return UsedLine(net=Decimal(net), rate=Decimal(rate), surcharge_rate=None, use=of)


def tax(base: str, rate: str) -> TaxLine:
    return TaxLine(
        category=TaxCategory.STANDARD,
        rate=Decimal(rate),
        base=Decimal(base),
        amount=percent_of(Decimal(base), Decimal(rate)),
    )


@pytest.fixture
async def bill(ana):
    vendor = await ana.post("/api/vendors", {"name": "Suministros Sol", "taxId": "B29805314"})
    return lambda **fields: {**BILL, "vendorId": vendor["id"], **fields}


def test_one_use_of_several_rates_takes_the_percentage_of_the_whole_tax():
    """Half of 2.10 + 0.81 is 1.46 (1.455, half up); the halves are 1.05 and 0.41 (0.405), and add up to it."""
    rows = deductions(
        [tax("10", "21"), tax("8.05", "10")],
        [line("10", "21", use("50")), line("8.05", "10", use("50"))],
        surcharged=True,
    )

    assert [(row.rate, row.tax, row.deductible_tax) for row in rows] == [
        (Decimal(21), Decimal("2.10"), Decimal("1.05")),
        (Decimal(10), Decimal("0.81"), Decimal("0.41")),
    ]


def test_uses_of_one_rate_divide_its_tax():
    """21 % of 0.05 is 0.01 (0.0105): 0.0021 and 0.0084 are 0.00 and 0.01."""
    rows = deductions([tax("0.05", "21")], [line("0.01", "21", use()), line("0.04", "21", use("0"))], surcharged=True)

    assert [(row.base, row.tax, row.deductible_tax) for row in rows] == [
        (Decimal("0.04"), Decimal("0.01"), Decimal("0.00")),
        (Decimal("0.01"), Decimal("0.00"), Decimal("0.00")),
    ]


@given(
    st.lists(
        st.tuples(
            st.decimals("-99999", "99999", places=2),
            st.sampled_from(["4", "10", "21"]),
            st.sampled_from(["0", "33.333", "50", "100"]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_the_rows_add_up(drawn):
    lines = [line(str(net), rate, use(percent)) for net, rate, percent in drawn]
    taxes = [
        tax(str(sum(one.net for one in lines if one.rate == rate)), str(rate)) for rate in {one.rate for one in lines}
    ]

    rows = deductions(taxes, lines, surcharged=True)

    assert sum(row.base for row in rows) == sum(one.net for one in lines)
    assert sum(row.tax for row in rows) == sum(one.amount for one in taxes)
    assert {row.rate: sum(one.tax for one in rows if one.rate == row.rate) for row in rows} == {
        one.rate: one.amount for one in taxes
    }


async def test_a_bill_mixes_a_machine_a_half_deductible_and_a_private_thing(ana, bill):
    """21 % of 10,000, of 200 (half deductible) and of 100 (not deductible): 2,100 + 21 + 0."""
    items = [
        {"description": "Torno", "unitPrice": 10000, "taxRate": 21, "investmentGood": True, "usefulLifeYears": 10},
        {"description": "Teléfono", "unitPrice": 200, "taxRate": 21, "deductiblePercent": 50},
        {"description": "Regalo", "unitPrice": 100, "taxRate": 21, "deductiblePercent": 0},
    ]

    invoice = await ana.post("/api/supplier-invoices", bill(items=items))
    listed = await ana.get("/api/supplier-invoices")

    assert [
        (row["base"], row["tax"], row["deductibleTax"], row["investmentGood"], row["usefulLifeYears"])
        for row in invoice["deductions"]
    ] == [
        (10000, 2100, 2100, True, 10),
        (200, 42, 21, False, None),
        (100, 21, 0, False, None),
    ]
    assert (invoice["taxAmount"], invoice["deductibleTaxAmount"]) == (2163, 2121)
    assert [item["deductiblePercent"] for item in invoice["items"]] == [None, 50, 0]
    assert [one["deductions"] for one in listed] == [invoice["deductions"]]
    balance = await ana.get("/api/expenses/vat-balance?year=2026&quarter=2")
    assert balance["deductibleInputVat"] == 2121


async def test_an_asset_need_be_no_investment_good(ana, bill):
    items = [
        {"description": "Torno", "unitPrice": 5000, "taxRate": 21},
        {"description": "Portátil", "unitPrice": 1500, "taxRate": 21, "investmentGood": False, "usefulLifeYears": 4},
        {"description": "Papel", "unitPrice": 10, "taxRate": 21, "investmentGood": False},
    ]

    invoice = await ana.post("/api/supplier-invoices", bill(items=items, investmentGood=True, usefulLifeYears=10))

    assert [(row["base"], row["investmentGood"], row["usefulLifeYears"]) for row in invoice["deductions"]] == [
        (5000, True, 10),
        (1500, False, 4),
        (10, False, None),
    ]
