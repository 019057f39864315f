"""Schemas of an analysed supplier invoice and of its import into the catalog (interface decisions E11, E12)."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue

from ledgerkit.core.platform.api_types.fields import CurrencyCode, Day, LongText, Name, ShortText
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.money import Amount, Number, Rate, UnitPrice

MAX_ITEMS = 500
MAX_QUESTIONS = 100

Score = Annotated[Decimal, Number(low=Decimal(0), high=Decimal(1), places=4, description="From 0 to 1, the surest")]
Received = Annotated[
    Decimal, Number(low=Decimal(0), high=Decimal("9999999.9999"), places=4, description="Quantity, up to four decimals")
]
Action = Literal["create", "update", "skip"]

EXAMPLE: dict[str, JsonValue] = {
    "analysis": {
        "vendor": {"name": "Ferretería Sur, S.L.", "taxId": "B12345674"},
        "invoiceNumber": "2026/118",
        "items": [{"name": "Tornillo M4", "sku": "T-4", "quantity": 200, "unitPrice": 0.05}],
        "questions": [],
    },
    "answers": [],
}


class AnalysedVendor(Wire):
    name: ShortText | None = None
    tax_id: ShortText | None = None
    email: ShortText | None = None
    phone: ShortText | None = None
    address: ShortText | None = None


class AnalysedItem(Wire):
    name: Name
    sku: ShortText | None = None
    quantity: Received | None = None
    unit_price: Annotated[UnitPrice | None, Field(description="What one unit costs, without tax")] = None
    tax_rate: Rate | None = None
    total: Amount | None = None
    barcode: Annotated[ShortText | None, Field(description="Code of the line that is the barcode of an item")] = None
    matched_item_id: ShortText | None = None
    matched_item_name: ShortText | None = None
    match_score: Score | None = None
    suggested_action: Annotated[
        Action | None, Field(description="Default update when there is a matchedItemId, else create")
    ] = None
    question: Annotated[
        int | None, Field(ge=0, le=MAX_QUESTIONS, description="Index of the question that decides on this item")
    ] = None


class SupplierInvoiceAnalysis(Wire):
    vendor: AnalysedVendor | None = None
    invoice_number: ShortText | None = None
    invoice_date: Day | None = None
    due_date: Day | None = None
    currency: CurrencyCode | None = None
    items: Annotated[list[AnalysedItem], Field(max_length=MAX_ITEMS)]
    subtotal: Amount | None = None
    tax_amount: Amount | None = None
    total: Amount | None = None
    retention_amount: Annotated[Amount | None, Field(description="Withheld from the vendor; `total` is without it")] = (
        None
    )
    iban: ShortText | None = None
    questions: Annotated[list[LongText] | None, Field(max_length=MAX_QUESTIONS)] = None
    confidence: Score | None = None
    engine: Annotated[ShortText | None, Field(description="What read the document, as `rapidocr`")] = None
    attachment_id: Annotated[ShortText | None, Field(description="The document that was read, as it is kept")] = None
    warnings: Annotated[list[LongText] | None, Field(max_length=MAX_QUESTIONS)] = None


class ConfirmImport(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    analysis: SupplierInvoiceAnalysis
    answers: Annotated[
        list[LongText] | None,
        Field(
            max_length=MAX_QUESTIONS,
            description="`answers[i]` answers `questions[i]`: `no` makes a new item of one that would be updated, and "
            "none of one that would be created; all else leaves what was suggested",
        ),
    ] = None


class ItemResult(Wire):
    name: str
    action: Annotated[str, Field(description="`created`, `updated` or `skipped`")]


class ConfirmResult(Wire):
    created: int
    updated: int
    item_results: list[ItemResult]
    vendor_id: Annotated[str | None, Field(description="The vendor that was found or stored; null without a name")]
    supplier_invoice_id: Annotated[
        str | None, Field(description="The supplier invoice that was recorded; null where `warnings` say why not")
    ]
    warnings: Annotated[list[str], Field(description="Parts of the analysis that were left out, and why")]
