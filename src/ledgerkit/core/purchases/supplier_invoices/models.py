"""Tables of supplier invoices: the invoices, their payments, and the totals by vendor.

Amounts are in the document's own currency; `converted` and the `base_amount` of payments are in the account's, by the
`exchange_rate` of a document in another one. VAT that the buyer assesses (`reverse_charge`, or `intra_eu` other than
none) is `self_assessed_tax` and no part of `total`. Input VAT belongs to `deduction_date`, income tax to
`reception_date`, as for expenses.

A credit note names in `rectifies` the invoice that it corrects. Its amounts are below zero, and so are its payments:
money that the vendor gives back.
"""

from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Date,
    DateTime,
    Index,
    Integer,
    Numeric,
    PrimaryKeyConstraint,
    Text,
    Uuid,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, VersionedRow
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table
from ledgerkit.providers.api import TaxLine

_MONEY = Numeric(15, 2)
_SUM = Numeric(17, 2)
_RATE = Numeric(6, 3)

OPEN = text("balance <> 0 and cancelled_at is null")
PAID = text("balance = 0 and cancelled_at is null")
CANCELLED = text("cancelled_at is not null")
NOT_CANCELLED = text("cancelled_at is null")


class StoredItem(StoredObject):
    description: str
    quantity: Decimal
    unit_price: Decimal
    tax_rate: Decimal
    discount: Decimal
    surcharge_rate: Decimal | None
    line_total: Decimal
    deductible_percent: Decimal | None = None
    investment_good: bool | None = None
    useful_life_years: int | None = None


class StoredTaxRow(StoredObject):
    """Base and tax of the lines of one rate."""

    rate: Decimal
    base: Decimal
    amount: Decimal
    surcharge_rate: Decimal | None
    surcharge_amount: Decimal

    @classmethod
    def of(cls, tax: TaxLine) -> "StoredTaxRow":
        """Return the stored form of a tax line."""
        return cls(
            rate=tax.rate,
            base=tax.base,
            amount=tax.amount,
            surcharge_rate=tax.surcharge_rate,
            surcharge_amount=tax.surcharge_amount,
        )


class StoredDeduction(StoredObject):
    """Base and tax of the lines of one rate and one use, and their deductible shares.

    `tax` is charged by the vendor or assessed by the buyer; the surcharge is never deductible.
    """

    rate: Decimal
    base: Decimal
    tax: Decimal
    surcharge_rate: Decimal | None
    surcharge: Decimal
    deductible_base: Decimal
    deductible_tax: Decimal
    investment_good: bool
    useful_life_years: int | None


class StoredConvertedPurchase(StoredObject):
    """Amounts in the account's currency of an invoice in another one."""

    subtotal: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    self_assessed_tax: Decimal
    deductible_tax_amount: Decimal
    retention_amount: Decimal
    total: Decimal
    tax_breakdown: tuple[StoredTaxRow, ...]
    deductions: tuple[StoredDeduction, ...]


class SupplierInvoiceRow(AccountRow):
    vendor_id: UUID
    vendor_name: str
    vendor_tax_id: str | None
    vendor_country: str
    invoice_number: str | None
    number_key: str | None
    invoice_date: date
    operation_date: date | None
    reception_date: date
    deduction_date: date
    due_date: date
    items: StoredJson[tuple[StoredItem, ...]]
    tax_breakdown: StoredJson[tuple[StoredTaxRow, ...]]
    deductions: StoredJson[tuple[StoredDeduction, ...]]
    subtotal: Decimal
    tax_rate: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    self_assessed_tax: Decimal
    retention_rate: Decimal | None
    retention_amount: Decimal
    total: Decimal
    paid_amount: Decimal
    balance: Decimal
    currency: str
    exchange_rate: Decimal | None
    exchange_rate_source: str | None
    converted: StoredJson[StoredConvertedPurchase] | None
    category: str | None
    notes: str | None
    attachment_url: str | None
    reverse_charge: bool
    intra_eu: str
    investment_good: bool
    deductible_percent: Decimal
    deductible_tax_amount: Decimal
    income_tax_percent: Decimal
    regime_key: str | None
    retention_kind: str | None
    leased_property: str | None
    import_dua: str | None
    useful_life_years: int | None
    triangular: bool
    origin: str
    rectifies: UUID | None
    cancel_reason: str | None
    cancelled_at: datetime | None
    created_by: UUID | None
    channel: str
    search_text: str


