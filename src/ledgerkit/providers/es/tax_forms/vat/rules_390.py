"""Boxes of form 390 that add up documents: the same rows as in form 303, by rate, and the year's turnover.

Sources: designs dr390e2024 and dr390e2025 and instructions of form 390 of the AEAT.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Assessment, PurchaseKind, TaxPeriod
from ledgerkit.providers.es.tax_forms.messages import UnboxedMsg
from ledgerkit.providers.es.tax_forms.records import Amounts, IssuedRow, ReceivedRow
from ledgerkit.providers.es.tax_forms.sheet import BoxSums
from ledgerkit.providers.es.tax_forms.vat import rate_boxes as rates
from ledgerkit.providers.es.tax_forms.vat.operations import SaleKind, Source, owed_by_buyer, sale_kind, source
from ledgerkit.providers.es.tax_forms.vat.rate_boxes import RateBoxes, boxes_of
from ledgerkit.providers.es.tax_forms.vat.reading import Deductible, IssuedRule, ReceivedRule

_INSOLVENCY = "R2"
"""Type of a correction by the client's insolvency (LIVA, art. 80.Tres), which has boxes of its own."""

_SPAIN = "ES"

_OUTPUT_OF_KEY = MappingProxyType({"07": rates.CASH_390, "03": rates.USED_GOODS_390, "05": rates.TRAVEL_390})
_TURNOVER: Mapping[SaleKind, str] = MappingProxyType(
    {
        SaleKind.TAXED: "99",
        SaleKind.INTRA_EU: "103",
        SaleKind.EXPORT: "104",
        SaleKind.EXEMPT: "105",
        SaleKind.NOT_SUBJECT: "105",
        SaleKind.ELSEWHERE: "110",
        SaleKind.REVERSE_CHARGE: "125",
        SaleKind.SHOP_ELSEWHERE: "126",
        SaleKind.SHOP_TAXED: "127",
        SaleKind.SIMPLIFIED_REGIME: "100",
        SaleKind.FARMING_REGIME: "101",
        SaleKind.RETAILERS: "102",
    }
)
_TURNOVER_OF_KEY = MappingProxyType({"07": "653", "03": "227", "05": "228"})
_DEDUCTIBLE: Mapping[tuple[Source, bool], tuple[RateBoxes, ...]] = MappingProxyType(
    {
        (Source.DOMESTIC, False): rates.DOMESTIC_390,
        (Source.DOMESTIC, True): rates.DOMESTIC_INVESTMENT_390,
        (Source.IMPORT, False): rates.IMPORT_390,
        (Source.IMPORT, True): rates.IMPORT_INVESTMENT_390,
        (Source.INTRA_EU_GOODS, False): rates.INTRA_EU_INPUT_390,
        (Source.INTRA_EU_GOODS, True): rates.INTRA_EU_INVESTMENT_390,
        (Source.INTRA_EU_SERVICES, False): rates.SERVICES_INPUT_390,
        (Source.INTRA_EU_SERVICES, True): rates.INTRA_EU_INVESTMENT_390,
    }
)
_OWED = MappingProxyType(
    {
        Assessment.INTRA_EU_GOODS: rates.INTRA_EU_GOODS_390,
        Assessment.INTRA_EU_SERVICES: rates.INTRA_EU_SERVICES_390,
    }
)


def issued_rule(year: TaxPeriod) -> IssuedRule:
    """Return the rule for issued rows of a year."""

    def add(row: IssuedRow, sums: BoxSums) -> UnboxedMsg | None:
        kind = sale_kind(row)
        if isinstance(kind, UnboxedMsg):
            return kind
        if not any(row.amounts):
            return UnboxedMsg.ZERO
        document_id = row.sale.document_id
        if row.vat_date in year.span:
            usual = _TURNOVER[kind]
            box = _TURNOVER_OF_KEY.get(row.key, usual) if kind is SaleKind.TAXED else usual
            sums.add(box, document_id, row.amounts.base)
        if kind is SaleKind.TAXED and row.by_cash and row.vat_date in year.span:
            sums.add_pair(("654", "655"), document_id, row.amounts)
        accrued = row.accrued(year.span) if kind is SaleKind.TAXED else None
        return None if accrued is None else _output(row, accrued, sums, year)

    return add


