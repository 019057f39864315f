"""Amounts: exact on the wire, half up in cents."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from ledgerkit.money import Amount, Quantity, Rate, UnitPrice, dumps_exact, loads_exact, percent_of, round_cents

KINDS = {"Amount": TypeAdapter(Amount), "UnitPrice": TypeAdapter(UnitPrice), "Quantity": TypeAdapter(Quantity)}

ROUNDED = [
    ("0.005", "0.01"),
    ("-0.005", "-0.01"),
    ("0.004", "0.00"),
    ("2.675", "2.68"),
    ("1.005", "1.01"),
    ("-0.001", "0.00"),
]


@pytest.mark.parametrize(("value", "cents"), ROUNDED)
def test_cents_are_rounded_half_up_away_from_zero(value, cents):
    assert str(round_cents(Decimal(value))) == cents


@given(st.integers(-999999999999, 999999999999))
def test_amounts_survive_json_exactly(cents):
    kind, amount = KINDS["Amount"], Decimal(cents) / 100

    wire = kind.dump_json(amount)

    assert kind.validate_python(json.loads(wire)) == amount
    assert loads_exact(dumps_exact({"a": amount}))["a"] == amount


@given(st.integers(-999999999999, 999999999999), st.sampled_from(["4", "5.5", "10", "21"]))
def test_tax_of_the_negative_is_the_negative_of_the_tax(cents, rate):
    base = Decimal(cents) / 100

    assert percent_of(-base, Decimal(rate)) == -percent_of(base, Decimal(rate))


@pytest.mark.parametrize("value", [True, "1", None, [], 0.1 + 0.2, 1e300, float("nan"), float("inf"), 1234567890123456])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_inexact_numbers_are_refused(kind, value):
    with pytest.raises(ValidationError):
        kind.validate_python(value)


RATES = {0: True, 100: True, 21.005: True, -0.001: False, 100.001: False, 21.0005: False}


@pytest.mark.parametrize(("value", "ok"), RATES.items())
def test_rates_lie_between_nothing_and_all(value, ok):
    kind = TypeAdapter(Rate)

    if ok:
        assert kind.validate_python(value) == Decimal(str(value))
    else:
        with pytest.raises(ValidationError):
            kind.validate_python(value)
