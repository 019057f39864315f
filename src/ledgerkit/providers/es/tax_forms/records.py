"""Rows of the VAT record books, from the documents of the ledger: what books, forms 303 and 390, and 349 share.

One row per document, operation and rate, in the codes of the authority: invoice type, key, qualification, exemption.
Sources: AEAT, record books (Orden HAC/773/2019) and conditions by which its own draft of the 303 reads them;
Ley 37/1992 (LIVA), arts. 75, 76 and 163 decies to sexiesdecies (cash accounting).
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from ledgerkit.money import ZERO, round_cents
from ledgerkit.providers.api import (
    Assessment,
    DateSpan,
    DocumentKind,
    LedgerPayment,
    Party,
    Purchase,
    PurchaseKind,
    PurchaseTax,
    Sale,
    TaxLine,
)
from ledgerkit.providers.es import foreign_vat, tax_ids
from ledgerkit.providers.es.operations import GENERAL, VAT, operation
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile

CASH, FARMERS, INTRA_EU = "07", "02", "09"
"""Keys of operations: cash accounting; received from a farmer under the special regime; intra-EU acquisitions."""

_VAT_ONLY = frozenset({"R2", "R3"})
"""Types of corrections because the client is insolvent or does not pay (LIVA, art. 80.Tres and Cuatro)."""

COMPLETE, SIMPLIFIED, IMPORT, WITHOUT_INVOICE = "F1", "F2", "F5", "SF"
_LEGAL_ERROR, _SIMPLIFIED_CORRECTION = "R1", "R5"
_DAY = timedelta(days=1)


class Amounts(NamedTuple):
    """Taxable base, VAT and equivalence surcharge, in the account's currency; each may be below zero."""

    base: Decimal
    quota: Decimal
    surcharge: Decimal = ZERO


_NOTHING = Amounts(Decimal("0.00"), Decimal("0.00"))


class IssuedRow(NamedTuple):
    """Row of the book of issued invoices. Rates in percent.

    `tax` is of the authority's list L1 (01 is the IVA). `vat_date` decides the period: the operation's date, else that
    of issue; for a correction always that of issue. `below_zero`: the sum of the document's lines at this rate is below
    zero.
    """

    sale: Sale
    invoice_type: str
    tax: str
    key: str
    qualification: str | None
    exemption: str | None
    rate: Decimal
    amounts: Amounts
    surcharge_rate: Decimal | None
    vat_date: date
    below_zero: bool = False

    @property
    def corrects(self) -> bool:
        return self.invoice_type.startswith("R")

    @property
    def modifies(self) -> bool:
        """True for what boxes without a sign cannot take: corrections, and ordinary invoices below zero."""
        return self.corrects or self.below_zero

    @property
    def by_cash(self) -> bool:
        return self.key == CASH

    def accrued(self, span: DateSpan) -> Amounts | None:
        """Return what accrues within the span; None for nothing. By cash accounting, in proportion to payments."""
        if not self.by_cash:
            return self.amounts if self.vat_date in span else None
        payable = self.sale.gross_total - self.sale.retention
        return _paid_part(self.amounts, self.sale.payments, payable, _forced_on(self.vat_date), span)


class ReceivedRow(NamedTuple):
    """Row of the book of received invoices.

    Rates in percent; `deductible` is the share that is deductible by the document.

    `quota` of `amounts` is charged by the vendor or, where `self_assessed`, owed by the buyer; a compensation to a
    farmer under the special regime is one too. `foreign`: it is VAT of another country, of which nothing is deductible.
    """

    purchase: Purchase
    invoice_type: str
    key: str
    rate: Decimal
    amounts: Amounts
    deductible: Amounts
    investment_good: bool
    useful_life_years: int | None = None
    below_zero: bool = False
    foreign: bool = False

    @property
    def is_asset(self) -> bool:
        """True for what is no cost of the day but depreciated."""
        return self.investment_good or self.useful_life_years is not None

    @property
    def self_assessed(self) -> bool:
        return self.purchase.assessment is not Assessment.VENDOR

    @property
    def intra_eu(self) -> bool:
        return self.purchase.assessment in {Assessment.INTRA_EU_GOODS, Assessment.INTRA_EU_SERVICES}

    @property
    def corrects(self) -> bool:
        return self.invoice_type.startswith("R")

    @property
    def modifies(self) -> bool:
        """True for what boxes without a sign cannot take: corrections, and ordinary invoices below zero."""
        return self.corrects or self.below_zero

    @property
    def by_cash(self) -> bool:
        return self.key == CASH

    def deducted(self, span: DateSpan) -> Amounts | None:
        """Return what becomes deductible within the span; None for nothing. By cash accounting, as it is paid."""
        purchase = self.purchase
        if not self.by_cash:
            return self.deductible if purchase.deduction_date in span else None
        payable = purchase.gross_total - purchase.retention
        accrual = purchase.operation_date or purchase.issue_date
        return _paid_part(self.deductible, purchase.payments, payable, _forced_on(accrual), span)


