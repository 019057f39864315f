"""Fiscal records, answers of an authority about them, and findings of their checks. Frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, Protocol

from ledgerkit.providers.api.documents import DocumentRef, IssuedBy, Party
from ledgerkit.texts import MessageId, ProblemText, Text, Wording, problem_text


@dataclass(frozen=True, kw_only=True)
class Installation:
    """One issuer's use of this software: its number never repeats for an issuer, past or future.

    `signer` is set where records are signed and stored instead of being reported at once.
    """

    number: str
    several_issuers: bool
    signer: "Signer | None" = None


class Signer(Protocol):
    """A private key with its certificate. Signing is pure computing: no I/O."""

    certificate: bytes
    """DER."""

    def sign(self, data: bytes) -> bytes:
        """RSA PKCS#1 v1.5 with SHA-256."""
        ...


@dataclass(frozen=True, kw_only=True)
class ChainLink:
    """Record as the next one in the same chain names it, with its place and time where they are known."""

    issuer_tax_id: str
    number: str
    issue_date: date
    fingerprint: str
    position: int | None = None
    generated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class SealedRecord:
    """A fiscal record, made once: `content` are the bytes that are stored, sent and hashed.

    `qr_url` and `fingerprint` share the literals of `content`. `fiscal_id` is stable before the authority answers.
    `flags` are its statements about earlier records of the document, in the country's words, for people to read.
    """

    channel: str
    channel_version: str
    kind: Literal["issue", "annul"]
    fiscal_id: str
    number: str
    issue_date: date
    issuer_tax_id: str
    content: bytes
    media_type: str
    fingerprint: str
    generated_at: datetime
    qr_url: str | None
    flags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class Annulment:
    """Wish to strike out a document that should not have been issued. `generator`: its author, unless the issuer is."""

    issuer: Party
    document: DocumentRef
    generated_by: IssuedBy = IssuedBy.ISSUER
    generator: Party | None = None


class State(StrEnum):
    """State of a record at its authority. SIGNED: signed and stored, and sent only on request."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    ACCEPTED_WITH_ERRORS = "accepted_with_errors"
    REJECTED = "rejected"
    ANNULLED = "annulled"
    SIGNED = "kept"
    UNKNOWN = "unknown"


NUMBER_TAKEN = "NUMBER_TAKEN"
"""Code of a refused record: the authority holds a document of other software under its number."""


@dataclass(frozen=True, kw_only=True)
class PastRecord:
    """Earlier record of the same document, with the authority's answer. `reported`: it was sent, or is to be sent.

    `to_replace`: it was refused with NUMBER_TAKEN, and the account's owner wants the next record to replace the
    document that the authority holds. Otherwise that document is left alone.
    """

    kind: Literal["issue", "annul"]
    state: State
    code: str | None = None
    reported: bool = True
    to_replace: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Answer of the authority on one record. PENDING: try again later; UNKNOWN: the answer was lost or unreadable.

    `duplicate`: REJECTED because the authority already holds a document of this identity, ours or another one's. `held`
    is the outcome of that document, if the answer states it. `struck_out`: REJECTED because the authority already holds
    the document as annulled, which is all that an annulment wants.
    """

    state: State
    code: str | None = None
    message: str | None = None
    duplicate: bool = False
    struck_out: bool = False
    held: "Outcome | None" = None


