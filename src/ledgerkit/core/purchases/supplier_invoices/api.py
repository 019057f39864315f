"""Schemas of supplier invoices and their payments (interface decisions K)."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue

from ledgerkit.core.platform.api_types.fields import Day, Description, Flag, LongText, Name, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.documents.exchange_rates import ExchangeFields
from ledgerkit.core.platform.documents.origin import Origin
from ledgerkit.core.purchases.received_documents.api import WARNINGS, IntraEu, Link, PurchaseDetails, Retained, Years
from ledgerkit.core.purchases.supplier_invoices.table import (
    StoredConvertedPurchase,
    StoredDeduction,
    StoredItem,
    StoredTaxRow,
    SupplierInvoiceRow,
    SupplierPaymentRow,
    VendorPayableRow,
)
from ledgerkit.money import Amount, ExchangeRate, Quantity, Rate, Sum, UnitPrice

MAX_ITEMS = 1000

Status = Literal["pending", "partial", "paid", "overdue", "cancelled"]
Sort = Literal["invoiceDate", "dueDate", "total", "balance", "status", "createdAt"]
Order = Literal["asc", "desc"]
PaymentMethod = Annotated[
    Name, Field(description="Any text; suggested: cash, card, transfer, direct_debit, check, other")
]


EXAMPLE: dict[str, JsonValue] = {
    "vendorId": "019aa6a4-7c1e-7d2b-8f3a-5b1c2d3e4f50",
    "invoiceNumber": "2026/118",
    "invoiceDate": "2026-11-02",
    "taxRate": 21,
    "total": 121,
}


class SupplierInvoiceItemInput(Wire, row=StoredItem):
    description: Description
    quantity: Quantity = Field(default=Decimal(1), json_schema_extra={"default": 1})
    unit_price: UnitPrice
    tax_rate: Annotated[Rate | None, Field(description="Percent of VAT; default the invoice's taxRate")] = None
    discount: Rate | None = None
    surcharge_rate: Rate | None = None
    deductible_percent: Rate | None = None
    investment_good: Flag | None = None
    useful_life_years: Years | None = None


class SupplierInvoiceInput(PurchaseDetails, ExchangeFields, row=SupplierInvoiceRow):
    """An invoice that a vendor has sent. It needs its total, its items, or both if they agree to the cent.

    Without items the parts that are absent are computed from the total: `subtotal` from `taxRate` and `retentionRate`,
    and the tax as the remainder. `total` is the amount owed to the vendor: bases and taxes minus retention.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    vendor_id: ShortText
    invoice_number: Annotated[ShortText | None, Field(description="The vendor's number; once for each vendor")] = None
    invoice_date: Day
    due_date: Day | None = None
    items: Annotated[list[SupplierInvoiceItemInput] | None, Field(max_length=MAX_ITEMS)] = None
    subtotal: Amount | None = None
    tax_rate: Annotated[
        Rate | None, Field(description="Percent VAT; default the vendor's, else 0: a deduction is never supposed")
    ] = None
    total: Amount | None = None
    attachment_url: Link | None = None
    reverse_charge: Flag = False
    intra_eu: IntraEu = "none"
    investment_good: Flag = False
    rectifies: Annotated[
        ShortText | None,
        Field(description="Supplier invoice of the vendor that this one, a credit note with amounts below 0, corrects"),
    ] = None


class SupplierPaymentInput(Wire, row=SupplierPaymentRow):
    amount: Annotated[
        Amount,
        Field(description="Amount paid, no more than the balance; below zero for money given back on a credit note"),
    ]
    payment_method: PaymentMethod
    payment_date: Day | None = None
    bank: ShortText | None = None
    reference: ShortText | None = None
    notes: LongText | None = None
    attachment_url: Link | None = None


class Cancellation(Wire):
    reason: LongText | None = None
    """Reason for the cancellation, up to 5000 characters; null for none."""


class SupplierInvoiceItem(Wire, row=StoredItem):
    description: str
    quantity: Quantity
    unit_price: UnitPrice
    tax_rate: Rate
    discount: Rate
    surcharge_rate: Rate | None
    line_total: Amount
    deductible_percent: Rate | None
    investment_good: bool | None
    useful_life_years: int | None


class SupplierTaxRow(Wire, row=StoredTaxRow):
    """Base and tax of the lines of one rate. `amount` is charged by the vendor, or assessed by the buyer."""

    rate: Rate
    base: Amount
    amount: Amount
    surcharge_rate: Rate | None
    surcharge_amount: Amount


class SupplierDeduction(Wire, row=StoredDeduction):
    """Base and tax of the lines of one rate and one use, and what of them is deductible."""

    rate: Rate
    base: Amount
    tax: Amount
    surcharge_rate: Rate | None
    surcharge: Amount
    deductible_base: Amount
    deductible_tax: Amount
    investment_good: bool
    useful_life_years: int | None


