"""Taps: the only way in which a conversation changes anything."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.messaging.conversation import answers, cards, correcting, done, files, invoices, matters, saying
from ledgerkit.core.messaging.conversation.books import NamedClient
from ledgerkit.core.messaging.conversation.paging import PAGE, PageOf
from ledgerkit.core.messaging.conversation.turn import Turn
from ledgerkit.core.messaging.language.requests import Question, Topic
from ledgerkit.core.messaging.messengers.messenger import MessengerError, Tap
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.api import Approval, Rejection
from ledgerkit.core.platform.approvals.chats import operations as chats
from ledgerkit.core.sales.invoices import operations as sales
from ledgerkit.problems import Code, Conflict, Problem, Unavailable


async def tapped(turn: Turn, tap: Tap) -> None:
    """Do what a button says. A button that does not fit any more says what has changed."""
    with suppress(MessengerError):
        await turn.arrived.messenger.acknowledge(tap.tap)
    verb, _, argument = tap.data.partition(":")
    handler = _VERBS.get(verb)
    if handler is None:
        turn.say(turn.words(ChatMsg.OLD_BUTTON))
        return
    await handler(turn, tap, argument)


async def _approve(turn: Turn, tap: Tap, approval_id: str) -> None:
    approval = await _answered(turn, tap, approval_id)
    if approval is not None:
        await done.say(turn, approval, tap.message)


async def _issue(turn: Turn, tap: Tap, approval_id: str) -> None:
    """Make the draft, and ask a second time: what is issued cannot be taken back."""
    approval = await _answered(turn, tap, approval_id)
    if approval is None or approval.result is None:
        return
    _settle(turn, tap, approval, ChatMsg.DRAFT_MADE)
    await invoices.propose_sending(turn, approval.result.id)


async def _answered(turn: Turn, tap: Tap, approval_id: str) -> Approval | None:
    """Do what was proposed and return it; None where it is not done, which is said.

    What was done by this very tap before is returned again, also where a process has died meanwhile.
    """
    try:
        return await chats.answer(turn.tapping, approval_id)
    except Unavailable:
        raise
    except Conflict as conflict:
        if conflict.code is Code.REQUEST_IN_FLIGHT:
            raise
        if turn.arrived.is_repeated and (finished := await _finished(turn, approval_id)) is not None:
            return finished
        question = await _present(turn, approval_id)
        if question is None:
            raise
        approval = question.approval
        if conflict.code is Code.APPROVAL_DECIDED and approval.status in {"done", "failed"}:
            turn.say(approval.title, [turn.words(_DECIDED[approval.status])], replaces=tap.message)
        elif conflict.code is Code.APPROVAL_CHANGED or conflict.code is Code.CONFIRMATION_MISMATCH:
            saying.refuse(turn, conflict)
            cards.show(turn, question, ChatMsg.AGREE, replaces=tap.message)
        else:
            saying.refuse(turn, conflict)
            turn.say(approval.title, [turn.words(ChatMsg.OUT_OF_DATE)], replaces=tap.message)
        return None


async def _finished(turn: Turn, approval_id: str) -> Approval | None:
    """Return what the person has agreed to before, done to its end; None for anything else. Raises Conflict."""
    try:
        approval = await chats.finish(turn.deciding, approval_id)
    except Conflict as conflict:
        if conflict.code is Code.REQUEST_IN_FLIGHT:
            raise
        return None
    return approval if approval.status == "done" else None


_DECIDED = {"done": ChatMsg.DONE_BEFORE, "failed": ChatMsg.FAILED_BEFORE}


async def _present(turn: Turn, approval_id: str) -> chats.ChatQuestion | None:
    try:
        approval = await approvals.get(turn.reading, approval_id)
    except Problem:
        return None
    if approval.status != "pending":
        return chats.ChatQuestion(approval, in_app_only=False)
    return await chats.show(turn.deciding, approval_id)


def _settle(turn: Turn, tap: Tap, approval: Approval, outcome: ChatMsg) -> None:
    """Show what became of a card in its place, without buttons."""
    turn.say(approval.title, [turn.words(outcome)], replaces=tap.message)


async def _reject(turn: Turn, tap: Tap, approval_id: str) -> None:
    approval = await approvals.reject(turn.tapping, approval_id, Rejection(reason=None))
    turn.change_state(correction=None)
    _settle(turn, tap, approval, ChatMsg.LEFT)


async def _turn_page(turn: Turn, tap: Tap, argument: str) -> None:
    topic, _, place = argument.partition(":")
    number, _, client_id = place.partition(":")
    if topic not in set(Topic) or not number.isdecimal():
        turn.say(turn.words(ChatMsg.OLD_BUTTON))
        return
    client = NamedClient(client_id, "", "", None) if client_id else None
    question = Question(topic=Topic(topic), client=client)
    await answers.answer(turn, question, PageOf(int(number[:4]), tap.message))


async def _choose(turn: Turn, _: Tap, client_id: str) -> None:
    await saying.choose(turn, client_id)


async def _show_pdf(turn: Turn, _: Tap, invoice_id: str) -> None:
    invoice = await sales.get(turn.reading, invoice_id)
    turn.say(invoices.label(turn, invoice), invoice_pdf=invoice.id)


async def _send(turn: Turn, _: Tap, invoice_id: str) -> None:
    await invoices.propose_sending(turn, invoice_id)


async def _unlink(turn: Turn, tap: Tap, link_id: str) -> None:
    if link_id != str(turn.link_id):
        turn.say(turn.words(ChatMsg.OLD_BUTTON))
        return
    turn.say(turn.words(ChatMsg.UNLINKED), replaces=tap.message)
    await messaging.leave(turn.tapping)
    turn.leave()


async def _keep(turn: Turn, tap: Tap, _: str) -> None:
    turn.say(turn.words(ChatMsg.LEFT), replaces=tap.message)


async def _correct(turn: Turn, _: Tap, approval_id: str) -> None:
    await correcting.start(turn, approval_id)


async def _attach(turn: Turn, tap: Tap, argument: str) -> None:
    await files.keep_in_task(turn, tap, argument)


_VERBS: Mapping[str, Callable[[Turn, Tap, str], Awaitable[None]]] = {
    cards.APPROVE: _approve,
    cards.REJECT: _reject,
    invoices.ISSUE: _issue,
    done.SEND: _send,
    answers.PDF: _show_pdf,
    saying.CHOICE: _choose,
    correcting.CORRECT: _correct,
    files.KEEP: _attach,
    matters.UNLINK: _unlink,
    matters.KEEP: _keep,
    PAGE: _turn_page,
}
