"""Tasks: new ones, done ones, the list."""

import re
from collections.abc import Sequence
from datetime import date

from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.dates import day_at
from ledgerkit.core.messaging.language.mentioned import amounts_in
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.patterns import Span
from ledgerkit.core.messaging.language.requests import (
    Ask,
    CompleteTask,
    CreateTask,
    Question,
    Request,
    RequestLack,
    Topic,
)
from ledgerkit.core.messaging.language.rules.task_titles import task_meant
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word, written

_VOCABULARY = Vocabulary("tasks")
_NEW_TASK = _VOCABULARY.phrases("new_task")
_NOTE = _VOCABULARY.phrases("note")
_BARE_TASK = _VOCABULARY.phrases("bare_task")
_SPANISH_TASKS = frozenset({"tarea", "pendiente", "recordatorio"})
_ENGLISH_VERBS = _VOCABULARY.words("english_verbs")
_INFINITIVE = re.compile(r"[a-z]{2,}(?:ar|er|ir)(?:l[aeo]s?|me)?")
_BEFORE_AN_EXPENSE = frozenset({"€", "euros", "euro", "eur", "de", "en", "por", "for", "on"})
_NOTING = _VOCABULARY.phrases("noting")
_NOTED_AT_THE_END = _VOCABULARY.phrases("noted_at_the_end")
_MONEY_THINGS = _VOCABULARY.phrases("money_things")
_DUTIES = _VOCABULARY.phrases("duties")
_IN_THE_LIST = _VOCABULARY.phrases("in_the_list")
_TITLE_ENDS = _VOCABULARY.phrases("title_ends")
_BEFORE_A_DAY = _VOCABULARY.words("before_a_day")
_AFTER_A_DAY = _VOCABULARY.words("after_a_day")
_INFINITIVES = _VOCABULARY.table("infinitives")
_DONE = _VOCABULARY.phrases("done")
_CROSS_OUT = _VOCABULARY.phrases("cross_out")
_TASKS = _VOCABULARY.phrases("tasks")
_TASK_LIST = _VOCABULARY.phrases("task_list")
_WANTED = Vocabulary("drafts").phrases("wanted")
_PAID = Vocabulary("payments").phrases("paid")
_INVOICE = _VOCABULARY.phrases("invoice")
_TAX_DUTIES = _VOCABULARY.phrases("tax_duties")
_DUTIES_BEFORE_A_TITLE = (
    *(("tengo", "que"), ("hay", "que"), ("i", "have", "to"), ("i", "need", "to"), ("i", "need"), ("i", "must")),
)
_REASONS = frozenset({"que", "porque", "because", "since"})
_SIGNS_BEFORE = frozenset({",", ".", ":", ";", "!", "-", "que", "to", "that", "de", '"', "'"})
_SIGNS_AFTER = frozenset({",", ".", ":", ";", "!", "-", '"', "'", "porfa", "please"})
_PARTICIPLE = re.compile(r"[a-z]{3,}(?:ado|ada|ido|ida|ed)")
_FEW_WORDS = 5
_LONGEST_TITLE = 200


def new_task(message: ChatMessage, speaker: Speaker) -> Request | None:
    begins = message.begins(_NEW_TASK)
    if begins is None:
        begins = _bare(message)
    if begins is None:
        begins = message.begins(_NOTE)
        if begins is None and _is_noted_at_the_end(message):
            return _created(message, speaker, message.start)
        if begins is None or _is_about_money(message, begins.end) or _is_expense(message, begins.end):
            return _listed(message, speaker)
    if message.has_question_mark and not message.is_wish:
        return None
    names_verb = message.line[begins.end - 1] == "to"
    if not names_verb and _MONEY_THINGS.end_at(message.line, begins.end) is not None:
        return None
    return _created(message, speaker, begins.end)


def _bare(message: ChatMessage) -> Span | None:
    """Return the first word of `tarea comprar folios`, behind which a verb stands."""
    begins = message.begins(_BARE_TASK)
    if begins is None or begins.end >= len(message.line) or message.says(_DONE):
        return None
    verb = message.line[begins.end]
    is_verb = _INFINITIVE.fullmatch(verb) if message.line[begins.start] in _SPANISH_TASKS else verb in _ENGLISH_VERBS
    return begins if is_verb else None


def _is_noted_at_the_end(message: ChatMessage) -> bool:
    ends = any(span.end >= len(message.line) - _FEW_WORDS for span in message.spans(_NOTED_AT_THE_END))
    return ends and not _is_about_money(message, message.start)


def _is_about_money(message: ChatMessage, start: int) -> bool:
    """Return True where a note is about a payment or an invoice, and none of a task."""
    if message.says(_PAID) and (message.mentions or message.says(_INVOICE) or "la" in message.line):
        return True
    return bool(message.mentions and amounts_in(message)) or _MONEY_THINGS.end_at(message.line, start) is not None


def _is_expense(message: ChatMessage, start: int) -> bool:
    """Return True for `anota 40 de gasolina`."""
    words = message.line[start : start + 2]
    return len(words) > 1 and words[0][:1].isdigit() and words[1] in _BEFORE_AN_EXPENSE


def _listed(message: ChatMessage, speaker: Speaker) -> Request | None:
    """Return the task of `add buy toner to my list`."""
    begins = message.begins(_NOTING)
    in_list = next(iter(message.spans(_IN_THE_LIST)), None)
    if begins is None or in_list is None or in_list.start <= begins.end:
        return None
    return _created(message, speaker, begins.end)


def duty(message: ChatMessage, speaker: Speaker) -> Request | None:
    """Return the task of a statement as `tengo que llamar al banco`, which no other rule has understood."""
    begins = duty_of(message)
    if begins is None or message.has_question_mark or message.says(_INVOICE) or amounts_in(message):
        return None
    return _created(message, speaker, message.start)


