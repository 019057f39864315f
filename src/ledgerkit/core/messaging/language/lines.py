"""Lines of an invoice in a message: quantities, prices and descriptions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ledgerkit.core.messaging.language.dates import MONTHS, WEEKDAYS, day_at
from ledgerkit.core.messaging.language.marks import CURRENCY, Amount, amount_at
from ledgerkit.core.messaging.language.requests import Line
from ledgerkit.core.messaging.language.words import Word, written

UNITS = frozenset(
    """
    hora horas h hs hrs dia dias jornada jornadas sesion sesiones unidad unidades ud uds mes meses semana semanas
    palabra palabras pagina paginas metro metros kilo kilos m2 km
    hour hours hr day days session sessions unit units month months week weeks word words page pages piece pieces
    """.split()
)
_AT = frozenset({"a", "at", "x", "*", "×", "@", "por", "de", "of", "for"})
_NUMBERED = frozenset("q t sprint fase phase stage v version capitulo chapter parte part lote batch tema semana vol no nº".split())
"""Words before a number that only names something."""
_EACH = re.compile(
    r"(la|el|por|cada|per|an|a|each|/) ?(hora|unidad|una|uno|dia|sesion|mes|hour|unit|day|session|one|piece|h)?"
)
_JOINS = frozenset(
    {
        "y",
        "and",
        ",",
        ";",
        "+",
        "mas",
        "plus",
        ".",
        "-",
        "tambien",
        "otra",
        "otro",
        "another",
        "luego",
        "then",
        "also",
        ":",
    }
)
_EMPTY = frozenset(
    """
    de del por para en con el la los las un una a al y o of for the an and to in on concepto conceptos importe total
    son euros euro eur € . , ; : - + ( ) " ' ! ? ¿ ¡ = que es is it its valor precio price linea lineas line lines
    amount cada each uno una unidad plus mas sus his her their my
    """.split()
)
_HOURS_ALONE = {
    **{("hora", "y", "media"): Decimal("1.5"), ("media", "hora"): Decimal("0.5"), ("medio", "dia"): Decimal("0.5")},
    **{("half", "an", "hour"): Decimal("0.5"), ("half", "a", "day"): Decimal("0.5")},
    **{("an", "hour", "and", "a", "half"): Decimal("1.5"), ("media", "jornada"): Decimal("0.5")},
}
_HALVES = {("y", "media"): Decimal("0.5"), ("y", "medio"): Decimal("0.5"), ("and", "a", "half"): Decimal("0.5")}


@dataclass(frozen=True)
class _Priced:
    """A quantity and a price in the words from `start` up to `end`, which begin and end a line's numbers."""

    quantity: Decimal
    price: Decimal
    start: int
    end: int
    between: tuple[int, int] | None
    """Words between quantity and price, which describe the line."""
    is_doubtful: bool
    is_money: bool = False


def lines_of(text: str, words: Sequence[Word], free: Sequence[bool], language: str) -> tuple[list[Line], bool]:
    """Return the lines that the free words of a message state, and whether a number in them is doubtful."""
    priced = _priced(words, free, language)
    if not priced:
        return [], False
    comes_before = bool(_described(text, words, free, _start(words, free, 0, priced[0].start), priced[0].start))
    lines = []
    for place, each in enumerate(priced):
        before = priced[place - 1].end if place else 0
        after = priced[place + 1].start if place + 1 < len(priced) else len(words)
        inner = _described(text, words, free, *each.between) if each.between else ""
        outer = (
            _described(text, words, free, _start(words, free, before, each.start), each.start)
            if comes_before
            else _described(text, words, free, each.end, after)
        )
        description = inner if inner and not _is_unit(inner) else outer or inner
        lines.append(Line(quantity=each.quantity, unit_price=each.price, description=description))
    return lines, any(each.is_doubtful for each in priced) or _looks_counted(priced)


def _looks_counted(priced: Sequence[_Priced]) -> bool:
    """Return True where the price of a line is so small beside the others that it may be a count or a rate."""
    if len(priced) == 1:
        return False
    highest = max(each.price for each in priced)
    return any(
        each.quantity == 1 and not each.is_money and each.price <= 12 and each.price * 4 <= highest  # noqa: PLR2004
        for each in priced
    )


def _is_unit(description: str) -> bool:
    return description.casefold() in UNITS


def _start(words: Sequence[Word], free: Sequence[bool], start: int, end: int) -> int:
    return start


