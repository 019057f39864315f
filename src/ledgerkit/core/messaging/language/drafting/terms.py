"""Days of an invoice in a message: of its issue and when it is due; whether it is to be issued."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from ledgerkit.core.messaging.language.amounts import CURRENCY
from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.dates import Day, day_at, days_in
from ledgerkit.core.messaging.language.drafting.reading import DraftReading
from ledgerkit.core.messaging.language.numbers import NUMBER_WORDS, number_at
from ledgerkit.core.messaging.language.patterns import Phrases, Span
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("drafts")
_WANTED = _VOCABULARY.phrases("wanted")
_VERB = _VOCABULARY.phrases("verb")
_DUE = _VOCABULARY.phrases("due")
_STRONGLY_DUE = _VOCABULARY.phrases("strongly_due")
_DATED = _VOCABULARY.phrases("dated")
_AT_ONCE = _VOCABULARY.phrases("at_once")
_DAYS = _VOCABULARY.phrases("days_of_term")
_TERM_LEADS = _VOCABULARY.phrases("term_leads")
_TERM_TAILS = _VOCABULARY.phrases("term_tails")
_USUAL_TERMS = frozenset(int(days) for days in _VOCABULARY.words("usual_terms"))
_BEFORE_A_TERM = _VOCABULARY.words("before_a_term")
_NOT_ISSUED = _VOCABULARY.phrases("not_issued")
_ISSUED = _VOCABULARY.phrases("issued")
_DESCRIBED = _VOCABULARY.words("described")
_NO_THINGS = Vocabulary("lines").words("small") | Vocabulary("common").words("invoice")
_OF = frozenset({"de", "del", "of"})
_BEFORE_A_WORK = frozenset({"for", "por", "de", "of"})
_MOST_AHEAD = timedelta(days=200)
_MOST_DAYS = 365
_ARTICLES = frozenset({"un", "una", "one"})
_BEFORE_A_THING = frozenset({"for", "por", "de", "del", "of", "al", "to"})
_NEAR = 4
"""Words among which a price of days stands behind them."""

_NUMBERS_OF_DAYS = frozenset({"/", "."})
_OPEN_ENDS = frozenset({"", ",", ".", ";", ":", "-", "€", "euros", "euro", "eur", "%", "!", "?"})


@dataclass(frozen=True, kw_only=True)
class DueTerm:
    """A day, or the days from the issue on. `is_unclear`: the words name no day that there is."""

    day: date | None = None
    days: int | None = None
    is_unclear: bool = False


def due_of(reading: DraftReading) -> DueTerm:
    """Take the words about when an invoice is due."""
    days = _net_days(reading)
    if days is None and reading.takes(_AT_ONCE):
        days = 0
    if days is not None:
        return DueTerm(days=days)
    for span in list(reading.spans(_DUE)):
        day = _day_after(reading, span, Direction.AHEAD)
        if day is not None:
            return day
    days = _days_of_term(reading)
    term = DueTerm(days=days) if days is not None else _day_after_para(reading)
    is_open = term == DueTerm() and any(True for _ in reading.spans(_STRONGLY_DUE))
    return DueTerm(is_unclear=True) if is_open else term


def _net_days(reading: DraftReading) -> int | None:
    """Take `net 30`, which is no net amount of 30."""
    for place, word in enumerate(reading.message.line):
        number = number_at(reading.message.words, place + 1, reading.message.language) if word == "net" else None
        if (
            number is None
            or number.value not in _USUAL_TERMS
            or reading.plain(number.end) in {"€", "euros", "eur", "%"}
        ):
            continue
        end = _DAYS.end_at(reading.message.line, number.end) or number.end
        reading.take(_with_lead(reading, Span(place, end)))
        return int(number.value)
    return None


def _days_of_term(reading: DraftReading) -> int | None:
    """Take `a 30 días`, `plazo de 15 días`, `30 days net` and such; `2 días a 480` is no term."""
    for place in range(len(reading.message.line)):
        number = number_at(reading.message.words, place, reading.message.language)
        if number is None or not number.is_whole or not 0 < number.value <= _MOST_DAYS:
            continue
        end = _DAYS.end_at(reading.message.line, number.end)
        if end is None or not reading.is_free(Span(place, end)):
            continue
        tail = _TERM_TAILS.end_at(reading.message.line, end)
        whole = _with_lead(reading, Span(place, tail or end))
        has_preposition = reading.plain(place - 1) in _BEFORE_A_TERM and number.value in _USUAL_TERMS
        stands_apart = (
            reading.plain(place - 1) == "," and number.value in _USUAL_TERMS and not _goes_on_with_number(reading, end)
        )
        if tail is not None or whole.start < place or has_preposition or stands_apart:
            reading.take(Span(whole.start - (has_preposition and whole.start == place), whole.end))
            return int(number.value)
    return None


def _goes_on_with_number(reading: DraftReading, place: int) -> bool:
    """Return True for `, 10 días, 240 cada uno`, whose days are counted and no term."""
    is_open = reading.plain(place) not in _OPEN_ENDS
    near = reading.message.line[place : place + _NEAR]
    return is_open or any(word[:1].isdigit() or word in NUMBER_WORDS - _ARTICLES for word in near)


def _with_lead(reading: DraftReading, span: Span) -> Span:
    """Return a span with the words that announce it, as `pago a` before `30 días`."""
    leads = (lead for lead in reading.message.spans(_TERM_LEADS) if lead.end in {span.start, span.start - 1})
    lead = next(iter(leads), None)
    if lead is None or (lead.end < span.start and reading.plain(lead.end) not in _BEFORE_A_TERM):
        return span
    return Span(lead.start, span.end)


def _day_after_para(reading: DraftReading) -> DueTerm:
    """Take `para el 15 de abril` and `for Friday` behind an amount, where no description stands before it."""
    for place, word in enumerate(reading.message.line):
        if word not in {"para", "by"} or not reading.free[place]:
            continue
        if (
            reading.free[place - 1]
            and reading.plain(place - 1) not in _OPEN_ENDS
            and not reading.plain(place - 1)[:1].isdigit()
        ):
            continue
        day = _day_after(reading, Span(place, place + 1), Direction.AHEAD)
        if day is not None and day.day is not None:
            return day
    return DueTerm()


def _day_after(reading: DraftReading, lead: Span, direction: Direction) -> DueTerm | None:
    """Take a day with the words that announce it; None where none follows them.

    An announcement may end with the article of the day, as in `vence el 5`.
    """
    for start in (lead.end - 2, lead.end - 1, lead.end):
        day = day_at(reading.message.words, start, reading.message.language) if start > lead.start else None
        if day is not None and day.end > lead.end:
            reading.take(Span(lead.start, day.end))
            on = day.on(reading.today, direction)
            return DueTerm(day=on, is_unclear=on is None)
    numeric = reading.plain(lead.end)
    if numeric[:1].isdigit() and _NUMBERS_OF_DAYS & set(numeric):
        return DueTerm(is_unclear=True)
    return None


def issued_on(reading: DraftReading) -> DueTerm:
    """Take the day of the issue: an announced one, or a numeric one with its year that stands alone."""
    for span in list(reading.spans(_DATED)):
        ahead = _day_after(reading, span, Direction.AHEAD)
        behind = _day_after(reading, span, Direction.BEHIND)
        if ahead is not None and behind is not None:
            return _nearer(reading.today, ahead, behind)
    return DueTerm()


def _nearer(today: date, ahead: DueTerm, behind: DueTerm) -> DueTerm:
    """Return the day that is nearer to today."""
    if ahead.day is None or behind.day is None:
        return behind
    return ahead if ahead.day - today < today - behind.day else behind


def has_loose_day(reading: DraftReading) -> bool:
    """Return True where nothing says for what a free day is, as in `300 el viernes`.

    A day that belongs to a description stands behind its words.
    """
    days = days_in(reading.message.words, reading.message.language)
    return any(
        reading.free[day.end - 1] and reading.message.named.isdisjoint(range(day.start, day.end))
        for day in days
        if _is_loose(reading, day)
    )


def _is_loose(reading: DraftReading, day: Day) -> bool:
    before = reading.plain(day.start - 1)
    ahead, behind = (day.on(reading.today, direction) for direction in (Direction.AHEAD, Direction.BEHIND))
    if before[:1].isdigit() or before in CURRENCY or before == "%":
        lies_ahead = ahead is not None and timedelta(0) < ahead - reading.today < _MOST_AHEAD
        return reading.today not in {ahead, behind} and (lies_ahead or reading.plain(day.start) not in _BEFORE_A_THING)
    if ahead is None or not timedelta(0) < ahead - reading.today < _MOST_AHEAD:
        return False
    if _begins(reading, day):
        return behind == ahead or _VERB.end_at(reading.message.line, day.end) is not None
    is_taken_before = not reading.free[day.start - 1]
    return is_taken_before or (before in _OPEN_ENDS and "/" in reading.plain(day.start))


def _begins(reading: DraftReading, day: Day) -> bool:
    """Return True for a day before all that is wanted: `el viernes hazle factura`."""
    starts = [span.start for span in reading.message.spans(_WANTED)]
    says_before = min([*starts, *reading.message.named], default=day.start) < day.start
    return not any(reading.free[: day.start]) and not says_before


def loose_day(reading: DraftReading) -> date | None:
    """Take a day with its year that stands alone, which is that of the issue."""
    for place in _loose_places(reading):
        day = day_at(reading.message.words, place, reading.message.language)
        if day is not None:
            reading.take(Span(day.start, day.end))
            return day.on(reading.today, Direction.BEHIND)
    return None


def _loose_places(reading: DraftReading) -> Iterator[int]:
    for place, word in enumerate(reading.message.line):
        signs = [sign for sign in word if not sign.isdigit()]
        if (
            reading.free[place]
            and word[:1].isdigit()
            and len(signs) == 2
            and signs[0] == signs[1]
            and signs[0] in "/-."
        ):
            yield place


def issue_of(reading: DraftReading) -> tuple[bool, bool]:
    """Take the words about issuing; return whether it is wanted, and whether it is refused."""
    is_refused = _takes_undescribed(reading, _NOT_ISSUED)
    return _takes_undescribed(reading, _ISSUED), is_refused


def _takes_undescribed(reading: DraftReading, phrases: Phrases) -> bool:
    """Take phrases, unless the last word of one belongs to a description: `draft contract 600`, `email campaign 90`."""
    spans = [span for span in reading.spans(phrases) if not _is_described(reading, span)]
    for span in spans:
        reading.take(span)
    return bool(spans)


def _is_described(reading: DraftReading, span: Span) -> bool:
    end = span.end + (reading.plain(span.end) in _OF)
    following = reading.plain(end)
    is_thing = following.isalpha() and following not in _NO_THINGS and end < len(reading.free) and reading.free[end]
    is_priced = any(word[:1].isdigit() or word in NUMBER_WORDS for word in reading.message.line[end:])
    is_priced = is_priced or reading.plain(span.end - 2) in _BEFORE_A_WORK
    return reading.plain(span.end - 1) in _DESCRIBED and is_thing and is_priced
