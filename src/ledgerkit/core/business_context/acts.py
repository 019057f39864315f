"""Acts on the notes about the business, with the summaries that a person agrees to."""

from ledgerkit.core.platform.request.acts import Act, Changed, Fact, Rehearsed, Stored, Summary, short
from ledgerkit.core.platform.request.deletions import deletion
from ledgerkit.core.platform.request.field_facts import changes, given
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg
from ledgerkit.texts import text

_ALL = Stored("business_context.get")


async def _entry(rehearsed: Rehearsed) -> Summary:
    key, entry = rehearsed.data.key, rehearsed.answer.get("entry") or {}
    before = next((old for old in rehearsed.before.get("entries") or () if old.get("key") == key), None)
    effect = AskMsg.ADD if before is None else AskMsg.CHANGE
    name = short(entry.get("title") or key)
    currency = rehearsed.currency
    facts = given(entry, rehearsed.sent, currency) if before is None else changes(before, entry, currency)
    return Summary(text(effect, kind=AskMsg.KIND_CONTEXT_ENTRY, name=name), facts, AskMsg.AFTER_CHANGE)


async def _summary(rehearsed: Rehearsed) -> Summary:
    shown = Changed(rehearsed.before.get("summary"), rehearsed.data.summary)
    facts: list[Fact] = [(FieldMsg.CONTENT, shown)]
    return Summary(text(AskMsg.CHANGE_CONTEXT_SUMMARY), facts, AskMsg.AFTER_CHANGE)


DELETION = deletion(AskMsg.KIND_CONTEXT_ENTRY, None, afterwards=AskMsg.FINAL)
ENTRY = Act(summary=_entry, risk=None, asked_if=None, before=_ALL)
SUMMARY = Act(summary=_summary, risk=None, asked_if=None, before=_ALL)
