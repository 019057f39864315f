"""Rates of the Spanish VAT (IVA) and of the equivalence surcharge, with the days they are in force.

The rates of the common territory since 1 September 2012; the temporary ones are those of the decrees on energy and
food. Dates and surcharges agree with the AEAT's VERI*FACTU validations 1.2.2 (08/04/2026), rules 1124 to 1277.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from ledgerkit.providers.api import TaxRate
from ledgerkit.providers.es.messages import SpainMsg

SINCE_2012 = date(2012, 9, 1)

_LIVA = "Ley 37/1992, art. {article}, as amended by RDL 20/2012, art. 23; surcharge: art. 161; read in AEAT 1.2.2"
_DECREES_5 = (
    "RDL 11/2022 and RDL 20/2022, art. 72, extended by RDL 8/2023 and RDL 4/2024; read in AEAT 1.2.2, 1160-1194"
)
_DECREE_4_2024 = "RDL 4/2024, last quarter of 2024; read in AEAT 1.2.2, 1166, 1169, 1235 and 1236"
_ZERO = "AEAT 1.2.2, 1124 (rate 0, no date); surcharge 0 only under RDL 20/2022, art. 72: 1165 and 1277"


def _rate(percent: str, since: date, until: date | None, name: str, source: str, *surcharges: str) -> TaxRate:
    return TaxRate(
        percent=Decimal(percent),
        since=since,
        until=until,
        name=name,
        source=source,
        surcharges=tuple(Decimal(surcharge) for surcharge in surcharges),
    )


RATES: tuple[TaxRate, ...] = (
    _rate("21", SINCE_2012, None, SpainMsg.RATE_GENERAL, _LIVA.format(article="90.Uno"), "5.2", "1.75"),
    _rate("10", SINCE_2012, None, SpainMsg.RATE_REDUCED, _LIVA.format(article="91.Uno"), "1.4"),
    _rate("4", SINCE_2012, None, SpainMsg.RATE_SUPER_REDUCED, _LIVA.format(article="91.Dos"), "0.5"),
    _rate("5", date(2022, 7, 1), date(2022, 12, 31), SpainMsg.RATE_TEMPORARY, _DECREES_5, "0.5"),
    _rate("5", date(2023, 1, 1), date(2024, 9, 30), SpainMsg.RATE_TEMPORARY, _DECREES_5, "0.62"),
    _rate("7.5", date(2024, 10, 1), date(2024, 12, 31), SpainMsg.RATE_TEMPORARY, _DECREE_4_2024, "1"),
    _rate("2", date(2024, 10, 1), date(2024, 12, 31), SpainMsg.RATE_TEMPORARY, _DECREE_4_2024, "0.26"),
    _rate("0", SINCE_2012, date(2022, 12, 31), SpainMsg.RATE_ZERO, _ZERO),
    _rate("0", date(2023, 1, 1), date(2024, 9, 30), SpainMsg.RATE_ZERO, _ZERO, "0"),
    _rate("0", date(2024, 10, 1), None, SpainMsg.RATE_ZERO, _ZERO),
)
"""Every rate in its periods; a rate whose surcharge changed has one row per surcharge."""


def in_force(on: date) -> Sequence[TaxRate]:
    """The rates of a day, the general one first; empty before 1 September 2012."""
    return [rate for rate in RATES if rate.is_in_force(on)]
