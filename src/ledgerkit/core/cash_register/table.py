"""Cash registers with their sums, their movements, and the counter of closings."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, AuthoredRow, VersionedRow, column
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredLine

_SUM = Numeric(15, 2)
_CLOSED = text("status = 'closed'")

SUMS = ("sales", "refunds", "cash_in", "cash_out", "cash", "card", "transfer")
"""Sums of the movements since the opening: by kind, then net takings by payment method. Updated by every movement."""


class CashRegisterRow(AccountRow):
    """One session of a till, from its opening to the counted closing, with the sums of its movements."""

    holder: UUID = column(
        "Id of the user whose register it is, or of the account for a team's API key; each has one open at a time.",
    )
    user_id: UUID | None = column("Id of the user who opened it; null where a team's API key did.")
    user_name: str = column("Name of whoever opened it, as it was then.")
    channel: str = column("Way by which it was opened: api, web, mcp, messaging, or system for the server itself.")
    status: str = column("State: open or closed.", server_default=text("'open'"))
    currency: str = column("ISO 4217 code of the currency of its amounts, by default the account's.")
    opening_amount: Decimal = column(
        "Money counted in the drawer at the opening, in the register's currency, never below zero.",
        _SUM,
    )
    notes: str | None = column("Remarks at the opening, up to 5000 characters; null for none.")
    sales: Decimal = column(
        "Sum of the sales since the opening, refunds not deducted, in the register's currency.",
        _SUM,
        server_default=text("0"),
    )
    refunds: Decimal = column(
        "Sum of the refunds since the opening, in the register's currency, as a positive amount.",
        _SUM,
        server_default=text("0"),
    )
    cash_in: Decimal = column(
        "Sum of the money put into the drawer without a sale, in the register's currency.",
        _SUM,
        server_default=text("0"),
    )
    cash_out: Decimal = column(
        "Sum of the money taken out of the drawer without a refund, in the register's currency, as a positive amount.",
        _SUM,
        server_default=text("0"),
    )
    cash: Decimal = column("Sales less refunds in cash, in the register's currency.", _SUM, server_default=text("0"))
    card: Decimal = column("Sales less refunds by card, in the register's currency.", _SUM, server_default=text("0"))
    transfer: Decimal = column(
        "Sales less refunds by transfer, in the register's currency.",
        _SUM,
        server_default=text("0"),
    )
    sales_count: int = column("Number of sales since the opening.", server_default=text("0"))
    movement_count: int = column("Number of movements since the opening.", server_default=text("0"))
    expected_amount: Decimal = column(
        "Money that should be in the drawer: opening_amount plus cash and cash_in less cash_out, in the register's "
        "currency.",
        _SUM,
    )
    closing_amount: Decimal | None = column(
        "Money counted in the drawer at the closing, in the register's currency; null while it is open.",
        _SUM,
    )
    difference: Decimal | None = column(
        "What closing_amount exceeds expected_amount by, frozen at the closing, in the register's currency; null while "
        "it is open.",
        _SUM,
    )
    closing_notes: str | None = column("Remarks at the closing, up to 5000 characters; null for none.")
    closed_at: datetime | None = column("Moment in UTC of the closing; null while it is open.")
    z_number: int | None = column(
        "Number of the closing, counted without a gap in the account from 1; null while it is open.",
    )


cash_register = account_table(
    "cash_register",
    CashRegisterRow,
    UniqueConstraint("account_id", "z_number"),
    CheckConstraint("status in ('open', 'closed')", name="status"),
    CheckConstraint(
        "(status = 'closed') = (closed_at is not null and closing_amount is not null"
        " and difference is not null and z_number is not null)",
        name="closed_whole",
    ),
    Index("uq_cash_register_open", "account_id", "holder", unique=True, postgresql_where=text("status = 'open'")),
    Index("ix_cash_register_closed", "account_id", "closed_at", "id", postgresql_where=_CLOSED),
    Index("ix_cash_register_own", "account_id", "holder", "closed_at", "id", postgresql_where=_CLOSED),
)


class CashMovementRow(AppendOnlyRow, AuthoredRow):
    """One movement of a till: a sale, a refund, or money put in or taken out; it is never changed."""

    register_id: UUID = column("Id of the till's session that it belongs to.")
    ordinal: int = column("Place among the movements of its register, from 1.")
    type: str = column("Kind of movement: sale, refund, cash_in or cash_out.")
    amount: Decimal = column("Money moved, in the register's currency, always above zero; type has the sign.", _SUM)
    payment_method: str = column("How it was paid: cash, card or transfer; always cash for cash_in and cash_out.")
    description: str = column("What it was, as text, up to 500 characters.")
    invoice_id: UUID | None = column(
        "Id of the invoice made of the sale, paid by it, or taken back by the refund; null for none.",
    )
    credit_note_id: UUID | None = column("Id of the credit note made of a refund; null for none.")
    consumer_final: bool | None = column(
        "What the caller said of the sale: whether it is to a final consumer; stored only; null where not said.",
    )
    line_items: StoredJson[tuple[StoredLine, ...]] = column(
        "List of the lines sold or given back, as on invoices; empty for none.",
        JSON,
    )
    prices_include_tax: bool = column("True where the unit prices of the lines contain their tax.")


cash_movement = account_table(
    "cash_movement",
    CashMovementRow,
    account_key("register_id", "cash_register"),
    account_key("invoice_id", "invoice"),
    account_key("credit_note_id", "invoice"),
    UniqueConstraint("account_id", "register_id", "ordinal"),
    Index("ix_cash_movement_invoice", "account_id", "invoice_id", postgresql_where=text("invoice_id is not null")),
)


class CashRegisterCounterRow(VersionedRow):
    """Next number of an account's till closings, locked until the closing that takes it is stored."""

    next: int = column("Z number that the next closing gets; the first is 1.")


cash_register_counter = account_table(
    "cash_register_counter",
    CashRegisterCounterRow,
    PrimaryKeyConstraint("account_id"),
)
