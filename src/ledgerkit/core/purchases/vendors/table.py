"""Table of vendors. Their rows are really deleted; foreign keys keep a vendor to which anything refers."""

from decimal import Decimal

from sqlalchemy import Index, text

from ledgerkit.core.platform.database.row_types import column
from ledgerkit.core.platform.database.tables import account_table
from ledgerkit.core.platform.documents.payment_terms import TERM_DAYS
from ledgerkit.core.platform.documents.rows import RATE, PartyRow


class VendorRow(PartyRow):
    """One supplier of goods or services; a row goes when it is deleted, which needs that nothing refers to it."""

    tax_id: str | None = column("Tax identifier in its normal form; null where not known.")
    email: str | None = column("E-mail address; null where not known.")
    iban: str | None = column(
        "Bank account (IBAN without spaces, check digits right) into which the vendor is paid; null where not known.",
    )
    payment_term_days: int | None = column(
        f"Days until the vendor's invoices are due, 0 to 365; null for {TERM_DAYS}.",
    )
    default_category: str | None = column("Category of its expenses and invoices that name none; null for none.")
    default_tax_rate: Decimal | None = column(
        "Percent of VAT of its expenses and invoices that name none, 0 to 100; null for none.",
        RATE,
    )
    name_key: str = column(
        "Name in lower case without accents, up to 200 characters; unique among the account's vendors without tax id.",
    )
    tax_key: str | None = column(
        "Letters and digits of the tax id, by which a vendor is unique in the account; null without a tax id.",
    )


vendor = account_table(
    "vendor",
    VendorRow,
    Index("ix_vendor_name", "account_id", "name_key", "id"),
    Index("uq_vendor_tax_id", "account_id", "tax_key", unique=True, postgresql_where=text("tax_key is not null")),
    Index("uq_vendor_name", "account_id", "name_key", unique=True, postgresql_where=text("tax_key is null")),
)
