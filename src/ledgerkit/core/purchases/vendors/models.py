"""Table of vendors. Their rows are really deleted; foreign keys keep a vendor to which anything refers."""

from decimal import Decimal

from sqlalchemy import Column, Index, Integer, Numeric, Text, text

from ledgerkit.core.platform.database.row_types import AccountRow
from ledgerkit.core.platform.database.tables import account_table


class VendorRow(AccountRow):
    name: str
    tax_id: str | None
    country: str
    email: str | None
    phone: str | None
    address: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    contact_name: str | None
    iban: str | None
    payment_term_days: int | None
    default_category: str | None
    default_tax_rate: Decimal | None
    notes: str | None
    name_key: str
    tax_key: str | None
    search_text: str


vendor = account_table(
    "vendor",
    VendorRow,
    Column("name", Text, nullable=False),
    Column("tax_id", Text),
    Column("country", Text, nullable=False),
    Column("email", Text),
    Column("phone", Text),
    Column("address", Text),
    Column("city", Text),
    Column("province", Text),
    Column("postal_code", Text),
    Column("contact_name", Text),
    Column("iban", Text),
    Column("payment_term_days", Integer),
    Column("default_category", Text),
    Column("default_tax_rate", Numeric(6, 3)),
    Column("notes", Text),
    Column("name_key", Text, nullable=False),
    Column("tax_key", Text),
    Column("search_text", Text, nullable=False),
    Index("ix_vendor_name", "account_id", "name_key", "id"),
    Index("uq_vendor_tax_id", "account_id", "tax_key", unique=True, postgresql_where=text("tax_key is not null")),
    Index("uq_vendor_name", "account_id", "name_key", unique=True, postgresql_where=text("tax_key is null")),
)
