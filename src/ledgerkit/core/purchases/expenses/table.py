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
    Date,
    DateTime,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow, column
from ledgerkit.core.platform.database.tables import account_key, account_table

_MONEY = Numeric(15, 2)
_RATE = Numeric(6, 3)
_NOT_DELETED = text("deleted_at is null")
_WITH_VENDOR_NAME = text("deleted_at is null and vendor_key is not null")
_WITH_VENDOR = text("vendor_id is not null")


class ExpenseRow(AccountRow):
    """One expense with its receipt or invoice, entered with all that tax declarations need of it."""

    description: str = column("What was bought, in the account's words, up to 1000 characters.")
    doc_type: str = column(
        "Kind of document: invoice, simplified, credit_note, import (a customs document) or no_invoice (payroll, "
        "fees, taxes).",
    )
    invoice_number: str | None = column("Vendor's number of the document; null where there is none.")
    category: str = column("Category as text, as office, travel or rent; the vendor's by default, else other.")
    vendor: str | None = column("Vendor's name as it was recorded; null where none is named.")
    vendor_id: UUID | None = column(
        "Id of the stored vendor; null where none is linked, and always in a deleted expense.",
    )
    vendor_tax_id: str | None = column("Vendor's tax identifier as it was recorded; null where not known.")
    vendor_country: str | None = column(
        "ISO 3166 code of the vendor's country as it was recorded, two letters; null where not known.",
    )
    amount: Decimal = column(
        "Gross amount with VAT, before retention, in the document's currency; without VAT where the buyer assesses "
        "it; below zero on a credit note.",
        _MONEY,
    )
    net_amount: Decimal = column("Net amount before taxes and retention, in the document's currency.", _MONEY)
    tax_rate: Decimal = column("Percent of VAT, 0 to 100; by default the vendor's, else 0.", _RATE)
    tax_amount: Decimal = column(
        "VAT in the document's currency; part of amount, unless the buyer assesses it (reverse_charge or intra_eu).",
        _MONEY,
    )
    retention_rate: Decimal = column(
        "Percent of the net withheld from the vendor as income tax, 0 to 100; only for display where the amount was "
        "given.",
        _RATE,
    )
    retention_amount: Decimal = column(
        "Income tax withheld, in the document's currency; it lowers what is paid, never the VAT.",
        _MONEY,
    )
    currency: str = column("ISO 4217 code of the currency of the document's amounts, by default the account's.")
    exchange_rate: Decimal = column(
        "What one unit of the document's currency is in the account's; 1 in the account's own currency.",
        Numeric(14, 8),
    )
    base_total: Decimal = column("Gross amount in the account's currency, at exchange_rate.", _MONEY)
    base_amount: Decimal = column(
        "Net amount in the account's currency, at exchange_rate; reports and declarations count it.",
        _MONEY,
    )
    base_tax_amount: Decimal = column(
        "VAT in the account's currency, at exchange_rate; reports and declarations count it.",
        _MONEY,
    )
    base_retention_amount: Decimal = column("Income tax withheld, in the account's currency, at exchange_rate.", _MONEY)
    deductible: bool = column(
        "False where nothing may be deducted: deductible_percent and income_tax_percent then count as 0.",
    )
    deductible_percent: Decimal = column("Percent of the VAT that may be deducted, 0 to 100; 100 by default.", _RATE)
    deductible_tax_amount: Decimal = column(
        "VAT that may be deducted, in the account's currency; zero where deductible is false.",
        _MONEY,
    )
    income_tax_percent: Decimal = column(
        "Percent of the cost that income tax lets deduct, 0 to 100; 100 by default.",
        _RATE,
    )
    date: dt.date = column("Date of the document; of an import the day on which customs admitted it.", Date)
    operation_date: dt.date | None = column(
        "Day of the operation, where it was stated because it is not the document's date; null otherwise.",
        Date,
    )
    reception_date: dt.date = column(
        "Day of reception, by default the document's date and never before it; income tax counts the cost by it.",
        Date,
    )
    deduction_date: dt.date = column(
        "Day in whose period the input VAT is deducted; by default the day of reception.",
        Date,
    )
    reverse_charge: bool = column(
        "True where the buyer owes the VAT instead of the vendor (Ley 37/1992, art. 84.Uno.2).",
    )
    intra_eu: str = column(
        "Acquisition from another EU country, whose VAT the buyer assesses: none, goods or services (Ley 37/1992, "
        "arts. 84, 85).",
    )
    investment_good: bool = column("True for an investment good of the VAT (Ley 37/1992, art. 108).")
    regime_key: str | None = column(
        "Country's key of the operation in the record book, as 07 for cash accounting in Spain; null where not stated.",
    )
    retention_kind: str | None = column(
        "Why tax is withheld: employment, employment_in_kind, professional, rent or other (RIRPF, arts. 75 to 78); "
        "null where not said.",
    )
    leased_property: str | None = column(
        "Cadastral reference of what is leased, or its own reference abroad; null where not stated.",
    )
    import_dua: str | None = column("Number of an import's customs document (DUA); null where not stated.")
    useful_life_years: int | None = column(
        "Years of useful life, 1 to 100, of an asset that income tax depreciates; null where none are stated.",
    )
    triangular: bool = column(
        "True for EU goods that the vendor sends on to a customer in a third EU country (Ley 37/1992, art. 26.Tres).",
        server_default=text("false"),
    )
    rectifies: UUID | None = column(
        "Id of the expense or supplier invoice that a credit note corrects; null on other "
        "documents, and where unknown.",
    )
    payment_method: str | None = column(
        "How it was paid, as text (cash, card, transfer and the like); null where not stated.",
    )
    paid_at: dt.date | None = column("Day of payment; null while it is not paid.", Date)
    receipt_url: str | None = column(
        "Path or address of the receipt, by default that of the first attachment; never fetched; null for none.",
    )
    source: str = column("How it came in: manual, receipt_scan, import, email or messaging.")
    notes: str | None = column("Remarks for the team, up to 5000 characters; null for none.")
    created_by: UUID | None = column(
        "Id of the user who recorded it; null where a team's API key or the server itself did.",
    )
    channel: str = column("Way by which it was recorded: api, web, mcp, or system for the server itself.")
    vendor_key: str | None = column(
        "Vendor's name in lower case without accents, up to 200 characters, by which expenses are counted; null "
        "without a name.",
    )
    search_text: str = column(
        "Text that searches look in, lower case without accents: description, vendor, tax id, number and notes.",
    )
    deleted_at: dt.datetime | None = column(
        "Moment in UTC at which it was deleted; null while it counts; it stays stored.",
        DateTime(timezone=True),
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
