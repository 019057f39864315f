"""Long answers in pages: buttons show the next page, or the one before, in place of the message."""

from collections.abc import Sequence
from dataclasses import dataclass

from ledgerkit.core.messaging.conversation.turn import Turn, button
from ledgerkit.core.messaging.language.requests import Topic
from ledgerkit.core.messaging.table import StoredButton
from ledgerkit.core.messaging.texts import ChatMsg

PAGE = "n"
"""Verb of the buttons that turn the page."""

LINES_OF_PAGE = 12


@dataclass(frozen=True)
class PageOf:
    """Page of an answer, from 0, and the message in whose place it is shown; None for a new one."""

    number: int = 0
    replaces: str | None = None


FIRST = PageOf()


@dataclass(frozen=True)
class PagedAnswer:
    """Answer to a question about a topic, perhaps of one client, with all of its lines."""

    title: str
    lines: Sequence[str]
    topic: Topic
    client_id: str | None = None


def say(turn: Turn, answer: PagedAnswer, page: PageOf) -> None:
    """Say one page of an answer, with buttons for its neighbours."""
    title, lines, topic, client_id = answer.title, answer.lines, answer.topic, answer.client_id
    last = max(0, -(-len(lines) // LINES_OF_PAGE) - 1)
    number = min(page.number, last)
    shown = list(lines[number * LINES_OF_PAGE : (number + 1) * LINES_OF_PAGE])
    buttons = []
    if number > 0:
        buttons.append(_button(ChatMsg.PREVIOUS_PAGE, turn, topic, number - 1, client_id))
    if number < last:
        buttons.append(_button(ChatMsg.NEXT_PAGE, turn, topic, number + 1, client_id))
    if last:
        title = turn.words(ChatMsg.PAGE_OF, title=title, page=number + 1, pages=last + 1)
    turn.say(title, shown, [buttons] if buttons else [], replaces=page.replaces)


def _button(label: ChatMsg, turn: Turn, topic: Topic, number: int, client_id: str | None) -> StoredButton:
    return button(turn.words(label), PAGE, topic.value, str(number), client_id or "")
