"""Schemas of electronic invoicing (interface decisions L)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ledgerkit.core.einvoice.certificates.api import CertificateStanding, ObligationShown
from ledgerkit.core.einvoice.outbox.api import SendingTrouble, Unsent
from ledgerkit.core.einvoice.table import FiscalRecordRow
from ledgerkit.core.platform.api_types.fields import Day, Email, Flag, Remark, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.documents.einvoicing_state import Off, State
from ledgerkit.core.platform.mail.api import MailOutcome
from ledgerkit.core.sales.invoices.api import MAX_ITEMS, InvoiceItemInput, Key, Method
from ledgerkit.money import Sum

RecordKind = Literal["issue", "annul"]
ResultState = Literal["pending", "accepted", "accepted_with_errors", "rejected", "annulled", "unknown", "kept"]


class EmitInput(Wire):
    """An invoice to emit. The fields after `correct` are for countries that need them; Spain reads none of them."""

    invoice_id: ShortText
    """Id of the invoice."""
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
    """Point of sale; read in no country yet."""
    receiver_type: ShortText | None = None
    """Kind of recipient; read in no country yet."""
    payment_type: ShortText | None = None
    """Kind of payment; read in no country yet."""
    sale_type: ShortText | None = None
    """Kind of sale; read in no country yet."""
    receiver_dv: ShortText | None = None
    """Check digit of the recipient's tax identifier; read in no country yet."""
    receiver_email: Email | None = None
    """E-mail address of the recipient; read in no country yet."""
    receiver_location: ShortText | None = None
    """Code of the recipient's place; read in no country yet."""
    receiver_ruc_type: ShortText | None = None
    """Kind of the recipient's tax identifier; read in no country yet."""


class AnnulInput(Wire):
    fiscal_id: Annotated[ShortText, Field(min_length=1, description="As emit returned it")]
    reason: Annotated[Remark, Field(description="Stored with the record, not sent to the authority")]


class Translated(Wire):
    """A text by language: in Spanish, in English, and in each further one that it is translated into."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]

    es: str
    """The text in Spanish."""
    en: str
    """The text in English."""


class CreditNoteInput(Wire):
    """The emitted invoice to correct, by default all of it; three fields name it, so that no other is corrected."""

    invoice_id: Annotated[ShortText, Field(description="The invoice, or a prepared draft of a credit note for it")]
    original_fiscal_id: Annotated[ShortText, Field(description="fiscalId of the invoice, as emit returned it")]
    original_date: Annotated[Day, Field(description="issueDate of the invoice")]
    pos: ShortText | None = None
    """Point of sale; read in no country yet."""
    receiver_type: ShortText | None = None
    """Kind of recipient; read in no country yet."""
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
    """Day of issue of that document."""
    total: Annotated[Sum | None, Field(description="With taxes")]
    recipient: str | None
    """Name or tax identifier of its recipient."""
    hash: Annotated[str | None, Field(description="Fingerprint of its record")]
    changed_at: Timestamp | None
    """Moment in UTC at which the authority last changed its record."""
    asked_at: Timestamp | None
    """Moment in UTC at which the authority was asked."""


class AuthorityError(Wire):
    code: Annotated[str, Field(description="The authority's, or NUMBER_TAKEN: it holds a document of somebody else")]
    message: Annotated[str, Field(description="The authority's own words")]
    cause: Annotated[Translated | None, Field(description="Meaning of the code; null where unknown")]
    remedy: Annotated[Translated | None, Field(description="Remedy; null where unknown")]


class RefusedAttempt(Wire):
    """A correction or revival that the authority refused, so that the earlier record remains in effect."""

    record: Annotated[str, Field(description="`id` of the record, as `record` of GET /api/einvoice/xml/{id} takes it")]
    kind: RecordKind
    """Purpose of the record: `issue` or `annul`."""
    issued_at: Timestamp
    """Time (UTC) at which the record was made, to the second."""
    errors: list[AuthorityError]
    """Reasons of the authority for refusing it."""


class EInvoiceResult(Wire, row=FiscalRecordRow):
    id: str
    invoice_id: str
    country: str
    provider: str
    """Id of the channel that made the record, as verifactu."""
    fiscal_id: str
    kind: RecordKind
    corrects: Annotated[str | None, Field(description="`id` of the invoice's record that this one corrects")]
    status: Annotated[
        ResultState, Field(description="State at the authority; `rejected`: it holds nothing of the invoice")
    ]
    qr: Annotated[str | None, Field(description="The QR as PNG data URL; null inside an invoice, see qrUrl")]
    qr_url: str | None
    number: str
    issued_at: Timestamp
    """Time (UTC) at which the record was made, to the second."""
    submitted_at: Timestamp | None
    """Time (UTC) of the last message with the record; null before the first."""
    csv: Annotated[str | None, Field(description="The authority's receipt; null without one")]
    hash: str
    """SHA-256 of the record's values and the hash before it, 64 upper-case hex digits."""
    environment: Annotated[str, Field(description="`sandbox` and `test` have no fiscal effect")]
    errors: list[AuthorityError]
    """Errors that the authority has found in it; empty for none."""
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
    """Address of the printed invoice."""
    xml_url: str
    """Address of the record's bytes."""
    warnings: Annotated[
        list[str],
        Field(description="Upon emission: numbers that a restore has lost, a wrong clock, doubtful taxes"),
    ]


