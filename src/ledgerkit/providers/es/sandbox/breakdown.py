"""Rules on the lines of the breakdown (Desglose): tax, regime, qualification, rates, amounts, surcharges.

All amounts in euro, rates in percent. The authority allows 10.00 between an amount and base times rate.
Source: AEAT, validations document 1.2.2 (2026-04-08).
"""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from ledgerkit.money import HUNDRED
from ledgerkit.providers.es.sandbox.forms import Setting, decimal
from ledgerkit.providers.es.sandbox.messages import Issue, Line
from ledgerkit.providers.es.sandbox.reading import real_day

VAT, IPSI, IGIC, OTHER = "01", "02", "03", "05"
TOLERANCE = Decimal("10.00")
SIMPLIFIED_LIMIT = Decimal(3000)

_COMMON_REGIMES = frozenset(f"{key:02}" for key in (*range(1, 12), 14, 15, *range(17, 21)))
_REGIMES = {
    VAT: _COMMON_REGIMES,
    IGIC: _COMMON_REGIMES | {"21"},
    IPSI: frozenset({"01", "08", "11", "18", "19", "20"}),
}
_RATES = frozenset(map(Decimal, ("0", "2", "4", "5", "7.5", "10", "21")))
_DATED_RATES = {
    Decimal(5): (date(2022, 7, 1), date(2024, 9, 30), 1194),
    Decimal(2): (date(2024, 10, 1), date(2024, 12, 31), 1235),
    Decimal("7.5"): (date(2024, 10, 1), date(2024, 12, 31), 1236),
}
_SURCHARGES = {
    Decimal(21): ({Decimal("5.2"), Decimal("1.75")}, 1162),
    Decimal(10): ({Decimal("1.4")}, 1163),
    Decimal(4): ({Decimal("0.5")}, 1164),
    Decimal(5): ({Decimal("0.5"), Decimal("0.62")}, 1160),
    Decimal("7.5"): ({Decimal(1)}, 1169),
    Decimal(2): ({Decimal("0.26")}, 1166),
    Decimal(0): ({Decimal(0)}, 1277),
}
_DATED_SURCHARGES = {
    (Decimal(5), Decimal("0.5")): (date(2022, 7, 1), date(2022, 12, 31), 1167),
    (Decimal(5), Decimal("0.62")): (date(2023, 1, 1), date(2024, 9, 30), 1168),
    (Decimal(0), Decimal(0)): (date(2023, 1, 1), date(2024, 9, 30), 1165),
}
_ALL_SURCHARGES = frozenset(rate for rates, _ in _SURCHARGES.values() for rate in rates)
_REVERSE_CHARGE_TYPES = frozenset({"F1", "F3", "R1", "R2", "R3", "R4"})
_PUBLIC_BODIES = frozenset("PQSV")


def breakdown(record: Issue, setting: Setting) -> Iterator[int]:
    """Every line of the record, in order."""
    for line in record.lines:
        yield from _keys(line, setting)
        yield from _qualification(line, record)
        yield from _regime(line, record)
        yield from _dated_rate(line, record)
        yield from _surcharge(line, record)
        yield from _tax_amount(line, record)


def simplified_limit(record: Issue) -> Iterator[int]:
    """A simplified invoice (F2) is at most 3,000 with tax, unless an agreement or art. 6.1.d lifts the limit."""
    if record.type != "F2" or record.agreement is not None or record.without_recipient == "S":
        return
    if sum(decimal(line.base) + decimal(line.amount) for line in record.lines) > SIMPLIFIED_LIMIT + TOLERANCE:
        yield 1150


def _keys(line: Line, setting: Setting) -> Iterator[int]:
    if line.tax not in {VAT, IPSI, IGIC, OTHER}:
        yield 1218
    if line.tax == OTHER and line.regime is not None:
        yield 1260
    if line.regime is None and (line.tax in {VAT, IGIC} or (line.tax == IPSI and setting.today.year > 2026)):
        yield 1245
    if line.regime is not None and line.regime not in _REGIMES.get(line.tax, frozenset()):
        yield 1246
    if line.qualification is None and line.exemption is None:
        yield 1195
    if line.qualification is not None and line.exemption is not None:
        yield 1196
    if line.qualification not in {None, "S1", "S2", "N1", "N2"}:
        yield 1181
    exemptions = {"E1", "E2", "E3", "E4", "E5", "E6"} | ({"E7", "E8"} if line.tax == IGIC else set())
    if line.exemption is not None and line.exemption not in exemptions:
        yield 1182


