"""Operations with third parties, as form 347 declares them: parts of documents by party, key and marks.

Sources: RD 1065/2007, arts. 31 to 35 (what is declared, what is not, and how); record design of form 347.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Assessment,
    DateSpan,
    Ledger,
    Party,
    Purchase,
    PurchaseKind,
    RetentionKind,
    Sale,
    TaxCategory,
    TaxLine,
)
from ledgerkit.providers.es.tax_forms.income.retentions import payee_key
from ledgerkit.providers.es.tax_forms.lists.eu_operations import eu_sale_key
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.records import CASH, Amounts, CashOn, cash_accounting, issued_rows, received_rows

PURCHASES, SALES = "A", "B"

_LEASES: Collection[str] = frozenset({"11", "12", "13"})
"""Regime keys of the letting of business premises."""

_EXPORT = "E2"
"""Exemption of exports (Ley 37/1992, art. 21), which customs know: RD 1065/2007, art. 33.2."""

_WITHOUT_OPERATION = frozenset({PurchaseKind.NO_INVOICE, PurchaseKind.IMPORT})
_INTRA_EU = frozenset({Assessment.INTRA_EU_GOODS, Assessment.INTRA_EU_SERVICES})


class Marks(NamedTuple):
    """Marks that make a record of its own."""

    business_lease: bool = False
    reverse_charge: bool = False
    cash_accounting: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """Part of a document. `party_key` is the same for all documents of a party.

    `amount` is with VAT and surcharge, before retention, on `day`; `accrued` what became due by payments within the
    year, under cash accounting; `cash` what was received in coins and notes within the year.
    """

    document_id: str
    party: Party
    party_key: str
    key: str
    marks: Marks
    day: date
    amount: Decimal = ZERO
    accrued: Decimal = ZERO
    cash: Decimal = ZERO


def operations(ledger: Ledger, year: DateSpan, profile: SpanishTaxProfile) -> Iterator[Operation]:
    """Yield the operations of a year with parties that documents name."""
    cash_on = cash_accounting(profile)
    for sale in ledger.sales:
        if sale.client is not None:
            yield from _of_sale(sale, sale.client, year, profile, cash_on)
    for purchase in ledger.purchases:
        if _is_declared(purchase):
            yield from _of_purchase(purchase, year, cash_on)


def _of_sale(
    sale: Sale, client: Party, year: DateSpan, profile: SpanishTaxProfile, cash_on: CashOn
) -> Iterator[Operation]:
    lines = [line for line in sale.taxes if _is_declared_line(sale, line, profile)]
    if not lines:
        return
    operation = _operation(sale.document_id, client, SALES, sale.issue_date)
    by_cash = [row for row in issued_rows(sale, cash_on) if row.by_cash]
    for line in lines if sale.issue_date in year else ():
        marks = Marks(
            business_lease=line.regime_key in _LEASES,
            reverse_charge=line.category is TaxCategory.REVERSE_CHARGE,
            cash_accounting=bool(by_cash) and _is_by_cash(sale, line, cash_on),
        )
        yield replace(operation, marks=marks, amount=_line_total(line))
    if total := _total(row.accrued(year) for row in by_cash):
        yield replace(operation, marks=Marks(cash_accounting=True), accrued=total)
    if received := sum((payment.amount for payment in sale.payments if payment.in_cash and payment.day in year), ZERO):
        yield replace(operation, cash=received)


def _of_purchase(purchase: Purchase, year: DateSpan, cash_on: CashOn) -> Iterator[Operation]:
    operation = _operation(purchase.document_id, purchase.vendor, PURCHASES, purchase.issue_date)
    by_cash = purchase.regime_key == CASH
    if purchase.issue_date in year:
        marks = Marks(
            business_lease=purchase.leased_property is not None or purchase.retention_kind is RetentionKind.RENT,
            reverse_charge=purchase.assessment is Assessment.REVERSE_CHARGE,
            cash_accounting=by_cash,
        )
        yield replace(operation, marks=marks, amount=purchase.gross_total)
    rows = received_rows(purchase, cash_on) if by_cash else ()
    if total := _total(row._replace(deductible=row.amounts).deducted(year) for row in rows):
        yield replace(operation, marks=Marks(cash_accounting=True), accrued=total)


def _operation(document_id: str, party: Party, key: str, day: date) -> Operation:
    return Operation(document_id=document_id, party=party, party_key=payee_key(party), key=key, marks=Marks(), day=day)


def _is_declared_line(sale: Sale, line: TaxLine, profile: SpanishTaxProfile) -> bool:
    """Leave out what other declarations hold: of the EU, of customs, and rents of which the tenant withholds."""
    exported = line.category is TaxCategory.EXPORT or line.exemption_code == _EXPORT
    if exported or eu_sale_key(sale, line) is not None:
        return False
    return not sale.retention or (profile.declares_withheld_sales and line.regime_key not in _LEASES)


def _is_declared(purchase: Purchase) -> bool:
    """Leave out what has no invoice or customs, what form 349 holds, and what was withheld of (190 and 180)."""
    return not (purchase.retention or purchase.kind in _WITHOUT_OPERATION or purchase.assessment in _INTRA_EU)


def _is_by_cash(sale: Sale, line: TaxLine, cash_on: CashOn) -> bool:
    alone = replace(sale, taxes=(line,))
    return any(row.key == CASH for row in issued_rows(alone, cash_on))


def _line_total(line: TaxLine) -> Decimal:
    return line.base + line.amount + line.surcharge_amount + (line.untaxed or ZERO)


def _total(accrued: Iterator[Amounts | None]) -> Decimal:
    return sum((sum(operation, ZERO) for operation in accrued if operation is not None), ZERO)
