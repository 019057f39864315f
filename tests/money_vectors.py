"""Vectors that the web app's arithmetic is checked against: drafts, and their totals by the service's own function.

`python tests/money_vectors.py` writes web/src/money/totals.test.json anew.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from random import Random

from ledgerkit.core.platform.documents.totals import Line, Totals, total
from ledgerkit.money import RoundingPolicy
from ledgerkit.providers.api import TaxCategory, TaxLine

FILE = Path(__file__).parents[1] / "web/src/money/totals.test.json"
COUNT = 1000
_SEED = 15

_RATES = ("21", "10", "4", "5", "0", "7.5", "2", "0.125")
_SURCHARGES = {"21": ("5.2", "1.75"), "10": ("1.4",), "4": ("0.5",), "5": ("0.62",)}
_UNTAXED = (
    (TaxCategory.EXEMPT, {"exemptionCode": "E1"}),
    (TaxCategory.EXPORT, {"exemptionCode": "E2"}),
    (TaxCategory.REVERSE_CHARGE, {}),
    (TaxCategory.NOT_SUBJECT, {"notSubjectReason": "article_7"}),
)
_RETENTIONS = ("0", "0", "15", "7", "19", "2.5")

StatedLine = dict[str, str]


def text() -> str:
    """Return the content of the file as it has to be: one vector per line."""
    random = Random(_SEED)
    vectors = [_vector(random) for _ in range(COUNT)]
    rows = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in vectors)
    return f"[\n{rows}\n]\n"


def _vector(random: Random) -> Mapping[str, object]:
    margin = random.random() < 0.05
    lines = [_margin_line(random) if margin else _line(random) for _ in range(random.choice((1, 1, 2, 3, 4, 6)))]
    retention, included = random.choice(_RETENTIONS), random.random() < 0.35
    sums = total(
        [_as_line(line) for line in lines],
        Decimal(retention),
        RoundingPolicy(per="document"),
        prices_include_tax=included,
    )
    draft = {"lines": lines, "retentionRate": retention, "pricesIncludeTax": included}
    return {"draft": draft, "totals": _totals(sums)}


def _line(random: Random) -> StatedLine:
    line = {"quantity": _quantity(random), "unitPrice": _price(random)}
    if random.random() < 0.3:
        line["discount"] = random.choice(("10", "5", "33.333", "100", "0.5", "12.25"))
    if random.random() < 0.15:
        category, codes = random.choice(_UNTAXED)
        return line | {"taxRate": "0", "taxCategory": category.value} | codes
    rate = random.choice(_RATES)
    line["taxRate"] = rate
    if rate in _SURCHARGES and random.random() < 0.25:
        line["surchargeRate"] = random.choice(_SURCHARGES[rate])
    if random.random() < 0.05:
        line["tax"] = random.choice(("IGIC", "IPSI"))
    if random.random() < 0.05:
        line["regimeKey"] = random.choice(("07", "18"))
    return line


def _margin_line(random: Random) -> StatedLine:
    line = {"quantity": "1", "unitPrice": _price(random), "taxRate": "21", "regimeKey": "03"}
    return line | {"purchaseCost": _decimal(random, 500_000, 2)}


def _quantity(random: Random) -> str:
    return random.choice(("1", "2", "-1", "12", _decimal(random, 100_000, 4), _decimal(random, 5_000, 2)))


def _price(random: Random) -> str:
    price = random.choice((_decimal(random, 10_000, 2), _decimal(random, 500_000, 2), _decimal(random, 9_999_999, 4)))
    largest = _decimal(random, 10**11, 2)
    sign = "-" if random.random() < 0.08 else ""
    return sign + (largest if random.random() < 0.01 and len(largest) <= 11 else price)


def _decimal(random: Random, below: int, places: int) -> str:
    """Return a number of so many decimals, as somebody would type it."""
    return f"{Decimal(random.randrange(below)).scaleb(-places).normalize():f}"


def _as_line(line: StatedLine) -> Line:
    def decimal(name: str) -> Decimal | None:
        return Decimal(line[name]) if name in line else None

    return Line(
        quantity=Decimal(line["quantity"]),
        unit_price=Decimal(line["unitPrice"]),
        discount=decimal("discount") or Decimal(0),
        category=TaxCategory(line.get("taxCategory", "standard")),
        rate=Decimal(line["taxRate"]),
        surcharge_rate=decimal("surchargeRate"),
        exemption_code=line.get("exemptionCode"),
        regime_key=line.get("regimeKey"),
        tax=line.get("tax"),
        not_subject_reason=line.get("notSubjectReason"),
        purchase_cost=decimal("purchaseCost"),
    )


def _totals(sums: Totals) -> Mapping[str, object]:
    return {
        "lines": [str(amount) for amount in sums.lines],
        "rows": [_row(row) for row in sums.taxes],
        "subtotal": str(sums.subtotal),
        "tax": str(sums.tax),
        "surcharge": str(sums.surcharge),
        "retention": str(sums.retention),
        "total": str(sums.total),
    }


def _row(row: TaxLine) -> Mapping[str, object]:
    return {
        "category": row.category.value,
        "rate": str(row.rate),
        "base": str(row.base),
        "tax": str(row.amount),
        "surchargeRate": None if row.surcharge_rate is None else str(row.surcharge_rate),
        "surcharge": str(row.surcharge_amount),
        "untaxed": None if row.untaxed is None else str(row.untaxed),
    }


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