def _priced(words: Sequence[Word], free: Sequence[bool], language: str) -> list[_Priced]:
    numbers = _prices(words, _amounts(words, free, language))
    priced: list[_Priced] = []
    if len(numbers) == 2 and _is_rate_of(words, *numbers):  # noqa: PLR2004
        rate, count = numbers
        doubtful = rate.is_doubtful or count.is_doubtful
        return [_Priced(count.value, rate.value, rate.start, count.end + 1, None, doubtful)]
    place = 0
    while place < len(numbers):
        first = numbers[place]
        following = numbers[place + 1] if place + 1 < len(numbers) else None
        if following is not None and _is_quantity(words, free, first, following):
            end = _after_each(words, following.end)
            between = (first.end, following.start)
            doubtful = first.is_doubtful or following.is_doubtful
            priced.append(_Priced(first.value, following.value, first.start, end, between, doubtful))
            place += 2
        elif following is not None and _is_price_of(words, first, following):
            end = following.end
            priced.append(_Priced(following.value, first.value, first.start, end, None, first.is_doubtful))
            place += 2
        else:
            end = _after_each(words, first.end)
            priced.append(
                _Priced(Decimal(1), first.value, first.start, end, None, first.is_doubtful, first.has_currency)
            )
            place += 1
    return priced


def _prices(words: Sequence[Word], numbers: Sequence[Amount]) -> list[Amount]:
    """Return the numbers without those that only describe, as in `tres idiomas` beside amounts in digits."""
    if len(numbers) == 1 and not numbers[0].has_currency and _has_unit(words, numbers[0]):
        return []
    numbers = [
        number
        for place, number in enumerate(numbers)
        if not (0 < place < len(numbers) - 1 and words[number.start - 1].plain == "de" and _measures(words, number))
    ]
    if all(number.is_spelt for number in numbers):
        return list(numbers)
    return [
        number
        for number in numbers
        if not (number.is_spelt and number.value <= 12 and not number.has_currency and not _counts(words, number))  # noqa: PLR2004
    ]


def _has_unit(words: Sequence[Word], number: Amount) -> bool:
    return number.end < len(words) and words[number.end].plain in UNITS


def _measures(words: Sequence[Word], number: Amount) -> bool:
    """Return True for a measure in a description, as in `sesiones de una hora y media`."""
    return words[number.end - 1].plain in {"media", "medio", "hora", "horas"} or _has_unit(words, number)


def _counts(words: Sequence[Word], number: Amount) -> bool:
    before = words[number.start - 1].plain if number.start else ""
    return before not in {"en", "in", "de", "of", "the", "los", "las", "con", "with"}


def _amounts(words: Sequence[Word], free: Sequence[bool], language: str) -> list[Amount]:
    amounts: list[Amount] = []
    place = 0
    while place < len(words):
        alone = next((phrase for phrase in _HOURS_ALONE if free[place] and _follows(words, place, phrase)), None)
        if alone is not None:
            amounts.append(Amount(_HOURS_ALONE[alone], place, place + len(alone), False, False))  # noqa: FBT003
            place += len(alone)
            continue
        if free[place] and (after_day := _after_day(words, place, language)) is not None:
            place = after_day
            continue
        amount = amount_at(words, place, language) if free[place] else None
        if amount is not None and _is_marker(words, amount):
            place = amount.end
            continue
        if amount is None or not all(free[amount.start : amount.end]) or _is_article(words, amount):
            place += 1
            continue
        amount = _hours_and_minutes(words, amount)
        half = next((more for phrase, more in _HALVES.items() if _follows(words, amount.end, phrase)), None)
        half_after_unit = next(
            (
                (more, len(phrase))
                for phrase, more in _HALVES.items()
                if amount.end < len(words)
                and words[amount.end].plain in UNITS
                and _follows(words, amount.end + 1, phrase)
            ),
            None,
        )
        if half is not None:
            length = next(len(phrase) for phrase in _HALVES if _follows(words, amount.end, phrase))
            amount = replace(amount, value=amount.value + half, end=amount.end + length)
        elif half_after_unit is not None:
            amount = replace(amount, value=amount.value + half_after_unit[0], end=amount.end + 1 + half_after_unit[1])
        amounts.append(amount)
        place = amount.end
    return amounts


def _is_marker(words: Sequence[Word], amount: Amount) -> bool:
    """Return True for the number of an item in a list, as `2)`, or in a name, as `Q2`."""
    before = words[amount.start - 1].plain if amount.start else ""
    if before in _NUMBERED and words[amount.end : amount.end + 1] != []:
        return True
    opens = any(word.plain == "(" for word in words[max(0, amount.start - 6) : amount.start])
    return amount.end < len(words) and words[amount.end].plain == ")" and not opens


def _after_day(words: Sequence[Word], place: int, language: str) -> int | None:
    """Return the place after a day that begins here; a bare number with an article is none."""
    day = day_at(words, place, language)
    if day is None:
        return None
    named = any(word.plain in MONTHS or word.plain in WEEKDAYS for word in words[place : day.end])
    is_numeric = any("/" in word.plain or word.plain.count("-") == 2 for word in words[place : day.end])  # noqa: PLR2004
    return day.end if named or is_numeric else None


