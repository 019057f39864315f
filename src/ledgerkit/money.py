"""Exact amounts: their types on the wire, their bounds, and the one way to round them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from math import isfinite
from typing import Annotated, Literal

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from ledgerkit.texts import MessageId
from ledgerkit.texts.refusals import refusal

CENT = Decimal("0.01")
ZERO = Decimal(0)
HUNDRED = Decimal(100)
ZERO_AMOUNT = Decimal("0.00")
"""Zero in cents, with which sums of amounts begin."""


class MoneyMsg(MessageId):
    NOT_A_NUMBER = "money.not_a_number"
    NOT_FINITE = "money.not_finite"
    OUT_OF_RANGE = "money.out_of_range"
    TOO_MANY_DECIMALS = "money.too_many_decimals", "places"


@dataclass(frozen=True)
class RoundingPolicy:
    """Rounding of a document's tax: once per rate over the whole document, or per line.

    Always half up (commercial rounding), to two decimals. The policy is the country's, and is stored with
    the document so that a later change of the rule never alters an issued one.
    """

    per: Literal["document", "line"] = "document"


def round_cents(value: Decimal) -> Decimal:
    """Round an amount to two decimals, half up, symmetric about zero; never to negative zero."""
    rounded = value.quantize(CENT, ROUND_HALF_UP)
    return rounded or ZERO_AMOUNT


def percent_of(base: Decimal, rate: Decimal) -> Decimal:
    """Return `rate` percent of `base`, rounded to cents."""
    return round_cents(base * rate / HUNDRED)


def _exact(value: object) -> Decimal:
    """Return a JSON number as Decimal; a float by its shortest literal, which is what the client wrote."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise refusal("number_type", MoneyMsg.NOT_A_NUMBER)
    number = value if isinstance(value, Decimal) else Decimal(repr(value))
    if not number.is_finite():
        raise refusal("finite_number", MoneyMsg.NOT_FINITE)
    return number


def to_number(value: Decimal) -> float:
    """Return an amount as a JSON number; exact for up to 15 digits."""
    return float(value)


def with_numbers(stored: object) -> object:
    """Return decoded JSON with numbers in place of its Decimals, as REST answers them everywhere."""
    if isinstance(stored, Mapping):
        return {name: with_numbers(value) for name, value in stored.items()}
    if isinstance(stored, list | tuple):
        return [with_numbers(value) for value in stored]
    return to_number(stored) if isinstance(stored, Decimal) else stored


@dataclass(frozen=True, kw_only=True)
class Number:
    """A JSON number held as Decimal: bounds inclusive, `places` decimals at most, no more digits than stay exact."""

    low: Decimal
    high: Decimal
    places: int
    description: str

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.checked,
            serialization=core_schema.plain_serializer_function_ser_schema(to_number, when_used="json"),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {
            "type": "number",
            "minimum": to_number(self.low),
            "maximum": to_number(self.high),
            "description": self.description,
        }

    @cached_property
    def _step(self) -> Decimal:
        return Decimal(1).scaleb(-self.places)

    def checked(self, value: object) -> Decimal:
        number = _exact(value)
        if not self.low <= number <= self.high:
            raise refusal("out_of_range", MoneyMsg.OUT_OF_RANGE, low=self.low, high=self.high)
        if number != (quantized := number.quantize(self._step)):
            raise refusal("too_many_decimals", MoneyMsg.TOO_MANY_DECIMALS, places=self.places)
        return quantized


LARGEST = Decimal("9999999999.99")
"""The largest amount of a document or payment."""

Amount = Annotated[Decimal, Number(low=-LARGEST, high=LARGEST, places=2, description="Amount, two decimals")]
PositiveAmount = Annotated[
    Decimal, Number(low=CENT, high=LARGEST, places=2, description="Amount above zero, two decimals")
]
_NUMERAL = re.compile(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20})?")


def _from_text(value: object) -> object:
    """Return the number in a text in plain decimal notation, and everything else as it is."""
    return Decimal(value) if isinstance(value, str) and _NUMERAL.fullmatch(value) else value


AskedAmount = Annotated[Amount, BeforeValidator(_from_text)]
"""An amount in a query, where every value is a text."""

_SUM, _PRICE, _QUANTITY = Decimal("9999999999999.99"), Decimal("99999999.9999"), Decimal("9999999.9999")

Sum = Annotated[Decimal, Number(low=-_SUM, high=_SUM, places=2, description="Sum of amounts, two decimals")]
UnitPrice = Annotated[
    Decimal, Number(low=-_PRICE, high=_PRICE, places=4, description="Price of one unit, up to four decimals")
]
Quantity = Annotated[
    Decimal, Number(low=-_QUANTITY, high=_QUANTITY, places=4, description="Quantity, up to four decimals")
]
Rate = Annotated[Decimal, Number(low=ZERO, high=HUNDRED, places=3, description="Percentage, 0 to 100")]
ExchangeRate = Annotated[
    Decimal,
    Number(
        low=Decimal("0.00000001"),
        high=Decimal("999999.99999999"),
        places=8,
        description="What one unit of the document's currency is in the account's, up to eight decimals",
    ),
]


def _default(value: object) -> object:
    if isinstance(value, Decimal):
        return to_number(value)
    return str(value)


_ENCODER = json.JSONEncoder(default=_default, ensure_ascii=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_float=Decimal)


def dumps_exact(value: object) -> str:
    """Return JSON text in which every Decimal is a number of the same digits (at most 15)."""
    return _ENCODER.encode(value)


class NotFinite(ValueError):  # noqa: N818 - what it says, as pydantic's own `finite_number`
    """A literal in a JSON text that is no finite number: `NaN`, `Infinity`, or more than a float64 holds."""


def _refuse(literal: str) -> float:
    raise NotFinite(literal)


def _bounded(literal: str) -> float:
    number = float(literal)
    return number if isfinite(number) else _refuse(literal)


def loads_finite(content: bytes) -> object:
    """Parse a JSON text whose numbers are all finite. Raises NotFinite, ValueError, RecursionError."""
    return json.loads(content, parse_float=_bounded, parse_constant=_refuse)


def loads_exact(text: str) -> object:
    """Parse a text of `dumps_exact`: numbers with a point come back as Decimal."""
    return _DECODER.decode(text)
