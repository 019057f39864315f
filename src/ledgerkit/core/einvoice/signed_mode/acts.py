"""Act of changing how invoices are registered, with the summary that a person agrees to."""

from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Stored, Summary, as_day
from ledgerkit.core.platform.request.field_facts import word_for
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text


async def _choice(rehearsed: Rehearsed) -> Summary:
    scheduled = rehearsed.answer.get("scheduled") or {}
    before = rehearsed.before.get("mode")
    facts: list[Fact] = [
        (AskMsg.MODE_NOW, None if before is None else word_for(before)),
        (AskMsg.MODE, word_for(rehearsed.data.mode)),
        (AskMsg.FROM_DAY, as_day(scheduled.get("firstDay"))),
    ]
    return Summary(text(AskMsg.CHOOSE_MODE), facts, AskMsg.AFTER_MODE if scheduled else None)


CHOICE = Act(summary=_choice, before=Stored("einvoice.signed_mode.mode"))
