"""Sums of a register after a movement: pure, exact."""

from dataclasses import dataclass, replace
from decimal import Decimal

from ledgerkit.core.cash_register.api import Kind, Method
from ledgerkit.core.cash_register.table import CashRegisterRow
from ledgerkit.core.cash_register.texts import CashRegisterMsg
from ledgerkit.problems import Invalid

LARGEST = Decimal("999999999999.99")
"""Largest sum of a register; far below the digits that JSON numbers keep exact."""

_SIGN = {Kind.SALE: 1, Kind.REFUND: -1, Kind.CASH_IN: 1, Kind.CASH_OUT: -1}
_SUM_OF = {Kind.SALE: "sales", Kind.REFUND: "refunds", Kind.CASH_IN: "cash_in", Kind.CASH_OUT: "cash_out"}
_TRADE = {Kind.SALE, Kind.REFUND}


@dataclass(frozen=True, kw_only=True)
class RegisterSums:
    """Sums of a register: by kind of movement, net takings by payment method, the drawer, and counts."""

    sales: Decimal
    refunds: Decimal
    cash_in: Decimal
    cash_out: Decimal
    cash: Decimal
    card: Decimal
    transfer: Decimal
    expected_amount: Decimal
    sales_count: int
    movement_count: int

    @classmethod
    def of(cls, register: CashRegisterRow) -> "RegisterSums":
        """Return the sums of a stored register."""
        return cls(**{name: getattr(register, name) for name in cls.__dataclass_fields__})


def after(sums: RegisterSums, kind: Kind, amount: Decimal, method: Method) -> RegisterSums:
    """Return the sums once `amount` has moved.

    Sales and refunds count by payment method, and for the drawer only in cash; what is put in or taken out counts for
    the drawer only. Raises Invalid when a sum would become larger than LARGEST.
    """
    signed = _SIGN[kind] * amount
    changes = {_SUM_OF[kind]: amount}
    if kind in _TRADE:
        changes[method.value] = signed
    if method is Method.CASH or kind not in _TRADE:
        changes["expected_amount"] = signed
    changed = {name: getattr(sums, name) + change for name, change in changes.items()}
    if max(map(abs, changed.values())) > LARGEST:
        raise Invalid.field("amount", CashRegisterMsg.SUMS_TOO_LARGE, largest=LARGEST)
    sold = 1 if kind is Kind.SALE else 0
    return replace(sums, **changed, sales_count=sums.sales_count + sold, movement_count=sums.movement_count + 1)
