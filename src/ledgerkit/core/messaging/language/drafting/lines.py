"""Lines of an invoice in a message: quantities, prices and descriptions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum

from ledgerkit.core.messaging.language.amounts import CURRENCY, Amount
from ledgerkit.core.messaging.language.drafting.line_numbers import UNITS, has_unit, numbers_of, plain_at
from ledgerkit.core.messaging.language.requests import RequestedLine
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word, written

_VOCABULARY = Vocabulary("lines")
_HOURS = _VOCABULARY.words("hours")
_AT = _VOCABULARY.words("at")
_EACH_BEFORE = _VOCABULARY.words("each_after")
_MULTIPLIES = _VOCABULARY.words("multiplies")
_EACH = _VOCABULARY.phrases("per_each")
_JOINS = _VOCABULARY.words("joins")
_REPETITIONS = Vocabulary("common").phrases("repetitions")
_SMALL = _VOCABULARY.words("small") | CURRENCY | _JOINS
_EMPTY = _SMALL | _VOCABULARY.words("thinking")
_JOINTS = _JOINS - {",", ".", ":", "-"}
_SINGULAR_UNITS = _VOCABULARY.words("singular_units")
_MINUTES = _VOCABULARY.numbers("minutes")
_EVENTS = _VOCABULARY.words("events")
_RATES = _VOCABULARY.words("rates")
_TOTALLED = frozenset({"por", "for"})
"""Words before a price that may be that of all pieces together."""

_TOTALS = frozenset({"=", "total", "suma", "suman", "sumando", "sum", "altogether"})
_CHOICES = frozenset({"o", "or", "u", "no", "not", "sino", "mejor", "rather"})
"""Words between two amounts of which only one is meant."""

_OF_ONE = frozenset({"a", "an", "per", "each", "por", "la", "el", "cada", "/"})
_OF = frozenset({"de", "of"})
_MOST_PIECES = 100
_MOST_WORDS_OF_A_THING = 4
_MOST_WORDS_BETWEEN = 8
_MOST_OF_AN_HOUR = 150
"""Price that an hour may have where no word like `each` says that it is of one."""

_MOST_OF_A_MINUTE = 20
_LEAST_OF_A_RANGE = 50
"""Number from which on `300 a 400` may be a range."""

_BEFORE_A_RANGE = frozenset({"de", "from", "entre"})
_MOST_COUNT = 12
_HUNDRED = 100
_FAR_BELOW = 4
_YEARS = range(2015, 2036)


class _Pair(Enum):
    """Relation of two numbers that follow each other."""

    NONE = "none"
    COUNT_AND_PRICE = "count and price"
    DOUBTFUL = "count and price, or the price of all"


@dataclass(frozen=True, kw_only=True)
class _Priced:
    """A quantity and a price in the words from `start` up to `end`, which begin and end a line's numbers."""

    quantity: Decimal = Decimal(1)
    price: Decimal
    start: int
    end: int
    between: tuple[int, int] | None = None
    """Words between quantity and price, which describe the line."""
    is_doubtful: bool
    has_currency: bool = False


def lines_of(text: str, words: Sequence[Word], free: Sequence[bool], language: str) -> tuple[list[RequestedLine], bool]:
    """Return the lines that the free words of a message state, and whether a number in them is doubtful."""
    priced = _PricedLines(words, free, language).all()
    if not priced:
        return [], False
    descriptions = _Descriptions(text, words, free, priced)
    lines = [
        RequestedLine(quantity=each.quantity, unit_price=each.price, description=descriptions.of(place))
        for place, each in enumerate(priced)
    ]
    if _is_total_of(priced, words):
        return lines, True
    is_unclear = any(_is_bare(words, free, priced, place) for place in range(1, len(priced)))
    has_percent = any(free[place] and word.plain == "%" for place, word in enumerate(words))
    return lines, is_unclear or has_percent or any(each.is_doubtful for each in priced) or _looks_counted(priced)


