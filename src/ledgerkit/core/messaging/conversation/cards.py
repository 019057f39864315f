"""Cards: proposals as a chat shows them, with the buttons that answer them."""

from collections.abc import Sequence

from ledgerkit.core.messaging.conversation.turn import Parameters, Rows, Turn, button, link_button
from ledgerkit.core.messaging.table import StoredButton
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.approvals.api import Approval, ApprovalInput
from ledgerkit.core.platform.approvals.chats import operations as chats
from ledgerkit.core.platform.approvals.chats.operations import ChatQuestion
from ledgerkit.texts import MessageId

APPROVE, REJECT = "a", "r"
"""Verbs of buttons: do what was proposed, and leave it."""

_MOST_REMEMBERED = 20


async def propose(turn: Turn, operation: str, arguments: Parameters, yes: MessageId, *further: StoredButton) -> None:
    """Propose an operation and show its card, with the button `yes` and further ones that agree otherwise.

    Raises what the operation raises.
    """
    question = await ask(turn, operation, arguments)
    show(turn, question, yes, *further)


async def ask(turn: Turn, operation: str, arguments: Parameters) -> ChatQuestion:
    """Propose an operation, and remember the message that it was made of. Raises what the operation raises."""
    data = ApprovalInput(operation=operation, arguments=dict(arguments), note=None)
    question = await chats.ask(turn.proposing(), data, turn.proposal_id)
    source = getattr(turn.arrived.update.event, "message", None)
    if source is not None:
        remembered = [*turn.state.proposed, (source, question.approval.id)]
        turn.change_state(proposed=tuple(remembered[-_MOST_REMEMBERED:]))
    return question


def show(
    turn: Turn, question: ChatQuestion, yes: MessageId, *further: StoredButton, replaces: str | None = None
) -> None:
    """Show a proposal with its buttons, or with a link where the account's rules ask in the web app only."""
    title, *lines = question.approval.summary
    if question.in_app_only:
        lines.append(turn.words(ChatMsg.IN_APP_ONLY))
    draft = question.approval.id if question.approval.operation == "invoices.create" and replaces is None else None
    turn.say(title, lines, buttons(turn, question, yes, further), replaces=replaces, draft_pdf=draft)


def buttons(turn: Turn, question: ChatQuestion, yes: MessageId, further: Sequence[StoredButton] = ()) -> Rows:
    """Return the rows of buttons of a proposal."""
    approval = question.approval
    leave = button(turn.words(ChatMsg.CANCEL), REJECT, approval.id)
    if question.in_app_only:
        return [[link_button(turn.words(ChatMsg.OPEN_APP), page(turn, approval))], [leave]]
    return [[button(turn.words(yes), APPROVE, approval.id), *further], [leave]]


def page(turn: Turn, approval: Approval) -> str:
    """Return the address of the page on which a proposal is decided."""
    return f"{turn.kernel.settings.public_url}/approve/{approval.id}"
