"""Tables of expenses, with all that tax declarations need of them, and of the counts by vendor name.

`amount`, `net_amount`, `tax_amount` and `retention_amount` are in the expense's `currency`. `base_total` (gross),
`base_amount` (net), `base_tax_amount`, `base_retention_amount` and `deductible_tax_amount` are in the account's, by
`exchange_rate`: they are what reports and declarations add up. VAT that the buyer assesses (`reverse_charge`, or
`intra_eu` other than none) is in `tax_amount` but not in `amount`: nobody pays it to the vendor.

`rectifies` is the id of the expense or supplier invoice that a credit note corrects: of two tables, so without a
foreign key, and no row of either is ever really deleted. `paid_at` null means not paid yet. Input VAT belongs to
`deduction_date`, income tax to `reception_date`.
"""

import datetime as dt
from decimal import Decimal
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    text,
)

from ledgerkit.core.platform.database.row_types import VersionedRow, column
from ledgerkit.core.platform.database.tables import account_key, account_table
from ledgerkit.core.platform.documents.rows import MONEY, RATE
from ledgerkit.core.purchases.received_documents.table import PurchaseRow

_NOT_DELETED = text("deleted_at is null")
_WITH_VENDOR_NAME = text("deleted_at is null and vendor_key is not null")
_WITH_VENDOR = text("vendor_id is not null")


class ExpenseRow(PurchaseRow):
    """One expense with its receipt or invoice, entered with all that tax declarations need of it."""

    description: str = column("What was bought, in the account's words, up to 1000 characters.")
    doc_type: str = column(
        "Kind of document: invoice, simplified, credit_note, import (a customs document) or no_invoice (payroll, "
        "fees, taxes).",
    )
    category: str = column("Category as text, as office, travel or rent; the vendor's by default, else other.")
    vendor: str | None = column("Vendor's name as it was recorded; null where none is named.")
    vendor_id: UUID | None = column(
        "Id of the stored vendor; null where none is linked, and always in a deleted expense.",
    )
    vendor_country: str | None = column(
        "ISO 3166 code of the vendor's country as it was recorded, two letters; null where not known.",
    )
    amount: Decimal = column(
        "Gross amount with VAT, before retention, in the document's currency; without VAT where the buyer assesses "
        "it; below zero on a credit note.",
        MONEY,
    )
    net_amount: Decimal = column("Net amount before taxes and retention, in the document's currency.", MONEY)
    tax_rate: Decimal = column("Percent of VAT, 0 to 100; by default the vendor's, else 0.", RATE)
    tax_amount: Decimal = column(
        "VAT in the document's currency; part of amount, unless the buyer assesses it (reverse_charge or intra_eu).",
        MONEY,
    )
    retention_rate: Decimal = column(
        "Percent of the net withheld from the vendor as income tax, 0 to 100; only for display where the amount was "
        "given.",
        RATE,
    )
    exchange_rate: Decimal = column(
        "What one unit of the document's currency is in the account's; 1 in the account's own currency.",
        Numeric(14, 8),
    )
    base_total: Decimal = column("Gross amount in the account's currency, at exchange_rate.", MONEY)
    base_amount: Decimal = column(
        "Net amount in the account's currency, at exchange_rate; reports and declarations count it.",
        MONEY,
    )
    base_tax_amount: Decimal = column(
        "VAT in the account's currency, at exchange_rate; reports and declarations count it.",
        MONEY,
    )
    base_retention_amount: Decimal = column("Income tax withheld, in the account's currency, at exchange_rate.", MONEY)
    deductible: bool = column(
        "False where nothing may be deducted: deductible_percent and income_tax_percent then count as 0.",
    )
    deductible_tax_amount: Decimal = column(
        "VAT that may be deducted, in the account's currency; zero where deductible is false.",
        MONEY,
    )
    date: dt.date = column("Date of the document; of an import the day on which customs admitted it.")
    rectifies: UUID | None = column(
        "Id of the expense or supplier invoice that a credit note corrects; null on other "
        "documents, and where unknown.",
    )
    payment_method: str | None = column(
        "How it was paid, as text (cash, card, transfer and the like); null where not stated.",
    )
    paid_at: dt.date | None = column("Day of payment; null while it is not paid.")
    receipt_url: str | None = column(
        "Path or address of the receipt, by default that of the first attachment; never fetched; null for none.",
    )
    source: str = column("How it came in: manual, receipt_scan, import, email or messaging.")
    vendor_key: str | None = column(
        "Vendor's name in lower case without accents, up to 200 characters, by which expenses are counted; null "
        "without a name.",
    )
    search_text: str = column(
        "Text that searches look in, lower case without accents: description, vendor, tax id, number and notes.",
    )
    deleted_at: dt.datetime | None = column(
        "Moment in UTC at which it was deleted; null while it counts; it stays stored.",
    )


expense = account_table(
    "expense",
    ExpenseRow,
    account_key("vendor_id", "vendor"),
    CheckConstraint("intra_eu in ('none', 'goods', 'services')", name="intra_eu"),
    CheckConstraint(
        "retention_kind in ('employment', 'employment_in_kind', 'professional', 'rent', 'other')", name="retention_kind"
    ),
    CheckConstraint("vendor_id is null or deleted_at is null", name="hidden_ones_hold_no_vendor"),
    Index("ix_expense_listed", "account_id", "date", "created_at", "id", postgresql_where=_NOT_DELETED),
    Index("ix_expense_category", "account_id", "category", "date", "created_at", "id", postgresql_where=_NOT_DELETED),
    Index("ix_expense_vendor", "account_id", "vendor_id", "date", "created_at", "id", postgresql_where=_WITH_VENDOR),
    Index("ix_expense_vendor_category", "account_id", "vendor_id", "category", postgresql_where=_WITH_VENDOR),
    Index(
        "ix_expense_vendor_key",
        "account_id",
        "vendor_key",
        "date",
        "created_at",
        "id",
        postgresql_where=_WITH_VENDOR_NAME,
    ),
    Index("ix_expense_reception", "account_id", "reception_date", postgresql_where=_NOT_DELETED),
    Index("ix_expense_deduction", "account_id", "deduction_date", postgresql_where=_NOT_DELETED),
    Index(
        "ix_expense_paid", "account_id", "paid_at", postgresql_where=text("deleted_at is null and paid_at is not null")
    ),
    Index("ix_expense_unpaid", "account_id", "date", postgresql_where=text("deleted_at is null and paid_at is null")),
)


class ExpenseVendorRow(VersionedRow):
    """Number of expenses that name one vendor, by the vendor's name and not by a stored vendor."""

    vendor_key: str = column("Vendor's name in lower case without accents, up to 200 characters, as in expenses.")
    count: int = column("Number of expenses with this name that are not deleted; 0 where none is left.")


expense_vendor = account_table(
    "expense_vendor",
    ExpenseVendorRow,
    PrimaryKeyConstraint("account_id", "vendor_key"),
    Index(
        "ix_expense_vendor_count",
        "account_id",
        text("count desc"),
        "vendor_key",
        postgresql_where=text("count > 0"),
    ),
)
