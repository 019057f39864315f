"""Grammar of requests: what a message asks for, or what has to be asked back.

It is an ordered list of rules. The first one that applies answers; a rule that is not sure asks back. Nothing here
knows the books but the names of clients and tasks.
"""

from collections.abc import Callable, Sequence

from ledgerkit.core.messaging.language.mentioned import is_postponed
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.requests import (
    Ask,
    CloseTill,
    CreditNote,
    Refused,
    Request,
    RequestLack,
    RequestRefusal,
    SendInvoice,
)
from ledgerkit.core.messaging.language.rules import (
    books,
    chat,
    credit_notes,
    drafts,
    payments,
    refusals,
    standing,
    tasks,
    till,
)
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.words import is_too_long

__all__ = ["Speaker", "understood"]

_AT_ONCE = (CloseTill, CreditNote, SendInvoice)
"""Acts that are done at once or not at all."""

Rule = Callable[[ChatMessage, Speaker], Request | None]

_RULES: Sequence[Rule] = (
    chat.greeting,
    chat.undo,
    chat.unlink,
    chat.digest,
    chat.silence,
    refusals.negated,
    tasks.new_task,
    tasks.done_task,
    refusals.not_here,
    tasks.crossed_out,
    till.till,
    credit_notes.credit,
    payments.payment,
    standing.standing,
    drafts.draft,
    tasks.task_list,
    books.books,
    tasks.tasks,
    books.client_alone,
    tasks.duty,
    refusals.anything_else,
)


def understood(text: str, speaker: Speaker) -> Request:
    """Return what a message asks for. It is never an error: what is not understood is refused as such."""
    if is_too_long(text):
        return Refused(refusal=RequestRefusal.NOT_UNDERSTOOD)
    message = ChatMessage(text, speaker.clients, speaker.language)
    requests = (rule(message, speaker) for rule in _RULES)
    request = next(
        (request for request in requests if request is not None), Refused(refusal=RequestRefusal.NOT_UNDERSTOOD)
    )
    if isinstance(request, _AT_ONCE) and is_postponed(message, speaker.today):
        return Ask(lack=RequestLack.AMBIGUOUS)
    return request
