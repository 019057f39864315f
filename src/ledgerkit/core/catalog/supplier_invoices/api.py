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
    """Name of the vendor as printed; null where not read."""
    tax_id: ShortText | None = None
    """Tax identifier of the vendor as printed; null where not read."""
    email: ShortText | None = None
    """E-mail address of the vendor; null where not read."""
    phone: ShortText | None = None
    """Telephone number of the vendor; null where not read."""
    address: ShortText | None = None
    """Postal address of the vendor in one line; null where not read."""


class AnalysedItem(Wire):
    name: Name
    """Text of the line, up to 120 characters."""
    sku: ShortText | None = None
    """Vendor's code of the goods; null where the line has none."""
    quantity: Received | None = None
    """Units of the line, up to four decimals; null where not read."""
    unit_price: Annotated[UnitPrice | None, Field(description="What one unit costs, without tax")] = None
    tax_rate: Rate | None = None
    """Percent of VAT of the line; null where not read."""
    total: Amount | None = None
    """Amount of the line without tax, in the invoice's currency; null where not read."""
    barcode: Annotated[ShortText | None, Field(description="Code of the line that is the barcode of an item")] = None
    matched_item_id: ShortText | None = None
    """Id of the catalog item that the line is taken for; null for none."""
    matched_item_name: ShortText | None = None
    """Name of that item; null for none."""
    match_score: Score | None = None
    """Likeness of line and item, 0 to 1; null for none."""
    suggested_action: Annotated[
        Action | None, Field(description="Default update when there is a matchedItemId, else create")
    ] = None
    question: Annotated[
        int | None, Field(ge=0, le=MAX_QUESTIONS, description="Index of the question that decides on this item")
    ] = None


class SupplierInvoiceAnalysis(Wire):
    vendor: AnalysedVendor | None = None
    """Vendor as printed; null where not read."""
    invoice_number: ShortText | None = None
    """Vendor's number of the invoice; null where not read."""
    invoice_date: Day | None = None
    """Date of the invoice; null where not read."""
    due_date: Day | None = None
    """Day by which it has to be paid; null where not read."""
    currency: CurrencyCode | None = None
    """ISO 4217 code of the invoice's currency; null where not read, then the account's."""
    items: Annotated[list[AnalysedItem], Field(max_length=MAX_ITEMS)]
    """Lines of the invoice, at most 500."""
    subtotal: Amount | None = None
    """Net amount before taxes and retention, in the invoice's currency; null where not read."""
    tax_amount: Amount | None = None
    """VAT of the whole invoice, in its currency; null where not read."""
    total: Amount | None = None
    """Amount due as printed, VAT included and retention deducted, in the invoice's currency; null where not read."""
    retention_amount: Annotated[Amount | None, Field(description="Withheld from the vendor; `total` is without it")] = (
        None
    )
    iban: ShortText | None = None
    """Bank account (IBAN) to pay into; null where not read."""
    questions: Annotated[list[LongText] | None, Field(max_length=MAX_QUESTIONS)] = None
    """Questions about doubtful lines, for a person to answer; at most 100."""
    confidence: Score | None = None
    """Probability that the document was read right, 0 to 1; null where not known."""
    engine: Annotated[ShortText | None, Field(description="What read the document, as `rapidocr`")] = None
    attachment_id: Annotated[ShortText | None, Field(description="The document that was read, as it is kept")] = None
    warnings: Annotated[list[LongText] | None, Field(max_length=MAX_QUESTIONS)] = None
    """Doubts about what was read, in words."""


class ConfirmImport(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    analysis: SupplierInvoiceAnalysis
    """Analysis as it was answered, corrected where it was wrong."""
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
    """Name of the item, as on the line."""
    action: Annotated[str, Field(description="`created`, `updated` or `skipped`")]


class ConfirmResult(Wire):
    created: int
    """Number of catalog items that were made."""
    updated: int
    """Number of catalog items that were changed."""
    item_results: list[ItemResult]
    """Outcome of each line, in their order."""
    vendor_id: Annotated[str | None, Field(description="The vendor that was found or stored; null without a name")]
    supplier_invoice_id: Annotated[
        str | None, Field(description="The supplier invoice that was recorded; null where `warnings` say why not")
    ]
    warnings: Annotated[list[str], Field(description="Parts of the analysis that were left out, and why")]
