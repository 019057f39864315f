"""Acts on an expense, with the summaries that a person agrees to."""

from ledgerkit.core.platform.request.acts import (
    Act,
    Fact,
    Rehearsed,
    Stored,
    Summary,
    as_day,
    as_money,
    doubts,
    short,
)
from ledgerkit.core.platform.request.deletions import deletion
from ledgerkit.core.platform.request.field_facts import change, given
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text

_BY_ID = Stored("expenses.get", "expense_id")
_NAMED = frozenset({"description", "vendor", "amount", "date", "currency"})
"""Fields that every summary of an expense names."""


def _facts(expense: Rehearsed) -> list[Fact]:
    record = expense.before or expense.answer
    spent = as_money(record, "amount", record.get("currency") or expense.currency)
    return [(AskMsg.VENDOR, record.get("vendor")), (AskMsg.TOTAL, spent), (AskMsg.DAY, as_day(record.get("date")))]


async def _recording(rehearsed: Rehearsed) -> Summary:
    expense = rehearsed.answer
    facts = [*_facts(rehearsed), *given(expense, rehearsed.sent - _NAMED, rehearsed.currency), *doubts(expense)]
    return Summary(text(AskMsg.RECORD_EXPENSE, name=short(expense.get("description"))), facts, AskMsg.AFTER_CREATION)


RECORDING = Act(summary=_recording, risk=None, asked_if=None)
CHANGE = change(AskMsg.KIND_EXPENSE, _BY_ID)
DELETION = deletion(AskMsg.KIND_EXPENSE, _BY_ID, _facts, afterwards=AskMsg.AFTER_DELETING_EXPENSE)
