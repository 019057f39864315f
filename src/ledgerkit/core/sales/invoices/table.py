"""Invoices: one row each, an issued one frozen whole (docs/adr/0011), and the counters of their numbers."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Computed,
    ForeignKey,
    Index,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, Row, VersionedRow, column
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table, reference_table
from ledgerkit.core.platform.documents.rows import MONEY, RATE, InvoicedRow, PaymentRow
from ledgerkit.core.sales.invoices.json_columns.codecs import (
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

_LISTED = text("deleted_at is null")
_NUMBER_IN_USE = text("origin = 'own' or deleted_at is null")

_BOOKED_ON = "case when doc_type = 'credit_note' then issue_date else coalesce(operation_date, issue_date) end"
"""Day on which an issued document counts, for its VAT and as income: that of the operation, else of its issue.

A correction counts on the day it is issued. Source: Ley 37/1992 arts. 75 and 89.Cinco, and the tax agency's rules
from the record books to form 303.
"""

CHANGES = "invoice.changes"
"""Counter of every write to an invoice, by which a reader learns that nothing has changed since the last read."""


class InvoiceRow(InvoicedRow):
    """One invoice, simplified invoice or credit note, draft or issued, whole in its row.

    `dates.issue_and_due` says how a draft without dates reads, `posting.standing` what `fiscal_standing` is. A credit
    note by substitution changes the sums by its own amounts less `replaced`. The simplified invoices in `substitutes`
    count; the full invoice that names them does not.
    """

    doc_type: str = column("Kind of document: invoice (a full one), simplified or credit_note.")
    status: str = column(
        "State: draft, sent (issued and not paid in full, mailed or not) or paid; a sent one is read as overdue from "
        "the day after its due date.",
    )
    series: str = column(
        "Prefix of the document's number, as F, T or R; numbers are correlative in each series and year (RD "
        "1619/2012, art. 6.1.a).",
    )
    year: int | None = column(
        "Year in which the number counts; null in a draft, and where an imported number follows another scheme.",
    )
    ordinal: int | None = column(
        "Place of the number in its series and year, from 1; null in a draft, and where an imported number follows "
        "another scheme.",
    )
    number: str | None = column("Whole number of the document as printed; null in a draft.")
    client_id: UUID | None = column(
        "Id of the stored client; null where the buyer is no stored client, as on most simplified invoices.",
    )
    client: StoredJson[StoredClient] = column(
        "Copy of the client as it stands on this document: name, tax id, address, language; its name is null "
        "where nobody is named.",
        JSON,
    )
    issuer: StoredJson[StoredIssuer] | None = column(
        "Copy of the account as issuer (name, tax id, address), frozen at the issue; null in a draft.",
        JSON,
    )
    items: StoredJson[tuple[StoredLine, ...]] = column(
        "List of the lines: text, quantity, unit price, discount and tax in percent, tax category, line total.",
        JSON,
    )
    retention_rate: Decimal = column(
        "Percent of the net that the client withholds as income tax (IRPF), 0 to 100; 0 for none.",
        RATE,
    )
    tax_amount: Decimal = column(
        "Tax of all lines (usually VAT) without equivalence surcharge, in the document's currency.",
        MONEY,
    )
    amount_paid: Decimal = column(
        "Sum of the payments, in the document's currency; below zero for money paid back on a credit note.",
        MONEY,
        server_default=text("0"),
    )
    credited: Decimal = column(
        "Amount settled without money, by set-off with credit notes or by exchange: total less amount_paid less "
        "credited is owed.",
        MONEY,
        server_default=text("0"),
    )
    tax_breakdown: StoredJson[tuple[StoredTax, ...]] = column(
        "Rows of base and tax in the document's currency, one for each category, rate and regime of tax.",
        JSON,
    )
    rounding: str = column(
        "How the tax was rounded to cents, kept with the document: document (once for each rate) or line (each line).",
    )
    prices_include_tax: bool = column(
        "True where the unit prices of the lines contain their tax.",
        server_default=text("false"),
    )
    converted: StoredJson[StoredConverted] | None = column(
        "Amounts in the account's currency, at exchange_rate, which reports and declarations count; null "
        "without a rate.",
        JSON,
    )
    converted_replaced: StoredJson[StoredConverted] | None = column(
        "Replaced amounts in the account's currency, at exchange_rate; null without a rate, and for all but credit "
        "notes by substitution.",
        JSON,
    )
    issue_date: date | None = column(
        "Date of issue (RD 1619/2012, art. 6.1.b); null in a draft that will be dated on the day of its issue.",
    )
    booked_on: date | None = column(
        "Day on which it counts for VAT and income, computed: operation, else issue; of a credit note its issue (Ley "
        "37/1992, arts. 75, 89.Cinco).",
        Computed(_BOOKED_ON, persisted=True),
    )
    due_date: date | None = column(
        "Day by which it has to be paid; null in a draft whose due date follows its issue by term_days.",
    )
    term_days: int | None = column(
        "Days from the issue to the due date of a draft without a stated due date; null where due_date is set.",
    )
    paid_at: date | None = column("Day of the payment that settled it; null while its status is not paid.")
    issued_at: datetime | None = column(
        "Moment in UTC at which it got its number; null in a draft; of an imported document the beginning of its day "
        "of issue.",
    )
    sent_at: datetime | None = column(
        "Latest moment in UTC at which a mail server accepted a mail with it; null where none did.",
    )
    viewed_at: datetime | None = column(
        "Moment in UTC at which somebody who was not logged in first opened its public link; null until then.",
    )
    notes: str | None = column("Remarks printed on the document, up to 5000 characters; null for none.")
    terms: str | None = column("Terms printed on the document, up to 5000 characters; null for none.")
    buyer_reference: str | None = column("Reference of the buyer that is printed, up to 200 characters; null for none.")
    purchase_order: str | None = column(
        "Number of the buyer's order that is printed, up to 200 characters; null for none.",
    )
    place_of_supply: str | None = column(
        "Place of supply as ISO 3166 code or free text; one abroad says why lines are not subject to VAT here; null "
        "where not stated.",
    )
    payment_method: str | None = column(
        "How it is to be paid, as text (cash, card, transfer and the like); null where not stated.",
    )
    iban: str | None = column("Bank account printed for its payment, by default the account's; null for none.")
    rectifies: UUID | None = column(
        "Id of the invoice that this credit note corrects; null on other documents, and where none is named.",
    )
    correction_reason: str | None = column(
        "Country's reason code of a credit note, in Spain R1 to R5 (RD 1619/2012, art. 15); null on other documents, "
        "and while none is given.",
    )
    correction_method: str | None = column(
        "How a credit note corrects: differences (gives back) or substitution (states what is right); null on other "
        "documents.",
    )
    replaced: StoredJson[StoredReplaced] | None = column(
        "Amounts that a credit note by substitution replaces, frozen at issue: it counts as its own amounts "
        "less these; else null.",
        JSON,
    )
    replaced_goods: StoredJson[tuple[StoredGoods, ...]] | None = column(
        "Catalog items with the quantities that an issued credit note by substitution brings back before it "
        "sells its own; else null.",
        JSON,
    )
    substitutes: Sequence[str] | None = column(
        "Ids of the simplified invoices that this full invoice is exchanged for (type F3); they count and it "
        "does not; null for none.",
        JSON,
    )
    substituted_by: UUID | None = column(
        "Id of the full invoice that this simplified one has been exchanged for, set at that one's issue; null for "
        "none.",
    )
    issued_by: str = column(
        "Who makes the document out: `issuer`, `recipient` (self-billing) or `third_party`.",
        server_default=text("'issuer'"),
    )
    third_party: StoredJson[StoredThirdParty] | None = column(
        "Name, tax id and country of the third party that makes it out; null unless issued_by is `third_party`.",
        JSON,
    )
    operation_description: str | None = column(
        "What the fiscal record says of the operation instead of the lines' texts, up to 500 characters; null for "
        "those texts.",
    )
    triangular: bool = column(
        "True for EU goods that their vendor sent straight to this client, who owes the VAT (Ley 37/1992, art. "
        "26.Tres).",
        server_default=text("false"),
    )
    triangular_exempt: bool = column(
        "True for a triangular sale that an earlier version issued as an exempt supply, as its record says; nothing "
        "sets it any more.",
        server_default=text("false"),
    )
    fiscal_details: Mapping[str, bool | str] | None = column(
        "Flags and references for the tax authority by the country's keys, as externalReference in Spain; null "
        "for none.",
        JSON,
    )
    share_seed: bytes | None = column(
        "Random 16 bytes of the public link, which open nothing without the server's secret key; null where it is "
        "not shared.",
    )
    einvoice: StoredJson[EInvoiceStamp] | None = column(
        "Result of e-invoicing: its fiscal record, status, QR address and hash (RD 1007/2023); null while it "
        "has no record.",
        JSON,
    )
    fiscal_standing: str | None = column(
        "What the authority has of it: open, refused, held, annulling, annulled or reactivating; null without a "
        "fiscal record.",
    )
    unrecorded: str | None = column(
        "Why an issued document has no record: chosen, no_tax_id, no_channel, regime, earlier_version; null with "
        "one, in drafts and imports.",
    )
    origin: str = column(
        "Who issued it: own, or external for an imported document of other software, which is locked and has no "
        "fiscal record here.",
        server_default=text("'own'"),
    )
    search_text: str = column(
        "Text that searches look in, lower case without accents: number, client, tax id, lines and notes.",
    )
    deleted_at: datetime | None = column(
        "Moment in UTC at which it was hidden; null while it is listed; it stays stored.",
    )


invoice = account_table(
    "invoice",
    InvoiceRow,
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


class InvoicePaymentRow(PaymentRow, AccountRow):
    """One payment of an issued invoice, whole or part; the sum of them is the invoice's amount_paid."""

    invoice_id: UUID = column("Id of the invoice or credit note that is paid.")
    method: str | None = column("How it was paid, as text (cash, card, transfer and the like); null where not stated.")
    paid_at: date = column("Day of payment; a day ahead at most.")


