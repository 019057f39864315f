"""Acts on an expense, with the summaries that a person agrees to."""

from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Stored, Summary, as_day, as_money, deletion
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text


def _facts(expense: Rehearsed) -> list[Fact]:
    record = expense.before or expense.answer
    spent = as_money(record, "amount", record.get("currency") or expense.currency)
    return [(AskMsg.VENDOR, record.get("vendor")), (AskMsg.TOTAL, spent), (AskMsg.DAY, as_day(record.get("date")))]


async def _recording(rehearsed: Rehearsed) -> Summary:
    name = str(rehearsed.answer.get("description") or "")
    return Summary(text(AskMsg.RECORD_EXPENSE, name=name), _facts(rehearsed), None)


RECORDING = Act(summary=_recording, risk=None, asked_if=None)
DELETION = deletion(AskMsg.KIND_EXPENSE, Stored("expenses.get", "expense_id"), _facts)
