"""Schemas of expenses (interface decisions D)."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from ledgerkit.core.platform.api_types.fields import Category, CountryCode, Day, Description, Flag, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.purchases.expenses.table import ExpenseRow
from ledgerkit.core.purchases.received_documents.api import WARNINGS, IntraEu, Link, PurchaseDetails, Retained
from ledgerkit.money import ZERO, Amount, ExchangeRate, Rate

EXAMPLE: dict[str, JsonValue] = {
    "description": "Licencia anual",
    "amount": 121,
    "taxRate": 21,
    "date": "2026-11-21",
    "category": "software",
    "vendor": "Papelería Sol, S.L.",
    "vendorTaxId": "B29805314",
    "invoiceNumber": "2026/118",
}

DocType = Literal["invoice", "simplified", "credit_note", "import", "no_invoice"]
Source = Literal["manual", "receipt_scan", "import", "email", "messaging"]
Status = Literal["pending", "paid"]

CATEGORIES = (
    "office",
    "software",
    "travel",
    "meals",
    "vehicle",
    "fuel",
    "rent",
    "utilities",
    "telecom",
    "professional",
    "marketing",
    "insurance",
    "training",
    "bank",
    "taxes",
    "social_security",
    "goods",
    "other",
)
"""Suggested categories; any text is accepted."""


def _none_if_empty(value: str) -> str | None:
    return value or None


VendorName = Annotated[ShortText, Field(max_length=120), AfterValidator(_none_if_empty)]


class ExpenseFields(PurchaseDetails, row=ExpenseRow):
    doc_type: DocType | None = None
    invoice_number: ShortText | None = None
    category: Annotated[Category | None, Field(description=f"Free text; suggested: {', '.join(CATEGORIES)}")] = None
    vendor: Annotated[VendorName | None, Field(description="Name of the vendor; links the stored one of that name")] = (
        None
    )
    vendor_id: ShortText | None = None
    vendor_tax_id: Annotated[
        ShortText | None, Field(description="Tax identifier; links the vendor, an unknown one is stored")
    ] = None
    vendor_country: Annotated[
        CountryCode | None, Field(description="ISO 3166 code; default the vendor's, else the account's")
    ] = None
    tax_amount: Annotated[Amount | None, Field(description="VAT as printed, when it differs by a cent or two")] = None
    retention_amount: Annotated[
        Amount | None,
        Field(description="Withheld from the vendor; with `retentionRate` they must agree"),
    ] = None
    exchange_rate: Annotated[
        ExchangeRate | None, Field(description="The account's currency for one unit; needed for another currency")
    ] = None
    deductible: Flag | None = None
    """False where nothing may be deducted; true by default."""
    reverse_charge: Annotated[Flag | None, Field(description="The buyer owes the VAT: `amount` has none")] = None
    intra_eu: Annotated[IntraEu | None, Field(description="Acquired in the EU: `amount` has no VAT")] = None
    investment_good: Flag | None = None
    rectifies: ShortText | None = None
    payment_method: ShortText | None = None
    status: Annotated[Status | None, Field(description="State; default `paid`, on `date`")] = None
    paid_at: Day | None = None
    receipt_url: Link | None = None
    source: Source | None = None


class ExpenseInput(ExpenseFields):
    """An expense to record: `amount` is gross, the other amounts follow from the rates."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    description: Description
    amount: Amount
    date: Day
    receipt_id: Annotated[
        ShortText | None, Field(description="Attachment of the caller's to attach, as `scan-receipt` answers it")
    ] = None


class ExpenseChange(ExpenseFields):
    """Fields that are absent keep their value."""

    description: Description = ""
    amount: Amount = Field(default=ZERO, json_schema_extra={"default": 0})
    date: Day = dt.date(2000, 1, 1)


class Expense(Wire, row=ExpenseRow):
    id: str
    description: str
    doc_type: DocType
    invoice_number: str | None
    category: str
    vendor: str | None
    vendor_id: str | None
    vendor_tax_id: str | None
    vendor_country: str | None
    amount: Amount
    net_amount: Amount
    tax_rate: Rate
    tax_amount: Amount
    retention_rate: Rate
    retention_amount: Amount
    currency: str
    exchange_rate: ExchangeRate
    base_total: Amount
    base_amount: Amount
    base_tax_amount: Amount
    base_retention_amount: Amount
    deductible: bool
    deductible_percent: Rate
    deductible_tax_amount: Amount
    income_tax_percent: Rate
    date: dt.date
    operation_date: dt.date | None
    reception_date: dt.date
    deduction_date: dt.date
    reverse_charge: bool
    intra_eu: IntraEu
    investment_good: bool
    regime_key: str | None
    retention_kind: Retained | None
    leased_property: str | None
    import_dua: str | None
    useful_life_years: int | None
    triangular: bool
    rectifies: str | None
    payment_method: str | None
    paid_at: dt.date | None
    receipt_url: str | None
    source: Source
    status: Status
    """State: pending, or paid once it has a day of payment."""
    notes: str | None
    warnings: Annotated[list[str], Field(description=WARNINGS)]
    created_by: str | None
    channel: str
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class ExpenseVendor(Wire):
    """A vendor as expenses name it, with the number of them."""

    name: str
    """Name of the vendor, as the newest of these expenses states it."""
    count: int
    """Number of expenses with this name."""
    last_category: str
    """Category of the newest of them."""
