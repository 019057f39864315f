"""Wishes that are clear, and that the chat does not do."""

import re

from ledgerkit.core.messaging.language.mentioned import amounts_in
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.requests import Ask, Refused, Request, RequestLack, RequestRefusal
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("refusals")
_NOT_HERE = _VOCABULARY.phrases("not_here")
_OTHER_PAPERS = _VOCABULARY.phrases("other_papers")
_ELSEWHERE = _VOCABULARY.phrases("elsewhere")
_ELSEWHERE_COMMANDS = _VOCABULARY.phrases("elsewhere_commands")
_NEGATED = _VOCABULARY.phrases("negated")
_STRONGLY_WANTED = Vocabulary("drafts").phrases("strongly_wanted")
_INVOICE = _VOCABULARY.phrases("invoice")
_WISHES = _VOCABULARY.phrases("wishes")
_MAIL_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[A-Za-z]{2}")
_JOINTS = frozenset({",", ";", ".", "but", "pero", "sino", "and", "y"})
_FEWEST_WORDS = 3
"""Words of a message at least of which something is understood."""


def negated(message: ChatMessage, _: Speaker) -> Request | None:
    """Ask where a message begins with what is not to be done, and goes on to no wish."""
    negation = message.begins(_NEGATED)
    if negation is None:
        return None
    wishes = (span.start for span in message.spans(_STRONGLY_WANTED))
    goes_on = any(not _JOINTS.isdisjoint(message.line[negation.end : start]) for start in wishes)
    return None if goes_on else Ask(lack=RequestLack.AMBIGUOUS)


def not_here(message: ChatMessage, _: Speaker) -> Request | None:
    names_invoice = message.says(_INVOICE)
    is_line = bool(message.mentions and amounts_in(message))
    says_elsewhere = message.begins(_ELSEWHERE_COMMANDS) is not None or (message.says(_ELSEWHERE) and not is_line)
    is_elsewhere = says_elsewhere and not names_invoice
    is_paper = not names_invoice and _wants_paper(message, is_line=is_line)
    is_refused = message.says(_NOT_HERE) or is_elsewhere or is_paper or _MAIL_ADDRESS.search(message.text) is not None
    return Refused(refusal=RequestRefusal.NOT_HERE) if is_refused else None


def _wants_paper(message: ChatMessage, *, is_line: bool) -> bool:
    """Return True for the wish for a quote; behind the name of a client, papers may describe a line."""
    first = message.mentions[0].start if is_line else len(message.line)
    return any(span.start < first for span in message.spans(_OTHER_PAPERS))


def anything_else(message: ChatMessage, _: Speaker) -> Request:
    """Refuse what no other rule has understood: a question or a wish, which is about something else, or noise."""
    words = sum(word.isalpha() for word in message.line)
    is_clear = words >= _FEWEST_WORDS and (message.is_question or message.begins(_WISHES) is not None)
    return Refused(refusal=RequestRefusal.NOT_HERE if is_clear else RequestRefusal.NOT_UNDERSTOOD)
