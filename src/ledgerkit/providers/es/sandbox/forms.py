"""Rules on single values: the form of numbers, dates, amounts and flags, and the closed lists.

A rule yields the codes of what it finds wrong; the first one found is the one the authority answers.
Source: AEAT, validations document 1.2.2 (2026-04-08) and its error table; XSD 1.0 for lengths and patterns.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.es.sandbox.messages import Annulment, Header, Issue, Record
from ledgerkit.providers.es.sandbox.reading import real_day, valid_nif

AMOUNT = re.compile(r"[+-]?[0-9]{1,12}(\.[0-9]{0,2})?")
RATE = re.compile(r"[0-9]{1,3}(\.[0-9]{0,2})?")
DAY = re.compile(r"[0-9]{2}-[0-9]{2}-[0-9]{4}")
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})")

YES_NO = frozenset({None, "S", "N"})
INVOICE_TYPES = frozenset({"F1", "F2", "F3", "R1", "R2", "R3", "R4", "R5"})
CORRECTING = frozenset({"R1", "R2", "R3", "R4", "R5"})
WITH_RECIPIENT = frozenset({"F1", "F3", "R1", "R2", "R3", "R4"})
FIRST_DAY = date(2024, 10, 28)
LARGE = Decimal(100_000_000)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Setting in which a record is judged: its message's header and the authority's clock (aware)."""

    header: Header
    now: datetime

    @property
    def today(self) -> date:
        return self.now.date()


def decimal(literal: str | None) -> Decimal:
    """Return the number of an amount or rate literal of a checked form; zero for none. `12.` is 12."""
    return Decimal(literal.removesuffix(".")) if literal else ZERO


def instant(literal: str) -> datetime | None:
    """The aware instant of a timestamp literal, or None where its form or value is wrong."""
    if not INSTANT.fullmatch(literal):
        return None
    try:
        return datetime.fromisoformat(literal)
    except ValueError:
        return None


def identity(record: Record, setting: Setting) -> Iterator[int]:
    """Check IDVersion, issuer, number, issue date, RefExterna."""
    if record.version != "1.0":
        yield 1251
    if record.issuer != setting.header.issuer.nif:
        yield 1108
    if len(record.number) > 60:
        yield 1104
    if not all(" " <= character <= "~" for character in record.number):
        yield 1130
    if set(record.number) & set("\"'<>="):
        yield 1287
    if record.reference is not None and len(record.reference) > 60:
        yield 1253
    yield from _issue_day(record, setting)


def _issue_day(record: Record, setting: Setting) -> Iterator[int]:
    day = real_day(record.issue_date)
    if day is None:
        yield 1105
    elif day > setting.today:
        yield 1112
    elif isinstance(record, Issue) and day < FIRST_DAY:
        yield 1152


def common(record: Record) -> Iterator[int]:
    """Check SistemaInformatico, timestamp and fingerprint, as in both kinds of record."""
    yield from _system(record)
    if instant(record.generated_at) is None:
        yield 1244
    if record.fingerprint_type != "01":
        yield 1247
    if len(record.fingerprint) != 64:
        yield 1262
    elif not (record.fingerprint.isascii() and record.fingerprint.isalnum()):
        yield 1292


def chain(record: Record) -> Iterator[int]:
    """Check Encadenamiento: first record or link, one of the two, and the link's own parts."""
    if record.first not in {None, "S"}:
        yield 1274
    if (record.first is None) == (record.link is None):
        yield 1180
    if link := record.link:
        if not valid_nif(link.issuer):
            yield 1123
        if not 1 <= len(link.number) <= 60:
            yield 1175
        if not is_day(link.issue_date):
            yield 1174


def _system(record: Record) -> Iterator[int]:
    system = record.system
    if (system.producer.nif is None) == (system.producer.other is None):
        yield 1223
    if system.producer.nif is not None and not valid_nif(system.producer.nif):
        yield 1176
    if (other := system.producer.other) and (other.kind == "07" or (other.country == "ES" and other.kind != "03")):
        yield 1221
    if not re.fullmatch(r"[A-Z0-9]{2}", system.id):
        yield 1177
    if not 1 <= len(system.name) <= 30:
        yield 1220
    lengths = ((system.producer.name, 120), (system.version, 50), (system.installation, 100))
    if not all(1 <= len(text) <= most for text, most in lengths):
        yield 1179
    flags = ((system.only_verifactu, 1212), (system.several_possible, 1213), (system.several, 1226))
    yield from (code for flag, code in flags if flag not in {"S", "N"})


def issue_values(record: Issue) -> Iterator[int]:
    """Check lists, lengths and patterns of a RegistroAlta."""
    if record.amendment not in YES_NO or record.previous_rejection not in YES_NO | {"X"}:
        yield 1171
    if record.type not in INVOICE_TYPES:
        yield 1106
    if record.correction not in {None, "S", "I"}:
        yield 1107
    if not 1 <= len(record.issuer_name) <= 120 or not 1 <= len(record.description) <= 500:
        yield 1100
    if record.operation_date is not None and not is_day(record.operation_date):
        yield 1145
    flags = ((record.simplified_with_recipient, 1136), (record.without_recipient, 1184), (record.large, 1137))
    yield from (code for flag, code in flags if flag not in YES_NO)
    if record.issued_by not in {None, "T", "D"}:
        yield 1151
    if record.coupon not in YES_NO:
        yield 1157
    yield from _amounts(record)


def _amounts(record: Issue) -> Iterator[int]:
    amounts: list[str | None] = [record.tax_total, record.total]
    rates: list[str | None] = []
    for line in record.lines:
        amounts += [line.base, line.base_at_cost, line.amount, line.surcharge_amount]
        rates += [line.rate, line.surcharge_rate]
    forms = [(AMOUNT, text) for text in amounts] + [(RATE, text) for text in rates]
    if not all(text is None or form.fullmatch(text) for form, text in forms):
        yield 1100


def is_day(literal: str) -> bool:
    """Return True for a literal dd-mm-yyyy of a day that the calendar has."""
    return DAY.fullmatch(literal) is not None and real_day(literal) is not None


def annulment_values(record: Annulment) -> Iterator[int]:
    """Check the flags of a RegistroAnulacion."""
    if record.without_previous not in YES_NO:
        yield 1276
    if record.previous_rejection not in YES_NO:
        yield 1275
    if record.generated_by not in {None, "E", "D", "T"}:
        yield 1225
