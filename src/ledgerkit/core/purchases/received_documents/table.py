"""Columns that expenses and supplier invoices share, each declared once."""

from datetime import date
from decimal import Decimal

from sqlalchemy import text

from ledgerkit.core.platform.database.row_types import column
from ledgerkit.core.platform.documents.rows import RATE, DocumentRow


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
