"""Request and response schemas of invoices (interface decisions B)."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StringConstraints, ValidationError, WrapValidator

from ledgerkit.core.platform.api_types.fields import (
    PRINTABLE,
    CountryCode,
    CurrencyCode,
    Day,
    Description,
    Email,
    Flag,
    LongText,
    Name,
    ShortRemark,
    ShortText,
    VariantIndex,
    few,
)
from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.core.platform.api_types.wire import StoredResult, Timestamp, Wire
from ledgerkit.core.platform.documents.exchange_rates import ExchangeFields
from ledgerkit.core.platform.documents.languages import LanguageCode
from ledgerkit.core.platform.documents.origin import Origin
from ledgerkit.core.platform.mail.api import MailOutcome, WithMessage
from ledgerkit.core.sales.clients.table import ClientRow
from ledgerkit.core.sales.invoices.dates.issue_and_due import DateFields
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredAmounts, StoredLine, StoredTax, StoredThirdParty
from ledgerkit.core.sales.invoices.table import InvoicePaymentRow, InvoiceRow
from ledgerkit.money import Amount, ExchangeRate, PositiveAmount, Quantity, Rate, UnitPrice
from ledgerkit.providers.api import DocumentKind, IssuedBy, TaxCategory
from ledgerkit.texts.refusals import refusal

MAX_ITEMS = 1000
MAX_SUBSTITUTED = 100

EXAMPLE: dict[str, JsonValue] = {
    "client": {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES"},
    "items": [{"description": "Identidad visual", "quantity": 1, "unitPrice": 1200}],
    "taxRate": 21,
    "retentionRate": 15,
    "issueDate": "2026-11-21",
}

Status = Literal["draft", "sent", "paid", "overdue"]
Method = Literal["differences", "substitution"]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,4}$")]
TaxKey = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20), PRINTABLE]
DetailKey = Annotated[str, StringConstraints(min_length=1, max_length=60), PRINTABLE]


def _detail(value: object, validate: Callable[[object], object]) -> object:
    try:
        return validate(value)
    except ValidationError:
        raise refusal("detail_type", FormMsg.DETAIL) from None


Detail = Annotated[Flag | ShortText, WrapValidator(_detail), Field(description="A flag, or a text")]
FiscalDetails = Annotated[dict[DetailKey, Detail], Field(max_length=20), few(20)]


class InvoiceClientInput(Wire, row=ClientRow):
    """Client as printed on this invoice; the tax id of a stored client links it, a new one stores the client."""

    name: Name
    tax_id: ShortText | None = None
    tax_id_kind: ShortText | None = None
    country: CountryCode | None = None
    email: Email | None = None
    address: ShortText | None = None
    city: ShortText | None = None
    postal_code: ShortText | None = None
    province: ShortText | None = None
    language: LanguageCode | None = None
    """Two-letter code of the document's language; null for the client's, or the usual one of its country."""


class LineInput(Wire, row=StoredLine):
    """Fields that the lines of invoices and of a till's sales share."""

    quantity: Quantity = Field(default=Decimal(1), json_schema_extra={"default": 1})
    discount: Rate | None = None
    tax_category: TaxCategory = TaxCategory.STANDARD
    exemption_code: Key | None = None
    regime_key: Key | None = None
    not_subject_reason: TaxKey | None = None
    surcharge_rate: Rate | None = None
    """Equivalence surcharge, percent; default by the client."""
    catalog_item_id: ShortText | None = None
    variant_index: VariantIndex | None = None
    purchase_cost: Amount | None = None
    """Cost of the line to the seller, taxes included: only under a margin scheme, where unitPrice contains the tax."""


class InvoiceItemInput(LineInput):
    description: Description
    unit_price: UnitPrice
    tax_rate: Annotated[Rate | None, Field(description="Percent; default the invoice's taxRate")] = None
    unit: ShortText | None = None
    tax: TaxKey | None = None
    cost_base: Amount | None = None


class ThirdParty(Wire, row=StoredThirdParty):
    """Third party that makes the invoice out in the issuer's name."""

    name: Name
    tax_id: Annotated[ShortText, Field(min_length=1)]
    country: CountryCode | None = None


PRINTED = "printed"
"""Mark of a text that stands among the facts at the top of the printed document, under the word of its name."""


