"""Days in a message: `mañana`, `el viernes pasado`, `fin de mes`, `12/02`, `in two weeks`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum

from ledgerkit.core.messaging.language.numbers import number_at
from ledgerkit.core.messaging.language.words import Word

_MONTHS = {
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "en": "january february march april may june july august september october november december".split(),
}
MONTHS: Mapping[str, int] = {
    **{name: number for names in _MONTHS.values() for number, name in enumerate(names, 1)},
    **{name: number for number, name in enumerate("jan feb mar apr jun jul aug sep oct nov dec".split(), 1)},
    **{name[:3]: number for number, name in enumerate(_MONTHS["es"], 1)},
    **{"apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "setiembre": 9, "oct": 10, "nov": 11, "dec": 12},
}
WEEKDAYS: Mapping[str, int] = {
    **{name: number for number, name in enumerate("lunes martes miercoles jueves viernes sabado domingo".split())},
    **{name: number for number, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())},
}
_SIMPLE = {
    "hoy": 0,
    "today": 0,
    "ayer": -1,
    "yesterday": -1,
    "manana": 1,
    "tomorrow": 1,
    "anteayer": -2,
    "antier": -2,
}
_PHRASES = {
    ("esta", "manana"): 0,
    ("esta", "tarde"): 0,
    ("esta", "noche"): 0,
    ("este", "mediodia"): 0,
    ("hoy", "mismo"): 0,
    ("this", "morning"): 0,
    ("this", "afternoon"): 0,
    ("this", "evening"): 0,
    ("pasado", "manana"): 2,
    ("antes", "de", "ayer"): -2,
    ("day", "after", "tomorrow"): 2,
    ("day", "before", "yesterday"): -2,
}
_UNITS = {
    **dict.fromkeys(("dia", "dias", "day", "days"), 1),
    **dict.fromkeys(("semana", "semanas", "week", "weeks"), 7),
}
_MONTH_UNITS = frozenset({"mes", "meses", "month", "months"})
_NEXT = frozenset({"proximo", "proxima", "siguiente", "next", "coming"})
_LAST = frozenset({"pasado", "pasada", "last", "ultimo", "ultima", "past"})
_THIS = frozenset({"este", "esta", "this"})
_BEFORE = frozenset({"el", "al", "la", "a", "de", "del", "on", "the", "by", "dia", "of", "para", "for", "desde"})
_ENDS = frozenset({"fin", "final", "finales", "end", "fines"})
_BEGINNINGS = frozenset({"principio", "principios", "primeros", "inicio", "start", "beginning", "early"})
_MIDDLES = frozenset({"mediados", "mitad", "middle", "mid"})
_OF = frozenset({"de", "del", "of", "the", "este", "this", "el", "-"})
_MONTH_WORDS = frozenset({"mes", "month"})
_NUMERIC = re.compile(r"(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{4}|\d{2}))?")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|º|o|ro|er)")


_ORDINAL_WORDS: Mapping[str, int] = {
    **{
        word: number
        for number, word in enumerate(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
            1,
        )
    },
    **{"thirtieth": 30, "primero": 1, "1st": 1},
}


class Direction(Enum):
    """Side of today on which a day without year or week lies."""

    AHEAD = 1
    BEHIND = -1


@dataclass(frozen=True)
class Day:
    """A day in the words from `start` up to `end`; `on` returns it, seen from today."""

    start: int
    end: int
    on: Callable[[date, Direction], date | None]


def day_at(words: Sequence[Word], start: int, language: str) -> Day | None:
    """Return the day that begins at a word, which may be an article or a preposition; None where none does."""
    reader = _Reader(words, start, language)
    for _ in range(3):
        on = reader.day()
        if on is not None:
            return Day(start, reader.place, on)
        if not reader.takes(_BEFORE):
            return None
    return None


def _fixed(moved: int) -> Callable[[date, Direction], date]:
    return lambda today, _: today + timedelta(days=moved)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def month_after(day: date, months: int) -> date:
    """Return the same day so many months later, or the last of that month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return min(day.day, last_of(year, month + 1).day) and date(
        year, month + 1, min(day.day, last_of(year, month + 1).day)
    )


def last_of(year: int, month: int) -> date:
    """Return the last day of a month."""
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _of_month(day: int, month: int | None, year: int | None) -> Callable[[date, Direction], date | None]:
    """Return the nearest day of this number and month on the side that is asked for; today counts for both."""

    def on(today: date, direction: Direction) -> date | None:
        if year is not None:
            return _valid(year, month or today.month, day)
        for step in range(13):
            if month is None:
                base = month_after(today.replace(day=1), step * direction.value)
                candidate = _valid(base.year, base.month, day)
            else:
                candidate = _valid(today.year + step * direction.value, month, day)
            if candidate is not None and (candidate - today).days * direction.value >= 0:
                return candidate
        return None

    return on


