"""Shapes of electronic invoicing (interface decisions L)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.api_types.fields import Day, Email, Flag, Remark, ShortText
from ledgerkit.core.api_types.wire import Timestamp, Wire
from ledgerkit.core.documents.einvoicing_state import Off, State
from ledgerkit.core.einvoice.certificates.schemas import CertificateStanding, ObligationShown
from ledgerkit.core.einvoice.outbox.schemas import Unsent
from ledgerkit.core.invoices.schemas import MAX_ITEMS, InvoiceItemInput, Key, Method

RecordKind = Literal["issue", "annul"]
ResultState = Literal["pending", "accepted", "accepted_with_errors", "rejected", "annulled", "unknown", "kept"]


class EmitInput(Wire):
    """What is emitted. The fields after `correct` are for countries that need them; Spain reads none of them."""

    invoice_id: ShortText
    correct: Annotated[
        Flag,
        Field(description="Put right what an earlier record told, as the invoice is now; an annulled one holds again"),
    ] = False
    pos: ShortText | None = None
    receiver_type: ShortText | None = None
    payment_type: ShortText | None = None
    sale_type: ShortText | None = None
    receiver_dv: ShortText | None = None
    receiver_email: Email | None = None
    receiver_location: ShortText | None = None
    receiver_ruc_type: ShortText | None = None


class AnnulInput(Wire):
    fiscal_id: Annotated[ShortText, Field(min_length=1, description="As emit returned it")]
    reason: Annotated[Remark, Field(description="For the house: kept with the record, not sent to the authority")]


class Translated(Wire):
    """The same in each language."""

    es: str
    en: str


class CreditNoteInput(Wire):
    """Which emitted invoice is corrected, named thrice so that none is corrected by mistake; by default all of it."""

    invoice_id: Annotated[ShortText, Field(description="The invoice, or a prepared draft of a credit note for it")]
    original_fiscal_id: Annotated[ShortText, Field(description="fiscalId of the invoice, as emit returned it")]
    original_date: Annotated[Day, Field(description="issueDate of the invoice")]
    pos: ShortText | None = None
    receiver_type: ShortText | None = None
    reason: Annotated[Key | None, Field(description="The country's reason code, as R1; default its usual one")] = None
    method: Annotated[
        Method | None,
        Field(description="Default differences: items are given back; by substitution they are what is right instead"),
    ] = None
    items: Annotated[
        list[InvoiceItemInput] | None,
        Field(min_length=1, max_length=MAX_ITEMS, description="A part, in positive amounts; default all that is left"),
    ] = None


class AuthorityError(Wire):
    code: str
    message: Annotated[str, Field(description="The authority's own words")]
    cause: Annotated[Translated | None, Field(description="What the code means, in our words; null where unknown")]
    remedy: Annotated[Translated | None, Field(description="What to do about it; null where unknown")]


class RefusedAttempt(Wire):
    """A correction or revival that the authority refused, while it goes on holding what it was told before."""

    record: Annotated[str, Field(description="`id` of the record, as `record` of GET /api/einvoice/xml/{id} takes it")]
    kind: RecordKind
    issued_at: Timestamp
    errors: list[AuthorityError]


class EInvoiceResult(Wire):
    id: str
    invoice_id: str
    country: str
    provider: str
    fiscal_id: Annotated[str, Field(description="Identity of the record, stable before the authority answers; opaque")]
    kind: Annotated[RecordKind, Field(description="Whether the record tells of the invoice or annuls it")]
    corrects: Annotated[str | None, Field(description="`id` of the invoice's record that this one corrects")]
    status: Annotated[ResultState, Field(description="`rejected`: the authority holds nothing of the invoice")]
    qr: Annotated[str | None, Field(description="The QR as PNG data URL; null inside an invoice, see qrUrl")]
    qr_url: str | None
    number: str
    issued_at: Timestamp
    submitted_at: Timestamp | None
    csv: Annotated[str | None, Field(description="The authority's receipt")]
    hash: str
    environment: Annotated[str, Field(description="`sandbox` and `test` have no fiscal effect")]
    errors: list[AuthorityError]
    refused: Annotated[
        RefusedAttempt | None,
        Field(description="A later correction that the authority refused; everything else is what it holds"),
    ]
    pdf_url: str
    xml_url: str


class HistoryEntry(Wire):
    at: Timestamp
    event: Literal["sealed", "sent", "answered"]
    record: Annotated[str, Field(description="`id` of the record, as `record` of GET /api/einvoice/xml/{id} takes it")]
    kind: RecordKind
    flags: Annotated[dict[str, str], Field(description="What the record says of earlier ones, in the country's words")]
    reason: Annotated[str | None, Field(description="Why the invoice was annulled")]
    status: ResultState | None
    code: str | None
    message: str | None


class EInvoiceStatus(EInvoiceResult):
    history: list[HistoryEntry]
    unsent: Unsent


class Annulled(Wire):
    """`status` is `annulled` once the authority has taken the annulment; until then the invoice stays in the books."""

    ok: Literal[True] = True
    fiscal_id: str
    status: ResultState
    reason: str
    invoice_id: str
    number: str
    csv: Annotated[str | None, Field(description="The authority's receipt")]
    warning: Annotated[str | None, Field(description="What is left to do in the house")]


class Providers(Wire):
    country: str
    has_e_invoice: Annotated[bool, Field(alias="hasEInvoice")]
    has_pac: Annotated[bool, Field(alias="hasPAC")]
    supported_countries: list[str]
    environment: str
    einvoicing: Annotated[State, Field(description="Whether what gets a number gets a fiscal record with it")]
    off_because: Annotated[Off | None, Field(description="`chosen` in the team's profile, or what is lacking")]
    started: Annotated[bool, Field(description="There are records, so that e-invoicing stays on")]
    unrecorded: Annotated[
        int, Field(description="Documents that owe a record (earlier versions); GET /api/einvoice/chain?verify=true")
    ]
    unsent: Unsent
    certificate: Annotated[CertificateStanding | None, Field(description="Null where none is known, as in the sandbox")]
    obligations: Annotated[list[ObligationShown], Field(description="Whom the country's law obliges to what, and when")]


class EmailInput(Wire):
    email: Email


class Emailed(Wire):
    ok: Literal[True] = True
    sent_to: str
    sent_at: Timestamp
    delivered_to: Annotated[str, Field(description="`smtp`, or `file` when the server has no mail server configured")]


class Difference(Wire):
    """A document of which the authority holds something else than is known here."""

    kind: Literal["missing_there", "unknown_here", "other_state", "other_record"]
    number: str
    issue_date: date
    invoice_id: str | None
    here: ResultState | None
    there: ResultState | None
    repaired: Annotated[bool, Field(description="What the authority holds was adopted here")]
    remedy: str


class Reconciliation(Wire):
    """A month, compared with what the authority holds of it."""

    issuer_tax_id: str
    environment: str
    year: int
    month: int
    documents_here: int
    documents_there: int
    differences: list[Difference]
