"""Schemas of documents and words that are read (interface decisions D4)."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StringConstraints

from ledgerkit.core.catalog.supplier_invoices.api import Score
from ledgerkit.core.platform.api_types.fields import PRINTABLE
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.money import Amount, Rate

WORDS_EXAMPLE: dict[str, JsonValue] = {"description": "Gasóleo A, 42 litros", "vendor": "E.S. La Vega"}

IMAGE_EXAMPLE: dict[str, JsonValue] = {
    "image": "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAQAAAABbAUdZAAAAD0lEQVR42mP4DwQMg5cAANrpf4Em8vpjAAAAAElFTkSuQmCC"
}
"""A white picture, on which nothing is read."""

Words = Annotated[str, StringConstraints(max_length=5000), PRINTABLE]


class ExpenseWords(Wire):
    """Description and vendor of an expense; at least one of them."""

    model_config = ConfigDict(json_schema_extra={"examples": [WORDS_EXAMPLE]})

    description: Words = ""
    """Purchase in any words; may be empty."""
    vendor: Words = ""
    """Name of the vendor; may be empty."""


class Categorized(Wire):
    category: Annotated[str, Field(description="One of the suggested categories, or one that the account uses")]
    confidence: Annotated[Score, Field(description="Share of such proposals that are right")]
    engine: Annotated[str, Field(description="The model's name, or `learned`: from the account's own expenses")]


class ReceiptImage(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [IMAGE_EXAMPLE]})

    image: Annotated[
        str,
        Field(description="Data URL in base64 of image/jpeg, image/png, image/webp or application/pdf, at most 10 MiB"),
    ]


class SupplierInvoiceImage(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [IMAGE_EXAMPLE]})

    image: Annotated[
        str,
        Field(
            description="Data URL in base64 of image/jpeg, image/png, image/gif, image/webp or application/pdf, "
            "at most 10 MiB"
        ),
    ]


class ScannedTax(Wire):
    """Base and tax of one rate, as printed."""

    rate: Rate | None
    """Percent of VAT; null where not read."""
    base: Amount | None
    """Net amount at this rate, in the receipt's currency; null where not read."""
    amount: Amount | None
    """VAT at this rate, in the receipt's currency; null where not read."""


class ScanConfidence(Wire):
    """Probability of each field to be right; null where nothing was read."""

    description: Score | None
    """Probability of the description, 0 to 1."""
    amount: Score | None
    """Probability of the gross amount, 0 to 1."""
    vendor: Score | None
    """Probability of the vendor's name, 0 to 1."""
    date: Score | None
    """Probability of the date, 0 to 1."""
    category: Score | None
    """Probability of the proposed category, 0 to 1."""
    tax_rate: Score | None
    """Probability of the rate of VAT, 0 to 1."""
    currency: Score | None
    """Probability of the currency, 0 to 1."""


class PossibleDuplicate(Wire):
    reason: Annotated[
        Literal["same_image", "same_purchase"],
        Field(description="The same image, or an expense of the same vendor, day and amount"),
    ]
    expense_id: str | None
    """Id of the expense that exists; null for a kept image that belongs to none."""
    receipt_id: str | None
    """Id of the kept image; null where the expense only agrees."""


class ScannedReceipt(Wire):
    """Fields of an expense as they were read from its receipt; null where nothing was read, never a guess."""

    description: str | None
    """Purchase, in the words of the receipt."""
    amount: Annotated[Amount | None, Field(description="Gross, as printed; never a sum of lines")]
    vendor: str | None
    """Name of the vendor."""
    date: dt.date | None
    """Date of the receipt."""
    category: Annotated[str | None, Field(description="Proposed, as `POST /api/expenses/categorize` does")]
    tax_rate: Annotated[Rate | None, Field(description="Percent VAT; null where the receipt has several")]
    currency: str | None
    """ISO 4217 code of the currency."""
    confidence: ScanConfidence
    """Probability of each field to be right."""
    engine: Annotated[str, Field(description="What read the receipt: the model's name, or `rapidocr`")]
    receipt_id: Annotated[str | None, Field(description="The kept image; send it as `receiptId` with the expense")]
    vendor_tax_id: str | None
    """Tax identifier of the vendor, as printed."""
    invoice_number: str | None
    """Vendor's number of the receipt or invoice."""
    tax_amount: Amount | None
    """VAT of all rates, in the receipt's currency."""
    taxes: list[ScannedTax]
    """Base and VAT of each rate that was read; empty for none."""
    retention_amount: Amount | None
    """Income tax withheld, in the receipt's currency."""
    payment_method: str | None
    """Means of payment, as cash, card or transfer."""
    warnings: Annotated[list[str], Field(description="Doubts about the receipt")]
    duplicates: list[PossibleDuplicate]
    """Expenses or images that may be the same purchase; empty for none."""
