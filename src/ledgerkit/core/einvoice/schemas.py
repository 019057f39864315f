"""Schemas of electronic invoicing (interface decisions L)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ledgerkit.core.einvoice.certificates.schemas import CertificateStanding, ObligationShown
from ledgerkit.core.einvoice.outbox.schemas import Unsent
from ledgerkit.core.platform.api_types.fields import Day, Email, Flag, Remark, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.documents.einvoicing_state import Off, State
from ledgerkit.core.platform.mail.schemas import MailOutcome
from ledgerkit.core.sales.invoices.schemas import MAX_ITEMS, InvoiceItemInput, Key, Method
from ledgerkit.money import Sum

RecordKind = Literal["issue", "annul"]
ResultState = Literal["pending", "accepted", "accepted_with_errors", "rejected", "annulled", "unknown", "kept"]


class EmitInput(Wire):
    """An invoice to emit. The fields after `correct` are for countries that need them; Spain reads none of them."""

    invoice_id: ShortText
    correct: Annotated[
        Flag,
        Field(description="Correct an earlier record by what the invoice says now; an annulled one is valid again"),
    ] = False
    renumber: Annotated[
        Flag,
        Field(description="After NUMBER_TAKEN: give the number up and emit the invoice under the next one"),
    ] = False
    replace: Annotated[
        Flag,
        Field(description="After NUMBER_TAKEN: replace what the authority holds, `takenBy`, for good. The owner only"),
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
    reason: Annotated[Remark, Field(description="Stored with the record, not sent to the authority")]


class Translated(Wire):
    """A text by language: in Spanish, in English, and in each further one that it is translated into."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]

    es: str
    en: str


class CreditNoteInput(Wire):
    """The emitted invoice to correct, by default all of it; three fields name it, so that no other is corrected."""

    invoice_id: Annotated[ShortText, Field(description="The invoice, or a prepared draft of a credit note for it")]
    original_fiscal_id: Annotated[ShortText, Field(description="fiscalId of the invoice, as emit returned it")]
    original_date: Annotated[Day, Field(description="issueDate of the invoice")]
    pos: ShortText | None = None
    receiver_type: ShortText | None = None
    reason: Annotated[Key | None, Field(description="The country's reason code, as R1; its usual one by default")] = (
        None
    )
    method: Annotated[
        Method | None,
        Field(
            description="By differences (default) the items are given back; by substitution they replace the original"
        ),
    ] = None
    items: Annotated[
        list[InvoiceItemInput] | None,
        Field(
            min_length=1,
            max_length=MAX_ITEMS,
            description="A part of the invoice, in positive amounts; by default all that is left",
        ),
    ] = None


class HeldElsewhere(Wire):
    """Document that the authority holds under the invoice's number, and that was not reported from here.

    It was asked at `askedAt`. Null is what it does not say.
    """

    status: Annotated[ResultState | None, Field(description="Null where it shows no such document")]
    issue_date: date | None
    total: Annotated[Sum | None, Field(description="With taxes")]
    recipient: str | None
    hash: Annotated[str | None, Field(description="Fingerprint of its record")]
    changed_at: Timestamp | None
    asked_at: Timestamp | None


class AuthorityError(Wire):
    code: Annotated[str, Field(description="The authority's, or NUMBER_TAKEN: it holds a document of somebody else")]
    message: Annotated[str, Field(description="The authority's own words")]
    cause: Annotated[Translated | None, Field(description="Meaning of the code; null where unknown")]
    remedy: Annotated[Translated | None, Field(description="Remedy; null where unknown")]


class RefusedAttempt(Wire):
    """A correction or revival that the authority refused, so that the earlier record remains in effect."""

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
    kind: Annotated[RecordKind, Field(description="`issue`: the record reports the invoice. `annul`: it annuls it")]
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
        Field(description="A later correction that the authority refused; all other fields describe what it holds"),
    ]
    taken_by: Annotated[
        HeldElsewhere | None,
        Field(description="With NUMBER_TAKEN: what has taken the number; emit with `renumber` or `replace`"),
    ]
    replaces: Annotated[
        HeldElsewhere | None, Field(description="What this record replaces at the authority, as the owner demanded")
    ]
    pdf_url: str
    xml_url: str
    warnings: Annotated[
        list[str],
        Field(description="Upon emission: numbers that a restore has lost, a wrong clock, doubtful taxes"),
    ]