CashOn = Callable[[date], bool]


def cash_accounting(profile: SpanishTaxProfile) -> CashOn:
    """Return a function of the day: True while the account is under cash accounting."""
    return cache(lambda day: profile.on(day).cash_accounting)


def issued_rows(sale: Sale, cash_on: CashOn) -> list[IssuedRow]:
    """Return the rows of an issued document, equal ones added up.

    Under cash accounting, taxed lines without a key of their own have that of cash accounting (LIVA, art. 163
    duodecies: all operations but those that it names, which all have another key, qualification or exemption).
    """
    if len(sale.taxes) == 1:
        row = _issued(sale, sale.taxes[0], cash_on)
        return [row._replace(below_zero=True) if _below_zero([row.amounts]) else row]
    merged: dict[tuple[object, ...], IssuedRow] = {}
    for line in sale.taxes:
        row = _issued(sale, line, cash_on)
        same = (row.tax, row.key, row.qualification, row.exemption, row.rate, row.surcharge_rate)
        merged[same] = row._replace(amounts=_sum(merged[same].amounts, row.amounts)) if same in merged else row
    below = {rate: _below_zero(amounts) for rate, amounts in _by_rate(merged.values()).items()}
    return [row._replace(below_zero=True) if below[_rate_of(row)] else row for row in merged.values()]


def received_rows(purchase: Purchase, cash_on: CashOn) -> list[ReceivedRow]:
    """Return the rows of a received document, equal ones added up.

    A buyer under cash accounting deducts tax that was charged within the country by payment (LIVA, art. 163 terdecies).
    """
    key = _received_key(purchase, cash_on)
    merged: dict[tuple[Decimal, bool, int | None], ReceivedRow] = {}
    for line in purchase.taxes:
        row = _received(purchase, line, key)
        same = (row.rate, row.investment_good, row.useful_life_years)
        if same in merged:
            before = merged[same]
            row = row._replace(
                amounts=_sum(before.amounts, row.amounts),
                deductible=_sum(before.deductible, row.deductible),
            )
        merged[same] = row
    below: dict[tuple[Decimal, bool], list[Amounts]] = {}
    for row in merged.values():
        below.setdefault((row.rate, row.investment_good), []).append(row.amounts)
    return [
        row._replace(below_zero=True) if _below_zero(below[row.rate, row.investment_good]) else row
        for row in merged.values()
    ]


def has_vat_number(party: Party | None) -> bool:
    """Return True for a party with a VAT number of another member state, by its form."""
    if party is None or not party.tax_id or party.tax_id_kind is not None:
        return False
    return tax_ids.vat_number(party.tax_id, party.country) is not None


def _issued(sale: Sale, line: TaxLine, cash_on: CashOn) -> IssuedRow:
    invoice_type = _issued_type(sale)
    corrects = invoice_type.startswith("R")
    vat_date = sale.issue_date if corrects else sale.operation_date or sale.issue_date
    stated = operation(line, sale.place_of_supply, triangular=sale.triangular and not sale.triangular_exempt)
    unstated = line.regime_key is None and stated.qualification == "S1" and stated.tax == VAT
    return IssuedRow(
        sale=sale,
        invoice_type=invoice_type,
        tax=stated.tax,
        key=CASH if unstated and cash_on(vat_date) else stated.regime or GENERAL,
        qualification=stated.qualification,
        exemption=stated.exemption,
        rate=line.rate,
        amounts=Amounts(line.base, line.amount, line.surcharge_amount),
        surcharge_rate=line.surcharge_rate,
        vat_date=vat_date,
    )


def recovers_vat_only(sale: Sale) -> bool:
    """Return True for a correction of what is not paid: the sale stays income, of which the loss is another matter."""
    return sale.kind is DocumentKind.CREDIT_NOTE and sale.correction_reason in _VAT_ONLY