supplier_invoice = account_table(
    "supplier_invoice",
    SupplierInvoiceRow,
    Column("vendor_id", Uuid, nullable=False),
    Column("vendor_name", Text, nullable=False),
    Column("vendor_tax_id", Text),
    Column("vendor_country", Text, nullable=False),
    Column("invoice_number", Text),
    Column("number_key", Text),
    Column("invoice_date", Date, nullable=False),
    Column("operation_date", Date),
    Column("reception_date", Date, nullable=False),
    Column("deduction_date", Date, nullable=False),
    Column("due_date", Date, nullable=False),
    Column("items", JSON, nullable=False),
    Column("tax_breakdown", JSON, nullable=False),
    Column("deductions", JSON, nullable=False),
    Column("subtotal", _MONEY, nullable=False),
    Column("tax_rate", _RATE, nullable=False),
    Column("tax_amount", _MONEY, nullable=False),
    Column("surcharge_amount", _MONEY, nullable=False),
    Column("self_assessed_tax", _MONEY, nullable=False),
    Column("retention_rate", _RATE),
    Column("retention_amount", _MONEY, nullable=False),
    Column("total", _MONEY, nullable=False),
    Column("paid_amount", _MONEY, nullable=False, server_default=text("0")),
    Column("balance", _MONEY, Computed("total - paid_amount", persisted=True), nullable=False),
    Column("currency", Text, nullable=False),
    Column("exchange_rate", Numeric(14, 8)),
    Column("exchange_rate_source", Text),
    Column("converted", JSON),
    Column("category", Text),
    Column("notes", Text),
    Column("attachment_url", Text),
    Column("reverse_charge", Boolean, nullable=False),
    Column("intra_eu", Text, nullable=False),
    Column("investment_good", Boolean, nullable=False),
    Column("deductible_percent", _RATE, nullable=False),
    Column("deductible_tax_amount", _MONEY, nullable=False),
    Column("income_tax_percent", _RATE, nullable=False),
    Column("regime_key", Text),
    Column("retention_kind", Text),
    Column("leased_property", Text),
    Column("import_dua", Text),
    Column("useful_life_years", Integer),
    Column("triangular", Boolean, nullable=False, server_default=text("false")),
    Column("origin", Text, nullable=False, server_default=text("'own'")),
    Column("rectifies", Uuid),
    Column("cancel_reason", Text),
    Column("cancelled_at", DateTime(timezone=True)),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    Column("search_text", Text, nullable=False),
    account_key("vendor_id", "vendor"),
    account_key("rectifies", "supplier_invoice"),
    CheckConstraint("paid_amount between least(total, 0) and greatest(total, 0)", name="paid_up_to_total"),
    CheckConstraint("origin in ('own', 'external')", name="origin"),
    CheckConstraint("intra_eu in ('none', 'goods', 'services')", name="intra_eu"),
    CheckConstraint(
        "retention_kind in ('employment', 'employment_in_kind', 'professional', 'rent', 'other')", name="retention_kind"
    ),
    CheckConstraint("cancelled_at is null or paid_amount = 0", name="cancelled_unpaid"),
    Index("ix_supplier_invoice_due", "account_id", "due_date", "id"),
    Index("ix_supplier_invoice_dated", "account_id", "invoice_date", "id"),
    Index("ix_supplier_invoice_created", "account_id", "created_at", "id"),
    Index("ix_supplier_invoice_total", "account_id", "total", "id"),
    Index("ix_supplier_invoice_balance", "account_id", "balance", "id"),
    Index("ix_supplier_invoice_deduction", "account_id", "deduction_date", postgresql_where=NOT_CANCELLED),
    Index("ix_supplier_invoice_reception", "account_id", "reception_date", postgresql_where=NOT_CANCELLED),
    Index("ix_supplier_invoice_vendor", "account_id", "vendor_id", "due_date", "id"),
    Index("ix_supplier_invoice_open", "account_id", "due_date", "id", postgresql_where=OPEN),
    Index("ix_supplier_invoice_open_vendor", "account_id", "vendor_id", "due_date", postgresql_where=OPEN),
    Index("ix_supplier_invoice_paid", "account_id", "due_date", "id", postgresql_where=PAID),
    Index("ix_supplier_invoice_cancelled", "account_id", "due_date", "id", postgresql_where=CANCELLED),
    Index(
        "uq_supplier_invoice_number",
        "account_id",
        "vendor_id",
        "number_key",
        unique=True,
        postgresql_where=NOT_CANCELLED,
    ),
)