def _output(row: IssuedRow, accrued: Amounts, sums: BoxSums, year: TaxPeriod) -> UnboxedMsg | None:
    document_id = row.sale.document_id
    insolvent = row.invoice_type == _INSOLVENCY
    of_rate: tuple[str, str] | None = ("31", "32") if insolvent else ("29", "30")
    of_surcharge: tuple[str, str] | None = ("45", "46") if insolvent else ("43", "44")
    if not row.modifies:
        table = _OUTPUT_OF_KEY.get(row.key, rates.OUTPUT_390)
        of_rate = boxes_of(row.rate, table, year)
        of_surcharge = boxes_of(row.surcharge_rate or ZERO, rates.SURCHARGE_390, year)
    if of_rate is None or of_surcharge is None:
        return UnboxedMsg.NO_RATE_BOX
    sums.add_pair(of_rate, document_id, accrued)
    if row.surcharge_rate is not None:
        sums.add_pair(of_surcharge, document_id, Amounts(accrued.base, accrued.surcharge))
    return None


def received_rule(year: TaxPeriod, deductible: Deductible) -> ReceivedRule:
    """Return the rule for received rows of a year."""
    span = year.span

    def add(row: ReceivedRow, sums: BoxSums) -> UnboxedMsg | None:
        document_id, issued = row.purchase.document_id, row.purchase.issue_date in span
        reason = _owe(row, sums, year) if issued and owed_by_buyer(row) else None
        if row.by_cash and issued:
            sums.add_pair(("656", "657"), document_id, row.amounts)
        if row.purchase.deduction_date in span:
            _specific(row, sums)
        return reason or _deduct(row, sums, year, deductible)

    return add


def _owe(row: ReceivedRow, sums: BoxSums, year: TaxPeriod) -> UnboxedMsg | None:
    """Add the tax that the buyer owes; services of vendors abroad also to box 523, where the purchase states them."""
    purchase = row.purchase
    boxes = ("29", "30") if row.modifies else ("27", "28")
    if row.intra_eu and not row.modifies:
        of_rate = boxes_of(row.rate, _OWED[purchase.assessment], year)
        if of_rate is None:
            return UnboxedMsg.NO_RATE_BOX
        boxes = of_rate
    sums.add_pair(boxes, purchase.document_id, row.amounts)
    abroad = purchase.assessment is Assessment.REVERSE_CHARGE and purchase.vendor.country != _SPAIN
    if abroad or purchase.assessment is Assessment.INTRA_EU_SERVICES:
        sums.add("523", purchase.document_id, row.amounts.base)
    return None


def _specific(row: ReceivedRow, sums: BoxSums) -> None:
    """Add exempt purchases, and the bases of which the VAT is not deductible; VAT of other countries is none of it."""
    purchase = row.purchase
    if purchase.kind is PurchaseKind.NO_INVOICE or row.foreign:
        return
    if row.amounts.quota and not purchase.triangular:
        sums.add("232", purchase.document_id, row.amounts.base - row.deductible.base)
    elif purchase.kind is PurchaseKind.IMPORT:
        sums.add("231", purchase.document_id, row.amounts.base)
    elif purchase.triangular or (purchase.assessment is Assessment.INTRA_EU_GOODS and not row.amounts.quota):
        sums.add("109", purchase.document_id, row.amounts.base)
    elif purchase.assessment is Assessment.VENDOR:
        sums.add("230", purchase.document_id, row.amounts.base)


_BOXED_ELSEWHERE = frozenset({UnboxedMsg.NO_TAX, UnboxedMsg.NO_DEDUCTION, UnboxedMsg.TRIANGULAR})
"""Reasons of rows that deduct nothing and still reach a box: 230, 109, 231 or 232."""


def _deduct(row: ReceivedRow, sums: BoxSums, year: TaxPeriod, deductible: Deductible) -> UnboxedMsg | None:
    origin = source(row)
    if isinstance(origin, UnboxedMsg):
        return None if origin in _BOXED_ELSEWHERE else origin
    deducted = row.deducted(year.span)
    if deducted is None:
        return None
    boxes: tuple[str, str] | None = ("639", "62")
    if origin is Source.FARMERS:
        boxes = ("60", "61")
    elif not row.modifies:
        boxes = boxes_of(row.rate, _DEDUCTIBLE[origin, row.investment_good], year)
    if boxes is None:
        return UnboxedMsg.NO_RATE_BOX
    sums.add_pair(boxes, row.purchase.document_id, deductible(row, deducted))
    return None