class InvoiceTexts(Wire):
    """Texts of an invoice that nothing else follows from: sent, imported, stored, printed and shown as they are."""

    notes: LongText | None = None
    terms: LongText | None = None
    purchase_order: Annotated[ShortText | None, PRINTED] = None
    buyer_reference: Annotated[ShortText | None, PRINTED] = None
    place_of_supply: ShortText | None = None
    payment_method: ShortText | None = None
    iban: ShortText | None = None


class InvoiceFields(InvoiceTexts, ExchangeFields, DateFields, row=InvoiceRow):
    client: InvoiceClientInput | None = None
    """Client as it is to stand on the document; null with clientId or without a buyer."""
    client_id: ShortText | None = None
    """Id of the stored client; null where `client` says who it is."""
    items: Annotated[list[InvoiceItemInput] | None, Field(max_length=MAX_ITEMS)] = None
    """Lines of the document, at most 1000."""
    tax_rate: Rate | None = None
    """Percent VAT of lines that name none; default the team's."""
    retention_rate: Rate | None = None
    prices_include_tax: Flag | None = None
    """True where unit prices contain their tax; default false."""
    operation_date: Day | None = None
    currency: CurrencyCode | None = None
    issued_by: IssuedBy | None = None
    third_party: ThirdParty | None = None
    operation_description: ShortRemark | None = None
    triangular: Flag | None = None
    fiscal_details: FiscalDetails | None = None
    correction_reason: Key | None = None
    correction_method: Method | None = None
    """Meaning of a credit note's items: the difference (default), or what is right instead."""


class InvoiceInput(InvoiceFields):
    """A draft; it needs a client (embedded or by clientId) and at least one item.

    A simplified invoice needs no client. A credit note takes the client of the invoice that it corrects. An invoice
    that substitutes simplified invoices takes their items.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    doc_type: DocumentKind = DocumentKind.INVOICE
    rectifies: ShortText | None = None
    substitutes: Annotated[list[ShortText] | None, Field(max_length=MAX_SUBSTITUTED)] = None
    """Ids of emitted simplified invoices that it is exchanged for."""


class InvoiceChange(InvoiceFields):
    """Fields that are absent keep their value."""


class Payment(Wire):
    """A payment; on a credit note, one to the client."""

    paid_at: Day | None = None
    """Default today, where the team is; from the invoice's date to tomorrow."""
    amount: Annotated[PositiveAmount | None, Field(description="Default all that is owed")] = None
    method: ShortText | None = None
    """As cash, card, transfer, direct_debit, check or other."""


class InvoiceClient(Wire, row=ClientRow):
    name: str | None
    """Name of the client as printed, up to 120 characters; null where nobody is named."""
    tax_id: str | None
    tax_id_kind: str | None
    country: str
    """ISO 3166 code of the client's country, two letters."""
    email: str | None
    address: str | None
    city: str | None
    postal_code: str | None
    province: str | None
    language: str
    """Two-letter code of the document's language."""


class InvoiceItem(Wire, row=StoredLine):
    description: str
    quantity: Quantity
    unit_price: UnitPrice
    tax_rate: Rate
    discount: Rate
    tax_category: TaxCategory
    exemption_code: str | None
    regime_key: str | None
    not_subject_reason: str | None
    surcharge_rate: Rate | None
    surcharge_by_default: bool
    catalog_item_id: str | None
    variant_index: int | None
    unit: str | None
    tax: str | None
    cost_base: Amount | None
    purchase_cost: Amount | None
    line_total: Amount


class TaxRow(Wire, row=StoredTax):
    category: TaxCategory
    rate: Rate
    base: Amount
    amount: Amount
    surcharge_rate: Rate | None
    surcharge_amount: Amount
    exemption_code: str | None
    regime_key: str | None
    tax: str | None
    cost_base: Amount | None
    not_subject_reason: str | None
    untaxed_amount: Amount | None


class DocumentAmounts(Wire, row=StoredAmounts):
    subtotal: Amount
    tax_amount: Amount
    surcharge_amount: Amount
    retention_amount: Amount
    total: Amount
    tax_breakdown: list[TaxRow]


class Replaced(DocumentAmounts):
    """Amounts that a credit note by substitution replaces; it changes the sums by its own amounts less these."""


class Converted(DocumentAmounts):
    """Amounts in the account's currency, at exchangeRate: what reports, declarations and fiscal records count."""