class HistoryEntry(Wire):
    at: Timestamp
    event: Literal["sealed", "sent", "answered"]
    record: Annotated[str, Field(description="`id` of the record, as `record` of GET /api/einvoice/xml/{id} takes it")]
    kind: RecordKind
    flags: Annotated[
        dict[str, str], Field(description="Statements of the record about earlier ones, in the country's words")
    ]
    reason: Annotated[str | None, Field(description="Reason for the annulment")]
    status: ResultState | None
    code: str | None
    message: str | None


class EInvoiceStatus(EInvoiceResult):
    history: list[HistoryEntry]
    unsent: Unsent


class ListedRecord(Wire):
    """A fiscal record and its status, without its bytes: those are at GET /api/einvoice/xml/{invoiceId}?record={id}."""

    id: str
    invoice_id: str
    fiscal_id: str
    installation_number: str
    position: Annotated[int, Field(description="In the chain of its installation, from 1")]
    kind: RecordKind
    number: str
    issue_date: date
    issued_at: Timestamp
    submitted_at: Timestamp | None
    status: ResultState
    environment: str
    csv: Annotated[str | None, Field(description="The authority's receipt")]
    hash: str
    reason: Annotated[str | None, Field(description="Reason for the annulment")]
    corrects: Annotated[str | None, Field(description="`id` of the invoice's record that this one corrects")]
    errors: list[AuthorityError]
    burnt: Annotated[str | None, Field(description="Reason why the invoice gave this number up and took another")]
    is_newest: Annotated[bool, Field(description="No later record of the same invoice")]
    needs_action: Annotated[bool, Field(description="Refused, or accepted with a remark to mend, and not mended yet")]


class Annulled(Wire):
    """An annulment. `status` is `annulled` once the authority has accepted it; until then the invoice still counts."""

    ok: Literal[True] = True
    fiscal_id: str
    status: ResultState
    reason: str
    invoice_id: str
    number: str
    csv: Annotated[str | None, Field(description="The authority's receipt")]
    warning: Annotated[str | None, Field(description="What is left to do by hand")]


class RegimeShown(Wire):
    """A regime under which issuers of the country report their invoices; the first of them is the usual one."""

    regime: Annotated[str, Field(description="Its key, as the team's field `regime` takes it")]
    name: str
    explanation: str
    recorded: Annotated[bool, Field(description="False: ledgerkit makes no record, and `duty` is to be done elsewhere")]
    duty: str | None
    source: str


class Providers(Wire):
    country: str
    has_e_invoice: Annotated[bool, Field(alias="hasEInvoice")]
    has_pac: Annotated[bool, Field(alias="hasPAC")]
    supported_countries: list[str]
    environment: str
    einvoicing: Annotated[State, Field(description="`on`: whatever is numbered gets a fiscal record with it")]
    off_because: Annotated[Off | None, Field(description="`chosen` in the team's profile, or what is missing")]
    started: Annotated[bool, Field(description="There are records, so e-invoicing cannot be switched off")]
    regime: Annotated[str | None, Field(description="The account's regime today; null in a country without regimes")]
    regimes: Annotated[list[RegimeShown], Field(description="The regimes of the country, for the team's `regime`")]
    unrecorded: Annotated[
        int, Field(description="Documents that lack a record (earlier versions); GET /api/einvoice/chain?verify=true")
    ]
    unsent: Unsent
    warnings: Annotated[
        list[str], Field(description="For 30 days after a restore: numbers that were lost, or series with new names")
    ]
    certificate: Annotated[CertificateStanding | None, Field(description="Null where none is known, as in the sandbox")]
    obligations: Annotated[
        list[ObligationShown], Field(description="Taxpayers obliged by the country's law, and since when")
    ]


class EmailInput(Wire):
    email: Email


class Emailed(MailOutcome):
    pass


class Difference(Wire):
    """A document for which the authority holds something else than is stored here."""

    kind: Literal["missing_there", "unknown_here", "other_state", "other_record", "number_taken"]
    number: str
    issue_date: date
    invoice_id: str | None
    here: ResultState | None
    there: ResultState | None
    total_here: Annotated[Sum | None, Field(description="Of the invoice, with taxes; null without one")]
    total_there: Annotated[Sum | None, Field(description="Of what the authority holds, where it says so")]
    repaired: Annotated[bool, Field(description="What the authority holds was adopted here")]
    remedy: str


class Reconciliation(Wire):
    """A month compared with what the authority holds of it."""

    issuer_tax_id: str
    environment: str
    year: int
    month: int
    documents_here: int
    documents_there: int
    differences: list[Difference]