def _hours_and_minutes(words: Sequence[Word], amount: Amount) -> Amount:
    """Return `1h30` and `2 h 15 m` as hours."""
    rest = words[amount.end : amount.end + 2]
    if len(rest) < 2 or rest[0].plain != "h" or not re.fullmatch(r"[0-5]\d", rest[1].plain):  # noqa: PLR2004
        return amount
    hours = amount.value + Decimal(rest[1].plain) / 60
    end = amount.end + 2
    end += end < len(words) and words[end].plain in {"m", "min", "minutos", "h"}
    return replace(amount, value=hours, end=end)


def _follows(words: Sequence[Word], place: int, phrase: tuple[str, ...]) -> bool:
    return tuple(word.plain for word in words[place : place + len(phrase)]) == phrase


def _is_article(words: Sequence[Word], amount: Amount) -> bool:
    """Return True for `una`, `one` or `1` before a thing, which counts no more than an article."""
    if amount.end - amount.start > 1 or words[amount.start].plain not in {"un", "una", "uno", "one", "1"}:
        return False
    following = words[amount.end].plain if amount.end < len(words) else ""
    return not amount.has_currency and following not in UNITS


def _is_quantity(words: Sequence[Word], free: Sequence[bool], first: Amount, following: Amount) -> bool:
    """Return True where the first number counts what the second one prices: `3 horas a 45`, `2 logos x 150`."""
    places = range(first.end, following.start)
    between = [words[place].plain for place in places if free[place]]
    if first.has_currency or len(between) > 8:  # noqa: PLR2004
        return False
    if not between:
        return False
    after = " ".join(word.plain for word in words[following.end : following.end + 2])
    is_each = re.match(r"(cada|each|la unidad|por unidad|per |la hora|apiece|/)", after) is not None
    if between[0] in {"x", "×"} and len(between) > 1 and not _JOINS & set(between):
        return True
    if is_each and between[-1] == "," and not _JOINS & set(between[:-1]):
        return True
    if between[0] in UNITS and not _JOINS & set(between):
        return True
    is_count = first.value == int(first.value) and first.value < 100  # noqa: PLR2004 - things that are counted
    if is_count and between[0].isalpha() and not (_JOINS | _AT) & set(between) and between[0] not in CURRENCY:
        return len(between) <= 4  # noqa: PLR2004
    if between[-1] in _AT - {"de", "of", "por", "for"}:
        return not (_JOINS - {"-"}) & set(between[:-1])
    if between[-1] in {"por", "for"} and len(between) == 1:
        return True
    return is_each and not _JOINS & set(between)


def _is_price_of(words: Sequence[Word], first: Amount, following: Amount) -> bool:
    """Return True for `45 x 3` and `45 € por 3 horas`: a price and how often."""
    between = [word.plain for word in words[first.end : following.start]]
    unit = words[following.end].plain if following.end < len(words) else ""
    if (
        len(between) == 3
        and between[0] in {"a", "an", "per", "each", "por", "la", "cada"}
        and between[2] in {"for", "x", "por"}
    ):  # noqa: PLR2004
        return unit.rstrip("s") == between[1].rstrip("s") or unit.removesuffix("es") == between[1]
    return (
        first.has_currency
        and between in (["x"], ["por"], ["*"], ["×"], ["times"])
        and (unit in UNITS or between == ["x"])
    )


def _is_rate_of(words: Sequence[Word], first: Amount, following: Amount) -> bool:
    """Return True for `rate 45, 7 hours`: a price, and hours that have none."""
    before = words[first.start - 1].plain if first.start else ""
    unit = words[following.end].plain if following.end < len(words) else ""
    return before in {"rate", "tarifa", "precio", "price"} and unit in UNITS


def _after_each(words: Sequence[Word], end: int) -> int:
    rest = " ".join(word.plain for word in words[end : end + 2])
    for phrase in (
        "la hora",
        "por hora",
        "cada una",
        "cada uno",
        "la unidad",
        "por unidad",
        "per hour",
        "an hour",
        "per unit",
        "a day",
        "per day",
        "al dia",
        "por dia",
        "la sesion",
        "per session",
        "/ hora",
        "/ h",
        "/ hour",
        "/ dia",
        "/ day",
    ):
        if rest == phrase:
            return end + 2
    return end + 1 if end < len(words) and words[end].plain in {"each", "cada", "apiece"} else end


def _described(text: str, words: Sequence[Word], free: Sequence[bool], start: int, end: int) -> str:
    """Return the description in these words: the longest run of free ones, without small words at its ends."""
    runs: list[list[Word]] = [[]]
    for place in range(start, end):
        if free[place]:
            runs[-1].append(words[place])
        elif runs[-1]:
            runs.append([])
    trimmed = [_trimmed(run) for run in runs]
    longest = max(trimmed, key=len)
    return written(text, longest)


def _trimmed(run: list[Word]) -> list[Word]:
    first, last = 0, len(run)
    while first < last and run[first].plain in _EMPTY | CURRENCY | _JOINS:
        first += 1
    while last > first and run[last - 1].plain in _EMPTY | CURRENCY | _JOINS:
        last -= 1
    return run[first:last]