def _issued_type(sale: Sale) -> str:
    """Type of the authority's list L2; a correction without a reason is the usual one for its client."""
    match sale.kind:
        case DocumentKind.INVOICE:
            return COMPLETE
        case DocumentKind.SIMPLIFIED:
            return SIMPLIFIED
        case DocumentKind.CREDIT_NOTE:
            usual = _SIMPLIFIED_CORRECTION if sale.client is None else _LEGAL_ERROR
            return sale.correction_reason or usual


_RECEIVED_TYPES = {
    PurchaseKind.INVOICE: COMPLETE,
    PurchaseKind.SIMPLIFIED: SIMPLIFIED,
    PurchaseKind.CREDIT_NOTE: _LEGAL_ERROR,
    PurchaseKind.IMPORT: IMPORT,
    PurchaseKind.NO_INVOICE: WITHOUT_INVOICE,
}
_FARMING_OF_VENDOR = "19"
"""Key of the vendor's own regime in the list of issued invoices; its buyer books 02."""


def _received_key(purchase: Purchase, cash_on: CashOn) -> str:
    if purchase.regime_key == _FARMING_OF_VENDOR:
        return FARMERS
    intra_eu = purchase.assessment in {Assessment.INTRA_EU_GOODS, Assessment.INTRA_EU_SERVICES}
    if intra_eu and purchase.regime_key in {None, GENERAL}:
        return INTRA_EU
    if purchase.regime_key is not None:
        return purchase.regime_key
    within = purchase.assessment is Assessment.VENDOR and purchase.kind is not PurchaseKind.IMPORT
    return CASH if within and cash_on(purchase.operation_date or purchase.issue_date) else GENERAL


def _received(purchase: Purchase, line: PurchaseTax, key: str) -> ReceivedRow:
    foreign = key != FARMERS and foreign_vat.is_certain(purchase, line)
    return ReceivedRow(
        purchase=purchase,
        invoice_type=_RECEIVED_TYPES[purchase.kind],
        key=GENERAL if foreign and key == CASH else key,
        rate=line.rate,
        amounts=Amounts(line.base, line.tax, line.surcharge_amount),
        deductible=_NOTHING if foreign else Amounts(line.deductible_base, line.deductible_tax),
        investment_good=line.investment_good,
        useful_life_years=line.useful_life_years,
        foreign=foreign,
    )


def _by_rate(rows: Iterable[IssuedRow]) -> Mapping[tuple[str, str | None, Decimal], list[Amounts]]:
    """Return the amounts of a document's rows by key, qualification and rate, of any surcharge."""
    amounts: dict[tuple[str, str | None, Decimal], list[Amounts]] = {}
    for row in rows:
        amounts.setdefault(_rate_of(row), []).append(row.amounts)
    return amounts


def _rate_of(row: IssuedRow) -> tuple[str, str | None, Decimal]:
    return (row.key, row.qualification, row.rate)


def _sum(amounts: Amounts, other: Amounts) -> Amounts:
    return Amounts(amounts.base + other.base, amounts.quota + other.quota, amounts.surcharge + other.surcharge)


def _below_zero(amounts: list[Amounts]) -> bool:
    """Return True where the VAT is below zero together; without VAT, where the base is."""
    quota = sum([amount.quota for amount in amounts], ZERO)
    return quota < 0 or (not quota and sum([amount.base for amount in amounts], ZERO) < 0)


def _forced_on(accrual: date) -> date:
    """Return the day that ends the wait for payment: 31 December of the year after (LIVA, art. 163 terdecies)."""
    return date(accrual.year + 1, 12, 31)


def _paid_part(
    amounts: Amounts, payments: tuple[LedgerPayment, ...], payable: Decimal, forced_on: date, span: DateSpan
) -> Amounts | None:
    """Return the part of the amounts that was paid within the span, in cents; None where that is nothing.

    It is the difference of what was paid by its end and before it, each rounded: all periods add up to the amounts.
    """
    until = _paid_share(payments, payable, forced_on, span.last)
    before = _paid_share(payments, payable, forced_on, span.first - _DAY)
    if until == before:
        return None
    return Amounts(*(round_cents(amount * until) - round_cents(amount * before) for amount in amounts))


def _paid_share(payments: tuple[LedgerPayment, ...], payable: Decimal, forced_on: date, day: date) -> Decimal:
    """Return the share that was paid by the end of a day: 0 to 1, and 1 once cash accounting has ended."""
    if day >= forced_on:
        return Decimal(1)
    paid = sum((payment.amount for payment in payments if payment.day <= day), ZERO)
    if not payable:
        return Decimal(1) if any(payment.day <= day for payment in payments) else ZERO
    return min(max(paid / payable, ZERO), Decimal(1))
