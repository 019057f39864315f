"""Purchases that filed forms 303 hold: each stays in the period in which it was declared."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from ledgerkit.providers.api import FiledDocument, Ledger, Purchase, TaxPeriod
from ledgerkit.providers.es.tax_forms.vat.result_303 import FORM_303
from ledgerkit.providers.es.tax_forms.vat.rules_303 import CLAIMED, OWED


def as_declared(ledger: Ledger, filed: Sequence[FiledDocument]) -> Ledger:
    """Return the ledger with purchases in the periods whose form 303 has them, whatever their dates are by now.

    What a 303 has deducted is deducted in its period; what it has stated as owed by the buyer is issued in it.
    """
    deducted, owed = _periods(filed, CLAIMED), _periods(filed, OWED)
    if not deducted and not owed:
        return ledger
    return replace(ledger, purchases=[_as_declared(purchase, deducted, owed) for purchase in ledger.purchases])


_Periods = Mapping[str, Sequence[TaxPeriod]]


def _periods(filed: Iterable[FiledDocument], boxes: Collection[str]) -> _Periods:
    """Return the periods whose form 303 has a document in any of the boxes, by document."""
    periods: dict[str, list[TaxPeriod]] = {}
    for document in filed:
        if document.form == FORM_303 and not document.boxes.isdisjoint(boxes):
            periods.setdefault(document.document_id, []).append(document.period)
    return periods


def _as_declared(purchase: Purchase, deducted: _Periods, owed: _Periods) -> Purchase:
    deduction_date = _day_within(purchase.deduction_date, deducted.get(purchase.document_id, ()))
    issue_date = _day_within(purchase.issue_date, owed.get(purchase.document_id, ()))
    if (deduction_date, issue_date) == (purchase.deduction_date, purchase.issue_date):
        return purchase
    return replace(purchase, deduction_date=deduction_date, issue_date=issue_date)


def _day_within(day: date, periods: Sequence[TaxPeriod]) -> date:
    """Return a day of one of the periods: the day itself if it is one, or if there are none."""
    if not periods or any(day in period.span for period in periods):
        return day
    return periods[0].span.last
