"""Table of clients, the buyers of an account's invoices."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Index, text

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.row_types import column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSON, JSONB, account_table
from ledgerkit.core.platform.documents.rows import RATE, PartyRow


class Dir3(Wire):
    """Codes of a Spanish public body's offices, as its invoices must name them."""

    accounting_office: ShortText | None = None
    """Code of the accounting office (oficina contable); null where not stated."""
    managing_body: ShortText | None = None
    """Code of the managing body (órgano gestor); null where not stated."""
    processing_unit: ShortText | None = None
    """Code of the processing unit (unidad tramitadora); null where not stated."""


class ClientRow(PartyRow):
    """One buyer of the account's documents; issued documents keep a copy of their own."""

    tax_id: str | None = column(
        "Tax identifier in its normal form, or another identity number as tax_id_kind says; null where not known.",
    )
    tax_id_kind: str | None = column(
        "What tax_id is where it is no tax number, by the country's keys (in Spain passport, official_id...); null "
        "for a tax number.",
    )
    email: str | None = column("E-mail address to which documents are mailed; null where not known.")
    language: str | None = column(
        "Two-letter code of the language of the client's documents; null for the usual one of the client's country.",
    )
    first_name: str | None = column("First name of a client who is a person; null where not stated.")
    surnames: str | None = column("Surnames of a client who is a person; null where not stated.")
    dir3: StoredJson[Dir3] | None = column(
        "Codes of the offices of a Spanish public body: accountingOffice, managingBody, processingUnit; null "
        "for other clients.",
        JSONB,
    )
    equivalence_surcharge: bool = column(
        "True for a retailer under the equivalence surcharge, which lines of goods then take by default.",
        server_default=text("false"),
    )
    default_tax_rate: Decimal | None = column(
        "Percent of VAT of the client's new documents, 0 to 100; null for the account's default.",
        RATE,
    )
    default_retention_rate: Decimal | None = column(
        "Percent of income tax withheld on the client's new documents, 0 to 100; null for the account's default.",
        RATE,
    )
    payment_term_days: int | None = column(
        "Days until the client's documents are due, 0 to 365; null for the account's term.",
    )
    is_company: bool = column(
        "True for a company and whoever acts as a business, the usual case; false for a private person.",
        server_default=text("true"),
    )
    is_company_stated: bool = column(
        "True where somebody has stated whether it is a company, or its retention or surcharge says so.",
        server_default=text("false"),
    )
    warnings: Sequence[str] = column(
        "Sentences about what is doubtful in the tax id, in the language of whoever saved it; empty for none.",
        JSON,
    )
    name_key: str = column("Name in lower case without accents, by which clients are sorted and found.")
    deleted_at: datetime | None = column(
        "Moment in UTC at which the client was deleted; null for a listed one; it stays stored.",
    )


client = account_table(
    "client",
    ClientRow,
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