def _qualification(line: Line, record: Issue) -> Iterator[int]:
    taxed = any(text is not None for text in (line.rate, line.amount, line.surcharge_rate, line.surcharge_amount))
    if line.exemption is not None and taxed:
        yield 1238
    if line.qualification in {"N1", "N2"} and line.tax == VAT and taxed:
        yield 1237
    if line.qualification == "S2":
        yield from _reverse_charge(line, record)
    if line.qualification != "S1" and decimal(line.amount):
        yield 1207
    if line.qualification == "S1" and (line.rate is None or line.amount is None):
        if line.base_at_cost is None:
            yield 1208
        elif line.regime == "06":
            yield 1209
    by_nif = any(person.other is None for person in record.recipients)
    if line.exemption == "E5" and line.tax == VAT and (by_nif or not record.recipients):
        yield 1289


def _reverse_charge(line: Line, record: Issue) -> Iterator[int]:
    if record.type not in _REVERSE_CHARGE_TYPES:
        yield 1197
    if line.rate is None or line.amount is None or decimal(line.rate) or decimal(line.amount):
        yield 1198


def _regime(line: Line, record: Issue) -> Iterator[int]:
    at_cost = line.base_at_cost is not None
    if at_cost and line.regime != "06" and line.tax not in {IPSI, OTHER}:
        yield 1257
    if line.tax not in {VAT, IGIC}:
        return
    refused: dict[str, tuple[bool, int]] = {
        "01": (line.exemption in {"E2", "E3"}, 1199),
        "02": (line.exemption is None, 1286),
        "03": (line.qualification not in {None, "S1"}, 1200),
        "04": (line.qualification not in {None, "S2"}, 1201),
        "06": (record.type in {"F2", "F3", "R5"} or not at_cost, 1202),
        "07": (
            line.qualification in {"S2", "N1", "N2"} or line.exemption in {"E2", "E3", "E4", "E5"},
            1203,
        ),
        "08": (line.qualification != "N2", 1252),
        "10": (not _collection_for_others(line, record), 1205),
        "11": (line.tax == VAT and line.rate is not None and decimal(line.rate) != 21, 1206),
        "20": (line.tax == IGIC and line.qualification != "N2", 1293),
    }
    broken, code = refused.get(line.regime or "", (False, 0))
    if broken:
        yield code
    if line.regime == "14":
        yield from _works_certificate(record)


def _collection_for_others(line: Line, record: Issue) -> bool:
    by_nif = bool(record.recipients) and all(person.nif for person in record.recipients)
    return line.qualification == "N1" and record.type == "F1" and by_nif


def _works_certificate(record: Issue) -> Iterator[int]:
    issued, operated = real_day(record.issue_date), real_day(record.operation_date or "")
    if issued is None or operated is None or operated <= issued:
        yield 1147
    if record.type not in {"F1", "R1", "R2", "R3", "R4"}:
        yield 1148
    if not all((person.nif or "")[:1] in _PUBLIC_BODIES for person in record.recipients):
        yield 1149


def _dated_rate(line: Line, record: Issue) -> Iterator[int]:
    if line.tax != VAT or line.qualification != "S1" or line.rate is None:
        return
    rate, day = decimal(line.rate), _day(record)
    if rate not in _RATES:
        yield 1124
    if rate in _DATED_RATES and day:
        since, until, code = _DATED_RATES[rate]
        if not since <= day <= until:
            yield code


def _surcharge(line: Line, record: Issue) -> Iterator[int]:
    if (line.surcharge_rate is None) != (line.surcharge_amount is None):
        yield 1284
    if line.surcharge_rate is None:
        return
    if line.qualification != "S1":
        yield 1281
    if line.tax == VAT:
        yield from _surcharge_rate(decimal(line.rate), decimal(line.surcharge_rate), _day(record))


def _surcharge_rate(rate: Decimal, surcharge: Decimal, day: date | None) -> Iterator[int]:
    allowed, code = _SURCHARGES.get(rate, (_ALL_SURCHARGES, 1127))
    if surcharge not in _ALL_SURCHARGES:
        yield 1127
    if surcharge not in allowed:
        yield code
    if day and (rate, surcharge) in _DATED_SURCHARGES:
        since, until, dated_code = _DATED_SURCHARGES[rate, surcharge]
        if not since <= day <= until:
            yield dated_code


def _day(record: Issue) -> date | None:
    """The day whose rates apply: of the operation, else of issue."""
    return real_day(record.operation_date or record.issue_date)


def _tax_amount(line: Line, record: Issue) -> Iterator[int]:
    exempt_from_check = record.correction == "I" or record.type in {"R2", "R3"}
    if exempt_from_check or line.rate is None or line.amount is None:
        return
    at_cost = line.base_at_cost is not None
    base, amount = decimal(line.base_at_cost if at_cost else line.base), decimal(line.amount)
    if base * amount < 0:
        yield 1140 if at_cost else 1143
    if abs(base * decimal(line.rate) / HUNDRED - amount) > TOLERANCE:
        yield 1144 if at_cost else 1142
