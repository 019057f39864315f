"""Numbers cross JSON without changing a digit."""

import json
from decimal import Decimal

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from ledgerkit.money import Amount, Quantity, Rate, UnitPrice, dumps_exact, loads_exact, round_cents


class Priced(BaseModel):
    amount: Amount
    unit_price: UnitPrice
    quantity: Quantity
    rate: Rate


def decimals(low: str, high: str, places: int):
    return st.decimals(low, high, allow_nan=False, allow_infinity=False, places=places)


PRICED = st.fixed_dictionaries(
    {
        "amount": decimals("-9999999999.99", "9999999999.99", 2),
        "unit_price": decimals("-99999999.9999", "99999999.9999", 4),
        "quantity": decimals("-9999999.9999", "9999999.9999", 4),
        "rate": decimals("0", "100", 3),
    }
)
EXTREME = {
    "amount": Decimal("9999999999.99"),
    "unit_price": Decimal("-99999999.9999"),
    "quantity": Decimal("9999999.9999"),
    "rate": Decimal("99.999"),
}


@settings(max_examples=4000)
@given(PRICED)
@example(EXTREME)
def test_amounts_cross_json_and_a_client_that_counts_in_doubles_unchanged(values):
    sent = Priced(**values).model_dump_json()
    through_the_client = json.dumps(json.loads(sent))

    assert Priced.model_validate_json(through_the_client).model_dump() == values


@settings(max_examples=500)
@given(PRICED)
@example(EXTREME)
def test_amounts_cross_what_the_database_stores_unchanged(values):
    assert loads_exact(dumps_exact(values)) == values


@given(st.decimals("-1e9", "1e9", allow_nan=False, allow_infinity=False, places=6))
def test_rounding_is_to_the_nearest_cent_half_away_from_zero_and_symmetric(value):
    rounded = round_cents(value)

    assert abs(rounded - value) <= Decimal("0.005")
    assert round_cents(-value) == -rounded
    assert abs(rounded - value) != Decimal("0.005") or abs(rounded) > abs(value)
