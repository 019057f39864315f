"""Official letters by which a declaration of income tax says what happens with its result."""

from collections.abc import Mapping
from decimal import Decimal

from ledgerkit.providers.api import ResultKind
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.sheet import Outcome
from ledgerkit.texts import MessageId, Text, text

_NAMES: Mapping[str, MessageId] = {
    "I": IncomeFormMsg.TYPE_PAY,
    "U": IncomeFormMsg.TYPE_DEBIT,
    "G": IncomeFormMsg.TYPE_ACCOUNT,
    "B": IncomeFormMsg.TYPE_LATER,
    "N": IncomeFormMsg.TYPE_NOTHING,
}


def instalment_outcome(result: Decimal, *, last_of_year: bool) -> Outcome:
    """Return the outcome of form 130: what is below zero is deducted later in the year (B), in the last quarter never.

    Source: record design of form 130 (2015), field "tipo de declaración".
    """
    if result > 0:
        return Outcome(result=result, kind=ResultKind.PAY, types=_named("IU"))
    if result < 0 and not last_of_year:
        return Outcome(result=result, kind=ResultKind.COMPENSATE, types=_named("B"))
    return Outcome(result=result, types=_named("N"))


def withholding_outcome(result: Decimal) -> Outcome:
    """Return the outcome of forms 111 and 115 (record designs of 2016 and 2015)."""
    if result > 0:
        return Outcome(result=result, kind=ResultKind.PAY, types=_named("IUG"))
    return Outcome(result=result, types=_named("N"))


def _named(letters: str) -> dict[str, Text]:
    return {letter: text(_NAMES[letter]) for letter in letters}
