"""Correction of a proposed expense: the person names a field with its value, and the proposal is made anew."""

from contextlib import suppress

from ledgerkit import clock
from ledgerkit.core.messaging.conversation import receipts
from ledgerkit.core.messaging.conversation.receipts import CORRECT
from ledgerkit.core.messaging.conversation.turn import ANSWERED_WITHIN, Turn
from ledgerkit.core.messaging.language.corrections import correction
from ledgerkit.core.messaging.messengers.messenger import Text
from ledgerkit.core.messaging.table import StoredCorrection
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.api import Rejection
from ledgerkit.problems import Problem

__all__ = ["CORRECT", "corrected", "start"]

_OPERATION = "expenses.create"
_TAXES = frozenset({"amount", "taxRate"})
"""Fields whose correction leaves the read amount of the tax without a basis."""


async def start(turn: Turn, approval_id: str) -> None:
    """Ask which field of a proposal is wrong. Raises NotFound."""
    if await _start(turn, approval_id):
        turn.say(turn.words(ChatMsg.WHICH_FIELD), turn.words(ChatMsg.FIELD_EXAMPLES).split("\n"))
    else:
        turn.say(turn.words(ChatMsg.OLD_BUTTON))


async def corrected(turn: Turn, event: Text) -> bool:
    """Correct a field where the person replies to a card, or was asked for one; False where words say no field."""
    for data in event.answers:
        verb, _, approval_id = data.partition(":")
        if verb == CORRECT:
            with suppress(Problem):
                await _start(turn, approval_id)
    waiting = turn.state.correction
    if waiting is None or waiting.until < clock.now():
        return False
    missing = next((name for name in ("amount", "date", "description") if name not in waiting.fields), None)
    account = turn.member.account
    changed = correction(event.words, account.today(), turn.language, expected=missing)
    if not changed:
        return False
    fields = {**waiting.fields, **changed}
    if _TAXES & changed.keys() and "taxAmount" not in changed:
        fields.pop("taxAmount", None)
    if waiting.approval_id is not None:
        with suppress(Problem):  # it was decided meanwhile: a further expense is proposed, and shown as a duplicate
            await approvals.reject(turn.deciding, waiting.approval_id, Rejection(reason=turn.words(ChatMsg.CORRECTED)))
    turn.change_state(correction=None)
    await receipts.propose(turn, fields)
    return True


async def _start(turn: Turn, approval_id: str) -> bool:
    approval = await approvals.get(turn.reading, approval_id)
    if approval.operation != _OPERATION or approval.status != "pending":
        return False
    fields = {name: str(value) for name, value in approval.arguments.items() if value is not None}
    until = clock.now() + ANSWERED_WITHIN
    turn.change_state(correction=StoredCorrection(fields=fields, until=until, approval_id=approval_id))
    return True
