"""Table of clients, the buyers of an account's invoices."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Boolean, Column, DateTime, Index, Integer, Numeric, Text, text

from ledgerkit.core.platform.database.row_types import AccountRow
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSON, JSONB, account_table
from ledgerkit.core.sales.clients.schemas import Dir3


class ClientRow(AccountRow):
    name: str
    tax_id: str | None
    tax_id_kind: str | None
    country: str
    email: str | None
    phone: str | None
    address: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    language: str | None
    contact_name: str | None
    first_name: str | None
    surnames: str | None
    dir3: StoredJson[Dir3] | None
    equivalence_surcharge: bool
    default_tax_rate: Decimal | None
    default_retention_rate: Decimal | None
    payment_term_days: int | None
    notes: str | None
    is_company: bool
    warnings: Sequence[str]
    name_key: str
    search_text: str
    deleted_at: datetime | None


client = account_table(
    "client",
    ClientRow,
    Column("name", Text, nullable=False),
    Column("tax_id", Text),
    Column("tax_id_kind", Text),
    Column("country", Text, nullable=False),
    Column("email", Text),
    Column("phone", Text),
    Column("address", Text),
    Column("city", Text),
    Column("province", Text),
    Column("postal_code", Text),
    Column("language", Text),
    Column("contact_name", Text),
    Column("first_name", Text),
    Column("surnames", Text),
    Column("dir3", JSONB),
    Column("equivalence_surcharge", Boolean, nullable=False, server_default=text("false")),
    Column("default_tax_rate", Numeric(6, 3)),
    Column("default_retention_rate", Numeric(6, 3)),
    Column("payment_term_days", Integer),
    Column("notes", Text),
    Column("is_company", Boolean, nullable=False, server_default=text("true")),
    Column("warnings", JSON, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("search_text", Text, nullable=False),
    Column("deleted_at", DateTime(timezone=True)),
    Index("ix_client_name", "account_id", "name_key", "id", postgresql_where=text("deleted_at is null")),
    Index(
        "ix_client_bare_name",
        "account_id",
        text("replace(name_key, ' ', '')"),
        postgresql_where=text("deleted_at is null"),
    ),
    Index("ix_client_tax_id", "account_id", "tax_id", postgresql_where=text("deleted_at is null")),
)

DIR3 = JsonCodec(Dir3)
