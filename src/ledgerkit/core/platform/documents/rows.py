"""Columns that the tables of several kinds of documents, payments and parties share, each declared once."""

from datetime import date
from decimal import Decimal

from sqlalchemy import Numeric

from ledgerkit.core.platform.database.row_types import AccountRow, AuthoredRow, column

MONEY = Numeric(15, 2)
RATE = Numeric(6, 3)


class DocumentRow(AccountRow, AuthoredRow):
    """Row of an invoice or an expense, issued or received."""

    currency: str = column("ISO 4217 code of the currency of the document's amounts, by default the account's.")
    retention_amount: Decimal = column(
        "Income tax withheld, in the document's currency; it lowers what is paid, never the VAT.",
        MONEY,
    )
    operation_date: date | None = column(
        "Day of the operation, where it was stated because it is not the document's date; null otherwise.",
    )


class InvoicedRow(DocumentRow):
    """Row of an invoice, issued or received."""

    subtotal: Decimal = column("Net amount before taxes and retention, in the document's currency.", MONEY)
    tax_rate: Decimal = column("Percent of VAT that lines without a rate of their own take, 0 to 100.", RATE)
    surcharge_amount: Decimal = column(
        "Equivalence surcharge of all lines, in the document's currency; zero for none.",
        MONEY,
    )
    total: Decimal = column(
        "Amount due: net plus tax and surcharge less retention, in the document's currency.",
        MONEY,
    )
    exchange_rate: Decimal | None = column(
        "What one unit of the document's currency is in the account's; null in the account's own currency and while "
        "nobody has stated it.",
        Numeric(14, 8),
    )
    exchange_rate_source: str | None = column(
        "Where the exchange rate is from, as ECB 2026-03-12; null where nobody said so.",
    )


class PaymentRow(AuthoredRow):
    """Row of a payment of an invoice, issued or received."""

    amount: Decimal = column(
        "Amount paid, in the document's currency, never zero; below zero for money given back on a credit note.",
        MONEY,
    )
    base_amount: Decimal | None = column(
        "Amount paid in the account's currency, as its share of the converted total; null unless the invoice is "
        "converted.",
        MONEY,
    )


class PartyRow(AccountRow):
    """Row of a client or a vendor."""

    name: str = column("Name of the company or person, up to 120 characters.")
    country: str = column("ISO 3166 code of the country, two letters; by default the account's.")
    phone: str | None = column("Telephone number as text; null where not known.")
    address: str | None = column("Street and number; null where not known.")
    city: str | None = column("Town; null where not known.")
    province: str | None = column("Province or region; null where not known.")
    postal_code: str | None = column("Postal code; null where not known.")
    contact_name: str | None = column("Name of the person to talk to; null for none.")
    notes: str | None = column("Remarks for the team, up to 5000 characters; null for none.")
    search_text: str = column(
        "Text that searches look in, lower case without accents: name, tax id and e-mail address.",
    )