def _is_bare(words: Sequence[Word], free: Sequence[bool], priced: Sequence[_Priced], place: int) -> bool:
    """Return True for the second price in `300, 350`, which nothing describes or joins to the first."""
    before, this = priced[place - 1], priced[place]
    between = [words[each].plain for each in range(before.end, this.start)]
    if this.between is not None or set(between) & _JOINTS or any(_describes(words, free, before.end, this.start)):
        return False
    end = priced[place + 1].start if place + 1 < len(priced) else len(words)
    start = priced[place - 2].end if place > 1 else 0
    is_described = before.between is not None or any(_describes(words, free, start, before.start))
    return not (is_described and any(_describes(words, free, this.end, end)))


def _describes(words: Sequence[Word], free: Sequence[bool], start: int, end: int) -> Iterator[bool]:
    return (
        free[place] and words[place].plain.isalpha() and words[place].plain not in _EMPTY for place in range(start, end)
    )


def _looks_counted(priced: Sequence[_Priced]) -> bool:
    """Return True where the price of a line is so small beside the others that it may be a count or a rate."""
    if len(priced) == 1:
        return False
    highest = max(each.price for each in priced)
    return any(
        each.quantity == 1
        and not each.has_currency
        and each.price == int(each.price) <= _MOST_COUNT
        and each.price * _FAR_BELOW <= highest
        for each in priced
    )


def _is_total_of(priced: Sequence[_Priced], words: Sequence[Word]) -> bool:
    """Return True where the last number is the sum of the lines before it: `3 horas a 50, 150 en total`."""
    if len(priced) == 1 or priced[-1].quantity != 1:
        return False
    beside = (*words[priced[-1].start - 2 : priced[-1].start], *words[priced[-1].end : priced[-1].end + 2])
    return any(word.plain in _TOTALS for word in beside)


