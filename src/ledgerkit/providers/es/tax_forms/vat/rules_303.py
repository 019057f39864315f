"""Boxes of form 303 that add up documents: VAT due, deductible VAT, information, and the year's turnover.

Sources: AEAT, conditions by which its own draft of the form reads the record books; instructions of form 303.
Boxes 01 to 13 and 28 to 39 have no sign in the file: what is below zero goes to 14/15 and 40/41, whatever the document.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from types import MappingProxyType

from ledgerkit.providers.api import DateSpan, FiledDocument, Ledger, Purchase, TaxPeriod
from ledgerkit.providers.es.tax_forms.messages import UnboxedMsg
from ledgerkit.providers.es.tax_forms.records import Amounts, IssuedRow, ReceivedRow
from ledgerkit.providers.es.tax_forms.sheet import BoxSums
from ledgerkit.providers.es.tax_forms.vat.operations import SaleKind, Source, owed_by_buyer, sale_kind, source
from ledgerkit.providers.es.tax_forms.vat.rate_boxes import OUTPUT_303, SURCHARGE_303, boxes_of
from ledgerkit.providers.es.tax_forms.vat.reading import Deductible, IssuedRule, ReceivedRule
from ledgerkit.providers.es.tax_forms.vat.result_303 import FORM_303

MODIFIED, MODIFIED_SURCHARGE, RECTIFIED, COMPENSATION = ("14", "15"), ("25", "26"), ("40", "41"), "42"

INFORMATION: Mapping[SaleKind, str] = MappingProxyType(
    {
        SaleKind.INTRA_EU: "59",
        SaleKind.EXPORT: "60",
        SaleKind.ELSEWHERE: "120",
        SaleKind.REVERSE_CHARGE: "122",
        SaleKind.SHOP_ELSEWHERE: "123",
        SaleKind.SHOP_TAXED: "124",
    }
)
_WITHOUT_BOX: Mapping[SaleKind, UnboxedMsg] = MappingProxyType(
    {
        SaleKind.EXEMPT: UnboxedMsg.EXEMPT,
        SaleKind.NOT_SUBJECT: UnboxedMsg.NOT_SUBJECT,
        SaleKind.SIMPLIFIED_REGIME: UnboxedMsg.REGIME_APART,
        SaleKind.FARMING_REGIME: UnboxedMsg.REGIME_APART,
        SaleKind.RETAILERS: UnboxedMsg.REGIME_APART,
    }
)
_DEDUCTIBLE: Mapping[tuple[Source, bool], tuple[str, str]] = MappingProxyType(
    {
        (Source.DOMESTIC, False): ("28", "29"),
        (Source.DOMESTIC, True): ("30", "31"),
        (Source.IMPORT, False): ("32", "33"),
        (Source.IMPORT, True): ("34", "35"),
        (Source.INTRA_EU_GOODS, False): ("36", "37"),
        (Source.INTRA_EU_GOODS, True): ("38", "39"),
        (Source.INTRA_EU_SERVICES, False): ("36", "37"),
        (Source.INTRA_EU_SERVICES, True): ("38", "39"),
    }
)
"""Boxes of base and quota by origin, and True for investment goods."""

CLAIMED = frozenset({*(box for pair in _DEDUCTIBLE.values() for box in pair), *RECTIFIED, COMPENSATION})
"""Boxes of what is deducted of purchases."""

OWED = frozenset({"10", "11", "12", "13", *MODIFIED, "74", "75"})
"""Boxes that purchases reach by the day of their issue."""

_TURNOVER: Mapping[SaleKind, str] = MappingProxyType(
    {
        SaleKind.TAXED: "80",
        SaleKind.INTRA_EU: "93",
        SaleKind.EXPORT: "94",
        SaleKind.EXEMPT: "83",
        SaleKind.NOT_SUBJECT: "83",
        SaleKind.ELSEWHERE: "84",
        SaleKind.REVERSE_CHARGE: "125",
        SaleKind.SHOP_ELSEWHERE: "126",
        SaleKind.SHOP_TAXED: "127",
        SaleKind.SIMPLIFIED_REGIME: "86",
        SaleKind.FARMING_REGIME: "95",
        SaleKind.RETAILERS: "96",
    }
)
_TURNOVER_OF_KEY = MappingProxyType({"07": "81", "03": "97", "05": "98"})
"""Boxes of taxed operations of a regime of their own, by key."""


def issued_rule(period: TaxPeriod) -> IssuedRule:
    """Return the rule for issued rows of a period."""
    span = period.span

    def add(row: IssuedRow, sums: BoxSums) -> UnboxedMsg | None:
        kind = sale_kind(row)
        if isinstance(kind, UnboxedMsg):
            return kind
        if not any(row.amounts):
            return UnboxedMsg.ZERO
        if kind is SaleKind.TAXED:
            return _taxed(row, sums, period)
        if kind in INFORMATION:
            sums.add(INFORMATION[kind], row.sale.document_id, row.amounts.base)
            return None
        return _WITHOUT_BOX[kind]

    def _taxed(row: IssuedRow, sums: BoxSums, period: TaxPeriod) -> UnboxedMsg | None:
        if row.by_cash and row.vat_date in span:
            sums.add_pair(("62", "63"), row.sale.document_id, row.amounts)
        accrued = row.accrued(span)
        return _output(row, accrued, sums, period) if accrued else None

    return add


def _output(row: IssuedRow, accrued: Amounts, sums: BoxSums, period: TaxPeriod) -> UnboxedMsg | None:
    of_rate = boxes_of(row.rate, OUTPUT_303, period)
    of_surcharge = None if row.surcharge_rate is None else boxes_of(row.surcharge_rate, SURCHARGE_303, period)
    modifies, document_id = row.modifies, row.sale.document_id
    if not modifies and (of_rate is None or (row.surcharge_rate is not None and of_surcharge is None)):
        return UnboxedMsg.NO_RATE_BOX
    sums.add_pair(of_rate if of_rate and not modifies else MODIFIED, document_id, accrued)
    if row.surcharge_rate is not None:
        boxes = of_surcharge if of_surcharge and not modifies else MODIFIED_SURCHARGE
        sums.add_pair(boxes, document_id, Amounts(accrued.base, accrued.surcharge))
    return None


def received_rule(period: TaxPeriod, deductible: Deductible) -> ReceivedRule:
    """Return the rule for received rows of a period."""
    span = period.span

    def add(row: ReceivedRow, sums: BoxSums) -> UnboxedMsg | None:
        issued = row.purchase.issue_date in span
        owed = owed_by_buyer(row)
        if owed and issued:
            boxes = MODIFIED if row.modifies else ("10", "11") if row.intra_eu else ("12", "13")
            sums.add_pair(boxes, row.purchase.document_id, row.amounts)
        if row.by_cash and issued:
            sums.add_pair(("74", "75"), row.purchase.document_id, row.amounts)
        reason = _deduct(row, sums, span, deductible)
        return None if owed or (row.by_cash and issued) else reason

    return add


def _deduct(row: ReceivedRow, sums: BoxSums, span: DateSpan, deductible: Deductible) -> UnboxedMsg | None:
    origin = source(row)
    if isinstance(origin, UnboxedMsg):
        return origin
    deducted = row.deducted(span)
    if deducted is None:
        return None
    amounts, document_id = deductible(row, deducted), row.purchase.document_id
    if origin is Source.FARMERS:
        sums.add(COMPENSATION, document_id, amounts.quota)
        return None
    boxes = RECTIFIED if row.modifies else _DEDUCTIBLE[origin, row.investment_good]
    sums.add_pair(boxes, document_id, amounts)
    return None


def turnover_rule(span: DateSpan) -> IssuedRule:
    """Return the rule for the turnover of a year (LIVA, art. 121): by the general rule of accrual, always."""

    def add(row: IssuedRow, sums: BoxSums) -> UnboxedMsg | None:
        kind = sale_kind(row)
        if isinstance(kind, UnboxedMsg) or row.vat_date not in span:
            return None
        usual = _TURNOVER[kind]
        box = _TURNOVER_OF_KEY.get(row.key, usual) if kind is SaleKind.TAXED else usual
        sums.add(box, row.sale.document_id, row.amounts.base)
        return None

    return add


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
