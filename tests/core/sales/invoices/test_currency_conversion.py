"""Conversion into the account's currency: a tax row at a time, half up to cents, sums of the rows."""

from decimal import Decimal

import pytest

from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.platform.documents.exchange_rates import Exchange, ExchangeFields
from ledgerkit.core.purchases.supplier_invoices.amounts import conversion as purchases
from ledgerkit.core.purchases.supplier_invoices.amounts.deductions import Use, UsedLine
from ledgerkit.core.sales.invoices.content.fields import converted
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredTax
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import TaxCategory, TaxLine


def d(amount: str) -> Decimal:
    return Decimal(amount)


def row(base: str, rate: str = "0", tax: str = "0.00", **amounts: Decimal) -> StoredTax:
    line = TaxLine(category=TaxCategory.STANDARD, rate=d(rate), base=d(base), amount=d(tax), **amounts)
    return StoredTax.of(line)


# rows, retention, rate; subtotal, tax, surcharge, retention, total. Each product by hand, half up to cents.
CONVERSIONS = {
    "without tax": ([row("1000.00")], "0", "0.92", "920.00 0.00 0.00 0.00 920.00"),
    "with 21 %": ([row("1000.00", "21", "210.00")], "0", "0.92", "920.00 193.20 0.00 0.00 1113.20"),
    "half a cent goes up": ([row("0.01"), row("0.03", "21", "0.01")], "0", "0.5", "0.03 0.01 0.00 0.00 0.04"),
    "below zero as above": ([row("-0.01"), row("-0.03", "21", "-0.01")], "0", "0.5", "-0.03 -0.01 0.00 0.00 -0.04"),
    "sums of rounded rows": (
        [row("0.01"), row("0.01", "10"), row("0.01", "21")],
        "0",
        "0.5",
        "0.03 0.00 0.00 0.00 0.03",
    ),
    "retention": ([row("1000.00", "21", "210.00")], "150.00", "0.92", "920.00 193.20 0.00 138.00 975.20"),
    "surcharge": (
        [row("100.00", "21", "21.00", surcharge_rate=d("5.2"), surcharge_amount=d("5.20"))],
        "0",
        "1.1",
        "110.00 23.10 5.72 0.00 138.82",
    ),
    "margin": ([row("100.00", "21", "21.00", untaxed=d("500.00"))], "0", "0.9", "540.00 18.90 0.00 0.00 558.90"),
    "yen": ([row("151337.00", "21", "31780.77")], "0", "0.00612345", "926.70 194.61 0.00 0.00 1121.31"),
}


@pytest.mark.parametrize(("rows", "retention", "rate", "expected"), CONVERSIONS.values(), ids=CONVERSIONS)
def test_amounts_are_converted_by_row(rows, retention, rate, expected):
    amounts = converted(rows, d(retention), d(rate))

    names = ("subtotal", "tax_amount", "surcharge_amount", "retention_amount", "total")
    assert [getattr(amounts, name) for name in names] == [d(part) for part in expected.split()]
    assert amounts.subtotal == sum(one.base + (one.untaxed_amount or 0) for one in amounts.tax_breakdown)
    assert amounts.tax_amount == sum(one.amount for one in amounts.tax_breakdown)


def test_without_a_rate_nothing_is_converted():
    assert converted([row("1.00")], d("0"), None) is None


def test_a_base_at_cost_is_converted_too():
    [line] = converted([row("100.00", "21", "21.00", cost_base=d("80.00"))], d("0"), d("0.9")).tax_breakdown

    assert line.cost_base == d("72.00")


def test_what_is_too_large_is_refused():
    with pytest.raises(Invalid, match="larger than"):
        converted([row("9999999999.99")], d("0"), d("1.1"))


# amount, total, converted total; converted part: the rule of three, half up to cents
PARTS = [
    ("1210.00", "1210.00", "1113.20", "1113.20"),
    ("605.00", "1210.00", "1113.20", "556.60"),
    ("0.01", "1210.00", "1113.20", "0.01"),
    ("-10.00", "-20.00", "-18.41", "-9.21"),
    ("10.00", "0.00", "0.00", "9.20"),
]


