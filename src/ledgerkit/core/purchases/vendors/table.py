"""Table of vendors. Their rows are really deleted; foreign keys keep a vendor to which anything refers."""

from decimal import Decimal

from sqlalchemy import Index, Numeric, text

from ledgerkit.core.platform.database.row_types import AccountRow, column
from ledgerkit.core.platform.database.tables import account_table
from ledgerkit.core.platform.documents.payment_terms import TERM_DAYS


class VendorRow(AccountRow):
    """One supplier of goods or services; a row goes when it is deleted, which needs that nothing refers to it."""

    name: str = column("Name of the vendor, a company or a person, up to 120 characters.")
    tax_id: str | None = column("Tax identifier in its normal form; null where not known.")
    country: str = column("ISO 3166 code of the vendor's country, two letters; by default the account's.")
    email: str | None = column("E-mail address; null where not known.")
    phone: str | None = column("Telephone number as text; null where not known.")
    address: str | None = column("Street and number; null where not known.")
    city: str | None = column("Town; null where not known.")
    province: str | None = column("Province or region; null where not known.")
    postal_code: str | None = column("Postal code; null where not known.")
    contact_name: str | None = column("Name of the person to talk to; null for none.")
    iban: str | None = column(
        "Bank account (IBAN without spaces, check digits right) into which the vendor is paid; null where not known.",
    )
    payment_term_days: int | None = column(
        f"Days until the vendor's invoices are due, 0 to 365; null for {TERM_DAYS}.",
    )
    default_category: str | None = column("Category of its expenses and invoices that name none; null for none.")
    default_tax_rate: Decimal | None = column(
        "Percent of VAT of its expenses and invoices that name none, 0 to 100; null for none.",
        Numeric(6, 3),
    )
    notes: str | None = column("Remarks for the team, up to 5000 characters; null for none.")
    name_key: str = column(
        "Name in lower case without accents, up to 200 characters; unique among the account's vendors without tax id.",
    )
    tax_key: str | None = column(
        "Letters and digits of the tax id, by which a vendor is unique in the account; null without a tax id.",
    )
    search_text: str = column(
        "Text that searches look in, lower case without accents: name, tax id and e-mail address.",
    )


vendor = account_table(
    "vendor",
    VendorRow,
    Index("ix_vendor_name", "account_id", "name_key", "id"),
    Index("uq_vendor_tax_id", "account_id", "tax_key", unique=True, postgresql_where=text("tax_key is not null")),
    Index("uq_vendor_name", "account_id", "name_key", unique=True, postgresql_where=text("tax_key is null")),
)