ITEMS = JsonCodec(tuple[StoredItem, ...])
TAX_BREAKDOWN = JsonCodec(tuple[StoredTaxRow, ...])
DEDUCTIONS = JsonCodec(tuple[StoredDeduction, ...])
CONVERTED = JsonCodec(StoredConvertedPurchase)


class SupplierPaymentRow(AppendOnlyRow):
    supplier_invoice_id: UUID
    vendor_id: UUID
    vendor_name: str
    amount: Decimal
    currency: str
    base_amount: Decimal | None
    payment_method: str
    payment_date: date
    bank: str | None
    reference: str | None
    notes: str | None
    attachment_url: str | None
    balance_after: Decimal
    created_by: UUID | None
    channel: str


supplier_payment = account_table(
    "supplier_payment",
    SupplierPaymentRow,
    Column("supplier_invoice_id", Uuid, nullable=False),
    Column("vendor_id", Uuid, nullable=False),
    Column("vendor_name", Text, nullable=False),
    Column("amount", _MONEY, nullable=False),
    Column("currency", Text, nullable=False),
    Column("base_amount", _MONEY),
    Column("payment_method", Text, nullable=False),
    Column("payment_date", Date, nullable=False),
    Column("bank", Text),
    Column("reference", Text),
    Column("notes", Text),
    Column("attachment_url", Text),
    Column("balance_after", _MONEY, nullable=False),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    account_key("supplier_invoice_id", "supplier_invoice"),
    CheckConstraint("amount <> 0", name="amount"),
    Index("ix_supplier_payment_invoice", "account_id", "supplier_invoice_id", "id"),
    Index("ix_supplier_payment_dated", "account_id", "payment_date", "id"),
    Index("ix_supplier_payment_method", "account_id", "payment_method", "payment_date", "id"),
    append_only=True,
)


class VendorPayableRow(VersionedRow):
    vendor_id: UUID
    currency: str
    vendor_name: str
    vendor_tax_id: str | None
    invoice_count: int
    invoiced: Decimal
    paid: Decimal
    balance: Decimal


vendor_payable = account_table(
    "vendor_payable",
    VendorPayableRow,
    Column("vendor_id", Uuid, nullable=False),
    Column("currency", Text, nullable=False),
    Column("vendor_name", Text, nullable=False),
    Column("vendor_tax_id", Text),
    Column("invoice_count", Integer, nullable=False),
    Column("invoiced", _SUM, nullable=False),
    Column("paid", _SUM, nullable=False),
    Column("balance", _SUM, Computed("invoiced - paid", persisted=True), nullable=False),
    PrimaryKeyConstraint("account_id", "vendor_id", "currency"),
    Index(
        "ix_vendor_payable_balance",
        "account_id",
        "currency",
        "balance",
        "vendor_id",
        postgresql_where=text("invoice_count > 0"),
    ),
    keyed=False,
)
"""Totals invoiced by and paid to a vendor in one currency, without cancelled invoices.

Invoices that are converted count in the account's currency.

They are updated in the transaction that changes an invoice, so that the overview of all vendors does not read every
invoice ever recorded. The vendor needs no foreign key here: the invoices have one, and there is no row without them."""
