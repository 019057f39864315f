"""Acts on a task, with the summaries that a person agrees to."""

from collections.abc import Mapping

from ledgerkit.core.platform.request.acts import Act, Json, Rehearsed, Stored, Summary, short
from ledgerkit.core.platform.request.deletions import deletion
from ledgerkit.core.platform.request.field_facts import changes, given
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import MessageId, text

_BY_ID = Stored("tasks.get", "task_id")


async def _names(rehearsed: Rehearsed) -> Mapping[str, str]:
    """Return the names of the records that the task names by their ids, before and afterwards."""
    names: dict[str, str] = {}
    tasks = (rehearsed.before, rehearsed.answer)
    if any(task.get("assignedTo") for task in tasks):
        members: list[Json] = (await rehearsed.read("teams.current")).get("members") or []
        names |= {str(member.get("userId")): str(member.get("name") or member.get("email")) for member in members}
    for field, operation in (("clientId", "clients.get"), ("invoiceId", "invoices.get")):
        for record_id in {str(task[field]) for task in tasks if task.get(field)}:
            record = await rehearsed.read(operation, record_id)
            client = record.get("client") or {}  # a draft invoice has no number
            names[record_id] = str(record.get("number") or record.get("name") or client.get("name") or "")
    return {record_id: name for record_id, name in names.items() if name}


async def _creation(rehearsed: Rehearsed) -> Summary:
    facts = given(rehearsed.answer, rehearsed.sent - {"title"}, rehearsed.currency, await _names(rehearsed))
    effect = text(AskMsg.ADD, kind=AskMsg.KIND_TASK, name=short(rehearsed.answer.get("title")))
    return Summary(effect, facts, AskMsg.AFTER_CREATION)


def _change(effect: MessageId) -> Act:
    async def summary(rehearsed: Rehearsed) -> Summary:
        before, after = rehearsed.before, rehearsed.answer
        facts = changes(before, after, rehearsed.currency, await _names(rehearsed))
        name = short(before.get("title") or after.get("title"))
        return Summary(text(effect, kind=AskMsg.KIND_TASK, name=name), facts, AskMsg.AFTER_CHANGE)

    return Act(summary=summary, risk=None, asked_if=None, before=_BY_ID)


CREATION = Act(summary=_creation, risk=None, asked_if=None)
CHANGE = _change(AskMsg.CHANGE)
MOVE = _change(AskMsg.MOVE_TASK)
COMPLETION = _change(AskMsg.COMPLETE_TASK)
ASSIGNMENT = _change(AskMsg.ASSIGN_TASK)
DELETION = deletion(AskMsg.KIND_TASK, None, afterwards=AskMsg.AFTER_DELETING)
