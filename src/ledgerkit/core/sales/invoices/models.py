"""Invoices: one row each, an issued one frozen whole (docs/adr/0011), and the counters of their numbers."""

from collections.abc import Mapping, Sequence
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
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, Row, VersionedRow
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table, reference_table
from ledgerkit.core.sales.invoices.stored import (
    EInvoiceStamp,
    StoredClient,
    StoredConverted,
    StoredGoods,
    StoredIssuer,
    StoredLine,
    StoredReplaced,
    StoredTax,
    StoredThirdParty,
)

_MONEY = Numeric(15, 2)
_LISTED = text("deleted_at is null")
_NUMBER_IN_USE = text("origin = 'own' or deleted_at is null")

_BOOKED_ON = "case when doc_type = 'credit_note' then issue_date else coalesce(operation_date, issue_date) end"
"""Day on which an issued document counts, for its VAT and as income: that of the operation, else of its issue.

A correction counts on the day it is issued. Source: Ley 37/1992 arts. 75 and 89.Cinco, and the tax agency's rules
from the record books to form 303.
"""

CHANGES = "invoice.changes"
"""Counter of every write to an invoice, by which a reader learns that nothing has changed since the last read."""


class InvoiceRow(AccountRow):
    doc_type: str
    status: str
    series: str
    year: int | None
    ordinal: int | None
    number: str | None
    client_id: UUID | None
    client: StoredJson[StoredClient]
    issuer: StoredJson[StoredIssuer] | None
    items: StoredJson[tuple[StoredLine, ...]]
    tax_rate: Decimal
    retention_rate: Decimal
    subtotal: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    retention_amount: Decimal
    total: Decimal
    amount_paid: Decimal
    credited: Decimal
    tax_breakdown: StoredJson[tuple[StoredTax, ...]]
    rounding: str
    prices_include_tax: bool
    currency: str
    exchange_rate: Decimal | None
    exchange_rate_source: str | None
    converted: StoredJson[StoredConverted] | None
    converted_replaced: StoredJson[StoredConverted] | None
    issue_date: date | None
    operation_date: date | None
    booked_on: date | None
    due_date: date | None
    term_days: int | None
    paid_at: date | None
    issued_at: datetime | None
    sent_at: datetime | None
    viewed_at: datetime | None
    notes: str | None
    terms: str | None
    buyer_reference: str | None
    purchase_order: str | None
    place_of_supply: str | None
    payment_method: str | None
    iban: str | None
    rectifies: UUID | None
    correction_reason: str | None
    correction_method: str | None
    replaced: StoredJson[StoredReplaced] | None
    replaced_goods: StoredJson[tuple[StoredGoods, ...]] | None
    substitutes: Sequence[str] | None
    substituted_by: UUID | None
    issued_by: str
    third_party: StoredJson[StoredThirdParty] | None
    operation_description: str | None
    triangular: bool
    triangular_exempt: bool
    fiscal_details: Mapping[str, bool | str] | None
    share_seed: bytes | None
    einvoice: StoredJson[EInvoiceStamp] | None
    fiscal_standing: str | None
    unrecorded: str | None
    origin: str
    created_by: UUID | None
    channel: str
    search_text: str
    deleted_at: datetime | None


