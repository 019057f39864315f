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
    CheckConstraint,
    Computed,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    text,
)

from ledgerkit.core.platform.database.row_types import AppendOnlyRow, VersionedRow, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table
from ledgerkit.core.platform.documents.payment_terms import TERM_DAYS
from ledgerkit.core.platform.documents.rows import MONEY, RATE, InvoicedRow, PaymentRow
from ledgerkit.core.purchases.received_documents.table import PurchaseRow
from ledgerkit.providers.api import TaxLine

_SUM = Numeric(17, 2)

OPEN = text("balance <> 0 and cancelled_at is null")
PAID = text("balance = 0 and cancelled_at is null")
CANCELLED = text("cancelled_at is not null")
NOT_CANCELLED = text("cancelled_at is null")


class StoredItem(StoredObject):
    description: str
    """Text of the line, up to 1000 characters."""
    quantity: Decimal
    """Number of units, up to four decimals."""
    unit_price: Decimal
    """Price of one unit without tax, in the invoice's currency, up to four decimals."""
    tax_rate: Decimal
    """Percent of VAT, 0 to 100."""
    discount: Decimal
    """Percent taken off the price, 0 to 100."""
    surcharge_rate: Decimal | None
    """Percent of equivalence surcharge, 0 to 100; null for none."""
    line_total: Decimal
    """Net amount of the line, in the invoice's currency."""
    deductible_percent: Decimal | None = None
    """Percent of its VAT that may be deducted, 0 to 100; null for the invoice's."""
    investment_good: bool | None = None
    """True for an investment good of the VAT; null for what the invoice says."""
    useful_life_years: int | None = None
    """Years of useful life, 1 to 100, of an asset that is depreciated; null for what the invoice says."""


class StoredTaxRow(StoredObject):
    """Base and tax of the lines of one rate."""

    rate: Decimal
    """Percent of VAT, 0 to 100."""
    base: Decimal
    """Net amount at this rate."""
    amount: Decimal
    """VAT on it, charged by the vendor or assessed by the buyer."""
    surcharge_rate: Decimal | None
    """Percent of equivalence surcharge, 0 to 100; null for none."""
    surcharge_amount: Decimal
    """Equivalence surcharge on it; zero for none."""

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
    """Percent of VAT, 0 to 100."""
    base: Decimal
    """Net amount of these lines."""
    tax: Decimal
    """VAT on it, charged by the vendor or assessed by the buyer."""
    surcharge_rate: Decimal | None
    """Percent of equivalence surcharge, 0 to 100; null where the vendor charges none."""
    surcharge: Decimal
    """Equivalence surcharge on it, which is never deductible."""
    deductible_base: Decimal
    """Share of the net amount whose VAT may be deducted."""
    deductible_tax: Decimal
    """Share of the VAT that may be deducted."""
    investment_good: bool
    """True for investment goods of the VAT."""
    useful_life_years: int | None
    """Years of useful life of an asset that is depreciated; null for none."""


class StoredConvertedPurchase(StoredObject):
    """Amounts in the account's currency of an invoice in another one."""

    subtotal: Decimal
    """Net amount before taxes and retention."""
    tax_amount: Decimal
    """VAT charged by the vendor; zero where the buyer assesses it."""
    surcharge_amount: Decimal
    """Equivalence surcharge of all lines; zero for none."""
    self_assessed_tax: Decimal
    """VAT that the buyer owes instead of the vendor; no part of the total; zero for none."""
    deductible_tax_amount: Decimal
    """VAT that may be deducted, charged by the vendor or self-assessed."""
    retention_amount: Decimal
    """Income tax withheld; it lowers what is paid, never the VAT."""
    total: Decimal
    """Amount due: net plus tax and surcharge less retention."""
    tax_breakdown: tuple[StoredTaxRow, ...]
    """Base and tax of each rate."""
    deductions: tuple[StoredDeduction, ...]
    """Base, tax and their deductible shares, for each rate and use."""