class HistoryEntry(Wire):
    at: Timestamp
    """Moment in UTC."""
    event: Literal["sealed", "sent", "answered"]
    """Kind of event: the record was `sealed`, `sent` or `answered`."""
    record: Annotated[str, Field(description="`id` of the record, as `record` of GET /api/einvoice/xml/{id} takes it")]
    kind: RecordKind
    """Purpose of the record: `issue` or `annul`."""
    flags: Annotated[
        dict[str, str], Field(description="Statements of the record about earlier ones, in the country's words")
    ]
    reason: Annotated[str | None, Field(description="Reason for the annulment")]
    status: ResultState | None
    """State after an answer; null for other events."""
    code: str | None
    """The authority's error code; null without one."""
    message: str | None
    """Words of the authority; null without any."""


class EInvoiceStatus(EInvoiceResult):
    history: list[HistoryEntry]
    """Events of all records of the invoice, the oldest first."""
    unsent: Unsent
    """Records of the account that wait for an answer."""


class ListedRecord(Wire, row=FiscalRecordRow):
    """A fiscal record and its status, without its bytes: those are at GET /api/einvoice/xml/{invoiceId}?record={id}."""

    id: str
    invoice_id: str
    fiscal_id: str
    installation_number: str
    """Number of the installation whose chain it is in, 32 hexadecimal digits."""
    position: int
    kind: RecordKind
    number: str
    issue_date: date
    issued_at: Timestamp
    """Time (UTC) at which the record was made, to the second."""
    submitted_at: Timestamp | None
    """Time (UTC) of the last message with the record; null before the first."""
    status: ResultState
    """State at the authority."""
    environment: str
    csv: Annotated[str | None, Field(description="The authority's receipt; null without one")]
    hash: str
    """SHA-256 of the record's values and the hash before it, 64 upper-case hex digits."""
    reason: str | None
    corrects: Annotated[str | None, Field(description="`id` of the invoice's record that this one corrects")]
    errors: list[AuthorityError]
    """Errors that the authority has found in it; empty for none."""
    burnt: Annotated[str | None, Field(description="Reason why the invoice gave this number up and took another")]
    is_newest: Annotated[bool, Field(description="No later record of the same invoice")]
    needs_action: Annotated[bool, Field(description="Refused, or accepted with a remark to mend, and not mended yet")]


class FiscalAlert(Wire):
    """A fiscal record that somebody must correct."""

    invoice_id: str
    """Id of the invoice."""
    number: str
    """Number of the invoice."""
    kind: RecordKind
    """Purpose of the record: `issue` or `annul`."""
    status: ResultState
    """State at the authority: rejected, or accepted_with_errors."""
    code: Annotated[str | None, Field(description="The authority's code of the first error; null without one")]
    message: Annotated[str | None, Field(description="Meaning of the error, else the authority's words")]
    remedy: Annotated[str | None, Field(description="Remedy of the error in words; null where unknown")]
    next_step: Annotated[str, Field(description="Requests that correct the record")]


class FiscalAlerts(Wire):
    """Fiscal records of the account that somebody has to look at."""

    needs_action: Annotated[int, Field(description="Records to be corrected: refused, or accepted with errors")]
    rejected: int
    """Number of those that the authority refused."""
    accepted_with_errors: int
    """Number of those that it accepted with errors."""
    waiting: int
    """Number of records without a final answer from the authority."""
    waiting_since: Annotated[Timestamp | None, Field(description="Time at which the oldest of them was made")]
    troubles: list[SendingTrouble]
    """Troubles that keep them from the authority; empty for none."""
    newest: Annotated[list[FiscalAlert], Field(description="The newest three records to be corrected")]


