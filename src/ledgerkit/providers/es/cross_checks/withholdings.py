"""Checks of income tax withheld: the 111s of a year against its 190, the 115s against its 180.

Source: RD 439/2007 (RIRPF), art. 108.2: both are yearly summaries of what was withheld and declared by period.
"""

from collections.abc import Callable
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import CheckInput, CheckSide, CrossCheck, PreviousDeclaration
from ledgerkit.providers.es.cross_checks.declared import boxes_of, records_of
from ledgerkit.providers.es.cross_checks.messages import CrossCheckMsg, RemedyMsg
from ledgerkit.providers.es.tax_forms.income import form_111, form_115
from ledgerkit.providers.es.tax_forms.income.form_111 import Form111
from ledgerkit.providers.es.tax_forms.income.form_115 import Form115
from ledgerkit.providers.es.tax_forms.lists import form_180, form_190
from ledgerkit.providers.es.tax_forms.lists.form_180 import Form180
from ledgerkit.providers.es.tax_forms.lists.form_190 import Form190
from ledgerkit.texts import text

_111, _115, _180, _190 = Form111(), Form115(), Form180(), Form190()
_PAID = tuple(group.paid for group in form_111.GROUPS)
_WITHHELD_OF_PAYEE = ("retention", "paymentOnAccount")


def _check(
    code: str,
    title: CrossCheckMsg,
    sides: Callable[[CheckInput], tuple[CheckSide, CheckSide]],
    forms: tuple[str, ...],
    remedy: RemedyMsg = RemedyMsg.WITHHELD,
) -> CrossCheck:
    return CrossCheck(
        code=code, title=text(title), source="RD 439/2007, art. 108.2", remedy=text(remedy), forms=forms, sides=sides
    )


def _payees(declaration: PreviousDeclaration) -> Decimal | None:
    """Return what was withheld of all payees; None for a list that was typed in without them."""
    if not declaration.records and any(declaration.boxes.values()):
        return None
    amounts = (Decimal(str(record.get(name) or 0)) for record in declaration.records for name in _WITHHELD_OF_PAYEE)
    return sum(amounts, ZERO)


CHECKS = (
    _check(
        "111_190_paid",
        CrossCheckMsg.PAID,
        lambda year: (boxes_of(year, _111, *_PAID), boxes_of(year, _190, form_190.PAID)),
        (_111.code, _190.code),
    ),
    _check(
        "111_190_withheld",
        CrossCheckMsg.WITHHELD,
        lambda year: (boxes_of(year, _111, form_111.TOTAL), boxes_of(year, _190, form_190.WITHHELD)),
        (_111.code, _190.code),
    ),
    _check(
        "190_payees",
        CrossCheckMsg.PAYEES,
        lambda year: (records_of(year, _190, (), _payees), boxes_of(year, _190, form_190.WITHHELD)),
        (_190.code,),
        RemedyMsg.PAYEES,
    ),
    _check(
        "115_180_base",
        CrossCheckMsg.RENT_BASE,
        lambda year: (boxes_of(year, _115, form_115.BASE), boxes_of(year, _180, form_180.BASE)),
        (_115.code, _180.code),
    ),
    _check(
        "115_180_withheld",
        CrossCheckMsg.RENT_WITHHELD,
        lambda year: (boxes_of(year, _115, form_115.WITHHELD), boxes_of(year, _180, form_180.WITHHELD)),
        (_115.code, _180.code),
    ),
)
