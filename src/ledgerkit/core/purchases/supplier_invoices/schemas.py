"""Schemas of supplier invoices and their payments (interface decisions K)."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StringConstraints

from ledgerkit.core.platform.api_types.fields import (
    Category,
    CurrencyCode,
    Day,
    Description,
    Flag,
    LongText,
    Name,
    ShortText,
)
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.documents.exchange_rates import ExchangeFields
from ledgerkit.core.platform.documents.origin import Origin
from ledgerkit.core.platform.documents.purchase_details import PurchaseDetails, Retained, Years
from ledgerkit.money import Amount, ExchangeRate, Quantity, Rate, Sum, UnitPrice

MAX_ITEMS = 1000

Status = Literal["pending", "partial", "paid", "overdue", "cancelled"]
Sort = Literal["invoiceDate", "dueDate", "total", "balance", "status", "createdAt"]
Order = Literal["asc", "desc"]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,4}$")]
IntraEu = Literal["none", "goods", "services"]
Link = Annotated[
    str,
    StringConstraints(pattern=r"^(https?://|/)[!-~]*$", max_length=2000),
    Field(description="Where the document lies; never fetched"),
]
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


class SupplierInvoiceItemInput(Wire):
    description: Description
    quantity: Quantity = Field(default=Decimal(1), json_schema_extra={"default": 1})
    unit_price: UnitPrice
    tax_rate: Annotated[Rate | None, Field(description="Percent; default the invoice's taxRate")] = None
    discount: Annotated[Rate | None, Field(description="Percent")] = None
    surcharge_rate: Annotated[Rate | None, Field(description="Equivalence surcharge, percent")] = None
    deductible_percent: Annotated[Rate | None, Field(description="Share of its VAT; default the invoice's")] = None
    investment_good: Annotated[Flag | None, Field(description="Default the invoice's")] = None
    useful_life_years: Annotated[Years | None, Field(description="Default the invoice's")] = None


class SupplierInvoiceInput(PurchaseDetails, ExchangeFields):
    """An invoice that a vendor has sent. It needs its total, its items, or both if they agree to the cent.

    Without items the parts that are absent are computed from the total: `subtotal` from `taxRate` and `retentionRate`,
    and the tax as the remainder. `total` is the amount owed to the vendor: bases and taxes minus retention.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    vendor_id: ShortText
    invoice_number: Annotated[ShortText | None, Field(description="The vendor's number; once for each vendor")] = None
    invoice_date: Day
    operation_date: Annotated[Day | None, Field(description="When it was supplied, if not on invoiceDate")] = None
    reception_date: Annotated[Day | None, Field(description="Default invoiceDate, before which it may not lie")] = None
    deduction_date: Annotated[
        Day | None, Field(description="In whose period the VAT is deducted; default receptionDate")
    ] = None
    due_date: Annotated[Day | None, Field(description="Default: invoiceDate and the vendor's term, or 30 days")] = None
    items: Annotated[list[SupplierInvoiceItemInput] | None, Field(max_length=MAX_ITEMS)] = None
    subtotal: Amount | None = None
    tax_rate: Annotated[
        Rate | None, Field(description="Percent VAT; default the vendor's, else 0: a deduction is never supposed")
    ] = None
    tax_amount: Amount | None = None
    retention_rate: Annotated[Rate | None, Field(description="Percent income-tax retention")] = None
    retention_amount: Amount | None = None
    total: Amount | None = None
    currency: Annotated[CurrencyCode | None, Field(description="Default the account's")] = None
    category: Annotated[Category | None, Field(description="Default the vendor's")] = None
    notes: LongText | None = None
    attachment_url: Link | None = None
    reverse_charge: Annotated[Flag, Field(description="The buyer owes the VAT: none is charged")] = False
    intra_eu: Annotated[IntraEu, Field(description="Acquired in the EU: no VAT is charged")] = "none"
    investment_good: Flag = False
    deductible_percent: Annotated[Rate | None, Field(description="Deductible share of the VAT, default 100")] = None
    income_tax_percent: Annotated[
        Rate | None, Field(description="Share of the cost that income tax lets deduct, default 100")
    ] = None
    regime_key: Annotated[Key | None, Field(description="The country's key of the operation in the record book")] = None
    rectifies: Annotated[
        ShortText | None,
        Field(description="Supplier invoice of the vendor that this one, a credit note with amounts below 0, corrects"),
    ] = None


