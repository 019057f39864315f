"""Schemas of documents and words that are read (interface decisions D4)."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StringConstraints

from ledgerkit.core.catalog.analysis import Score
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
    vendor: Words = ""


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
    base: Amount | None
    amount: Amount | None


class ScanConfidence(Wire):
    """Probability of each field to be right; null where nothing was read."""

    description: Score | None
    amount: Score | None
    vendor: Score | None
    date: Score | None
    category: Score | None
    tax_rate: Score | None
    currency: Score | None


class PossibleDuplicate(Wire):
    reason: Annotated[
        Literal["same_image", "same_purchase"],
        Field(description="The same image, or an expense of the same vendor, day and amount"),
    ]
    expense_id: str | None
    receipt_id: str | None


class ScannedReceipt(Wire):
    """Fields of an expense as they were read from its receipt; null where nothing was read, never a guess."""

    description: str | None
    amount: Annotated[Amount | None, Field(description="Gross, as printed; never a sum of lines")]
    vendor: str | None
    date: dt.date | None
    category: Annotated[str | None, Field(description="Proposed, as `POST /api/expenses/categorize` does")]
    tax_rate: Annotated[Rate | None, Field(description="Percent VAT; null where the receipt has several")]
    currency: str | None
    confidence: ScanConfidence
    engine: Annotated[str, Field(description="What read the receipt: the model's name, or `rapidocr`")]
    receipt_id: Annotated[str | None, Field(description="The kept image; send it as `receiptId` with the expense")]
    vendor_tax_id: str | None
    invoice_number: str | None
    tax_amount: Amount | None
    taxes: list[ScannedTax]
    retention_amount: Amount | None
    payment_method: str | None
    warnings: Annotated[list[str], Field(description="Doubts about the receipt")]
    duplicates: list[PossibleDuplicate]