invoice_payment = account_table(
    "invoice_payment",
    InvoicePaymentRow,
    account_key("invoice_id", "invoice"),
    CheckConstraint("amount <> 0", name="some_amount"),
    Index("ix_invoice_payment_invoice", "account_id", "invoice_id", "id"),
    Index("ix_invoice_payment_paid_at", "account_id", "paid_at"),
)


class InvoiceCounterRow(VersionedRow):
    """Next number of one series in one year, locked until the document that takes it is stored: no gap arises."""

    series: str = column("Prefix of the numbers, as F, T or R.")
    year: int = column("Year in which the numbers count.")
    next: int = column("Place in the series and year that the next document gets; the first is 1.")
    last_date: date = column(
        "Latest issue date so far in the series and year; an earlier one gets no number any more (RD 1619/2012, art. "
        "9).",
    )


invoice_counter = account_table(
    "invoice_counter",
    InvoiceCounterRow,
    PrimaryKeyConstraint("account_id", "series", "year"),
)


class ShareLinkRow(Row):
    """One public link of an invoice, looked up before its account is known; it goes when the link is revoked.

    It is looked up before an account is known: the row names the account, row-level security does the rest. See
    `link_tokens.tokens` for the seed.
    """

    seed: bytes = column(
        "Random 16 bytes at the beginning of the link's token; without the server's secret key they open nothing.",
        primary_key=True,
    )
    earlier_hash: bytes | None = column(
        "SHA-256 of the token of a link made before tokens had seeds, which still opens it; null for all others.",
        unique=True,
    )
    account_id: UUID = column("Id of the account whose invoice the link opens.", ForeignKey("account.id"))
    invoice_id: UUID = column("Id of the invoice that the link opens, read-only; each invoice has one link at most.")


share_link = reference_table(
    "share_link",
    ShareLinkRow,
    UniqueConstraint("account_id", "invoice_id"),
)
