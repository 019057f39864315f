"""Parts that the books share: names of files, and cells of periods, activities, parties, amounts and payments."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ledgerkit.money import CENT, ZERO, round_cents
from ledgerkit.providers.api import Cell, DateSpan, LedgerPayment, Party, RecordBook, TextFile
from ledgerkit.providers.api.tax_forms import TaxPeriod
from ledgerkit.providers.es.books.columns import Columns
from ledgerkit.providers.es.tax_forms.layouts.design import official_period
from ledgerkit.providers.es.tax_forms.layouts.encoding import to_latin
from ledgerkit.providers.es.tax_forms.profile import Activity, PersonKind, SpanishTaxProfile
from ledgerkit.providers.es.verifactu import parties

Values = dict[str, Cell]
"""Cells of a row by the names of its columns; those that are absent are empty."""

OTHER_MEANS, NEVER_PAID = "04", "03"
"""Means of a payment by cash accounting: other means, and the last day on which it may stay unpaid."""

_UNIFIED = "T"
_NAME_LENGTH = 40


class SpanishBook(RecordBook):
    """Book whose files have the names and the form of the common electronic format (version of 21/03/2025).

    The format names no character set. In this one no name loses a letter, and spreadsheets know it by its beginning.
    """

    text_file = TextFile(encoding="utf-8-sig", separator=";", decimal_mark=",", date="%d/%m/%Y")

    def file_name(self, owner: Party, year: int) -> str:
        """Return year, NIF, type and name; T is the type of unified books."""
        name = to_latin(owner.name, accents=False)
        plain = "".join(letter if letter.isalnum() else "_" for letter in name).strip("_")
        return f"{year}_{parties.issuer_nif(owner)}_{_UNIFIED}_{plain[:_NAME_LENGTH]}"


def row(values: Values, columns: Columns) -> tuple[Cell, ...]:
    """Return the cells in the order of the columns."""
    return tuple(values.get(name) for name in columns)


def keeps_income_books(profile: SpanishTaxProfile) -> bool:
    """Return True for a natural person, whose books are of income tax too; a company's are of VAT alone."""
    return profile.person is PersonKind.NATURAL_PERSON


def period(day: date, profile: SpanishTaxProfile) -> tuple[int, str]:
    """Return year and official code of the return to which a day belongs."""
    monthly = profile.on(day).files_monthly
    code = f"M{day.month:02d}" if monthly else f"Q{(day.month + 2) // 3}"
    return day.year, official_period(TaxPeriod(day.year, code))


def beginning(day: date, profile: SpanishTaxProfile) -> Values:
    """Return the columns that begin every row: the return of the day, and the main activity on it."""
    year, code = period(day, profile)
    values: Values = {"year": year, "period": code}
    activity = next((activity for activity in profile.activities if _is_active(activity, day)), None)
    if activity is None:
        return values
    kind = activity.kind.value
    return {**values, "activity_code": kind[0], "activity_type": kind[1:] or None, "iae": activity.iae}


def party(of: Party | None) -> Values:
    """Return identification and name; the number as it is written where it is no valid one."""
    if of is None:
        return {}
    values: Values = {"party_name": of.name[:_NAME_LENGTH] or None}
    identity = parties.identity(of)
    if identity is None:
        return {**values, "party_id": (of.tax_id or "").strip() or None}
    is_nif = identity.id_type in {None, parties.NOT_REGISTERED}
    kind, country = (None, None) if is_nif else (identity.id_type, identity.country)
    return {**values, "party_id_type": kind, "party_country": country, "party_id": identity.number}


def shares(total: Decimal, weights: Sequence[Decimal]) -> list[Decimal]:
    """Share an amount out in cents in proportion to the weights; the largest takes what the rounding leaves over.

    Weights that add up to nothing leave all to the first.
    """
    whole = sum(weights, ZERO)
    parts = [round_cents(total * weight / whole) if whole else ZERO * CENT for weight in weights]
    largest = max(range(len(weights)), key=lambda place: abs(weights[place]) if whole else -place)
    parts[largest] += total - sum(parts, ZERO)
    return parts


def _is_active(activity: Activity, day: date) -> bool:
    return (activity.since is None or activity.since <= day) and (activity.until is None or day <= activity.until)


class Settled(NamedTuple):
    """Document that accrues as it is paid: what is to be paid without retention, and with it; the operation's day.

    Its payments are rows of the books (RD 1624/1992, art. 61 decies).
    """

    gross_total: Decimal
    payable: Decimal
    payments: tuple[LedgerPayment, ...]
    accrual: date


def payment_rows(document: Settled, span: DateSpan) -> Iterator[tuple[date, Values]]:
    """Yield day and cells of each payment within the span, in the measure of the invoice's total.

    What is not paid by 31 December of the year after the operation accrues on that day (LIVA, art. 163 terdecies).
    """
    last = date(document.accrual.year + 1, 12, 31)
    paid = accrued = ZERO
    for payment in document.payments:
        if payment.day <= last:
            paid, before = paid + payment.amount, accrued
            accrued = _of_total(paid, document)
            if payment.day in span:
                yield payment.day, _cells(payment.day, accrued - before, OTHER_MEANS)
    if last in span and accrued != document.gross_total:
        yield last, _cells(last, document.gross_total - accrued, NEVER_PAID)


def _of_total(paid: Decimal, document: Settled) -> Decimal:
    """Return the amount paid plus its share of the retention, which the vendor never receives."""
    return round_cents(paid * document.gross_total / document.payable) if document.payable else paid


def _cells(day: date, amount: Decimal, means: str) -> Values:
    return {"payment_day": day, "payment_amount": amount, "payment_means": means}