class _PricedLines:
    """Reader of quantities and prices."""

    def __init__(self, words: Sequence[Word], free: Sequence[bool], language: str) -> None:
        self._words = words
        self._free = free
        self._plain = [word.plain for word in words]
        self._numbers = _said_once(self._plain, numbers_of(words, free, language))

    def all(self) -> list[_Priced]:
        numbers = self._numbers
        priced: list[_Priced] = []
        place = 0
        while place < len(numbers):
            first = numbers[place]
            following = numbers[place + 1] if place + 1 < len(numbers) else None
            pair = None if following is None else self._pair(first, following)
            if priced and self._goes_on(priced[-1], first):
                priced[-1] = replace(priced[-1], is_doubtful=True)
            priced.append(pair or self._alone(first, has_others=len(numbers) > 1))
            place += 1 if pair is None else 2
        return priced

    def _goes_on(self, before: _Priced, number: Amount) -> bool:
        """Return True where a pair is priced again, as in `2 paquetes de 10 a 50`."""
        between = self._plain[before.end : number.start]
        return (
            before.between is not None and between[-1:] != [] and between[-1] in _AT - _OF and not _JOINS & set(between)
        )

    def _alone(self, number: Amount, *, has_others: bool) -> _Priced:
        is_year = not number.has_currency and number.value in _YEARS
        has_odd_unit = has_others and has_unit(self._words, number) and not number.has_currency
        return _Priced(
            price=number.value,
            start=number.start,
            end=self._after_each(number.end),
            is_doubtful=number.is_doubtful
            or self._is_negative(number)
            or is_year
            or number.value < 1
            or has_odd_unit
            or self._is_of_time(number)
            or self._may_run_on(number),
            has_currency=number.has_currency,
        )

    def _may_run_on(self, number: Amount) -> bool:
        """Return True for `a ciento ochenta y tres horas`, which may be 180 and three hours more."""
        following = plain_at(self._words, number.end)
        is_joined = number.end - number.start > 1 and plain_at(self._words, number.end - 2) in {"y", "and"}
        goes_on = any(other.start >= number.end for other in self._numbers)
        return number.is_spelt and is_joined and goes_on and following.isalpha() and following not in _SMALL

    def _may_begin_pair(self, number: Amount) -> bool:
        """Return True for `la web setecientos cincuenta y seis páginas a`, which may be 750 and six pages."""
        is_joined = plain_at(self._words, number.end - 2) in {"y", "and"} and number.end - number.start > 2
        return number.is_spelt and is_joined and number.value > _HUNDRED and self._is_behind_thing(number)

    def _is_negative(self, number: Amount) -> bool:
        """Return True for `-300`, whose sign is joined to it and to nothing before."""
        if plain_at(self._words, number.start - 1) != "-":
            return False
        sign = self._words[number.start - 1]
        is_joined_before = number.start > 1 and self._words[number.start - 2].end == sign.start
        return sign.end == self._words[number.start].start and not is_joined_before

    def _is_of_time(self, number: Amount) -> bool:
        """Return True for `media jornada` with no price behind it."""
        return (
            not number.has_currency and number.end - number.start > 1 and plain_at(self._words, number.end - 1) in UNITS
        )

    def _pair(self, first: Amount, following: Amount) -> _Priced | None:
        """Return the line that two numbers make; None where the first one is a price of its own."""
        is_doubtful = first.is_doubtful or following.is_doubtful or self._is_price_of_all(first, following)
        is_doubtful = is_doubtful or self._may_begin_pair(first)
        if self._is_price_first(first, following) or self._is_price_of_all(first, following):
            end = following.end + has_unit(self._words, following)
            return _Priced(
                quantity=following.value, price=first.value, start=first.start, end=end, is_doubtful=is_doubtful
            )
        relation = self._relation(first, following)
        is_doubtful = is_doubtful or self._has_other_unit(first, following)
        if relation is _Pair.NONE or (relation is _Pair.DOUBTFUL and self._is_behind_thing(first)):
            return None
        return _Priced(
            quantity=first.value,
            price=following.value,
            start=first.start,
            end=self._after_each(following.end),
            between=(first.end, following.start),
            is_doubtful=is_doubtful or relation is _Pair.DOUBTFUL or self._may_run_on(following),
        )

    def _has_other_unit(self, first: Amount, following: Amount) -> bool:
        """Return True for `45 minutes at 40 an hour` and `2 hour workshop`, whose price is of another unit."""
        unit = plain_at(self._words, first.end)
        described = plain_at(self._words, first.end + 1)
        if unit in _SINGULAR_UNITS and first.value > 1 and described.isalpha() and described not in _SMALL | _AT:
            return True
        each = self._plain[following.end : self._after_each(following.end)]
        priced = next((_MINUTES[word] for word in each if word in _MINUTES), 0)
        counted = _MINUTES.get(unit, 0)
        is_dear = counted == 1 and following.value > _MOST_OF_A_MINUTE
        return is_dear or (counted > 0 and priced not in {0, counted})

    def _is_behind_thing(self, number: Amount) -> bool:
        """Return True for the price in `filtro 22 mano de obra 60`, which counts nothing."""
        place = number.start - 1
        return place >= 0 and self._free[place] and self._plain[place].isalpha() and self._plain[place] not in _SMALL

    def _relation(self, first: Amount, following: Amount) -> _Pair:
        """Return whether the first number counts what the second one prices: `3 horas a 45`, `2 logos x 150`."""
        places = range(first.end, following.start)
        between = _without_fractions([self._plain[place] for place in places if self._free[place]])
        if set(between) - {","} and set(between) - {","} <= _CHOICES:
            return _Pair.DOUBTFUL
        if first.has_currency or len(between) > _MOST_WORDS_BETWEEN:
            return _Pair.NONE
        is_odd = (
            bool(between)
            and between[0] in _MULTIPLIES
            and (between[1:2] == ["1"] or self._may_be_swapped(first, following))
        )
        if not between or is_odd:
            return _Pair.DOUBTFUL
        if self._is_said_of_each(between, following):
            return _Pair.COUNT_AND_PRICE
        if between[-1] in _AT - _OF - _TOTALLED:
            return self._relation_of_at(first, between)
        return self._relation_of_things(first, following, between)

    def _may_be_swapped(self, first: Amount, following: Amount) -> bool:
        """Return True for `300 x 5`, of which either may be the price."""
        is_bare = following.start - first.end == 1 and not following.has_currency
        return is_bare and first.value >= _LEAST_OF_A_RANGE and following.value == int(following.value) < first.value

    def _is_said_of_each(self, between: Sequence[str], following: Amount) -> bool:
        """Return True for `2 mesas 350 cada una`, `3 menus each 40` and `2x training 750`."""
        is_behind = _EACH.end_at(self._plain, following.end) is not None
        inner = between[:-1] if is_behind and between[-1] == "," else between
        is_before = between[-1] in _EACH_BEFORE or between[0] in _MULTIPLIES
        return (is_behind or is_before) and not _JOINS & set(inner)

    def _relation_of_at(self, first: Amount, between: Sequence[str]) -> _Pair:
        """Return the relation in `3 horas a 45`; `300 a 400` and `de 9 a 14` are ranges."""
        is_range = first.value >= _LEAST_OF_A_RANGE or plain_at(self._words, first.start - 1) in _BEFORE_A_RANGE
        if between in (["a"], ["to"]) and is_range:
            return _Pair.DOUBTFUL
        inner = between[:-1]
        is_apart = bool((_JOINS - {"-", ","}) & set(inner)) or ("," in inner and inner[-1] != ",")
        return _Pair.NONE if is_apart else _Pair.COUNT_AND_PRICE

    def _relation_of_things(self, first: Amount, following: Amount, between: Sequence[str]) -> _Pair:
        """Return the relation in `2 estanterías de 220`, `six hours forty euros` and `5 logos 750`."""
        is_whole = first.value == int(first.value)
        is_count = is_whole and first.value < _MOST_PIECES
        is_unit = between[0] in UNITS
        may_count_all = following.has_currency or between[-1] in _TOTALLED
        if is_whole and not is_count and may_count_all and between[0].isalpha() and not _JOINS & set(between):
            return _Pair.DOUBTFUL
        if not (is_unit or is_count) or _JOINS & set(between):
            return _Pair.NONE
        if between[-1] in _TOTALLED and len(between) > 1:
            return _Pair.DOUBTFUL
        if between[-1] in _OF | _TOTALLED:
            is_thing = is_unit or (len(between) <= _MOST_WORDS_OF_A_THING and not (_AT - _OF) & set(between[:-1]))
            return _Pair.COUNT_AND_PRICE if is_thing else _Pair.NONE
        is_hour = between[0] in _HOURS and following.value <= _MOST_OF_AN_HOUR
        is_event = plain_at(self._words, first.start - 1) in _EVENTS
        if (is_hour and not is_event) or first.value == 1:
            return _Pair.COUNT_AND_PRICE
        is_thing = between[0].isalpha() and between[0] not in CURRENCY and len(between) <= _MOST_WORDS_OF_A_THING
        return _Pair.DOUBTFUL if is_unit or (is_thing and not _AT & set(between)) else _Pair.NONE

    def _is_price_first(self, first: Amount, following: Amount) -> bool:
        """Return True for `45 € por 3 horas`, `25 euro a lesson for 8 lessons` and `rate 45, 7 hours`."""
        after = _EACH.end_at(self._plain, first.end)
        between = self._plain[after or first.end : following.start]
        unit = has_unit(self._words, following)
        if self._is_of_one(first, following):
            return True
        if plain_at(self._words, first.start - 1) in _RATES and unit:
            return len(between) <= 1
        if after is not None and len(between) <= 2 and set(between) <= {"for", "x", "por", ",", "*", "times"}:
            return unit or following.end < len(self._plain) or between[-1:] in (["x"], ["*"], ["times"])
        is_times = between in (["x"], ["*"], ["times"])
        return first.has_currency and is_times

    def _is_of_one(self, first: Amount, following: Amount) -> bool:
        """Return True for `0.12 a bag for 2000 bags`, whose second number counts what the first one prices."""
        between = self._plain[first.end : following.start]
        if len(between) != 3 or between[0] not in _OF_ONE or between[2] not in _TOTALLED | _MULTIPLIES:
            return False
        thing = plain_at(self._words, following.end)
        return len(between[1]) > 1 and thing[: len(between[1]) - 1] == between[1][:-1]

    def _is_price_of_all(self, first: Amount, following: Amount) -> bool:
        """Return True for `75 € por 2 horas`, which may be the price of both."""
        between = self._plain[first.end : following.start]
        return first.has_currency and between in (["por"], ["for"]) and has_unit(self._words, following)

    def _after_each(self, end: int) -> int:
        return _EACH.end_at(self._plain, end) or end


