"""The arithmetic of an expense holds for any amount and any rates."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.purchases.expenses.amounts.computation import Cost, amounts
from ledgerkit.money import ZERO

CENT = Decimal("0.01")
COSTS = st.builds(
    Cost,
    amount=st.integers(-(10**9), 10**9).map(lambda cents: Decimal(cents) / 100),
    tax_rate=st.sampled_from(["0", "4", "5", "7.5", "10", "21", "100"]).map(Decimal),
    retention_rate=st.integers(0, 100).map(Decimal),
    exchange_rate=st.integers(1, 10**9).map(lambda one: Decimal(one).scaleb(-8)),
    self_assessed=st.booleans(),
    deductible_percent=st.integers(0, 100).map(Decimal),
    printed_tax=st.none(),
)


@given(COSTS)
def test_net_and_vat_make_the_gross_in_both_currencies(cost):
    result = amounts(cost)

    in_amount = ZERO if cost.self_assessed else result.tax_amount
    in_base = ZERO if cost.self_assessed else result.base_tax_amount
    assert result.net_amount + in_amount == cost.amount
    assert result.base_amount + in_base == result.base_total


@given(COSTS)
def test_vat_is_its_rate_of_the_net_to_the_cent(cost):
    result = amounts(cost)

    assert abs(result.tax_amount - result.net_amount * cost.tax_rate / 100) <= CENT


@given(COSTS)
def test_what_is_deducted_is_never_more_than_the_vat(cost):
    result = amounts(cost)

    assert abs(result.deductible_tax_amount) <= abs(result.base_tax_amount)
    assert result.deductible_tax_amount * result.base_tax_amount >= 0


@given(COSTS)
def test_every_amount_is_in_whole_cents(cost):
    assert all(one == one.quantize(CENT) for one in vars(amounts(cost)).values())
