"""Columns of a new supplier invoice: from what the caller sends and its vendor's defaults."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from ledgerkit.core.platform.database.ids import NO_ID, new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.platform.documents.payment_terms import TERM_DAYS
from ledgerkit.core.platform.records import search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.received_documents.input import (
    DETAIL_COLUMNS,
    check_details,
    require_from,
)
from ledgerkit.core.purchases.supplier_invoices.amounts import computation as amounts
from ledgerkit.core.purchases.supplier_invoices.amounts.computation import StatedTax
from ledgerkit.core.purchases.supplier_invoices.api import SupplierInvoiceInput
from ledgerkit.core.purchases.supplier_invoices.table import SupplierInvoiceRow
from ledgerkit.core.purchases.vendors.table import VendorRow
from ledgerkit.money import HUNDRED, ZERO, RoundingPolicy

MAX_KEY = 200
"""Characters of an invoice number that are compared: an index entry holds no more."""

_COPIED_FIELDS = (
    *DETAIL_COLUMNS,
    *("invoice_date", "retention_rate", "attachment_url", "reverse_charge", "intra_eu", "investment_good"),
)


@dataclass(frozen=True, kw_only=True)
class NewVendor:
    """Vendor that an import names and that is not stored yet."""

    name: str
    tax_id: str | None
    country: str
    id: UUID = NO_ID
    payment_term_days: int | None = None
    default_category: str | None = None
    default_tax_rate: Decimal | None = None


VendorOfInvoice = VendorRow | NewVendor
"""Vendor with the defaults of its invoices."""


def number_key(number: str) -> str:
    """Return the form in which two spellings of an invoice number are equal, as `F-2026/001` and `f 2026 001`.

    Case, accents and separators do not count, except for a separator between two digits: `1/11` is not `11/1`.
    """
    folded = search.fold(number)
    with_separators = re.sub(r"(?<=\d)[\W_]+(?=\d)", "-", folded)
    return (re.sub(r"[^\w-]|_|(?<!\d)-|-(?!\d)", "", with_separators) or folded)[:MAX_KEY]


def values(
    ctx: Context, data: SupplierInvoiceInput, vendor: VendorOfInvoice, stated: Sequence[StatedTax] | None = None
) -> Values[SupplierInvoiceRow]:
    """Return the new row's columns, with defaults from the vendor.

    `stated`: the taxes of each item as another software rounded them. Raises Invalid naming the wrong field.
    """
    rate = _tax_rate(ctx, data, vendor)
    currency = data.currency or ctx.account.currency
    exchanged = exchange_rates.stated(data, currency, ctx.account.currency)
    rounding = ctx.country.tax.rounding if ctx.country else RoundingPolicy()
    sums = amounts.compute(data, rate, rounding, stated, exchanged.rate)
    check_details(
        retention_kind=data.retention_kind,
        triangular=bool(data.triangular),
        intra_eu=data.intra_eu,
        retention=sums.retention,
    )
    term = TERM_DAYS if vendor.payment_term_days is None else vendor.payment_term_days
    number = data.invoice_number or None
    category = data.category or vendor.default_category
    texts = (item.description for item in data.items or ())
    copied = Values.copied(SupplierInvoiceRow, data, _COPIED_FIELDS)
    computed = sums.columns() | _dates(data, term) | vendor_columns(vendor)
    return (
        copied
        | computed
        | Values(
            SupplierInvoiceRow,
            id=new_id(),
            invoice_number=number,
            number_key=None if number is None else number_key(number),
            tax_rate=rate,
            triangular=bool(data.triangular),
            deductible_percent=amounts.default_use(data).deductible_percent,
            income_tax_percent=HUNDRED if data.income_tax_percent is None else data.income_tax_percent,
            currency=currency,
            exchange_rate=exchanged.rate,
            exchange_rate_source=exchanged.source,
            category=category,
            created_by=ctx.actor.user_id,
            channel=ctx.actor.channel.value,
            search_text=search.searchable(number, vendor.name, vendor.tax_id, *texts, category, data.notes),
        )
    )


def vendor_columns(vendor: VendorOfInvoice) -> Values[SupplierInvoiceRow]:
    """Return the vendor's id, and the copies that the invoice keeps."""
    return Values(
        SupplierInvoiceRow,
        vendor_id=vendor.id,
        vendor_name=vendor.name,
        vendor_tax_id=vendor.tax_id,
        vendor_country=vendor.country,
    )


def _tax_rate(ctx: Context, data: SupplierInvoiceInput, vendor: VendorOfInvoice) -> Decimal:
    """Return the rate sent, else the vendor's, else zero; where the buyer assesses the tax, the general rate."""
    if data.tax_rate is not None:
        return data.tax_rate
    if vendor.default_tax_rate is not None:
        return vendor.default_tax_rate
    if amounts.is_tax_charged(data) or ctx.country is None:
        return ZERO
    return ctx.country.tax.rates(data.operation_date or data.invoice_date)[0].percent


def _dates(data: SupplierInvoiceInput, term: int) -> Values[SupplierInvoiceRow]:
    """Return the days of payment, reception and deduction.

    Raises Invalid for a day before the invoice, and for a deduction before the reception.
    """
    due_date = data.due_date or data.invoice_date + timedelta(days=term)
    reception_date = data.reception_date or data.invoice_date
    deduction_date = data.deduction_date or reception_date
    require_from("dueDate", due_date, "invoiceDate", data.invoice_date)
    require_from("receptionDate", reception_date, "invoiceDate", data.invoice_date)
    require_from("deductionDate", deduction_date, "receptionDate", reception_date)
    return Values(SupplierInvoiceRow, due_date=due_date, reception_date=reception_date, deduction_date=deduction_date)
