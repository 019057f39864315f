"""Operations with other member states, as form 349 declares them: bases of documents by operator and key.

Sources: RD 1624/1992 (RIVA), arts. 78 to 81; Orden EHA/769/2010, as amended by Orden HAC/174/2020.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Assessment,
    BooksOutline,
    DocumentKind,
    DocumentRef,
    Ledger,
    Party,
    Purchase,
    PurchaseKind,
    Sale,
    TaxCategory,
    TaxLine,
    TaxPeriod,
)
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms.income.retentions import since_the_year_before
from ledgerkit.providers.es.tax_forms.official_form import MONTHS, QUARTERS
from ledgerkit.providers.es.tax_forms.records import has_vat_number, issued_rows
from ledgerkit.providers.es.tax_forms.vat.operations import SaleKind, sale_kind

_GOODS_SOLD, _GOODS_BOUGHT, _TRIANGULAR, _SERVICES_SOLD, _SERVICES_BOUGHT = "E", "A", "T", "S", "I"

SOLD = frozenset({_GOODS_SOLD, _TRIANGULAR, _SERVICES_SOLD})
"""Keys of what the account sells."""

_COUNTRIES = tax_ids.MEMBER_STATES | {"GB"}
"""Countries whose businesses may have a VAT number of the EU: those of Northern Ireland do."""

_EXEMPT_SUPPLY = "E5"
"""Exemption of supplies to another member state: Ley 37/1992, art. 25."""

_OF_PURCHASE: Mapping[Assessment, str] = {
    Assessment.INTRA_EU_GOODS: _GOODS_BOUGHT,
    Assessment.INTRA_EU_SERVICES: _SERVICES_BOUGHT,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class EuOperation:
    """Base of a document with one key. `operator` is the VAT number, or the name of who has none.

    `is_credit` tells that the document corrects others: those of `corrects`, where it names them.
    """

    document_id: str
    party: Party
    operator: str
    key: str
    base: Decimal
    day: date
    is_credit: bool = False
    corrects: tuple[DocumentRef, ...] = ()

    def corrected_period(self, code: str) -> TaxPeriod | None:
        """Return the period, as long as the one of a code, of the earliest document that this one corrects."""
        days = [reference.issue_date for reference in self.corrects]
        return period_of(min(days), code) if self.is_credit and days else None


def eu_operations(ledger: Ledger) -> Iterator[EuOperation]:
    """Yield the operations of all documents, whatever their period."""
    for sale in ledger.sales:
        if sale.client is not None:
            yield from _of_sale(sale, sale.client)
    for purchase in ledger.purchases:
        if purchase.assessment in _OF_PURCHASE and not purchase.triangular:
            yield _of_purchase(purchase)


def trades_in_eu(period: TaxPeriod, outline: BooksOutline) -> bool:
    """Return True where operations in the EU are seen: of the period, or before it has ended since the year before."""
    has_ended = period.span.last < outline.today
    span = period.span if has_ended else since_the_year_before(period, outline.today)
    sold = any(month in span and country in _COUNTRIES for month, country in outline.sold_abroad)
    return sold or any(month in span for month in outline.acquired_in_eu)


def eu_sale_key(sale: Sale, line: TaxLine) -> str | None:
    """Return the key of a line of a sale to another member state; None for any other."""
    match line.category:
        case TaxCategory.INTRA_EU_GOODS:
            return _TRIANGULAR if sale.triangular else _GOODS_SOLD
        case TaxCategory.INTRA_EU_SERVICES:
            return _SERVICES_SOLD
        case TaxCategory.EXEMPT | TaxCategory.NOT_SUBJECT:
            return _by_its_codes(sale, line) if has_vat_number(sale.client) else None
    return None


def vat_number(party: Party) -> str | None:
    """Return the VAT number of a party in the EU; None where the document has none of the right structure."""
    return tax_ids.vat_number(party.tax_id, party.country) if party.tax_id else None


def operator_named(name: str) -> str:
    """Return what stands for the VAT number of an operator that has none."""
    return f"name {' '.join(name.casefold().split())}"


def period_of(day: date, code: str) -> TaxPeriod:
    """Return the period of a day: a month or a quarter, as the code is one."""
    if code in MONTHS:
        return TaxPeriod(day.year, MONTHS[day.month - 1])
    return TaxPeriod(day.year, QUARTERS[(day.month - 1) // 3])


def _of_sale(sale: Sale, client: Party) -> Iterator[EuOperation]:
    bases: dict[str, Decimal] = {}
    for line in sale.taxes:
        if key := eu_sale_key(sale, line):
            bases[key] = bases.get(key, ZERO) + line.base
    is_credit = sale.kind is DocumentKind.CREDIT_NOTE
    for key, base in bases.items():
        yield EuOperation(
            document_id=sale.document_id,
            party=client,
            operator=_operator(client),
            key=key,
            base=base,
            day=sale.issue_date if is_credit else sale.operation_date or sale.issue_date,
            is_credit=is_credit,
            corrects=sale.corrects,
        )


def _by_its_codes(sale: Sale, line: TaxLine) -> str | None:
    """Return the key of a line that box 59 of form 303 counts, though its category is a wider one."""
    (row,) = issued_rows(replace(sale, taxes=(line,)), lambda _: False)
    if row.exemption == _EXEMPT_SUPPLY and sale.triangular:
        return _TRIANGULAR
    if sale_kind(row) is not SaleKind.INTRA_EU:
        return None
    return _GOODS_SOLD if row.exemption else _SERVICES_SOLD


def _of_purchase(purchase: Purchase) -> EuOperation:
    return EuOperation(
        document_id=purchase.document_id,
        party=purchase.vendor,
        operator=_operator(purchase.vendor),
        key=_OF_PURCHASE[purchase.assessment],
        base=sum((tax.base for tax in purchase.taxes), ZERO),
        day=purchase.issue_date,
        is_credit=purchase.kind is PurchaseKind.CREDIT_NOTE,
        corrects=purchase.corrects,
    )


def _operator(party: Party) -> str:
    return vat_number(party) or operator_named(party.name)