class Annulled(Wire):
    """An annulment. `status` is `annulled` once the authority has accepted it; until then the invoice still counts."""

    ok: Literal[True] = True
    """Always true: a failure is a problem."""
    fiscal_id: str
    """Identity of the invoice at the authority."""
    status: ResultState
    """State of the annulment."""
    reason: str
    """Reason for the annulment, as it was given."""
    invoice_id: str
    """Id of the invoice."""
    number: str
    """Number of the invoice."""
    csv: Annotated[str | None, Field(description="The authority's receipt; null without one")]
    warning: Annotated[str | None, Field(description="What is left to do by hand")]


class RegimeShown(Wire):
    """A regime under which issuers of the country report their invoices; the first of them is the usual one."""

    regime: Annotated[str, Field(description="Its key, as the team's field `regime` takes it")]
    name: str
    """Name of the regime."""
    explanation: str
    """Explanation of the regime, in words."""
    recorded: Annotated[bool, Field(description="False: ledgerkit makes no record, and `duty` is to be done elsewhere")]
    duty: str | None
    """Duty of the issuer to be done elsewhere, in words; null for none."""
    source: str
    """Law that it stands in."""


class Providers(Wire):
    country: str
    """ISO 3166 code of the account's country."""
    has_e_invoice: Annotated[bool, Field(alias="hasEInvoice")]
    """True where ledgerkit can report the country's invoices."""
    has_pac: Annotated[bool, Field(alias="hasPAC")]
    """True where a certified intermediary does it; always false so far."""
    supported_countries: list[str]
    """ISO 3166 codes of the countries that can be reported to."""
    environment: str
    """Authority that this server reports to: sandbox, test or production."""
    einvoicing: Annotated[State, Field(description="`on`: whatever is numbered gets a fiscal record with it")]
    off_because: Annotated[Off | None, Field(description="`chosen` in the team's profile, or what is missing")]
    started: Annotated[bool, Field(description="There are records, so e-invoicing cannot be switched off")]
    regime: Annotated[str | None, Field(description="The account's regime today; null in a country without regimes")]
    regimes: Annotated[list[RegimeShown], Field(description="The regimes of the country, for the team's `regime`")]
    unrecorded: Annotated[
        int, Field(description="Documents that lack a record (earlier versions); GET /api/einvoice/chain?verify=true")
    ]
    unsent: Unsent
    """Records that wait for an answer."""
    warnings: Annotated[
        list[str], Field(description="For 30 days after a restore: numbers that were lost, or series with new names")
    ]
    certificate: Annotated[CertificateStanding | None, Field(description="Null where none is known, as in the sandbox")]
    obligations: Annotated[
        list[ObligationShown], Field(description="Taxpayers obliged by the country's law, and since when")
    ]


class EmailInput(Wire):
    email: Email
    """Address that the mail goes to."""


class Emailed(MailOutcome):
    warnings: Annotated[list[str], Field(description="That the authority has rejected the invoice; empty for none")]


class Difference(Wire):
    """A document for which the authority holds something else than is stored here."""

    kind: Literal["missing_there", "unknown_here", "other_state", "other_record", "number_taken"]
    """Kind of difference: one side has it not, another state or record, or somebody else's document has its number."""
    number: str
    """Number of the document."""
    issue_date: date
    """Day of issue of the document."""
    invoice_id: str | None
    """Id of the invoice here; null without one."""
    here: ResultState | None
    """State here; null where it is unknown here."""
    there: ResultState | None
    """State at the authority; null where it is missing there."""
    total_here: Annotated[Sum | None, Field(description="Of the invoice, with taxes; null without one")]
    total_there: Annotated[Sum | None, Field(description="Of what the authority holds, where it says so")]
    repaired: Annotated[bool, Field(description="What the authority holds was adopted here")]
    remedy: str
    """Remedy, in words."""


class Reconciliation(Wire):
    """A month compared with what the authority holds of it."""

    issuer_tax_id: str
    """Tax identifier of the issuer."""
    environment: str
    """Authority that was asked: sandbox, test or production."""
    year: int
    """Year of the month."""
    month: int
    """Month, 1 to 12."""
    documents_here: int
    """Number of documents with a record here."""
    documents_there: int
    """Number of documents that the authority holds."""
    differences: list[Difference]
    """Documents that differ; empty for none."""
