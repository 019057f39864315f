"""Taxes of an invoice in a message: rates of VAT and retention, and whether amounts include the VAT."""

from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.messaging.language.drafting.reading import DraftReading
from ledgerkit.core.messaging.language.numbers import NUMBER_WORDS, number_at
from ledgerkit.core.messaging.language.patterns import Phrases, Span
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("drafts")
_VAT = _VOCABULARY.phrases("vat_tax")
_RETENTION = _VOCABULARY.phrases("retention_tax")
_PERCENT = _VOCABULARY.phrases("percent")
_BEFORE_A_RATE = _VOCABULARY.words("before_a_rate")
_BETWEEN_RATE_AND_TAX = _VOCABULARY.words("between_rate_and_tax")
_BEFORE_A_TAX = _VOCABULARY.words("before_a_tax")
_AFTER_A_RETENTION = _VOCABULARY.phrases("after_a_retention")
_INCLUDED = _VOCABULARY.phrases("vat_included")
_WITH_VAT = _VOCABULARY.phrases("with_vat")
_TOTAL_OF_UNITS = _VOCABULARY.phrases("total_of_units")
_NET = _VOCABULARY.phrases("net")
_WITHOUT_VAT = _VOCABULARY.phrases("without_vat")
_EXEMPT = _VOCABULARY.phrases("exempt")
_AFTER_AN_INCLUDED_RATE = _VOCABULARY.phrases("after_an_included_rate")
_BEFORE_AN_INCLUDED_RATE = _VOCABULARY.words("before_an_included_rate")
_OF = frozenset({"de", "del", "of"})
_NO_WORKS = (
    _BEFORE_A_RATE
    | _BETWEEN_RATE_AND_TAX
    | _BEFORE_A_TAX
    | NUMBER_WORDS
    | {"ciento", "percent", "porcentaje", "base", "tipo"}
)
_ADDED = frozenset({"mas", "+", "plus"})
_REDUCED_RATE = _VOCABULARY.phrases("reduced_rate")
_LOWEST_RATE = _VOCABULARY.phrases("lowest_rate")
_NO_RETENTION = _VOCABULARY.phrases("no_retention")
_USUAL_RETENTION = _VOCABULARY.phrases("usual_retention")
_HIGHEST_RATE = 30
_LONGEST_RATE = 3
"""Words of a rate at most, as in `twenty - one`."""


@dataclass(frozen=True, kw_only=True)
class DraftTaxes:
    """Rates in percent, None where none was said.

    `is_without_vat`: the whole invoice was said to be without VAT, `is_exempt` that it is exempt. `is_unclear`: the
    words contradict each other.
    """

    vat_rate: Decimal | None
    vat_included: bool
    retention_rate: Decimal | None
    is_without_vat: bool
    is_net_without_vat: bool
    """True for `300 sin IVA`, which says that the amount is net."""
    is_exempt: bool
    is_unclear: bool


@dataclass(frozen=True)
class _Rate:
    percent: Decimal
    span: Span


def taxes_of(reading: DraftReading) -> DraftTaxes:
    """Take the words about taxes."""
    has_no_retention = reading.takes(_NO_RETENTION)
    is_exempt = reading.takes(_EXEMPT)
    beside_amount, whole = _without_vat(reading)
    rates = _Rates(reading)
    vat = rates.of(_VAT)
    vat = vat if vat is not None else _rate_without_tax(reading)
    included = reading.takes(_INCLUDED) or rates.are_included
    net = reading.takes(_NET)
    is_of_units = any(True for _ in reading.spans(_TOTAL_OF_UNITS))
    included = (reading.takes(_WITH_VAT) and not is_of_units) or included
    reading.takes(_USUAL_RETENTION)
    vat = vat if vat is not None else _named_rate(reading)
    retention = rates.of(_RETENTION)
    is_contradiction = (included and (net or whole or is_exempt)) or (vat and (whole or is_exempt))
    return DraftTaxes(
        vat_rate=vat,
        vat_included=included and not net,
        retention_rate=Decimal(0) if has_no_retention else retention,
        is_without_vat=whole or vat == 0,
        is_net_without_vat=beside_amount,
        is_exempt=is_exempt,
        is_unclear=bool(is_contradiction or rates.are_unclear or (has_no_retention and retention)),
    )


def _without_vat(reading: DraftReading) -> tuple[bool, bool]:
    """Take `sin IVA`; return whether it stands beside an amount, and whether it is said of the whole invoice."""
    beside, whole = False, False
    for span in list(reading.spans(_WITHOUT_VAT)):
        reading.take(span)
        before = reading.plain(span.start - 1)
        is_beside = before[:1].isdigit() or before in {"€", "euros", "euro", "eur"}
        beside, whole = beside or is_beside, whole or not is_beside
    return beside, whole