invoice = account_table(
    "invoice",
    InvoiceRow,
    Column("doc_type", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("series", Text, nullable=False),
    Column("year", Integer),
    Column("ordinal", Integer),
    Column("number", Text),
    Column("client_id", Uuid),
    Column("client", JSON, nullable=False),
    Column("issuer", JSON),
    Column("items", JSON, nullable=False),
    Column("tax_rate", Numeric(6, 3), nullable=False),
    Column("retention_rate", Numeric(6, 3), nullable=False),
    Column("subtotal", _MONEY, nullable=False),
    Column("tax_amount", _MONEY, nullable=False),
    Column("surcharge_amount", _MONEY, nullable=False),
    Column("retention_amount", _MONEY, nullable=False),
    Column("total", _MONEY, nullable=False),
    Column("amount_paid", _MONEY, nullable=False, server_default=text("0")),
    Column("credited", _MONEY, nullable=False, server_default=text("0")),
    Column("tax_breakdown", JSON, nullable=False),
    Column("rounding", Text, nullable=False),
    Column("prices_include_tax", Boolean, nullable=False, server_default=text("false")),
    Column("currency", Text, nullable=False),
    Column("exchange_rate", Numeric(14, 8)),
    Column("exchange_rate_source", Text),
    Column("converted", JSON),
    Column("converted_replaced", JSON),
    Column("issue_date", Date),
    Column("operation_date", Date),
    Column("booked_on", Date, Computed(_BOOKED_ON, persisted=True)),
    Column("due_date", Date),
    Column("term_days", Integer),
    Column("paid_at", Date),
    Column("issued_at", DateTime(timezone=True)),
    Column("sent_at", DateTime(timezone=True)),
    Column("viewed_at", DateTime(timezone=True)),
    Column("notes", Text),
    Column("terms", Text),
    Column("buyer_reference", Text),
    Column("purchase_order", Text),
    Column("place_of_supply", Text),
    Column("payment_method", Text),
    Column("iban", Text),
    Column("rectifies", Uuid),
    Column("correction_reason", Text),
    Column("correction_method", Text),
    Column("replaced", JSON),
    Column("replaced_goods", JSON),
    Column("substitutes", JSON),
    Column("substituted_by", Uuid),
    Column("issued_by", Text, nullable=False, server_default=text("'issuer'")),
    Column("third_party", JSON),
    Column("operation_description", Text),
    Column("triangular", Boolean, nullable=False, server_default=text("false")),
    Column("triangular_exempt", Boolean, nullable=False, server_default=text("false")),
    Column("fiscal_details", JSON),
    Column("share_seed", LargeBinary),
    Column("einvoice", JSON),
    Column("fiscal_standing", Text),
    Column("unrecorded", Text),
    Column("origin", Text, nullable=False, server_default=text("'own'")),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    Column("search_text", Text, nullable=False),
    Column("deleted_at", DateTime(timezone=True)),
    account_key("client_id", "client"),
    account_key("rectifies", "invoice"),
    account_key("substituted_by", "invoice"),
    CheckConstraint("(number is null) = (status = 'draft')", name="numbered_when_issued"),
    CheckConstraint("status in ('draft', 'sent', 'paid')", name="status"),
    CheckConstraint("issue_date is not null or status = 'draft'", name="dated_when_issued"),
    CheckConstraint("(due_date is null) = (term_days is not null)", name="due_or_term"),
    CheckConstraint("due_date is not null or status = 'draft'", name="due_when_issued"),
    CheckConstraint("issued_by in ('issuer', 'recipient', 'third_party')", name="issued_by"),
    CheckConstraint(
        "fiscal_standing in ('open', 'refused', 'held', 'annulling', 'annulled', 'reactivating')",
        name="fiscal_standing",
    ),
    CheckConstraint("(fiscal_standing is null) = (einvoice is null)", name="standing_when_emitted"),
    CheckConstraint(
        "unrecorded in ('chosen', 'no_tax_id', 'no_channel', 'regime', 'earlier_version')", name="unrecorded"
    ),
    CheckConstraint(
        "(unrecorded is null) = (status = 'draft' or einvoice is not null or origin = 'external')",
        name="numbered_with_its_record",
    ),
    CheckConstraint("origin in ('own', 'external')", name="origin"),
    CheckConstraint("origin = 'own' or (status <> 'draft' and einvoice is null)", name="external_is_issued"),
    Index("uq_invoice_account_id_number", "account_id", "number", unique=True, postgresql_where=_NUMBER_IN_USE),
    Index(
        "uq_invoice_account_id_series_year_ordinal",
        "account_id",
        "series",
        "year",
        "ordinal",
        unique=True,
        postgresql_where=_NUMBER_IN_USE,
    ),
    Index("ix_invoice_listed", "account_id", "issue_date", "created_at", "id", postgresql_where=_LISTED),
    Index("ix_invoice_status", "account_id", "status", "issue_date", "created_at", "id", postgresql_where=_LISTED),
    Index(
        "ix_invoice_due",
        "account_id",
        "due_date",
        postgresql_where=text("status = 'sent' and deleted_at is null and amount_paid + credited < total"),
    ),
    Index("ix_invoice_booked", "account_id", "booked_on", postgresql_where=text("status <> 'draft'")),
    *(
        Index(f"ix_invoice_{name}", "account_id", column, "issue_date", "created_at", "id", postgresql_where=_LISTED)
        for name, column in (("client", "client_id"), ("doc_type", "doc_type"), ("series", "series"))
    ),
    Index("ix_invoice_rectifies", "account_id", "rectifies", postgresql_where=text("rectifies is not null")),
    Index(
        "ix_invoice_substituted_by",
        "account_id",
        "substituted_by",
        postgresql_where=text("substituted_by is not null"),
    ),
    Index("ix_invoice_replacing", "account_id", "booked_on", postgresql_where=text("replaced is not null")),
    Index(
        "ix_invoice_unrecorded",
        "account_id",
        "issued_at",
        postgresql_where=text("unrecorded is not null"),
    ),
)
"""One row for each invoice, credit note and simplified invoice.

`issue_date` and `due_date` are null in a draft whose author has not stated them: `dating` says how they read.
`term_days` are the days from the issue date to a due date that was not stated.

`replaced` holds the amounts that a credit note by substitution replaces, in the names of the wire, frozen at its
issue. The credit note's own amounts are the right ones, so it changes the sums by its amounts less `replaced`.
`replaced_goods` are the catalog items of the replaced lines. `substitutes` are the simplified invoices that a full
invoice has been exchanged for, each of which names it in `substituted_by` once it is issued; they count, and the full
invoice does not. `converted` are the amounts in the account's currency of a document in another one, at its
`exchange_rate`, and `converted_replaced` those of `replaced`. `fiscal_standing` is
explained in `posting.standing`. `unrecorded` is the reason for which an issued
document has no fiscal record: e-invoicing was off (`documents.einvoicing_state.Off`), or an earlier version of
ledgerkit numbered the document without one. `origin` is `external` for a document that other software issued: it has no
fiscal record here and owes none, and while it is deleted its number is free.
"""


class InvoicePaymentRow(AccountRow):
    invoice_id: UUID
    amount: Decimal
    base_amount: Decimal | None
    method: str | None
    paid_at: date
    created_by: UUID | None
    channel: str


invoice_payment = account_table(
    "invoice_payment",
    InvoicePaymentRow,
    Column("invoice_id", Uuid, nullable=False),
    Column("amount", _MONEY, nullable=False),
    Column("base_amount", _MONEY),
    Column("method", Text),
    Column("paid_at", Date, nullable=False),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    account_key("invoice_id", "invoice"),
    CheckConstraint("amount <> 0", name="some_amount"),
    Index("ix_invoice_payment_invoice", "account_id", "invoice_id", "id"),
    Index("ix_invoice_payment_paid_at", "account_id", "paid_at"),
)
"""Payments of an invoice; their sum is its `amount_paid`. Payments to the client on a credit note are below zero.

`base_amount` is the amount in the account's currency on a document that is converted; null on any other.
"""


class InvoiceCounterRow(VersionedRow):
    series: str
    year: int
    next: int
    last_date: date


invoice_counter = account_table(
    "invoice_counter",
    InvoiceCounterRow,
    Column("series", Text, nullable=False),
    Column("year", Integer, nullable=False),
    Column("next", Integer, nullable=False),
    Column("last_date", Date, nullable=False),
    PrimaryKeyConstraint("account_id", "series", "year"),
    keyed=False,
)


class ShareLinkRow(Row):
    seed: bytes
    earlier_hash: bytes | None
    account_id: UUID
    invoice_id: UUID


share_link = reference_table(
    "share_link",
    ShareLinkRow,
    Column("seed", LargeBinary, primary_key=True),
    Column("earlier_hash", LargeBinary, unique=True),
    Column("account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("invoice_id", Uuid, nullable=False),
    UniqueConstraint("account_id", "invoice_id"),
)
"""Public links, looked up before an account is known: the row names the account, row-level security does the rest.

See `share_tokens` for the seed. `earlier_hash` is the SHA-256 of the token that opened the invoice before tokens
had seeds, and that still opens it.
"""
