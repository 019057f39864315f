"""The till: its state, its report, closing it."""

from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.dates import days_in
from ledgerkit.core.messaging.language.mentioned import amounts_in
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.requests import (
    Ask,
    CloseTill,
    Question,
    Refused,
    Request,
    RequestLack,
    RequestRefusal,
    Topic,
)
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("till")
_TILL = _VOCABULARY.phrases("till")
_NO_TILL = _VOCABULARY.phrases("no_till")
_CLOSE = _VOCABULARY.phrases("close")
_Z_REPORT = _VOCABULARY.phrases("z_report")
_TOLD = _VOCABULARY.phrases("told")
_MOVES = _VOCABULARY.phrases("moves")
_WANTED = Vocabulary("drafts").phrases("wanted")
_INVOICE = Vocabulary("invoices").phrases("invoice")
_LEFT_OPEN = _VOCABULARY.phrases("left_open")


def till(message: ChatMessage, speaker: Speaker) -> Request | None:
    is_invoice = bool(message.mentions) and (message.says(_WANTED) or bool(amounts_in(message)))
    if not _is_about_till(message) or (is_invoice and not message.says(_CLOSE)):
        return None
    if message.says(_MOVES) and not message.is_question:
        return Refused(refusal=RequestRefusal.NOT_HERE)
    days = [day.on(speaker.today, Direction.BEHIND) for day in days_in(message.words, message.language)]
    former = next((day for day in days if day is not None and day < speaker.today), None)
    if message.says(_LEFT_OPEN):
        return Ask(lack=RequestLack.AMBIGUOUS)
    if message.says(_CLOSE) and former is None:
        return _closed(message)
    if former is not None or message.says(_Z_REPORT):
        day = former or speaker.today
        return Question(topic=Topic.Z_REPORT, first=day, last=day)
    return Question(topic=Topic.TILL)


def _is_about_till(message: ChatMessage) -> bool:
    other = {place for span in message.spans(_NO_TILL) for place in range(span.start, span.end)}
    return any(span.start not in other for span in message.spans(_TILL))


def _closed(message: ChatMessage) -> Request:
    """Return the wish to close the till; a question where something else is wanted as well."""
    amounts = amounts_in(message)
    asks = message.is_question or message.says(_TOLD)
    if message.mentions or asks or message.says(_INVOICE) or len(set(amounts)) > 1:
        return Ask(lack=RequestLack.AMBIGUOUS)
    return CloseTill(counted=amounts[0] if amounts else None)
