"""Checks of VAT: the 303s of a year against its 390 and its 349s.

Sources: RD 1624/1992 (RIVA), arts. 71.7 (form 390 sums up the year's returns) and 78 to 81 (form 349); Orden
EHA/769/2010.
"""

from collections.abc import Mapping
from decimal import Decimal

from pydantic import JsonValue

from ledgerkit.money import ZERO
from ledgerkit.providers.api import CheckInput, CheckSide, CrossCheck, PreviousDeclaration
from ledgerkit.providers.es.cross_checks.declared import Amount, boxes_of, records_of
from ledgerkit.providers.es.cross_checks.messages import CrossCheckMsg, RemedyMsg
from ledgerkit.providers.es.tax_forms.lists.form_349 import Form349
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390
from ledgerkit.texts import text

_303, _390, _349 = Form303(), Form390(), Form349()

_ROUNDING = Decimal("0.50")
"""Payments under cash accounting and prorrata leave fractions of a cent, which each box of each period rounds."""

_BASES = ("150", "165", "01", "153", "04", "07", "10", "12", "14")
_YEARLY = (
    # code, title, boxes of form 303, boxes of form 390
    ("303_390_bases", CrossCheckMsg.BASES, _BASES, ("33",)),
    (
        "303_390_sales_without_vat",
        CrossCheckMsg.SALES_WITHOUT_VAT,
        ("59", "60", "120", "122", "123", "124"),
        ("103", "104", "110", "125", "126", "127"),
    ),
    ("303_390_vat_due", CrossCheckMsg.VAT_DUE, ("27",), ("47",)),
    ("303_390_deductible_vat", CrossCheckMsg.DEDUCTIBLE_VAT, ("45",), ("64",)),
    ("303_390_result", CrossCheckMsg.VAT_RESULT, ("64", "77"), ("84", "659")),
)
_EU = (
    # code, title, keys of form 349, box of form 303, remedy
    ("349_303_sales", CrossCheckMsg.EU_SALES, ("E", "S"), "59", RemedyMsg.EU_SALES),
    ("349_303_purchases", CrossCheckMsg.EU_PURCHASES, ("A", "I"), "10", RemedyMsg.EU_PURCHASES),
)


def _summary(code: str, title: CrossCheckMsg, periodic: tuple[str, ...], yearly: tuple[str, ...]) -> CrossCheck:
    def sides(year: CheckInput) -> tuple[CheckSide, CheckSide]:
        return boxes_of(year, _303, *periodic), boxes_of(year, _390, *yearly)

    return CrossCheck(
        code=code,
        title=text(title),
        source="RD 1624/1992, art. 71.7",
        remedy=text(RemedyMsg.VAT),
        forms=(_303.code, _390.code),
        sides=sides,
        tolerance=_ROUNDING,
    )


def _recapitulative(code: str, title: CrossCheckMsg, keys: tuple[str, ...], box: str, remedy: RemedyMsg) -> CrossCheck:
    def sides(year: CheckInput) -> tuple[CheckSide, CheckSide]:
        return records_of(year, _349, keys, _of_keys(keys)), boxes_of(year, _303, box)

    return CrossCheck(
        code=code,
        title=text(title),
        source="RD 1624/1992, arts. 78-81; Orden EHA/769/2010",
        remedy=text(remedy),
        forms=(_303.code, _349.code),
        sides=sides,
    )


def _of_keys(keys: tuple[str, ...]) -> Amount:
    """Return the bases of the records of some keys, with what the rectifications add to earlier periods."""

    def amount(declaration: PreviousDeclaration) -> Decimal | None:
        if not declaration.records and any(declaration.boxes.values()):
            return None
        of_keys = (record for record in declaration.records if record.get("operationKey") in keys)
        return sum((_base(operation) for operation in of_keys), ZERO)

    return amount


def _base(record: Mapping[str, JsonValue]) -> Decimal:
    if record["record"] == "rectification":
        return Decimal(str(record["correctedBase"])) - Decimal(str(record["declaredBase"]))
    return Decimal(str(record["base"]))


CHECKS = (*(_summary(*row) for row in _YEARLY), *(_recapitulative(*row) for row in _EU))
