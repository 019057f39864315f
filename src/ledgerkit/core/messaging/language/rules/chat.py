"""The chat itself: greetings, help, taking back, silence, the summary of the day."""

from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.mentioned import amounts_in, days_of
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.numbers import number_at
from ledgerkit.core.messaging.language.patterns import Span
from ledgerkit.core.messaging.language.requests import (
    Ask,
    Question,
    Request,
    RequestLack,
    SetDigest,
    Silence,
    Topic,
    Undo,
    Unlink,
)
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("chat")
_GREETING_WORDS = _VOCABULARY.words("greeting_words")
_HELP = _VOCABULARY.phrases("help")
_UNDO = _VOCABULARY.phrases("undo")
_NOT_UNDO = _VOCABULARY.phrases("not_undo")
_UNLINK = _VOCABULARY.phrases("unlink")
_SILENCE = _VOCABULARY.phrases("silence")
_SILENCE_OFF = _VOCABULARY.phrases("silence_off")
_INVOICE = _VOCABULARY.phrases("invoice")
_DIGEST = _VOCABULARY.phrases("digest")
_DIGEST_STOP = _VOCABULARY.phrases("digest_stop")
_SOME_DAYS = _VOCABULARY.phrases("some_days")
_ONCE = _VOCABULARY.phrases("once")
_BEFORE_AN_HOUR = _VOCABULARY.phrases("before_an_hour")
_BEFORE_A_FORMER_HOUR = _VOCABULARY.phrases("before_a_former_hour")
_IN_THE_EVENING = _VOCABULARY.phrases("in_the_evening")
_NOON = _VOCABULARY.phrases("noon")
_FEW_WORDS = 4
_HOURS_OF_A_DAY = 24
_NOON_HOUR = 12
_MOST_WORDS_OF_AN_UNDO = 20


def greeting(message: ChatMessage, _: Speaker) -> Request | None:
    is_greeting = bool(message.line) and all(word in _GREETING_WORDS for word in message.line)
    has_word = any(word.isalpha() for word in message.line)
    asks_for_help = message.says(_HELP) and not message.mentions and not amounts_in(message)
    return Question(topic=Topic.HELP) if (is_greeting and has_word) or asks_for_help else None


def undo(message: ChatMessage, _: Speaker) -> Request | None:
    if not message.says(_UNDO) or message.mentions or len(message.line) > _MOST_WORDS_OF_AN_UNDO:
        return None
    return None if message.says(_NOT_UNDO) else Undo()


def unlink(message: ChatMessage, _: Speaker) -> Request | None:
    return Unlink() if message.says(_UNLINK) and not message.mentions else None


def silence(message: ChatMessage, speaker: Speaker) -> Request | None:
    if message.mentions or message.says(_INVOICE):
        return None
    if message.says(_SILENCE_OFF):
        return Silence(is_off=True)
    if not message.says(_SILENCE) or message.says(_DIGEST):
        return None
    for day in days_of(message):
        until = day.on(speaker.today, Direction.AHEAD)
        if until is not None and until > speaker.today:
            return Silence(until=until)
    return Silence()


def digest(message: ChatMessage, _: Speaker) -> Request | None:
    if not message.says(_DIGEST) or (message.mentions and amounts_in(message)):
        return None
    if message.says(_SOME_DAYS):
        return Ask(lack=RequestLack.AMBIGUOUS)
    hour = _hour(message)
    if hour is not None:
        return SetDigest(hour=hour)
    if not message.says(_DIGEST_STOP):
        return None
    return Ask(lack=RequestLack.AMBIGUOUS) if message.says(_ONCE) else SetDigest(hour=None)


def _hour(message: ChatMessage) -> int | None:
    """Return the hour that is named, from 0 to 23; of two the one that shall hold from now on."""
    former = [span.end for span in message.spans(_BEFORE_A_FORMER_HOUR)]
    leads = [span for span in message.spans(_BEFORE_AN_HOUR) if span.end not in former]
    if len(message.line) <= _FEW_WORDS:
        leads += message.spans(_DIGEST)
    leads.sort(key=lambda span: message.line[span.start] in {"de", "from"})
    hours = (hour for lead in leads if (hour := _hour_at(message, lead)) is not None)
    return next(hours, _NOON_HOUR if message.says(_NOON) else None)


def _hour_at(message: ChatMessage, lead: Span) -> int | None:
    if _NOON.end_at(message.line, lead.end):
        return _NOON_HOUR
    if lead.end >= len(message.words):
        return None
    clock = message.words[lead.end].plain.partition(":")
    number = number_at(message.words, lead.end, message.language)
    if clock[1] and clock[0].isdigit():
        hour = int(clock[0])
    elif number is not None and number.is_whole:
        hour = int(number.value)
    else:
        return None
    if hour < _NOON_HOUR and message.says(_IN_THE_EVENING):
        hour += _NOON_HOUR
    return hour if 0 <= hour < _HOURS_OF_A_DAY else None