class SupplierInvoiceRow(InvoicedRow, PurchaseRow):
    """One invoice or credit note of a vendor, with what is paid and still owed; it is paid or cancelled, not edited."""

    vendor_id: UUID = column("Id of the vendor to whom it is owed.")
    vendor_name: str = column("Vendor's name as it was when the invoice was recorded.")
    vendor_country: str = column(
        "ISO 3166 code of the vendor's country as it was when the invoice was recorded, two letters.",
    )
    number_key: str | None = column(
        "Number without case, accents and most separators, by which a vendor's invoice is recorded once; null "
        "without a number.",
    )
    invoice_date: date = column("Date of the document; of an import the day on which customs admitted it.")
    due_date: date = column(
        f"Day by which it has to be paid; by default invoice_date and the vendor's term, else {TERM_DAYS} days.",
    )
    items: StoredJson[tuple[StoredItem, ...]] = column(
        "List of the lines: text, quantity, unit price, discount and tax in percent, line total; empty where "
        "only a total was sent.",
        JSON,
    )
    tax_breakdown: StoredJson[tuple[StoredTaxRow, ...]] = column(
        "Rows of base and tax in the document's currency, one for each rate of tax.",
        JSON,
    )
    deductions: StoredJson[tuple[StoredDeduction, ...]] = column(
        "Rows of base, tax and their deductible shares, one for each rate and use, in the document's currency.",
        JSON,
    )
    tax_amount: Decimal = column(
        "VAT charged by the vendor, in the document's currency; zero where the buyer assesses it.",
        MONEY,
    )
    self_assessed_tax: Decimal = column(
        "VAT that the buyer owes instead of the vendor, in the document's currency; no part of total; zero for none.",
        MONEY,
    )
    retention_rate: Decimal | None = column(
        "Percent of the net withheld from the vendor as income tax, 0 to 100; null where not stated.",
        RATE,
    )
    paid_amount: Decimal = column(
        "Sum of the payments, in the document's currency, between 0 and total; below zero for money that the vendor "
        "gave back.",
        MONEY,
        server_default=text("0"),
    )
    balance: Decimal = column(
        "What is still owed, computed: total less paid_amount, in the document's currency; below zero where the "
        "vendor owes it.",
        MONEY,
        Computed("total - paid_amount", persisted=True),
    )
    converted: StoredJson[StoredConvertedPurchase] | None = column(
        "Amounts in the account's currency, at exchange_rate, which reports and declarations count; null "
        "without a rate.",
        JSON,
    )
    category: str | None = column(
        "Category as text, as office, travel or rent; the vendor's by default; null counts as other.",
    )
    attachment_url: str | None = column(
        "Path or address of the document, by default that of the first attachment; never fetched; null for none.",
    )
    deductible_tax_amount: Decimal = column(
        "VAT that may be deducted, charged by the vendor or self-assessed, in the document's currency.",
        MONEY,
    )
    origin: str = column(
        "Where it was recorded first: own, or external for an invoice imported from other software.",
        server_default=text("'own'"),
    )
    rectifies: UUID | None = column(
        "Id of the supplier invoice of the same vendor that a credit note corrects; null on other documents, and "
        "where unknown.",
    )
    cancel_reason: str | None = column(
        "Why it was cancelled, up to 5000 characters; null where it was not, or nobody said so.",
    )
    cancelled_at: datetime | None = column(
        "Moment in UTC at which it was cancelled for good: it is not owed and does not count; null while it counts.",
    )
    search_text: str = column(
        "Text that searches look in, lower case without accents: number, vendor, tax id, lines, category and notes.",
    )


supplier_invoice = account_table(
    "supplier_invoice",
    SupplierInvoiceRow,
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


class SupplierPaymentRow(PaymentRow, AppendOnlyRow):
    """One payment of a supplier invoice, or money that a vendor gives back on a credit note; it is never changed."""

    supplier_invoice_id: UUID = column("Id of the supplier invoice that is paid.")
    vendor_id: UUID = column(
        "Id of the vendor at the time of the payment; after a merging of vendors that of the invoice counts.",
    )
    vendor_name: str = column("Vendor's name as on the invoice.")
    currency: str = column("ISO 4217 code of the currency in which the document's amounts are.")
    payment_method: str = column("How it was paid, as text (cash, card, transfer and the like).")
    payment_date: date = column("Day of payment, by default the day of recording; a day ahead at most.")
    bank: str | None = column("Bank of the payment, as text; null where not stated.")
    reference: str | None = column("Reference of the payment, as that of a transfer; null for none.")
    notes: str | None = column("Remarks for the team, up to 5000 characters; null for none.")
    attachment_url: str | None = column(
        "Path or address of the proof of payment, as it was sent with it; never fetched; null for none.",
    )
    balance_after: Decimal = column(
        "What was still owed on the invoice after this payment, in the document's currency.",
        MONEY,
    )


supplier_payment = account_table(
    "supplier_payment",
    SupplierPaymentRow,
    account_key("supplier_invoice_id", "supplier_invoice"),
    CheckConstraint("amount <> 0", name="amount"),
    Index("ix_supplier_payment_invoice", "account_id", "supplier_invoice_id", "id"),
    Index("ix_supplier_payment_dated", "account_id", "payment_date", "id"),
    Index("ix_supplier_payment_method", "account_id", "payment_method", "payment_date", "id"),
)


class VendorPayableRow(VersionedRow):
    """Sums invoiced by and paid to one vendor in one currency; cancelled invoices are left out.

    A transaction that changes an invoice updates them, so that the overview of all vendors reads no invoices. The
    vendor needs no foreign key here: the invoices have one, and there is no row without them.
    """

    vendor_id: UUID = column("Id of the vendor.")
    currency: str = column(
        "ISO 4217 code of the sums: the invoices' own currency, or the account's for invoices that are converted.",
    )
    vendor_name: str = column("Vendor's name as on the latest recorded invoice.")
    vendor_tax_id: str | None = column(
        "Vendor's tax identifier as on the latest recorded invoice; null where not known.",
    )
    invoice_count: int = column("Number of invoices and credit notes that are not cancelled.")
    invoiced: Decimal = column("Sum of their totals, in this row's currency; credit notes lower it.", _SUM)
    paid: Decimal = column("Sum of their payments, in this row's currency; money given back lowers it.", _SUM)
    balance: Decimal = column(
        "What is still owed to the vendor, computed: invoiced less paid, in this row's currency.",
        _SUM,
        Computed("invoiced - paid", persisted=True),
    )


vendor_payable = account_table(
    "vendor_payable",
    VendorPayableRow,
    PrimaryKeyConstraint("account_id", "vendor_id", "currency"),
    Index(
        "ix_vendor_payable_balance",
        "account_id",
        "currency",
        "balance",
        "vendor_id",
        postgresql_where=text("invoice_count > 0"),
    ),
)
