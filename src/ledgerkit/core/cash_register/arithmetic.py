"""What a movement and a count do to a register's sums: pure, exact."""

from decimal import Decimal
from typing import Any

from ledgerkit.core.cash_register.messages import CashRegisterMsg
from ledgerkit.core.cash_register.models import SUMS
from ledgerkit.core.cash_register.schemas import Kind, Method
from ledgerkit.problems import Invalid

LARGEST = Decimal("999999999999.99")
"""What a register's sums may come to; far below the digits that JSON numbers keep exact."""

_SIGN = {Kind.SALE: 1, Kind.REFUND: -1, Kind.CASH_IN: 1, Kind.CASH_OUT: -1}
_SUM_OF = {Kind.SALE: "sales", Kind.REFUND: "refunds", Kind.CASH_IN: "cash_in", Kind.CASH_OUT: "cash_out"}
_TRADE = {Kind.SALE, Kind.REFUND}


def after(register: Any, kind: Kind, amount: Decimal, method: Method) -> dict[str, Any]:
    """The sums of `register` (its row) once `amount` has moved.

    Sales and refunds count by payment method, and for the drawer only in cash; what is put in or taken out counts
    for the drawer only. Raises Invalid when a sum would become larger than can be kept.
    """
    signed = _SIGN[kind] * amount
    sums = {name: getattr(register, name) for name in SUMS}
    sums[_SUM_OF[kind]] += amount
    if kind in _TRADE:
        sums[method.value] += signed
    in_drawer = method is Method.CASH or kind not in _TRADE
    sums["expected_amount"] = register.expected_amount + (signed if in_drawer else 0)
    if max(map(abs, sums.values())) > LARGEST:
        raise Invalid.field("amount", CashRegisterMsg.SUMS_TOO_LARGE, largest=LARGEST)
    sold = 1 if kind is Kind.SALE else 0
    return {
        **sums,
        "sales_count": register.sales_count + sold,
        "movement_count": register.movement_count + 1,
    }