def duty_of(message: ChatMessage) -> Span | None:
    """Return the words of a duty with which a message begins, or a day before it: `mañana tengo que llamar`."""
    begins = message.begins(_DUTIES)
    day = day_at(message.words, message.start, message.language) if begins is None else None
    end = None if day is None else _DUTIES.end_at(message.line, day.end)
    return begins if day is None or end is None else Span(day.end, end)


def says_tax_duty(message: ChatMessage, duty: Span) -> bool:
    return _TAX_DUTIES.end_at(message.line, duty.end) is not None


def _created(message: ChatMessage, speaker: Speaker, start: int) -> Request | None:
    ends = [span.start for span in message.spans(_TITLE_ENDS) if span.end >= len(message.line) - 1]
    end = next((span.start for span in message.spans(_NOTED_AT_THE_END)), next(iter(ends), None))
    if end == start:
        return None
    words = list(message.words[start : len(message.words) if end is None or end <= start else end])
    day, words = _without_day(_without_reason(words), message, speaker)
    title = _in_infinitive(written(message.text, _stripped(words)))[:_LONGEST_TITLE]
    if not title or not any(sign.isalnum() for sign in title):
        return None
    return CreateTask(title=title[:1].upper() + title[1:], due_date=day)


def _without_reason(words: list[Word]) -> list[Word]:
    """Return words without a reason behind a comma: `pedir hilo, que si no se me olvida`."""
    for place in range(1, len(words) - 1):
        if words[place].plain == "," and words[place + 1].plain in _REASONS:
            return words[:place]
    return words


def _in_infinitive(title: str) -> str:
    """Return a title whose verb is that of a list: `preparar` for `prepare`."""
    first, blank, others = title.partition(" ")
    return _INFINITIVES.get(first.casefold(), first) + blank + others


def _without_day(words: Sequence[Word], message: ChatMessage, speaker: Speaker) -> tuple[date | None, list[Word]]:
    """Return the day that stands at an end of the words, and the words without it."""
    stripped = _stripped(words)
    for place in range(len(stripped)):
        day = day_at(stripped, place, message.language)
        if day is None:
            continue
        before = stripped[:place]
        behind = _stripped(stripped[day.end :] if before else _without_hour(stripped[day.end :]))
        if before and not _is_end(stripped[day.end :]):
            continue
        while before and before[-1].plain in _BEFORE_A_DAY:
            before = before[:-1]
        return day.on(speaker.today, Direction.AHEAD), list(before or behind)
    return None, list(stripped)


def _without_hour(words: Sequence[Word]) -> Sequence[Word]:
    """Return words without an hour before them, as in `mañana a las 9 llamar al banco`."""
    place = 0
    while place < len(words) and words[place].plain in _AFTER_A_DAY:
        place += 1
    if place == 0 or place >= len(words) or not words[place].plain[:1].isdigit():
        return words
    place += 1
    while place < len(words) and words[place].plain in {"h", "am", "pm", "y", "media"}:
        place += 1
    return words[place:]


def _is_end(words: Sequence[Word]) -> bool:
    """Return True for words that end a title: an hour, or a reason behind a comma."""
    behind = _stripped(words)
    is_hour = all(word.plain in _AFTER_A_DAY or word.plain[:1].isdigit() for word in behind)
    begins = [word.plain for word in words[:2]]
    is_reason = begins[:1] in ([","], ["."], [";"], ["-"], ["("], ["porque"], ["because"]) or begins == ["que", "si"]
    return is_hour or is_reason


def _stripped(words: Sequence[Word]) -> list[Word]:
    """Return the words without signs and small words at their ends, and without `tengo que`."""
    first, last = 0, len(words)
    while first < last and words[first].plain in _SIGNS_BEFORE:
        first += 1
    plain = [word.plain for word in words]
    duty = next(
        (phrase for phrase in _DUTIES_BEFORE_A_TITLE if tuple(plain[first : first + len(phrase)]) == phrase), ()
    )
    first += len(duty)
    while first < last and words[first].plain in _SIGNS_BEFORE:
        first += 1
    while last > first and words[last - 1].plain in _SIGNS_AFTER:
        last -= 1
    return list(words[first:last])


def done_task(message: ChatMessage, speaker: Speaker) -> Request | None:
    says_done = message.says(_DONE)
    is_line = bool(message.mentions and amounts_in(message))
    if message.is_question or not (says_done or _is_past(message)) or (is_line and message.says(_WANTED)):
        return None
    may_be_part = says_done and not message.says(_INVOICE) and not is_line
    task = task_meant(message, speaker.tasks, least_share=0.5 if may_be_part else 1.0)
    return None if task is None else CompleteTask(task=task, title=task.name)


def _is_past(message: ChatMessage) -> bool:
    """Return True for a few words with a participle, as `gestor llamado` and `domain renewed`."""
    has_participle = any(_PARTICIPLE.fullmatch(word) for word in message.line)
    return has_participle and len(message.line) <= _FEW_WORDS


def crossed_out(message: ChatMessage, _: Speaker) -> Request | None:
    """Ask which task is done, where none has the name."""
    if message.begins(_CROSS_OUT) is not None and not message.says(_INVOICE) and not message.says(_PAID):
        return Ask(lack=RequestLack.AMBIGUOUS, said=message.text)
    return None


def task_list(message: ChatMessage, _: Speaker) -> Request | None:
    return Question(topic=Topic.TASKS) if message.says(_TASK_LIST) else None


def tasks(message: ChatMessage, _: Speaker) -> Request | None:
    return Question(topic=Topic.TASKS) if message.says(_TASKS) and not amounts_in(message) else None