class _Rates:
    """Rates of VAT and retention that a message states, whose words are taken.

    A rate stands before or after its tax, and all rates of a message on the same side. `are_included`: the amounts
    include the VAT. `are_unclear`: a tax has two rates, or an amount.
    """

    def __init__(self, reading: DraftReading) -> None:
        taxes = [
            (span, phrases)
            for phrases in (_VAT, _RETENTION)
            for span in reading.spans(phrases)
            if not _is_described(reading, span)
        ]
        before = [_rate_before(reading, span) for span, _ in taxes]
        after = [_rate_after(reading, span, phrases) for span, phrases in taxes]
        stand_before = sum(rate is not None for rate in before) >= sum(rate is not None for rate in after)
        self._reading = reading
        self._percents: dict[Phrases, set[Decimal]] = {}
        self.are_included = False
        for place, (_, phrases) in enumerate(taxes):
            sides = (before[place], after[place]) if stand_before else (after[place], before[place])
            chosen = next((rate for rate in sides if rate is not None and reading.is_free(rate.span)), None)
            if chosen is not None:
                self._take(chosen, phrases)
        has_two = any(len(percents) > 1 for percents in self._percents.values())
        self.are_unclear = has_two or any(_has_amount(reading, span) for span, _ in taxes)

    def _take(self, rate: _Rate, phrases: Phrases) -> None:
        span = _with_small_words(self._reading, rate.span)
        after = _AFTER_AN_INCLUDED_RATE.end_at(self._reading.message.line, span.end)
        before = {self._reading.plain(span.start - 1), self._reading.plain(span.start - 2)}
        if phrases is _VAT and (after is not None or before & _BEFORE_AN_INCLUDED_RATE):
            self.are_included = True
        self._reading.take(Span(span.start, after or span.end))
        self._percents.setdefault(phrases, set()).add(rate.percent)

    def of(self, phrases: Phrases) -> Decimal | None:
        """Return the rate of a tax; None where none was said."""
        return next(iter(self._percents.get(phrases, ())), None)


def _is_described(reading: DraftReading, tax: Span) -> bool:
    """Return True for a tax that belongs to a work, as in `revisión del IVA 25`."""
    work = reading.plain(tax.start - 2)
    return reading.plain(tax.start - 1) in _OF and work.isalpha() and work not in _NO_WORKS


def _has_amount(reading: DraftReading, tax: Span) -> bool:
    """Return True where the amount of a tax follows it: `IVA 105,00`."""
    if not reading.is_free(tax):
        return False
    if _amount_before(reading, tax):
        return True
    if reading.plain(tax.start - 1) in _ADDED:
        return False
    place = tax.end + (reading.plain(tax.end) in {":", "="})
    number = number_at(reading.message.words, place, reading.message.language)
    return number is not None and number.value > _HIGHEST_RATE


def _amount_before(reading: DraftReading, tax: Span) -> bool:
    """Return True for `63 de IVA` and `más 63 IVA`."""
    end = tax.start - (reading.plain(tax.start - 1) in {"de", "of"})
    number = number_at(reading.message.words, end - 1, reading.message.language) if end else None
    if number is None or number.end != end or number.value <= _HIGHEST_RATE:
        return False
    return end < tax.start or reading.plain(end - 2) in _ADDED


def _rate_after(reading: DraftReading, tax: Span, phrases: Phrases) -> _Rate | None:
    """Return the rate of `IVA al 21 %`."""
    place = tax.end
    while reading.plain(place) in _BEFORE_A_RATE:
        place += 1
    number = number_at(reading.message.words, place, reading.message.language)
    if number is None or not 0 <= number.value <= _HIGHEST_RATE:
        return None
    end = _PERCENT.end_at(reading.message.line, number.end) or number.end
    if end == number.end and reading.plain(end) in {"€", "euros", "euro", "x", "h", "horas", "hours"}:
        return None
    after = _AFTER_A_RETENTION.end_at(reading.message.line, end) if phrases is _RETENTION else None
    return _Rate(number.value, Span(tax.start, after or end))


def _rate_before(reading: DraftReading, tax: Span) -> _Rate | None:
    """Return the rate of `21 % de IVA`; without percent sign only with a word between, as in `10 de IVA`."""
    end = tax.start
    while end and reading.plain(end - 1) in _BETWEEN_RATE_AND_TAX:
        end -= 1
    for start in range(max(0, end - 1 - _LONGEST_RATE), end):
        number = number_at(reading.message.words, start, reading.message.language)
        if number is None or not 0 <= number.value <= _HIGHEST_RATE:
            continue
        percent = _PERCENT.end_at(reading.message.line, number.end)
        is_joined = number.end == end and end < tax.start
        if percent == end or is_joined:
            return _Rate(number.value, Span(start, _AFTER_A_RETENTION.end_at(reading.message.line, tax.end) or tax.end))
    return None


def _with_small_words(reading: DraftReading, span: Span) -> Span:
    """Return a span with the small words before it, as `más el`."""
    start = span.start
    while start and reading.free[start - 1] and reading.plain(start - 1) in _BEFORE_A_TAX:
        start -= 1
    return Span(start, span.end)


def _rate_without_tax(reading: DraftReading) -> Decimal | None:
    """Take `al 10 %` and `at 10 percent`."""
    words = reading.message.line
    for place, word in enumerate(words):
        number = number_at(reading.message.words, place + 1, reading.message.language) if word in {"al", "at"} else None
        end = None if number is None else _PERCENT.end_at(words, number.end)
        if number is None or end is None or not reading.is_free(Span(place, end)):
            continue
        if _RETENTION.end_at(words, end) is None and 0 <= number.value <= _HIGHEST_RATE:
            reading.take(Span(place, end))
            return number.value
    return None


def _named_rate(reading: DraftReading) -> Decimal | None:
    """Take `IVA superreducido` and `reduced rate`: 4 and 10 percent (artículos 91.Uno y 91.Dos LIVA)."""
    if reading.takes(_LOWEST_RATE):
        return Decimal(4)
    return Decimal(10) if reading.takes(_REDUCED_RATE) else None
