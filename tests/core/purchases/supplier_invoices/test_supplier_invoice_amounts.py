"""Amounts of a supplier invoice, computed from its items or derived from its total."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.platform.documents.totals import Line, total
from ledgerkit.core.purchases.supplier_invoices.amounts.computation import TOLERANCE, compute
from ledgerkit.core.purchases.supplier_invoices.api import SupplierInvoiceInput
from ledgerkit.core.purchases.supplier_invoices.table import DEDUCTIONS, ITEMS, TAX_BREAKDOWN
from ledgerkit.money import ZERO, RoundingPolicy, dumps_exact, loads_exact, percent_of
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import TaxCategory

NONE = Decimal("0.00")
SHOWN = ("subtotal", "tax", "surcharge", "self_assessed", "retention", "total")


def item(price: float, rate: float | None = None, **fields: Any) -> dict[str, Any]:
    return {"description": "Papel", "unitPrice": price, **({} if rate is None else {"taxRate": rate}), **fields}


def invoice_input(**fields: Any) -> SupplierInvoiceInput:
    return SupplierInvoiceInput.model_validate({"vendorId": "x", "invoiceDate": "2026-11-02", **fields})


def amounts(rate: float = 0, **fields: Any) -> tuple[float, ...]:
    computed = compute(invoice_input(**fields), Decimal(str(rate)), RoundingPolicy())
    return tuple(float(getattr(computed, name)) for name in SHOWN)


# ---------------------------------------------------------------- from the items


def test_items_of_one_rate_are_taxed_together():
    assert amounts(21, items=[item(0.03), item(0.03), item(0.03)]) == (0.09, 0.02, 0, 0, 0, 0.11)


def test_items_of_several_rates_are_taxed_apart_and_the_retention_is_of_the_base():
    computed = amounts(21, items=[item(100), item(50, 10, quantity=2, discount=10)], retentionRate=15)

    assert computed == (190, 30, 0, 0, 28.5, 191.5)


def test_a_surcharge_is_paid_to_the_vendor():
    assert amounts(items=[item(100, 21, surchargeRate=5.2)]) == (100, 21, 5.2, 0, 0, 126.2)


@pytest.mark.parametrize("flag", [{"reverseCharge": True}, {"intraEu": "goods"}, {"intraEu": "services"}])
def test_tax_that_the_buyer_assesses_is_not_owed_to_the_vendor(flag):
    assert amounts(21, items=[item(100), item(10, 10)], **flag) == (110, 0, 0, 22, 0, 110)
    assert amounts(21, total=100, **flag) == (100, 0, 0, 21, 0, 100)


def test_amounts_sent_with_items_that_agree_are_accepted():
    agreed = {"subtotal": 100, "taxAmount": 21, "retentionAmount": 15, "total": 106}

    assert amounts(21, items=[item(100)], retentionRate=15, **agreed) == (100, 21, 0, 0, 15, 106)


@pytest.mark.parametrize("wrong", [{"total": 121.01}, {"subtotal": 99.99}, {"taxAmount": 21.01}])
def test_amounts_sent_with_items_that_disagree_by_a_cent_are_refused(wrong):
    with pytest.raises(Invalid) as refusal:
        amounts(21, items=[item(100)], **wrong)

    assert [error.field for error in refusal.value.errors] == list(wrong)
    assert refusal.value.remedy


# ---------------------------------------------------------------- from the total


@pytest.mark.parametrize(
    ("rate", "given", "expected"),
    [
        (0, {"total": 121}, (121, 0, 0, 0, 0, 121)),
        (21, {"total": 121}, (100, 21, 0, 0, 0, 121)),
        (21, {"total": 106, "retentionRate": 15}, (100, 21, 0, 0, 15, 106)),
        (0, {"total": 85, "retentionRate": 15}, (100, 0, 0, 0, 15, 85)),
        (21, {"total": 106, "retentionAmount": 15}, (100, 21, 0, 0, 15, 106)),
        (21, {"total": 106, "subtotal": 100, "taxAmount": 21, "retentionAmount": 15}, (100, 21, 0, 0, 15, 106)),
        (21, {"total": 120.99, "taxAmount": 20.99}, (100, 20.99, 0, 0, 0, 120.99)),
        (21, {"total": 121.02, "subtotal": 100}, (100, 21.02, 0, 0, 0, 121.02)),
        (21, {"total": 0}, (0, 0, 0, 0, 0, 0)),
        (21, {"total": 9999999999.99}, (8264462809.91, 1735537190.08, 0, 0, 0, 9999999999.99)),
    ],
)
def test_absent_amounts_follow_from_the_total(rate, given, expected):
    assert amounts(rate, **given) == expected


@pytest.mark.parametrize(
    ("rate", "given", "field"),
    [
        (21, {}, "total"),
        (21, {"items": []}, "total"),
        (21, {"subtotal": 100}, "total"),
        (21, {"total": 121.03, "subtotal": 100}, "taxRate"),
        (0, {"total": 121, "subtotal": 100}, "taxRate"),
        (0, {"total": 100.01, "subtotal": 100}, "taxRate"),
        (21, {"total": 122, "subtotal": 100, "taxAmount": 21}, "total"),
        (21, {"total": -1}, "total"),
        (21, {"items": [item(-1)]}, "items"),
        (21, {"items": [item(99999999.9999, quantity=9999999.9999)]}, "items"),
        (21, {"total": 105, "retentionAmount": 16, "retentionRate": 15}, "retentionAmount"),
        (21, {"total": 121, "retentionAmount": -1}, "total"),
        (0, {"total": 1, "retentionRate": 100}, "subtotal"),
        (21, {"total": 121, "taxAmount": 21, "reverseCharge": True}, "taxAmount"),
        (21, {"total": 121, "taxAmount": 21, "intraEu": "goods"}, "taxAmount"),
    ],
)
def test_the_field_that_disagrees_is_named(rate, given, field):
    with pytest.raises(Invalid) as refusal:
        amounts(rate, **given)

    assert [error.field for error in refusal.value.errors] == [field]


# ---------------------------------------------------------------- for any numbers


def cents(low: str, high: str) -> st.SearchStrategy[Decimal]:
    return st.decimals(low, high, places=2, allow_nan=False, allow_infinity=False)


RATES = st.sampled_from([Decimal(rate) for rate in ("0", "4", "5", "7.5", "10", "21")])
RETENTIONS = st.sampled_from([None, *(Decimal(rate) for rate in ("1", "7", "15", "19"))])


@given(cents("0", "99999999.99"), RATES, RETENTIONS)
def test_any_total_splits_into_parts_that_add_up_to_it(invoice_total, rate, retention):
    computed = compute(invoice_input(total=invoice_total, retentionRate=retention), rate, RoundingPolicy())

    assert computed.total == invoice_total == computed.subtotal + computed.tax - computed.retention
    assert abs(computed.tax - percent_of(computed.subtotal, rate)) <= (TOLERANCE if rate else ZERO)
    assert computed.retention == percent_of(computed.subtotal, retention or ZERO)
    assert min(computed.subtotal, computed.tax, computed.retention) >= 0


@given(st.lists(st.tuples(cents("0", "9999"), cents("0.01", "99"), RATES), min_size=1, max_size=9), RETENTIONS)
def test_items_are_computed_as_those_of_an_issued_invoice(lines, retention):
    items = [item(price, rate, quantity=quantity) for price, quantity, rate in lines]
    issued_lines = [
        Line(quantity=quantity, unit_price=price, discount=ZERO, category=TaxCategory.STANDARD, rate=rate)
        for price, quantity, rate in lines
    ]

    computed = compute(invoice_input(items=items, retentionRate=retention), ZERO, RoundingPolicy())

    sums = total(issued_lines, retention or ZERO, RoundingPolicy())
    assert (sums.subtotal, sums.tax, sums.retention, sums.total) == (
        computed.subtotal,
        computed.tax,
        computed.retention,
        computed.total,
    )
    assert sum(row.base for row in computed.breakdown) == computed.subtotal
    assert sum(row.amount for row in computed.breakdown) == computed.tax


@given(cents("0", "99999"), cents("0", "99999"), RATES)
def test_a_total_and_a_base_are_accepted_when_the_rate_lies_between_them(subtotal, tax, rate):
    fits = abs(tax - percent_of(subtotal, rate)) <= (TOLERANCE if rate else ZERO)
    data = invoice_input(total=subtotal + tax, subtotal=subtotal)

    if fits:
        assert compute(data, rate, RoundingPolicy()).tax == tax
    else:
        with pytest.raises(Invalid):
            compute(data, rate, RoundingPolicy())


STORED = [
    (
        ITEMS,
        (
            '[{"description": "Papel", "quantity": 2.0, "unitPrice": 0.05, "taxRate": 21.0, "discount": 0.0,'
            ' "surchargeRate": null, "lineTotal": 0.1, "deductiblePercent": 50.0, "investmentGood": null,'
            ' "usefulLifeYears": null}]'
        ),
    ),
    (
        TAX_BREAKDOWN,
        '[{"rate": 21.0, "base": 0.1, "amount": 0.02, "surchargeRate": 5.2, "surchargeAmount": 0.01}]',
    ),
    (
        DEDUCTIONS,
        (
            '[{"rate": 21.0, "base": 0.1, "tax": 0.02, "surchargeRate": 5.2, "surcharge": 0.01,'
            ' "deductibleBase": 0.05, "deductibleTax": 0.01, "investmentGood": true, "usefulLifeYears": 10}]'
        ),
    ),
]


@pytest.mark.parametrize(("codec", "written"), STORED, ids=["items", "tax breakdown", "deductions"])
def test_stored_values_are_decoded_and_encoded_to_the_same_bytes(codec, written):
    stored = loads_exact(written)

    encoded = codec.encode(codec.decode(stored))

    assert list(encoded) == stored
    assert dumps_exact(encoded) == dumps_exact(stored)