def _weekday(weekday: int, weeks: str) -> Callable[[date, Direction], date]:
    def on(today: date, direction: Direction) -> date:
        ahead = (weekday - today.weekday()) % 7
        if weeks == "last" or (weeks == "" and direction is Direction.BEHIND):
            return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
        if weeks == "week after":
            return today + timedelta(days=7 - today.weekday() + weekday)
        return today + timedelta(days=ahead or 7)

    return on


class _Reader:
    """Reader of one day; `place` is the word after what was read."""

    def __init__(self, words: Sequence[Word], place: int, language: str) -> None:
        self._words = words
        self._language = language
        self.place = place

    def takes(self, expected: frozenset[str] | Mapping[str, int]) -> bool:
        takes = self._plain() in expected
        self.place += takes
        return takes

    def _plain(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self._words[place].plain if place < len(self._words) else ""

    def day(self) -> Callable[[date, Direction], date | None] | None:
        """Return the day that begins here; the place is kept where none does."""
        for reading in (
            self._simple,
            self._numeric,
            self._weekday,
            self._part_of_month,
            self._distance,
            self._period,
            self._of_month,
        ):
            before = self.place
            on = reading()
            if on is not None:
                return on
            self.place = before
        return None

    def _simple(self) -> Callable[[date, Direction], date | None] | None:
        for phrase, moved in _PHRASES.items():
            if tuple(self._plain(ahead) for ahead in range(len(phrase))) == phrase:
                self.place += len(phrase)
                return _fixed(moved)
        before = [word.plain for word in self._words[max(0, self.place - 2) : self.place]]
        is_daytime = self._plain() == "manana" and before[-1:] == ["la"] and before[:1] in (["de"], ["por"])
        moved_by = None if is_daytime else _SIMPLE.get(self._plain())
        if moved_by is None:
            return None
        self.place += 1
        return _fixed(moved_by)

    def _numeric(self) -> Callable[[date, Direction], date | None] | None:
        iso = _ISO.fullmatch(self._plain())
        if iso is not None:
            self.place += 1
            day = _valid(int(iso[1]), int(iso[2]), int(iso[3]))
            return None if day is None else lambda *_: day
        numeric = _NUMERIC.fullmatch(self._plain())
        if numeric is None or (numeric[4] is None and numeric[2] != "/"):
            return None
        year = None if numeric[4] is None else int(numeric[4]) + (2000 if len(numeric[4]) == 2 else 0)  # noqa: PLR2004
        if _valid(year or 2000, int(numeric[3]), int(numeric[1])) is None:
            return None
        self.place += 1
        return _of_month(int(numeric[1]), int(numeric[3]), year)

    def _weekday(self) -> Callable[[date, Direction], date | None] | None:
        weeks = ""
        if self.takes(_NEXT):
            weeks = "week after" if self._words[self.place - 1].plain == "next" else "next"
        elif self.takes(_LAST):
            weeks = "last"
        elif self.takes(_THIS):
            weeks = "this"
        weekday = WEEKDAYS.get(self._plain())
        if weekday is None:
            return None
        self.place += 1
        numbered = self._numbered_weekday()
        if numbered is not None:
            return numbered
        if self.takes(_LAST):
            weeks = "last"
        elif self.takes(_NEXT):
            weeks = "next"
        elif (self._plain(), self._plain(1)) == ("que", "viene"):
            self.place += 2
            weeks = "next"
        elif (self._plain(), self._plain(1), self._plain(2)) == ("de", "la", "semana"):
            self.place += 3
            weeks = "last" if self.takes(_LAST) else "week after"
            self.place += 2 if (self._plain(), self._plain(1)) == ("que", "viene") else 0
        return _weekday(weekday, weeks)

    def _numbered_weekday(self) -> Callable[[date, Direction], date | None] | None:
        """Read the rest of `viernes 27 de marzo` and `Friday the 27th`."""
        before = self.place
        self.takes(frozenset({",", "dia", "the", "el"}))
        day = self._day_number()
        follows = self._plain()
        if day is None or follows in {"€", "euros", "eur", "horas", "hours", "%", "por"}:
            self.place = before
            return None
        while self._plain() in {"de", "del", "of"} and self._plain(1) in MONTHS:
            self.place += 1
        month = MONTHS.get(self._plain())
        self.place += month is not None
        return _of_month(day, month, self._year() if month else None)

    def _part_of_month(self) -> Callable[[date, Direction], date | None] | None:
        """Read the end, beginning or middle of a month or of the year."""
        part = next((parts for parts in (_ENDS, _BEGINNINGS, _MIDDLES) if self._plain() in parts), None)
        if part is None:
            return self._month_end()
        self.place += 1
        while self.takes(_OF):
            pass
        if self.takes(frozenset({"ano", "year"})) and part is _ENDS:
            return lambda today, _: date(today.year, 12, 31)
        is_next, month = self.takes(_NEXT), MONTHS.get(self._plain())
        if month is None and self._plain() not in _MONTH_WORDS:
            return None
        self.place += 1
        if (self._plain(), self._plain(1)) == ("que", "viene"):
            self.place += 2
            is_next = True
        moved = 1 if is_next or self.takes(_NEXT) else 0

        def on(today: date, direction: Direction) -> date | None:
            first = month_after(today.replace(day=1), moved)
            if month is not None:
                whole = _of_month(1, month, None)(today.replace(day=1), direction)
                first = whole or first
            day = {_ENDS: last_of(first.year, first.month).day, _BEGINNINGS: 1, _MIDDLES: 15}[part]
            return first.replace(day=day)

        return on

    def _month_end(self) -> Callable[[date, Direction], date | None] | None:
        if (self._plain(), self._plain(1)) != ("month", "end"):
            return None
        self.place += 2
        return lambda today, _: last_of(today.year, today.month)

    def _distance(self) -> Callable[[date, Direction], date | None] | None:
        """Read `in 15 days`, `dentro de un mes`, `hace dos semanas`, `two days ago`."""
        behind = self.takes(frozenset({"hace"}))
        begins = behind or self.takes(frozenset({"dentro", "en", "in", "within"}))
        self.takes(frozenset({"de"}))
        article = self._plain() in {"a", "an"}
        number = None if article else number_at(self._words, self.place, self._language) if self._plain() else None
        if not article and number is None:
            return None
        amount = 1 if number is None else int(number.value)
        self.place = self.place + 1 if number is None else number.end
        unit = self._plain()
        if unit not in _UNITS and unit not in _MONTH_UNITS:
            return None
        self.place += 1
        behind = self.takes(frozenset({"ago"})) or behind
        if not begins and not behind:
            return None
        signed = -amount if behind else amount
        if unit in _MONTH_UNITS:
            return lambda today, _: month_after(today, signed)
        return _fixed(signed * _UNITS[unit])

    def _period(self) -> Callable[[date, Direction], date | None] | None:
        """Read `la semana que viene` and `next month` as the first day of them."""
        first = "next" if self.takes(_NEXT) else "last" if self.takes(_LAST) else ""
        unit = self._plain()
        if unit not in {"semana", "week", "mes", "month"}:
            return None
        self.place += 1
        if (self._plain(), self._plain(1)) == ("que", "viene"):
            self.place += 2
            first = "next"
        elif self.takes(_NEXT):
            first = "next"
        elif self.takes(_LAST):
            first = "last"
        if not first:
            return None
        step = 1 if first == "next" else -1
        if unit in {"mes", "month"}:
            return lambda today, _: month_after(today.replace(day=1), step)
        return lambda today, _: today - timedelta(days=today.weekday()) + timedelta(days=7 * step)

    def _of_month(self) -> Callable[[date, Direction], date | None] | None:
        """Read `el 5`, `5 de marzo de 2026`, `the 5th of March`, `March 5`."""
        had_article = self.place > 0 and self._words[self.place - 1].plain in {"el", "dia", "the"}
        month = MONTHS.get(self._plain())
        if month is not None:
            self.place += 1
            day = self._day_number()
            return None if day is None else _of_month(day, month, self._year())
        day = self._day_number()
        if day is None:
            return None
        while self._plain() in {"de", "del", "of"} and (self._plain(1) in MONTHS or self._plain(1) in {"este", "this"}):
            self.place += 1
        month = MONTHS.get(self._plain())
        if month is not None:
            self.place += 1
            return _of_month(day, month, self._year())
        return _of_month(day, None, None) if had_article else None

    def _day_number(self) -> int | None:
        number = number_at(self._words, self.place, self._language) if self._plain() else None
        if number is not None and self._words[number.start].plain[0].isalpha():
            last = self._words[number.end].plain if number.end < len(self._words) else ""
            number = None if _ORDINAL_WORDS.get(last, 99) < 10 else number  # noqa: PLR2004 - `twenty first`
        if number is None:
            ordinal = _ORDINAL_WORDS.get(self._plain())
            if ordinal is None and self._plain() in {"twenty", "thirty"}:
                unit = _ORDINAL_WORDS.get(self._plain(2 if self._plain(1) == "-" else 1), 99)
                ordinal = {"twenty": 20, "thirty": 30}[self._plain()] + unit if unit < 10 else None  # noqa: PLR2004
                self.place += 0 if ordinal is None else 2 if self._plain(1) == "-" else 1
            self.place += ordinal is not None
            return ordinal
        if number.value != int(number.value) or not 1 <= number.value <= 31:  # noqa: PLR2004 - days of a month
            return None
        self.place = number.end
        if (
            self._plain()
            and _ORDINAL.fullmatch(self._plain())
            and self._words[self.place].start == self._words[self.place - 1].end
        ):
            self.place += 1
        return int(number.value)

    def _year(self) -> int | None:
        before = self.place
        while self.takes(frozenset({"de", "del", "of", ","})):
            pass
        if re.fullmatch(r"20\d{2}", self._plain()):
            self.place += 1
            return int(self._words[self.place - 1].plain)
        self.place = before
        return None