class Blame(StrEnum):
    """Cause of the refusal of a whole message, which decides what to do.

    RECORD: one of its records; without it the others would be accepted. SENDER: issuer, representative, certificate or
    configuration; every message is refused until somebody acts. BARRED: the authority accepts nothing until somebody
    has contacted it. UNCLEAR: the answer does not tell.
    """

    RECORD = "record"
    SENDER = "sender"
    BARRED = "barred"
    UNCLEAR = "unclear"


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Answer of the authority on one message: an outcome per record, in the batch's order.

    `reference` is the authority's own receipt (Spain: CSV), never obtainable again. `wait_seconds` is the pause it
    asks for before the next message, None to keep the last one. `fault` is set when the message as a whole was
    refused and nothing was stored, then `blame` and `code` too. `at` is the authority's clock.
    """

    outcomes: tuple[Outcome, ...]
    reference: str | None = None
    wait_seconds: int | None = None
    fault: str | None = None
    blame: Blame | None = None
    code: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """The raw result of one attempt: the HTTP status and body, or why there is none.

    `sent` is False only when the message certainly did not reach the authority (no connection, no TLS), so that
    nothing can have been stored. `retry_after`: seconds that its server wants to be left alone. `said_at`: the time by
    its server's clock (`Date`, RFC 9110 §6.6.1).
    """

    status: int | None
    body: bytes
    error: str | None = None
    sent: bool = True
    retry_after: int | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class AuditedRecord:
    """Record as it is stored, to be checked against its neighbours.

    `installation` is the number of its installation. `altered`: its bytes are not those that were stored. `signed`: it
    was signed when it was made, even if its bytes show no signature now.
    """

    installation: str
    position: int
    kind: Literal["issue", "annul"]
    issuer_tax_id: str
    number: str
    issue_date: date
    content: bytes
    fingerprint: str
    generated_at: datetime
    altered: bool = False
    signed: bool = False

    @property
    def link(self) -> ChainLink:
        """Link to this record, as the next record has it."""
        return ChainLink(
            issuer_tax_id=self.issuer_tax_id,
            number=self.number,
            issue_date=self.issue_date,
            fingerprint=self.fingerprint,
            position=self.position,
            generated_at=self.generated_at,
        )


@dataclass(frozen=True, kw_only=True)
class RecordAmounts:
    """Totals of a record's document as the authority's own literals; both 0 where it carries none."""

    tax_total: Decimal
    gross_total: Decimal


@dataclass(frozen=True, kw_only=True)
class Anomaly:
    """Fault of a chain: its place and cause. `code` is the authority's code where it has one."""

    position: int | None
    kind: Literal["content", "fingerprint", "signature", "link", "order", "date", "gap"]
    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Holding:
    """Document as the authority holds it, for people to read.

    `total` is that of its record: with taxes, before retention. `recipient` is a name.
    """

    number: str
    issue_date: date
    state: State
    fingerprint: str | None = None
    code: str | None = None
    message: str | None = None
    changed_at: datetime | None = None
    total: Decimal | None = None
    recipient: str | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """Question about the documents of a month (of operation, else of issue) that match the other fields.

    `number` asks for one document; `first` and `last` bound the day of issue, inclusive. `after` asks for the page that
    follows the one that ended with it.
    """

    year: int
    month: int
    number: str | None = None
    first: date | None = None
    last: date | None = None
    after: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Holdings of the authority; `after` is set when there are more. `failure` explains why there is no answer."""

    holdings: tuple[Holding, ...] = ()
    after: Mapping[str, str] | None = None
    failure: str | None = None


SETTING_MISSING = "SETTING_MISSING"
"""Code of a `FieldProblem` about a setting that is not set."""

SETTING_WRONG = "SETTING_WRONG"
"""Code of a `FieldProblem` about a setting that cannot be read, with which no command starts."""


@dataclass(frozen=True, kw_only=True)
class FieldProblem:
    """Rule of the country that a document or a setting breaks.

    `field` is the wire path (`items[0].taxRate`, `issuer.taxId`), `code` the authority's code where it has one.
    """

    field: str
    code: str
    text: ProblemText

    @classmethod
    def of(
        cls, field: str, code: str, message: MessageId, /, *, remedy: MessageId | Text | None = None, **values: object
    ) -> "FieldProblem":
        """Return a problem with the texts of `message`, which may use `{field}` beside the values."""
        return cls(field=field, code=code, text=problem_text(message, {"field": field, **values}, remedy))

    @property
    def message(self) -> str:
        """Fault in English."""
        return self.text.wording().message

    @property
    def remedy(self) -> str:
        """Remedy in English."""
        return self.text.wording().remedy

    @property
    def translations(self) -> Mapping[str, Wording]:
        """Message and remedy by language, English first."""
        return self.text.translations()


class Category(StrEnum):
    """Consequence of a fault that an authority finds.

    SUBMISSION: it refuses the whole message. RECORD: it refuses this record. REMARK: it stores the record with a
    remark.
    """

    SUBMISSION = "submission"
    RECORD = "record"
    REMARK = "remark"


class Mending(StrEnum):
    """Remedy of a fault. RESEND: the failure is the authority's, so the same bytes are sent again.

    OPERATOR: settings, certificate or powers are wrong, the records are not. AMENDMENT: a further record of the same
    document. CORRECTIVE: a corrective document, where the document itself is wrong.
    """

    RESEND = "resend"
    OPERATOR = "operator"
    AMENDMENT = "amendment"
    CORRECTIVE = "corrective"
    NOTHING = "nothing"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Meaning of an authority's code in our own words, as whole sentences; None where we have no explanation."""

    category: Category
    mending: Mending
    cause: Text | None
    remedy: Text | None