class Invoice(Wire, row=InvoiceRow):
    id: str
    number: str | None
    series: str
    doc_type: DocumentKind
    status: Status
    client: InvoiceClient
    client_id: str | None
    items: list[InvoiceItem]
    tax_rate: Rate
    retention_rate: Rate
    prices_include_tax: bool
    subtotal: Amount
    tax_amount: Amount
    surcharge_amount: Amount
    retention_amount: Amount
    total: Amount
    amount_paid: Amount
    balance: Amount
    """Amount still owed, in the document's currency; below zero where the client is owed it."""
    currency: str
    exchange_rate: ExchangeRate | None
    exchange_rate_source: str | None
    converted: Converted | None
    issue_date: Annotated[date, Field(description="Date of issue; in a draft whose date was not stated today")]
    issue_date_stated: Annotated[bool, Field(description="false: the draft is dated on the day of its issue")]
    operation_date: date | None
    due_date: date
    """Day by which it has to be paid."""
    due_date_stated: Annotated[bool, Field(description="false: dueDate follows the issueDate of the draft")]
    paid_at: date | None
    issued_at: Timestamp | None
    sent_at: Timestamp | None
    viewed_at: Timestamp | None
    notes: str | None
    terms: str | None
    buyer_reference: str | None
    purchase_order: str | None
    place_of_supply: str | None
    payment_method: str | None
    iban: str | None
    share_token: str | None
    """Last part of the public link; null where it is not shared."""
    share_url: str | None
    """Address of the public link, open to whoever has it; null where it is not shared."""
    tax_breakdown: list[TaxRow]
    einvoice: Annotated[StoredResult | None, Field(description="EInvoiceResult, null until emitted; without `qr`")]
    rectifies: str | None
    rectified_by: list[str]
    """Ids of the issued credit notes that correct it; empty for none."""
    correction_reason: str | None
    correction_method: Method | None
    replaced: Replaced | None
    substitutes: list[str]
    """Ids of the simplified invoices that this full one is exchanged for; they count and it does not; empty for
    none."""
    substituted_by: str | None
    issued_by: IssuedBy
    third_party: ThirdParty | None
    operation_description: str | None
    triangular: bool
    fiscal_details: dict[str, Detail] | None
    origin: Origin
    issuer_incomplete: Annotated[bool, Field(description="Numbered without the issuer's tax identifier: no invoice")]
    warnings: Annotated[list[str], Field(description="Doubts about a changed draft; duties about an issued document")]
    created_by: str | None
    channel: str
    created_at: Timestamp
    updated_at: Timestamp
    deleted_at: Timestamp | None
    version: Annotated[int, Field(exclude=True)]


# ---------------------------------------------------------------- answers beside the invoice


class InvoiceCounts(Wire):
    """Number of invoices by status, deleted ones left out; `total` is their sum."""

    total: int
    """Number of all invoices."""
    draft: int
    """Number of drafts."""
    sent: Annotated[int, Field(description="Issued, neither paid nor overdue")]
    paid: int
    """Number of those paid in full."""
    overdue: int
    """Number of those issued, not paid in full, whose due date is past."""


class InvoicePreview(Wire, row=InvoiceRow):
    """Totals, lines and dates that a draft would have."""

    doc_type: DocumentKind
    series: str
    client: InvoiceClient
    client_id: Annotated[str | None, Field(description="The stored client that is meant; null: one would be stored")]
    currency: str
    exchange_rate: ExchangeRate | None
    exchange_rate_source: str | None
    converted: Converted | None
    issue_date: date
    """Day of issue; today where none is stated."""
    due_date: date
    """Day by which it would have to be paid."""
    items: list[InvoiceItem]
    tax_rate: Rate
    retention_rate: Rate
    subtotal: Amount
    tax_amount: Amount
    surcharge_amount: Amount
    retention_amount: Amount
    total: Amount
    tax_breakdown: list[TaxRow]
    warnings: list[str]
    """Doubts about the draft, in words."""


class InvoicePayment(Wire, row=InvoicePaymentRow):
    id: str
    amount: Amount
    base_amount: Amount | None
    method: str | None
    paid_at: date
    created_by: str | None
    channel: str
    created_at: Timestamp


class Deleted(Wire):
    ok: Literal[True] = True
    """Always true: a failure is a problem."""
    warning: str | None = None
    """Duty that is left after the deletion, in words; null for none."""


class SendInput(WithMessage):
    """Mail of an invoice to its client."""


class Sent(MailOutcome):
    invoice: Invoice
    """The invoice after the mail."""


class Shared(Wire):
    share_token: str
    """Last part of the public link."""
    share_url: str
    """Address of the public link, open to whoever has it."""


class Ok(Wire):
    ok: Literal[True] = True
    """Always true: a failure is a problem."""
