"""Rules on the rates of the VAT and of the equivalence surcharge, on their days.

Which rates there are and when they were in force is said once, in `providers.es.rates`.
"""

from collections.abc import Callable
from datetime import date
from decimal import Decimal

from ledgerkit.providers.es.operations import VAT
from ledgerkit.providers.es.rates import RATES
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.messages import RulesMsg
from ledgerkit.providers.es.verifactu.rules.rule import Block, Rule, always, entry_rule, line_rule
from ledgerkit.providers.es.verifactu.rules.subject import Subject

_PERCENTS = frozenset(rate.percent for rate in RATES)
_SURCHARGES = frozenset(surcharge for rate in RATES for surcharge in rate.surcharges if surcharge)
_TEMPORARY = {Decimal(5): "1194", Decimal(2): "1235", Decimal("7.5"): "1236"}
_WITH_SURCHARGE = {
    Decimal(21): "1162",
    Decimal(10): "1163",
    Decimal(4): "1164",
    Decimal(5): "1160",
    Decimal("7.5"): "1169",
    Decimal(2): "1166",
    Decimal(0): "1277",
}
_OF_FIVE = {Decimal("0.5"): "1167", Decimal("0.62"): "1168"}
"""The two surcharges that the temporary 5 % had one after the other."""


def _taxed(entry: Detail) -> bool:
    return entry.code == VAT and entry.qualification == "S1"


def _not_on_its_day(percent: Decimal) -> Callable[[Subject, Detail], bool]:
    def broken(subject: Subject, entry: Detail) -> bool:
        return _taxed(entry) and entry.rate == percent and not _in_force(percent, subject.day)

    return broken


def _in_force(percent: Decimal, on: date, surcharge: Decimal | None = None) -> bool:
    return any(
        rate.since <= on and (rate.until is None or on <= rate.until)
        for rate in RATES
        if rate.percent == percent and surcharge in {None, *rate.surcharges}
    )


def _of_another_rate(percent: Decimal) -> Callable[[Subject, Detail], bool]:
    matching_surcharges = {surcharge for rate in RATES if rate.percent == percent for surcharge in rate.surcharges}

    def broken(_: Subject, entry: Detail) -> bool:
        applies = _taxed(entry) and entry.rate == percent and entry.surcharge_rate in _SURCHARGES
        return applies and entry.surcharge_rate not in matching_surcharges

    return broken


def _after_the_other(surcharge: Decimal) -> Callable[[Subject, Detail], bool]:
    five = Decimal(5)

    def broken(subject: Subject, entry: Detail) -> bool:
        applies = _taxed(entry) and (entry.rate, entry.surcharge_rate) == (five, surcharge)
        return applies and _in_force(five, subject.day) and not _in_force(five, subject.day, surcharge)

    return broken


def _unknown_surcharge(_: Subject, entry: Detail) -> bool:
    return _taxed(entry) and bool(entry.surcharge_rate) and entry.surcharge_rate not in _SURCHARGES


_ALL: tuple[Rule, ...] = (
    line_rule(
        "1124", "TipoImpositivo", lambda _, __, d: _taxed(d) and d.rate not in _PERCENTS, RulesMsg.VAT_RATE_UNKNOWN
    ),
    *(entry_rule(code, "TipoImpositivo", _not_on_its_day(percent)) for percent, code in _TEMPORARY.items()),
)

_WITH_ANY_SURCHARGE: tuple[Rule, ...] = (
    entry_rule("1127", "TipoRecargoEquivalencia", _unknown_surcharge, RulesMsg.SURCHARGE_UNKNOWN),
    *(
        entry_rule(code, "TipoRecargoEquivalencia", _of_another_rate(percent))
        for percent, code in _WITH_SURCHARGE.items()
    ),
    *(entry_rule(code, "TipoRecargoEquivalencia", _after_the_other(surcharge)) for surcharge, code in _OF_FIVE.items()),
)

BLOCKS = (
    Block(always, _ALL),
    Block(lambda s: any(entry.surcharge_rate for entry in s.entries), _WITH_ANY_SURCHARGE),
)
