"""Reading of a ledger into boxes: every row goes to its boxes, or the reason why it reaches none is noted."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache

from ledgerkit.money import HUNDRED
from ledgerkit.providers.api import DateSpan, DeclarationWarning, Ledger, Purchase, PurchaseKind
from ledgerkit.providers.es.tax_forms.messages import UnboxedMsg
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.records import (
    Amounts,
    IssuedRow,
    ReceivedRow,
    cash_accounting,
    issued_rows,
    received_rows,
)
from ledgerkit.providers.es.tax_forms.sheet import BoxSums
from ledgerkit.texts import text

IssuedRule = Callable[[IssuedRow, BoxSums], UnboxedMsg | None]
ReceivedRule = Callable[[ReceivedRow, BoxSums], UnboxedMsg | None]
"""Rule that adds a row to its boxes, or returns the reason why it reaches none."""


def add_nothing(row: IssuedRow | ReceivedRow, sums: BoxSums) -> None:
    """Add nothing, as a rule for rows that are not read."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Sums of the boxes, and the documents with a row that reached none, by reason."""

    sums: BoxSums
    unboxed: Mapping[UnboxedMsg, frozenset[str]]

    def warnings(self, without: Collection[UnboxedMsg] = ()) -> list[DeclarationWarning]:
        """Return a warning for each reason; none for those `without`, of which another warning speaks."""
        return [
            DeclarationWarning(code=reason.value, message=text(reason), document_ids=tuple(sorted(ids)))
            for reason, ids in sorted(self.unboxed.items())
            if reason not in without
        ]


def read(
    ledger: Ledger, span: DateSpan, profile: SpanishTaxProfile, issued: IssuedRule, received: ReceivedRule
) -> Reading:
    """Return what the rules make of a ledger. Rows that belong to other days than the span are nobody's loss."""
    sums, cash_on = BoxSums(), cash_accounting(profile)
    unboxed: defaultdict[UnboxedMsg, set[str]] = defaultdict(set)
    for sale in ledger.sales:
        issued_reasons = [issued(row, sums) for row in issued_rows(sale, cash_on) if touches_issued(row, span)]
        if not sale.taxes and sale.issue_date in span:
            issued_reasons = [UnboxedMsg.NO_TAX_LINES]
        for reason in filter(None, issued_reasons):
            unboxed[reason].add(sale.document_id)
    for purchase in filter(_is_of_vat, ledger.purchases):
        reasons = [received(row, sums) for row in received_rows(purchase, cash_on) if touches_received(row, span)]
        if not purchase.taxes and purchase.deduction_date in span:
            reasons = [UnboxedMsg.NO_TAX_LINES]
        for reason in filter(None, reasons):
            unboxed[reason].add(purchase.document_id)
    return Reading(sums=sums, unboxed={reason: frozenset(ids) for reason, ids in unboxed.items()})


def _is_of_vat(purchase: Purchase) -> bool:
    """Return False for payroll, fees and taxes without any VAT: they have no invoice, and a VAT form loses nothing."""
    return purchase.kind is not PurchaseKind.NO_INVOICE or any(line.tax for line in purchase.taxes)


def touches_issued(row: IssuedRow, span: DateSpan) -> bool:
    """Return True for a row of the span: by its date, or because some of it accrues then."""
    return row.vat_date in span or row.accrued(span) is not None


def touches_received(row: ReceivedRow, span: DateSpan) -> bool:
    """Return True for a row of which something is owed, booked or deducted within the span."""
    purchase = row.purchase
    booked_by_issue = row.self_assessed or row.by_cash
    if booked_by_issue and purchase.issue_date in span:
        return True
    return purchase.deduction_date in span or row.deducted(span) is not None


Deductible = Callable[[ReceivedRow, Amounts], Amounts]


def provisionally(profile: SpanishTaxProfile) -> Deductible:
    """Return a function that takes the provisional percent of what a row lets deduct, not rounded.

    The percent is that of the day of the deduction (LIVA, art. 105); all is deductible where there is none, and nothing
    under the equivalence surcharge (art. 154.Dos).
    """

    @cache
    def percent(day: date) -> int:
        state = profile.on(day)
        if state.surcharge_regime:
            return 0
        return 100 if state.provisional_percent is None else state.provisional_percent

    def deductible(row: ReceivedRow, amounts: Amounts) -> Amounts:
        share = Decimal(percent(row.purchase.deduction_date)) / HUNDRED
        return Amounts(amounts.base * share, amounts.quota * share)

    return deductible
