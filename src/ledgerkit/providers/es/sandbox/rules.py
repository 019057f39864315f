"""Judgement of one record: the code that refuses it, or the code that it is stored with, or none.

Refusals come before remarks; of each, the first in the order of the record. What only the real authority can
know (its census, VIES, agreements) is taken as right.
Source: AEAT, validations document 1.2.2 (2026-04-08), fingerprint document 0.1.2.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from hashlib import sha256

from ledgerkit.providers.es.sandbox.breakdown import IGIC, TOLERANCE, VAT, breakdown, simplified_limit
from ledgerkit.providers.es.sandbox.forms import (
    CORRECTING,
    LARGE,
    WITH_RECIPIENT,
    Setting,
    annulment_values,
    chain,
    common,
    decimal,
    identity,
    instant,
    issue_values,
)
from ledgerkit.providers.es.sandbox.messages import Annulment, Issue, Record
from ledgerkit.providers.es.sandbox.parties import generator, recipients, third_party
from ledgerkit.providers.es.sandbox.reading import real_day, valid_nif

MARGIN = timedelta(seconds=240)
_UNCHECKED_TOTALS = frozenset({"03", "05", "06", "08", "09"})


def refusal(record: Issue | Annulment, setting: Setting) -> int | None:
    """The code for which the record is not stored, None when it is. Duplicates are the register's affair."""
    refusals = _issue(record, setting) if isinstance(record, Issue) else _annulment(record, setting)
    return next(refusals, None)


def remark(record: Issue | Annulment, setting: Setting, *, chain_has_records: bool) -> int | None:
    """The code with which an acceptable record is stored as accepted with errors, None when all is well."""
    return next(_remarks(record, setting, chain_has_records=chain_has_records), None)


def fingerprint(record: Issue | Annulment) -> str:
    """SHA-256 over the record's own literals, in upper-case hexadecimal."""
    suffix = "Anulada" if isinstance(record, Annulment) else ""
    fields = [
        (f"IDEmisorFactura{suffix}", record.issuer),
        (f"NumSerieFactura{suffix}", record.number),
        (f"FechaExpedicionFactura{suffix}", record.issue_date),
    ]
    if isinstance(record, Issue):
        fields += [("TipoFactura", record.type), ("CuotaTotal", record.tax_total), ("ImporteTotal", record.total)]
    fields += [
        ("Huella", record.link.fingerprint if record.link else ""),
        ("FechaHoraHusoGenRegistro", record.generated_at),
    ]
    return sha256("&".join(f"{name}={value}" for name, value in fields).encode()).hexdigest().upper()


def _issue(record: Issue, setting: Setting) -> Iterator[int]:
    # In this order: what reads numbers and days comes after the check of their form, and a refusal ends the reading.
    yield from identity(record, setting)
    yield from issue_values(record)
    yield from _rejection_flags(record)
    yield from _type(record)
    yield from _dates(record, setting)
    yield from _flags(record)
    yield from third_party(record, setting)
    yield from recipients(record)
    yield from breakdown(record, setting)
    yield from simplified_limit(record)
    yield from chain(record)
    yield from common(record)


def _annulment(record: Annulment, setting: Setting) -> Iterator[int]:
    yield from identity(record, setting)
    yield from annulment_values(record)
    yield from generator(record, setting)
    yield from chain(record)
    yield from common(record)


def _rejection_flags(record: Issue) -> Iterator[int]:
    if record.previous_rejection == "X" and record.amendment != "S":
        yield 1153
    if record.previous_rejection == "S" and record.amendment != "S":
        yield 1161


def _type(record: Issue) -> Iterator[int]:
    correcting = record.type in CORRECTING
    if correcting and record.correction is None:
        yield 1114
    if not correcting and record.correction is not None:
        yield 1115
    if record.replaced and record.type != "F3":
        yield 1116
    if record.corrected and not correcting:
        yield 1117
    if record.correction == "S" and not record.has_corrected_amounts:
        yield 1118
    if record.correction != "S" and record.has_corrected_amounts:
        yield 1119
    if not all(valid_nif(link.issuer) for link in (*record.corrected, *record.replaced)):
        yield 1154


def _dates(record: Issue, setting: Setting) -> Iterator[int]:
    issued, operated = real_day(record.issue_date), real_day(record.operation_date or "")
    if issued is None or operated is None:
        return
    pending = all(line.regime in {"14", "15"} and line.tax in {VAT, IGIC} for line in record.lines)
    if operated.year > setting.today.year + 1:
        yield 1125
    if operated < _years_before(setting.today, 20):
        yield 1134
    if operated > setting.today and not pending:
        yield 1173
    if issued < operated and not pending:
        yield 1146


def _years_before(day: date, years: int) -> date:
    leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year - years, day=28 if leap_day else day.day)


def _flags(record: Issue) -> Iterator[int]:
    large = abs(decimal(record.total)) >= LARGE
    if record.simplified_with_recipient == "S" and record.type not in WITH_RECIPIENT:
        yield 1183
    if record.without_recipient == "S" and record.type not in {"F2", "R5"}:
        yield 1185
    if record.large == "S" and not large:
        yield 1138
    if record.large != "S" and large:
        yield 1139
    if record.coupon == "S" and record.type not in {"R1", "R5"}:
        yield 1157


def _remarks(record: Issue | Annulment, setting: Setting, *, chain_has_records: bool) -> Iterator[int]:
    if record.link and record.link.fingerprint == record.fingerprint:
        yield 2008
    if record.fingerprint != fingerprint(record):
        yield 2000
    yield from _link_remarks(record, chain_has_records=chain_has_records)
    yield from _clock_remarks(record, setting)
    if isinstance(record, Issue):
        yield from _total_remarks(record)


def _link_remarks(record: Record, *, chain_has_records: bool) -> Iterator[int]:
    if record.first and chain_has_records:
        yield 2007
    if link := record.link:
        if len(link.fingerprint) != 64:
            yield 2002
        elif not re.fullmatch("[0-9A-F]{64}", link.fingerprint):
            yield 2003


def _clock_remarks(record: Record, setting: Setting) -> Iterator[int]:
    generated = instant(record.generated_at)
    if generated is None:
        return
    late, early = setting.now - generated > MARGIN, generated - setting.now > MARGIN
    if early or (late and setting.header.incident != "S"):
        yield 2004


def _total_remarks(record: Issue) -> Iterator[int]:
    if any(line.tax == "02" and line.regime is None for line in record.lines):
        yield 2009
    if any(line.regime in _UNCHECKED_TOTALS for line in record.lines):
        return
    taxes = sum(decimal(line.amount) + decimal(line.surcharge_amount) for line in record.lines)
    bases = sum(decimal(line.base) for line in record.lines)
    if abs(bases + taxes - decimal(record.total)) > TOLERANCE:
        yield 2005
    if abs(taxes - decimal(record.tax_total)) > TOLERANCE:
        yield 2006
