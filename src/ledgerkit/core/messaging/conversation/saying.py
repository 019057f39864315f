"""Words of a person: read by the grammar, and answered, proposed, asked back or refused."""

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any

from ledgerkit import clock
from ledgerkit.core.messaging.conversation import answers, books, correcting, invoices, matters, voices
from ledgerkit.core.messaging.conversation.assistant import Assistant
from ledgerkit.core.messaging.conversation.turn import Turn, button
from ledgerkit.core.messaging.language.grammar import Speaker, understood
from ledgerkit.core.messaging.language.requests import (
    Ask,
    CloseTill,
    CompleteTask,
    CreateTask,
    CreditNote,
    DraftInvoice,
    MarkPaid,
    Question,
    Refused,
    Request,
    RequestLack,
    RequestRefusal,
    SendInvoice,
    SetDigest,
    Silence,
    Topic,
    Undo,
    Unlink,
)
from ledgerkit.core.messaging.messengers.messenger import Text, Voice
from ledgerkit.core.messaging.table import StoredQuestion
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.api import Rejection
from ledgerkit.problems import Problem

CHOICE = "q"
"""Verb of the buttons that answer which client is meant."""

_MOST_CHOICES = 6
_OF_PROGRAMS = re.compile(r"/api/|LEDGERKIT_|\{\w+\}|\b[a-z]+[A-Z]\w+")
"""Signs of a remedy for programs: a route, a setting, a name of a field."""

_OF_ONE_RECORD = frozenset({Topic.CLIENT, Topic.INVOICE_STATE, Topic.INVOICE_PDF})


async def said(turn: Turn, event: Text) -> None:
    """Answer words: those of a forwarded message are somebody else's and are not followed.

    Raises what reading and proposing raise.
    """
    if event.is_forwarded:
        turn.say(turn.words(ChatMsg.FORWARDED))
        return
    if event.is_edited:
        await _supersede(turn, event.message)
    if await correcting.corrected(turn, event):
        return
    await follow(turn, event.words)


async def spoken(turn: Turn, event: Voice) -> None:
    """Answer a voice note by its words, which are shown first."""
    if event.is_forwarded:
        turn.say(turn.words(ChatMsg.FORWARDED))
        return
    words = await voices.words_of(turn, event)
    if words is not None:
        turn.say(turn.words(ChatMsg.HEARD, words=words))
        await follow(turn, words)


async def follow(turn: Turn, words: str) -> None:
    """Do what words ask for; a question of the chat that still waits is answered by them."""
    speaker = await books.speaker(turn)
    request, turn.said = _read(turn, words, speaker)
    turn.change_state(question=None)
    await _HANDLERS[type(request)](turn, request)


def _waiting(turn: Turn) -> StoredQuestion | None:
    question = turn.state.question
    return question if question is not None and question.until > clock.now() else None


def _read(turn: Turn, words: str, speaker: Speaker) -> tuple[Request, str]:
    """Return what words ask for, with those that they complete where they answer a question.

    Words that are a request by themselves are followed as such: nobody has to answer before going on. A name or a
    number alone reads as a question about that client or invoice, and answers.
    """
    alone, waiting = understood(words, speaker), _waiting(turn)
    if waiting is None or _is_by_itself(alone):
        return alone, words
    before = understood(waiting.words, speaker)
    for together in _answered(turn, waiting.words, before, words):
        request = understood(together, speaker)
        if _leads_on(before, request):
            return request, together
    return alone, words


def _answered(turn: Turn, question: str, before: Request, words: str) -> Iterator[str]:
    """Yield the ways in which words can answer what is lacking in others."""
    lack = before.lack if isinstance(before, Ask) else None
    if isinstance(before, Ask) and lack is RequestLack.UNKNOWN_CLIENT and before.said in question:
        yield question.replace(before.said, words, 1)
    yield f"{question} {words}"
    if lack is RequestLack.CLIENT_MISSING:
        yield turn.words(ChatMsg.FOR_CLIENT, words=question, client=words)