class ConvertedPurchase(Wire, row=StoredConvertedPurchase):
    """Amounts in the account's currency, at exchangeRate: what reports, declarations and overviews count."""

    subtotal: Amount
    tax_amount: Amount
    surcharge_amount: Amount
    self_assessed_tax: Amount
    deductible_tax_amount: Amount
    retention_amount: Amount
    total: Amount
    tax_breakdown: list[SupplierTaxRow]
    deductions: list[SupplierDeduction]


class SupplierInvoice(Wire, row=SupplierInvoiceRow):
    id: str
    vendor_id: str
    vendor_name: str
    vendor_tax_id: str | None
    vendor_country: str
    invoice_number: str | None
    invoice_date: date
    operation_date: date | None
    reception_date: date
    deduction_date: date
    due_date: date
    items: list[SupplierInvoiceItem]
    tax_breakdown: list[SupplierTaxRow]
    deductions: list[SupplierDeduction]
    subtotal: Amount
    tax_rate: Rate
    tax_amount: Amount
    surcharge_amount: Amount
    self_assessed_tax: Amount
    retention_rate: Rate | None
    retention_amount: Amount
    total: Amount
    paid_amount: Amount
    balance: Amount
    currency: str
    exchange_rate: ExchangeRate | None
    exchange_rate_source: str | None
    converted: ConvertedPurchase | None
    status: Status
    """State today: pending, partial (paid in part), paid, overdue (its due date is past) or cancelled."""
    category: str | None
    notes: str | None
    attachment_url: str | None
    reverse_charge: bool
    intra_eu: IntraEu
    investment_good: bool
    deductible_percent: Rate
    deductible_tax_amount: Amount
    income_tax_percent: Rate
    regime_key: str | None
    retention_kind: Retained | None
    leased_property: str | None
    import_dua: str | None
    useful_life_years: int | None
    triangular: bool
    origin: Origin
    rectifies: str | None
    cancel_reason: str | None
    cancelled_at: Timestamp | None
    warnings: Annotated[list[str], Field(description=WARNINGS)]
    created_by: str | None
    channel: str
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class SupplierPayment(Wire, row=SupplierPaymentRow):
    id: str
    supplier_invoice_id: str
    vendor_id: str
    vendor_name: str
    amount: Amount
    currency: str
    base_amount: Amount | None
    payment_method: str
    payment_date: date
    bank: str | None
    reference: str | None
    notes: str | None
    attachment_url: str | None
    balance_after: Amount
    created_by: str | None
    channel: str
    created_at: Timestamp


class SupplierInvoiceWithPayments(SupplierInvoice):
    payments: Annotated[list[SupplierPayment], Field(description="Payments in the order in which they were recorded")]


class PayablesSummary(Wire):
    """Accounts payable in the account's currency; invoices in others count by their exchange rate.

    Without a rate they are in neither sums nor counts.
    """

    total_pending: Sum
    """Owed on invoices that are due today or later."""
    total_overdue: Sum
    """Owed on invoices that were due before today."""
    upcoming_due_count: int
    """Number of open invoices due from today to a week from now."""
    month_payments: Sum
    """Paid in the current month."""
    month_payment_count: int
    """Number of payments in the current month."""
    active_vendors: int
    """Number of vendors with open invoices."""
    partial_count: int
    """Number of open invoices of which a part is paid."""


class AgingBuckets(Wire):
    """Balances by days past due today."""

    current: Sum
    """Due today or later."""
    days30: Sum
    """1 to 30 days past due."""
    days60: Sum
    """31 to 60 days past due."""
    days90: Sum
    """61 to 90 days past due."""
    days120: Sum
    """91 to 120 days past due."""
    over120: Sum
    """More than 120 days past due."""


class Aging(Wire):
    buckets: AgingBuckets
    """Sum owed in each bucket, in the account's currency."""
    details: Annotated[dict[str, list[SupplierInvoice]], Field(description="The invoices of each bucket")]


class VendorPayable(Wire, row=VendorPayableRow):
    vendor_id: str
    vendor_name: str
    vendor_tax_id: str | None
    total_invoiced: Sum
    """Sum of the totals of its invoices, in the account's currency; credit notes lower it."""
    total_paid: Sum
    """Sum of their payments, in the account's currency; money given back lowers it."""
    balance: Sum
    """Amount still owed to the vendor, in the account's currency."""
    invoice_count: int
    overdue_count: int
    """Number of its open invoices that were due before today."""
    next_due: Annotated[date | None, Field(description="The earliest due date that is still open")]


class PayableAlerts(Wire):
    """Open invoices by how soon they are due; each is in one list at most. dueIn7Days begins tomorrow."""

    due_today: list[SupplierInvoice]
    """Open invoices due today."""
    due_in7_days: list[SupplierInvoice]
    """Open invoices due from tomorrow to a week from now."""
    overdue: Annotated[list[SupplierInvoice], Field(description="1 to 30 days past due")]
    overdue30_plus: Annotated[list[SupplierInvoice], Field(description="More than 30 days past due")]