@pytest.mark.parametrize(("amount", "total", "converted_total", "expected"), PARTS)
def test_the_whole_of_a_total_is_the_converted_total(amount, total, converted_total, expected):
    assert exchange_rates.converted_part(d(amount), d(total), d(converted_total), d("0.92")) == d(expected)


BEFORE = Exchange(d("0.92"), "ECB")
STATED = {
    "nothing": ({}, "USD", Exchange(), Exchange()),
    "rate and source": (
        {"exchangeRate": 0.9, "exchangeRateSource": "ECB"},
        "USD",
        Exchange(),
        Exchange(d("0.9"), "ECB"),
    ),
    "unchanged": ({}, "USD", BEFORE, BEFORE),
    "the same rate": ({"exchangeRate": 0.92}, "USD", BEFORE, BEFORE),
    "another rate": ({"exchangeRate": 0.93}, "USD", BEFORE, Exchange(d("0.93"), None)),
    "another source": ({"exchangeRateSource": "DOF"}, "USD", BEFORE, Exchange(d("0.92"), "DOF")),
    "none any more": ({"exchangeRate": None}, "USD", BEFORE, Exchange()),
    "the account's own": ({}, "EUR", BEFORE, Exchange()),
    "one of the account's own": ({"exchangeRate": 1}, "EUR", Exchange(), Exchange()),
}


@pytest.mark.parametrize(("sent", "currency", "before", "expected"), STATED.values(), ids=STATED)
def test_a_rate_is_stated_or_stays(sent, currency, before, expected):
    assert exchange_rates.stated(ExchangeFields.model_validate(sent), currency, "EUR", before) == expected


@pytest.mark.parametrize(
    ("sent", "currency", "field"),
    [
        ({"exchangeRate": 1.1}, "EUR", "exchangeRate"),
        ({"exchangeRateSource": "ECB"}, "USD", "exchangeRateSource"),
    ],
)
def test_a_rate_that_cannot_be_is_refused(sent, currency, field):
    with pytest.raises(Invalid) as raised:
        exchange_rates.stated(ExchangeFields.model_validate(sent), currency, "EUR")

    assert [error.field for error in raised.value.errors] == [field]


def use(percent: str, *, investment: bool = False) -> Use:
    return Use(deductible_percent=d(percent), investment_good=investment, useful_life_years=None)


def used(net: str, percent: str, *, investment: bool = False) -> UsedLine:
    return UsedLine(net=d(net), rate=d("21"), surcharge_rate=None, use=use(percent, investment=investment))


def test_deductible_shares_are_those_of_the_converted_rows():
    tax = TaxLine(category=TaxCategory.STANDARD, rate=d("21"), base=d("100.03"), amount=d("21.01"))
    lines = [used("33.35", "100"), used("33.34", "50"), used("33.34", "0", investment=True)]

    amounts = purchases.converted([tax], lines, d("0"), d("0.915"), charged=True)

    # 100.03 x 0.915 = 91.52745; 21.01 x 0.915 = 19.22415
    assert (amounts.subtotal, amounts.tax_amount, amounts.self_assessed_tax) == (d("91.53"), d("19.22"), 0)
    assert sum(one.base for one in amounts.deductions) == amounts.subtotal
    assert sum(one.tax for one in amounts.deductions) == amounts.tax_amount
    assert sum(one.deductible_tax for one in amounts.deductions) == amounts.deductible_tax_amount
    assert amounts.total == d("110.75")


def test_tax_that_the_buyer_assesses_is_no_part_of_the_converted_total():
    tax = TaxLine(category=TaxCategory.STANDARD, rate=d("21"), base=d("1000.00"), amount=d("210.00"))

    amounts = purchases.converted([tax], [used("1000.00", "100")], d("0"), d("0.92"), charged=False)

    assert (amounts.tax_amount, amounts.self_assessed_tax, amounts.total) == (0, d("193.20"), d("920.00"))
    assert amounts.deductible_tax_amount == d("193.20")
