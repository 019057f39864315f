"""Days in a message: `mañana`, `el viernes pasado`, `fin de mes`, `12/02`, `in two weeks`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ledgerkit.core.messaging.language.calendar import (
    MONTHS_OF_A_YEAR,
    DayFromToday,
    PartOfMonth,
    Week,
    distant,
    fixed,
    month_after,
    nearest,
    part_of_month,
    valid_date,
    weekday_date,
)
from ledgerkit.core.messaging.language.numbers import NUMBER_WORDS, number_at
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word

_VOCABULARY = Vocabulary("dates")
MONTHS = _VOCABULARY.numbers("months")
WEEKDAYS = _VOCABULARY.numbers("weekdays")
_DAYS_FROM_TODAY = _VOCABULARY.numbers("days_from_today")
_ORDINALS = _VOCABULARY.numbers("ordinals")
_PHRASES: dict[str, list[tuple[tuple[str, ...], int]]] = {}
for _phrase, _days in _VOCABULARY.table("phrases_of_days").items():
    _PHRASES.setdefault(_phrase.split()[0], []).append((tuple(_phrase.split()), int(_days)))
_UNITS = {
    **dict.fromkeys(_VOCABULARY.words("units_of_a_day"), 1),
    **dict.fromkeys(_VOCABULARY.words("units_of_a_week"), 7),
}
_UNITS_OF_A_MONTH = _VOCABULARY.words("units_of_a_month")
_NEXT = _VOCABULARY.words("next")
_LAST = _VOCABULARY.words("last")
_THIS = _VOCABULARY.words("this")
_BEFORE = _VOCABULARY.words("before_a_day")
_PARTS = {
    **dict.fromkeys(_VOCABULARY.words("ends"), PartOfMonth.END),
    **dict.fromkeys(_VOCABULARY.words("beginnings"), PartOfMonth.BEGINNING),
    **dict.fromkeys(_VOCABULARY.words("middles"), PartOfMonth.MIDDLE),
}
_OF = _VOCABULARY.words("of")
_MONTH = _VOCABULARY.words("months_in_words")
_NO_DAY_NUMBERS = _VOCABULARY.words("no_day_numbers")
_AFTER_A_DAY = _VOCABULARY.words("after_a_day")
_NUMERIC = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})(?:\2([0-9]{4}|[0-9]{2}))?")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_YEAR = re.compile(r"20[0-9]{2}")
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th", "º", "o", "ro", "er"})
_MOST_WORDS_BEFORE = 3
_MOST_DISTANCE = 1000
"""Days, weeks or months of a distance at most."""


_BEGINNINGS = frozenset(
    {*MONTHS, *WEEKDAYS, *_DAYS_FROM_TODAY, *_ORDINALS, *_PHRASES, *_PARTS, *_NEXT, *_LAST, *_THIS, *_MONTH}
    | {*NUMBER_WORDS, "hace", "dentro", "en", "in", "within", "a", "an", "semana", "week", "finde", "weekend", "couple"}
)
"""Words with which a day may begin, beside digits and the words before it."""

_FIRSTS = _BEGINNINGS | _BEFORE


@dataclass(frozen=True)
class Day:
    """A day in the words from `start` up to `end`; `on` returns it, seen from today."""

    start: int
    end: int
    on: DayFromToday
    is_vague: bool = False
    """True for a day that stands for some days, as the first one of a week."""


def day_at(words: Sequence[Word], start: int, language: str) -> Day | None:
    """Return the day that begins at a word, which may be an article or a preposition; None where none does."""
    first = words[start].plain if start < len(words) else ""
    if first not in _FIRSTS and not first[:1].isdigit():
        return None
    reader = _Reader(words, start, language)
    for _ in range(_MOST_WORDS_BEFORE):
        on = reader.day()
        if on is not None:
            return Day(start, reader.place, on, reader.is_vague)
        if not reader.takes(_BEFORE):
            return None
    return None


def days_in(words: Sequence[Word], language: str) -> list[Day]:
    """Return all days of the words, in their order."""
    days: list[Day] = []
    place = 0
    while place < len(words):
        day = day_at(words, place, language)
        if day is not None:
            days.append(day)
        place = day.end if day is not None else place + 1
    return days


class _Reader:
    """Reader of one day; `place` is the word after what was read."""

    def __init__(self, words: Sequence[Word], place: int, language: str) -> None:
        self._words = words
        self._language = language
        self.place = place
        self.is_vague = False

    def takes(self, expected: Collection[str]) -> bool:
        takes = self._plain() in expected
        self.place += takes
        return takes

    def _plain(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self._words[place].plain if 0 <= place < len(self._words) else ""

    def _takes_phrase(self, *phrase: str) -> bool:
        if self._plain() != phrase[0] or any(self._plain(ahead) != word for ahead, word in enumerate(phrase)):
            return False
        self.place += len(phrase)
        return True

    def day(self) -> DayFromToday | None:
        """Return the day that begins here; the place is kept where none does."""
        word = self._plain()
        if word not in _BEGINNINGS and not word[:1].isdigit():
            return None
        exact = (self._simple, self._iso, self._numeric, self._weekday)
        vague = (self._weekend, self._part_of_month, self._period)
        before = self.place
        for reading in (*exact, *vague, self._distance, self._of_month):
            on = reading()
            if on is not None:
                self.is_vague = reading in vague
                return on
            self.place = before
        return None

    def _simple(self) -> DayFromToday | None:
        for phrase, days in _PHRASES.get(self._plain(), ()):
            if self._takes_phrase(*phrase):
                return distant(days)
        before = (self._plain(-2), self._plain(-1))
        is_daytime = self._plain() == "manana" and before in {("de", "la"), ("por", "la")}
        if is_daytime or self._plain() not in _DAYS_FROM_TODAY:
            return None
        self.place += 1
        return distant(_DAYS_FROM_TODAY[self._plain(-1)])

    def _iso(self) -> DayFromToday | None:
        iso = _ISO.fullmatch(self._plain())
        day = valid_date(int(iso[1]), int(iso[2]), int(iso[3])) if iso else None
        self.place += 1
        return None if day is None else fixed(day)

    def _numeric(self) -> DayFromToday | None:
        """Read `12/02`, `12/02/2026` and `12.02.26`."""
        numeric = _NUMERIC.fullmatch(self._plain())
        if numeric is None or (numeric[4] is None and numeric[2] != "/"):
            return None
        day, month = int(numeric[1]), int(numeric[3])
        year = None if numeric[4] is None else int(numeric[4])
        if year is not None and year < 100:
            year += 2000
        if valid_date(year or 2000, month, day) is None:
            return None
        self.place += 1
        return nearest(day, month, year)

    def _weekday(self) -> DayFromToday | None:
        week = self._week_before()
        weekday = WEEKDAYS.get(self._plain())
        if weekday is None:
            return None
        self.place += 1
        return self._numbered_weekday() or weekday_date(weekday, self._week_after(week))

    def _week_before(self) -> Week:
        """Read the week before a weekday: `next Monday` is of the next week, `el próximo lunes` the next one."""
        if self.takes(_NEXT):
            return Week.AFTER_THIS if self._plain(-1) == "next" else Week.COMING
        if self.takes(_LAST):
            return Week.LAST
        return Week.COMING if self.takes(_THIS) else Week.UNSAID

    def _week_after(self, week: Week) -> Week:
        """Read the week after a weekday: `lunes pasado`, `lunes que viene`, `lunes de la semana que viene`."""
        if self.takes(_LAST):
            return Week.LAST
        if self.takes(_NEXT) or self._takes_phrase("que", "viene"):
            return Week.COMING
        if not self._takes_phrase("de", "la", "semana"):
            return week
        if self.takes(_LAST):
            return Week.LAST
        self._takes_phrase("que", "viene")
        return Week.AFTER_THIS

    def _numbered_weekday(self) -> DayFromToday | None:
        """Read the rest of `viernes 27 de marzo` and `Friday the 27th`."""
        before = self.place
        self.takes({",", "dia", "the", "el"})
        day = self._day_number()
        month = self._month()
        if day is None or (month is None and self._plain() in _NO_DAY_NUMBERS):
            self.place = before
            return None
        return nearest(day, month, self._year() if month else None)

    def _weekend(self) -> DayFromToday | None:
        """Read `el fin de semana` as its Saturday."""
        self.takes(_THIS)
        if not (
            self._takes_phrase("fin", "de", "semana")
            or self.takes({"finde", "weekend"})
            or self._is_week_end_in_english()
        ):
            return None
        week = Week.LAST if self.takes(_LAST) else Week.COMING
        return weekday_date(WEEKDAYS["sabado"], week)

    def _is_week_end_in_english(self) -> bool:
        return self._takes_phrase("next", "weekend") or self._takes_phrase("coming", "weekend")

    def _part_of_month(self) -> DayFromToday | None:
        """Read the end, beginning or middle of a month or of the year."""
        if self._takes_phrase("month", "end") or self._is_last_day():
            return part_of_month(PartOfMonth.END, None, 0)
        part = _PARTS.get(self._plain())
        if part is None:
            return None
        self.place += 1
        while self.takes(_OF):
            pass
        if part is PartOfMonth.END and self.takes({"ano", "year"}):
            return lambda today, _: date(today.year, MONTHS_OF_A_YEAR, 31)
        is_next = self.takes(_NEXT)
        month = MONTHS.get(self._plain())
        if month is None and self._plain() not in _MONTH:
            return None
        self.place += 1
        is_next = self._takes_phrase("que", "viene") or self.takes(_NEXT) or is_next
        return part_of_month(part, month, int(is_next))

    def _is_last_day(self) -> bool:
        """Return True for `el último día del mes` and `the last day of the month`."""
        before = self.place
        takes = self._takes_phrase("ultimo", "dia") or self._takes_phrase("last", "day")
        while takes and self.takes(_OF):
            pass
        takes = takes and self.takes(_MONTH)
        self.place = self.place if takes else before
        return takes

    def _distance(self) -> DayFromToday | None:
        """Read `in 15 days`, `dentro de un mes`, `hace dos semanas`, `two days ago`."""
        is_behind = self.takes({"hace"})
        begins = is_behind or self.takes({"dentro", "en", "in", "within"})
        self.takes({"de"})
        amount = self._count()
        unit = self._plain()
        if amount is None or (unit not in _UNITS and unit not in _UNITS_OF_A_MONTH):
            return None
        self.place += 1
        is_behind = self.takes({"ago"}) or is_behind
        begins = self._takes_phrase("from", "now") or self._takes_phrase("from", "today") or begins
        if not begins and not is_behind:
            return None
        signed = -amount if is_behind else amount
        if unit in _UNITS_OF_A_MONTH:
            return lambda today, _: month_after(today, signed)
        return distant(signed * _UNITS[unit])

    def _count(self) -> int | None:
        if self.takes({"a", "an"}):
            return 1
        if self._takes_phrase("un", "par", "de") or self._takes_phrase("couple", "of"):
            return 2
        number = number_at(self._words, self.place, self._language)
        if number is None or not number.is_whole or not 0 < number.value <= _MOST_DISTANCE:
            return None
        self.place = number.end
        return int(number.value)

    def _period(self) -> DayFromToday | None:
        """Read `la semana que viene` and `next month` as the first day of them."""
        step = 1 if self.takes(_NEXT) else -1 if self.takes(_LAST) else 0
        unit = self._plain()
        if unit not in {"semana", "week", "mes", "month"}:
            return None
        self.place += 1
        if self._takes_phrase("que", "viene") or self.takes(_NEXT):
            step = 1
        elif self.takes(_LAST):
            step = -1
        if step == 0:
            return None
        if unit in _MONTH:
            return lambda today, _: month_after(today.replace(day=1), step)
        return lambda today, _: today - timedelta(days=today.weekday()) + timedelta(days=7 * step)

    def _of_month(self) -> DayFromToday | None:
        """Read `el 5`, `5 de marzo de 2026`, `the 5th of March`, `March 5`."""
        has_the = self._plain(-1) == "the"
        has_article = has_the or self._plain(-1) in {"el", "dia"}
        month = MONTHS.get(self._plain())
        if month is not None:
            self.place += 1
            day = None if self._plain() == "one" else self._day_number()  # `the January one`
            return None if day is None or self._plain() in _NO_DAY_NUMBERS else nearest(day, month, self._year())
        is_spelt = self.place < len(self._words) and self._words[self.place].is_alphabetic
        day = self._day_number()
        if day is None:
            return None
        month = self._month()
        if month is not None:
            return nearest(day, month, self._year())
        may_count = is_spelt or (has_the and self._plain(-1).isdigit())
        return nearest(day, None, None) if has_article and self._stands_alone(may_count=may_count) else None

    def _stands_alone(self, *, may_count: bool) -> bool:
        """Return True where nothing follows that a number counts: `the tenth`, but not `the second stage`."""
        for phrase in (("de", "este", "mes"), ("del", "mes"), ("of", "this", "month"), ("of", "the", "month")):
            if self._takes_phrase(*phrase):
                return True
        following = self._plain()
        if following in _NO_DAY_NUMBERS:
            return False
        return not may_count or following in _AFTER_A_DAY or not following[:1].isalpha()

    def _month(self) -> int | None:
        """Read `de marzo`, `of March` and `de este mes`."""
        before = self.place
        while self.takes({"de", "del", "of", "/"}):
            pass
        month = MONTHS.get(self._plain())
        if month is None:
            self.place = before
        else:
            self.place += 1
        return month

    def _day_number(self) -> int | None:
        number = number_at(self._words, self.place, self._language)
        if number is None or self._is_before_ordinal(number.end):
            return self._ordinal()
        if not number.is_whole or not 1 <= number.value <= 31:
            return None
        self.place = number.end
        is_joined = self.place < len(self._words) and self._words[self.place].start == self._words[self.place - 1].end
        if self._plain() in _ORDINAL_ENDINGS and is_joined:
            self.place += 1
        return int(number.value)

    def _is_before_ordinal(self, end: int) -> bool:
        """Return True for the first half of `twenty first`."""
        is_spelt = self._words[self.place].is_alphabetic
        following = self._words[end].plain if end < len(self._words) else ""
        return is_spelt and _ORDINALS.get(following, 99) < 10

    def _ordinal(self) -> int | None:
        tens = {"twenty": 20, "thirty": 30}.get(self._plain(), 0)
        self.place += bool(tens)
        if tens:
            self.takes({"-"})
        number = _ORDINALS.get(self._plain())
        if number is None:
            return None
        self.place += 1
        return tens + number

    def _year(self) -> int | None:
        before = self.place
        while self.takes({"de", "del", "of", ","}):
            pass
        if _YEAR.fullmatch(self._plain()):
            self.place += 1
            return int(self._plain(-1))
        self.place = before
        return None
