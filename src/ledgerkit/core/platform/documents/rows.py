"""Columns that the tables of several kinds of documents, payments and parties share, each declared once."""

from datetime import date
from decimal import Decimal

from sqlalchemy import Numeric, text

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


class PurchaseRow(DocumentRow):
    """Row of an expense or a supplier invoice."""

    vendor_tax_id: str | None = column("Vendor's tax identifier as it was recorded; null where not known.")
    invoice_number: str | None = column("Vendor's number of the document; null where there is none.")
    reception_date: date = column(
        "Day of reception, by default the document's date and never before it; income tax counts the cost by it.",
    )
    deduction_date: date = column("Day in whose period the input VAT is deducted; by default the day of reception.")
    reverse_charge: bool = column(
        "True where the buyer owes the VAT instead of the vendor (Ley 37/1992, art. 84.Uno.2).",
    )
    intra_eu: str = column(
        "Acquisition from another EU country, whose VAT the buyer assesses: none, goods or services (Ley 37/1992, "
        "arts. 84, 85).",
    )
    investment_good: bool = column(
        "True for an investment good of the VAT (Ley 37/1992, art. 108), where no line says otherwise.",
    )
    deductible_percent: Decimal = column(
        "Percent of the VAT that may be deducted, 0 to 100, where no line says otherwise; 100 by default.",
        RATE,
    )
    income_tax_percent: Decimal = column(
        "Percent of the cost that income tax lets deduct, 0 to 100; 100 by default.",
        RATE,
    )
    regime_key: str | None = column(
        "Country's key of the operation in the record book, as 07 for cash accounting in Spain; null where not stated.",
    )
    retention_kind: str | None = column(
        "Why tax is withheld: employment, employment_in_kind, professional, rent or other (RIRPF, arts. 75 to 78); "
        "null where not said.",
    )
    leased_property: str | None = column(
        "Cadastral reference of what is leased, or its own reference abroad; null where not stated.",
    )
    import_dua: str | None = column(
        "Number of an import's customs document (DUA), by which a supplier invoice counts as an import; null where not "
        "stated.",
    )
    useful_life_years: int | None = column(
        "Years of useful life, 1 to 100, of an asset that income tax depreciates; null where none are stated.",
    )
    triangular: bool = column(
        "True for EU goods that the vendor sends on to a customer in a third EU country (Ley 37/1992, art. 26.Tres).",
        server_default=text("false"),
    )
    notes: str | None = column("Remarks for the team, up to 5000 characters; null for none.")


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