class SupplierPaymentInput(Wire):
    amount: Annotated[
        Amount, Field(description="No more than the balance; below zero for money given back on a credit note")
    ]
    payment_method: PaymentMethod
    payment_date: Annotated[Day | None, Field(description="Default today; tomorrow at the latest")] = None
    bank: ShortText | None = None
    reference: ShortText | None = None
    notes: LongText | None = None
    attachment_url: Link | None = None


class Cancellation(Wire):
    reason: LongText | None = None


class SupplierInvoiceItem(Wire):
    description: str
    quantity: Quantity
    unit_price: UnitPrice
    tax_rate: Rate
    discount: Rate
    surcharge_rate: Rate | None
    line_total: Amount
    deductible_percent: Annotated[Rate | None, Field(description="null: the invoice's, like the next two")]
    investment_good: bool | None
    useful_life_years: int | None


class SupplierTaxRow(Wire):
    """Base and tax of the lines of one rate. `amount` is charged by the vendor, or assessed by the buyer."""

    rate: Rate
    base: Amount
    amount: Amount
    surcharge_rate: Rate | None
    surcharge_amount: Amount


class SupplierDeduction(Wire):
    """Base and tax of the lines of one rate and one use, and what of them is deductible."""

    rate: Rate
    base: Amount
    tax: Annotated[Amount, Field(description="Charged by the vendor, or assessed by the buyer")]
    surcharge_rate: Annotated[Rate | None, Field(description="null where the vendor charges none")]
    surcharge: Annotated[Amount, Field(description="Never deductible")]
    deductible_base: Amount
    deductible_tax: Amount
    investment_good: bool
    useful_life_years: int | None


class ConvertedPurchase(Wire):
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


class SupplierInvoice(Wire):
    id: str
    vendor_id: str
    vendor_name: Annotated[str, Field(description="As it was when the invoice was recorded, like vendorTaxId")]
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
    tax_amount: Annotated[Amount, Field(description="VAT charged by the vendor")]
    surcharge_amount: Amount
    self_assessed_tax: Annotated[Amount, Field(description="VAT that the buyer owes instead; no part of total")]
    retention_rate: Rate | None
    retention_amount: Amount
    total: Annotated[Amount, Field(description="Owed to the vendor: bases plus taxes minus retention")]
    paid_amount: Amount
    balance: Amount
    currency: str
    exchange_rate: Annotated[ExchangeRate | None, Field(description="null in the account's own currency")]
    exchange_rate_source: str | None
    converted: Annotated[ConvertedPurchase | None, Field(description="null without an exchangeRate")]
    status: Status
    category: str | None
    notes: str | None
    attachment_url: str | None
    reverse_charge: bool
    intra_eu: IntraEu
    investment_good: bool
    deductible_percent: Rate
    deductible_tax_amount: Annotated[Amount, Field(description="Of taxAmount, or of selfAssessedTax")]
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
    created_by: str | None
    channel: str
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class SupplierPayment(Wire):
    id: str
    supplier_invoice_id: str
    vendor_id: str
    vendor_name: str
    amount: Amount
    currency: str
    base_amount: Annotated[Amount | None, Field(description="In the account's currency, of a converted invoice")]
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
    payments: Annotated[list[SupplierPayment], Field(description="In the order in which they were recorded")]


class PayablesSummary(Wire):
    """Accounts payable in the account's currency; invoices in others count by their exchange rate.

    Without a rate they are in neither sums nor counts.
    """

    total_pending: Sum
    total_overdue: Sum
    upcoming_due_count: int
    month_payments: Sum
    month_payment_count: int
    active_vendors: int
    partial_count: int


class AgingBuckets(Wire):
    """Balances by days past due today."""

    current: Sum
    days30: Sum
    days60: Sum
    days90: Sum
    days120: Sum
    over120: Sum


class Aging(Wire):
    buckets: AgingBuckets
    details: Annotated[dict[str, list[SupplierInvoice]], Field(description="The invoices of each bucket")]


class VendorPayable(Wire):
    vendor_id: str
    vendor_name: Annotated[str, Field(description="As on the vendor's latest recorded invoice, like vendorTaxId")]
    vendor_tax_id: str | None
    total_invoiced: Sum
    total_paid: Sum
    balance: Sum
    invoice_count: int
    overdue_count: int
    next_due: Annotated[date | None, Field(description="The earliest due date that is still open")]


class PayableAlerts(Wire):
    """Open invoices by how soon they are due; each is in one list at most. dueIn7Days begins tomorrow."""

    due_today: list[SupplierInvoice]
    due_in7_days: list[SupplierInvoice]
    overdue: Annotated[list[SupplierInvoice], Field(description="1 to 30 days past due")]
    overdue30_plus: Annotated[list[SupplierInvoice], Field(description="More than 30 days past due")]