def _leads_on(before: Request, request: Request) -> bool:
    """Return True where an answer has completed a request, or has left something else to ask."""
    if isinstance(request, Ask) and isinstance(before, Ask):
        return request.lack not in {before.lack, RequestLack.AMBIGUOUS}
    return request != before and not isinstance(request, Ask | Refused)


def _is_by_itself(request: Request) -> bool:
    if isinstance(request, Question):
        return request.topic not in _OF_ONE_RECORD
    return not isinstance(request, Ask | Refused)


async def _supersede(turn: Turn, message: str) -> None:
    """Turn down what was proposed of an earlier version of a message."""
    for source, approval_id in turn.state.proposed:
        if source == message:
            with suppress(Problem):  # it was decided already: what was done stays
                await approvals.reject(turn.deciding, approval_id, Rejection(reason=turn.words(ChatMsg.EDITED)))
    turn.change_state(proposed=tuple(pair for pair in turn.state.proposed if pair[0] != message))


async def _ask(turn: Turn, request: Ask) -> None:
    """Ask back. Several clients of one name are offered as buttons."""
    questions = {
        RequestLack.WHICH_CLIENT: ChatMsg.WHICH_CLIENT,
        RequestLack.UNKNOWN_CLIENT: ChatMsg.UNKNOWN_CLIENT,
        RequestLack.CLIENT_MISSING: ChatMsg.CLIENT_MISSING,
        RequestLack.AMOUNT: ChatMsg.AMOUNT_MISSING,
        RequestLack.WHICH_INVOICE: ChatMsg.WHICH_INVOICE,
        RequestLack.AMBIGUOUS: ChatMsg.AMBIGUOUS,
    }
    rows = [
        [button(candidate.name[:40], CHOICE, invoices.client_id(candidate))]
        for candidate in request.candidates[:_MOST_CHOICES]
        if isinstance(candidate, books.NamedClient)
    ]
    turn.say(turn.words(questions[request.lack], said=request.said), buttons=rows)
    if request.lack is not RequestLack.AMBIGUOUS:
        turn.ask(request.lack.value, turn.said)


async def choose(turn: Turn, client_id: str) -> None:
    """Go on with the client that a button has named."""
    waiting = _waiting(turn)
    if waiting is None:
        turn.say(turn.words(ChatMsg.ASK_AGAIN))
        return
    speaker = await books.speaker(turn, only=client_id)
    turn.change_state(question=None)
    turn.said = waiting.words
    request = understood(waiting.words, speaker)
    await _HANDLERS[type(request)](turn, request)


async def _refused(turn: Turn, request: Refused) -> None:
    """Say that something is not done here; what is not understood goes to the model where there is one."""
    assistant = turn.kernel.services.get(Assistant)
    if isinstance(assistant, Assistant) and await assistant.answer(turn):
        return
    not_here = request.refusal is RequestRefusal.NOT_HERE
    turn.say(turn.words(ChatMsg.NOT_HERE if not_here else ChatMsg.NOT_UNDERSTOOD))


async def _undo(turn: Turn, _: Undo) -> None:
    await matters.undo(turn)


async def _unlink(turn: Turn, _: Unlink) -> None:
    await matters.unlink(turn)


_HANDLERS: dict[type[Any], Callable[[Turn, Any], Awaitable[None]]] = {
    DraftInvoice: invoices.draft,
    MarkPaid: invoices.mark_paid,
    SendInvoice: invoices.send,
    CreditNote: invoices.credit,
    CreateTask: matters.create_task,
    CompleteTask: matters.complete_task,
    CloseTill: matters.close_till,
    Silence: matters.silence,
    SetDigest: matters.set_digest,
    Undo: _undo,
    Unlink: _unlink,
    Question: answers.answer,
    Ask: _ask,
    Refused: _refused,
}


def refuse(turn: Turn, problem: Problem) -> None:
    """Say why something cannot be done, and what to do next, in the words of the problem."""
    body = problem.body(language=turn.language)
    lines = [str(body["detail"])]
    remedy = str(body.get("remedy") or "")
    if remedy and _OF_PROGRAMS.search(remedy) is None:
        lines.append(remedy)
    turn.say(lines=lines)