def _said_once(words: Sequence[str], numbers: Sequence[Amount]) -> list[Amount]:
    """Return numbers without one that is said again, as in `$800, sorry, 800 euros`."""
    return [
        number
        for place, number in enumerate(numbers)
        if not (
            place + 1 < len(numbers)
            and number.value == numbers[place + 1].value
            and _REPETITIONS.is_in(words[number.end : numbers[place + 1].start])
        )
    ]


def _without_fractions(words: list[str]) -> list[str]:
    """Return words without those of a measure, as in `sesiones de una hora y media`, whose `y` joins no lines."""
    return [
        word
        for place, word in enumerate(words)
        if not (word in {"y", "media", "cuarto"} and {"media", "cuarto"} & set(words[place : place + 2]))
    ]


class _Descriptions:
    """Descriptions of lines among the free words of a message.

    Words between two lines belong to the former up to a joint as `y`, and to the latter behind it. Without one they
    belong to the latter where a description stands before the first price.
    """

    def __init__(self, text: str, words: Sequence[Word], free: Sequence[bool], priced: Sequence[_Priced]) -> None:
        self._text = text
        self._words = words
        self._free = free
        self._priced = priced
        self._come_before = bool(self._between(0, priced[0].start))

    def of(self, place: int) -> str:
        """Return the description of a line: between its quantity and price, or before or behind them."""
        inner = self._priced[place].between
        described = self._between(*inner) if inner else ""
        if described and described.casefold() not in UNITS:
            return described
        before, behind = self._before(place), self._behind(place)
        outer = (before or behind) if self._come_before else (behind or before)
        return outer or described

    def _before(self, place: int) -> str:
        end = self._priced[place].start
        if place == 0:
            return self._between(0, end)
        start = self._priced[place - 1].end
        joint = self._joint(start, end)
        if joint is None:
            return self._between(start, end) if self._come_before else ""
        return self._between(joint, end)

    def _behind(self, place: int) -> str:
        start = self._priced[place].end
        if place + 1 == len(self._priced):
            return self._between(start, len(self._words))
        end = self._priced[place + 1].start
        joint = self._joint(start, end)
        if joint is None:
            return "" if self._come_before else self._between(start, end)
        return self._between(start, joint)

    def _joint(self, start: int, end: int) -> int | None:
        """Return the place of the joint between two lines: the first of their words, or the last one that joins."""
        joints = [place for place in range(start, end) if self._words[place].plain in _JOINS]
        if not joints:
            return None
        return joints[0] if joints[0] == start else joints[-1]

    def _between(self, start: int, end: int) -> str:
        """Return the longest run of free words between two places, without small words at its ends."""
        runs: list[list[Word]] = [[]]
        for place in range(start, end):
            if self._free[place]:
                runs[-1].append(self._words[place])
            elif runs[-1]:
                runs.append([])
        return written(self._text, max((_trimmed(run) for run in runs), key=len))


def _trimmed(run: list[Word]) -> list[Word]:
    """Return words without small ones at their ends, and without the number of a line, as in `1) logo`."""
    plain = [word.plain for word in run]
    first, last = 0, len(run)
    while first < last and (plain[first] in _SMALL or plain[first + 1 : first + 2] == [")"]):
        first += 1
    while last > first and plain[last - 1] in _SMALL and not (plain[last - 1] == ")" and "(" in plain[first:last]):
        last -= 1
    return run[first:last]
