"""The chain of an issuer: its head, its records and how they stand. Every folder of einvoice reads these tables."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    UniqueConstraint,
    func,
    text,
)

from ledgerkit.core.einvoice.values.chains import ChainCheck
from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, Row, VersionedRow, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, JSONB, account_key, account_table, reference_table

LAST_CHECK = JsonCodec(ChainCheck, mode="json")


class ChainHeadRow(AccountRow):
    """One chain of an issuer's fiscal records and its head, locked while a record is added; closed chains stay."""

    channel: str = column("Id of the channel that makes the chain's records, such as verifactu.")
    environment: str = column("Where the records are reported: sandbox (our simulated authority), test or production.")
    issuer_tax_id: str = column("Tax identifier of the issuer.")
    position: int = column(
        "Place of the chain's last record, which is their number; 0 before the first.",
        server_default=text("0"),
    )
    last_record_id: UUID | None = column("Id of the chain's last record; null before the first.")
    last_number: str | None = column(
        "Invoice number of the last record, before the first that of the software continued; null without either.",
    )
    last_issue_date: date | None = column(
        "Day of issue in the last record, before the first that of the software continued; null without either.",
    )
    last_fingerprint: str | None = column(
        "Fingerprint of the last record, before the first that of the software continued; null without either.",
    )
    last_generated_at: datetime | None = column(
        "Time (UTC) at which the last record was made, before the first that of the software continued; null if not "
        "known.",
    )
    last_digest: bytes | None = column("Digest of the last record (fiscal_record.digest); null before the first.")
    origin_number: str | None = column(
        "Invoice number of the last record of the software used before, which the chain continues; null where it "
        "continues none.",
    )
    origin_issue_date: date | None = column(
        "Day of issue in the last record of the software used before; null where the chain continues none.",
    )
    origin_fingerprint: str | None = column(
        "Fingerprint of the last record of the software used before, 64 hex digits; null where the chain continues "
        "none.",
    )
    origin_generated_at: datetime | None = column(
        "Time (UTC) of the last record of the software used before; null where not given or where the chain "
        "continues none.",
    )
    database_identity: str | None = column(
        "Identity of the database in which the chain began (fiscal_database); with another one it must not go on. "
        "Null until it is known.",
    )
    closed_at: datetime | None = column("Time (UTC) from which the chain gets no more records; null while it is open.")
    closed_reason: str | None = column(
        "Why the chain was closed: asked, restored, lost or a sentence in English; null while it is open.",
    )
    alarm_at: datetime | None = column(
        "Time (UTC) at which a flaw of the chain was noticed; null again once the whole chain was checked and holds.",
    )
    alarm_position: int | None = column("Position of the flaw; null without an alarm, or where the flaw has none.")
    alarm_code: str | None = column("Authority's code of the flaw (Spain: TipoAnomalia); null without an alarm.")
    alarm_message: str | None = column("What the flaw is, in English; null without an alarm.")
    last_check: StoredJson[ChainCheck] | None = column(
        "Result of the last check of the chain or a part of it: positions, records, anomalies, first break; "
        "null before any.",
        JSONB,
    )
    mode: str = column(
        "Mode chosen: reporting sends each record at once (VERI*FACTU), keeping signs and stores it; see "
        "reporting_until.",
        server_default=text("'reporting'"),
    )
    mode_since: datetime | None = column(
        "Time (UTC) of the last change of mode that took effect at once; null where there was none.",
    )
    mode_position: int = column(
        "Position of the chain's last record at mode_since; 0 where the mode was never changed or the chain began "
        "later.",
        server_default=text("0"),
    )
    reporting_until: date | None = column(
        "Last day of reporting, after which the mode is keeping whatever mode says (RD 1007/2023, art. 16.3); null "
        "without an end.",
    )
    numbers: str | None = column(
        "Numbers that a restore may have lost: due until the authority is asked, then asked, or renamed if it could "
        "not be; null: none.",
    )
    last_sent_number: str | None = column(
        "Invoice number of the last record of the chain before that this machine sent and the database lost; null "
        "without one.",
    )


fiscal_installation = account_table(
    "fiscal_installation",
    ChainHeadRow,
    CheckConstraint("numbers in ('due', 'asked', 'renamed')", name="numbers"),
    Index(
        "uq_fiscal_installation_open",
        "account_id",
        "channel",
        "environment",
        "issuer_tax_id",
        unique=True,
        postgresql_where=text("closed_at is null"),
    ),
)


class DatabaseRow(Row):
    """A database in which these rows have lived; with a second one they were restored, copied or moved.

    An account that is older than the present database may have given numbers of which nothing is left here.
    """

    identity: str = column(
        "System identifier, timeline and database id of PostgreSQL, which a copy or a restored database does not "
        "share.",
    )
    known_since: datetime = column(
        "Time (UTC) at which the rows were first seen in that database.",
        server_default=func.now(),
    )


fiscal_database = reference_table(
    "fiscal_database",
    DatabaseRow,
    PrimaryKeyConstraint("identity"),
    append_only=True,
)


class LostNumberRow(AppendOnlyRow):
    """A number given before the database was set back and never given again; its document is not stored here."""

    installation_id: UUID = column("Id of the chain that was begun after the loss, a row of fiscal_installation.")
    series: str = column("Series of the number.")
    year: int = column("Year of the number.")
    ordinal: int = column("Place of the number in its series and year.")
    number: str = column("The number as documents state it.")
    held: bool = column(
        "True where the authority holds a document of this number; false where it lies between others or was sent "
        "from here.",
    )
    issue_date: date | None = column("Day of issue of the document held; null where none is.")
    total: Decimal | None = column(
        "Total with taxes, before retention, of the document held, in euros; null where none is or it does not say.",
        Numeric(15, 2),
    )
    state: str | None = column(
        "State of the document held: accepted, accepted_with_errors or annulled; null where none is.",
    )
    fingerprint: str | None = column("Fingerprint of the record held; null where none is or it does not say.")


fiscal_lost_number = account_table(
    "fiscal_lost_number",
    LostNumberRow,
    account_key("installation_id", "fiscal_installation"),
    UniqueConstraint("account_id", "series", "year", "ordinal"),
)


class RecordColumns(Row):
    """Columns of a record that are known before it is written; the database adds its account and the time."""

    id: UUID = column("Id of the record, a UUID of version 7.")
    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    position: int = column("Place of the record in its chain, from 1 without gaps.")
    previous_id: UUID | None = column("Id of the record before it in the chain; null for the chain's first.")
    kind: str = column("What the record does: issue reports the invoice or corrects that report, annul strikes it out.")
    invoice_id: UUID = column("Id of the invoice that the record is about; several records may be about one.")
    country: str = column(
        "Country of the channel that made the record, two capital letters: the account's at the invoice's first "
        "record.",
    )
    channel: str = column("Id of the channel that made the record, such as verifactu.")
    channel_version: str = column("Version of the channel's record design; 1.0 for verifactu (IDVersion of the AEAT).")
    environment: str = column("Where the record is reported: sandbox (our simulated authority), test or production.")
    fiscal_id: str = column(
        "Identity of the invoice at the authority, the same in all its records; for verifactu NIF:number:YYYY-MM-DD.",
    )
    issuer_tax_id: str = column("Tax identifier of the issuer.")
    number: str = column("Series and number of the invoice, as the record states it.")
    issue_date: date = column("Day of issue of the invoice.")
    content: bytes = column(
        "Bytes of the record exactly as sealed, sent and hashed; for verifactu XML, signed in the signed mode.",
    )
    media_type: str = column("Media type of content; application/xml for verifactu.")
    fingerprint: str = column(
        "Huella: SHA-256 of the record's values and the fingerprint before it, 64 upper-case hex digits (Orden "
        "HAC/1177/2024, art. 13).",
    )
    qr_url: str | None = column(
        "Address in the invoice's QR (Orden HAC/1177/2024, arts. 20 and 21); null for an annulment.",
    )
    generated_at: datetime = column(
        "Time (UTC) at which the record was made, to the second, as it states it; never before that of the record "
        "before it.",
    )
    digest: bytes = column(
        "SHA-256 over the previous record's digest and content, so that a change of any stored byte shows.",
    )
    issuer_name: str = column("Name of the issuer when the record was made.")
    operated_on: date = column(
        "Day of the operation, or of issue where the invoice names none; the authority is asked by its month.",
    )
    corrects_id: UUID | None = column(
        "Id of the same invoice's record that this one corrects or annuls; null for the invoice's first.",
    )
    reason: str | None = column(
        "Why the invoice was annulled, in the user's words, not sent to the authority; null for other records.",
    )
    told: str | None = column(
        "SHA-256, in hexadecimal, of the document reported, to see whether a correction would say anything new; null "
        "for an annulment.",
    )
    flags: Mapping[str, str] | None = column(
        "What the record says of earlier ones, by element, such as Subsanacion or RechazoPrevio; null where it says "
        "nothing.",
        JSON,
    )
    replaces: str | None = column(
        "Fingerprint of somebody else's record that this one replaces at the authority, as the owner demanded; null "
        "otherwise.",
    )


RecordKind = Literal["issue", "annul"]


def record_kind(kind: str) -> RecordKind:
    """Return the stored kind of a record as one of the words of providers and callers."""
    return "annul" if kind == "annul" else "issue"


class FiscalRecordRow(RecordColumns, AppendOnlyRow):
    """One sealed fiscal record of an invoice, exactly as made: RegistroAlta or RegistroAnulacion (RD 1007/2023)."""


fiscal_record = account_table(
    "fiscal_record",
    FiscalRecordRow,
    account_key("installation_id", "fiscal_installation"),
    account_key("previous_id", "fiscal_record"),
    account_key("corrects_id", "fiscal_record"),
    account_key("invoice_id", "invoice"),
    UniqueConstraint("account_id", "installation_id", "position"),
    UniqueConstraint("account_id", "installation_id", "previous_id"),
    Index("ix_fiscal_record_invoice", "account_id", "invoice_id", "id"),
    Index("ix_fiscal_record_fiscal_id", "account_id", "fiscal_id", "id"),
)


class HeldDocument(StoredObject):
    """Document that the authority holds under a number, and that was not reported from here, as of `asked_at`.

    Empty fields are what the authority does not say. `total` is its total with taxes.
    """

    state: str | None = None
    issue_date: date | None = None
    total: Decimal | None = None
    recipient: str | None = None
    fingerprint: str | None = None
    changed_at: datetime | None = None
    asked_at: datetime | None = None


HELD = JsonCodec(HeldDocument, mode="json")


class StatusColumns(Row):
    """Columns of a status that callers see."""

    state: str = column(
        "State: pending, accepted, accepted_with_errors, rejected, annulled, unknown (the answer was lost) or kept "
        "(signed, not sent).",
    )
    code: str | None = column(
        "The authority's error code, or NUMBER_TAKEN where it says that another document has the number; null "
        "without an error.",
    )
    message: str | None = column("Words of the authority, or of this software, about the state; null without any.")
    reference: str | None = column(
        "Receipt (Spain: CSV) of the answer that took the record; null before, if rejected, or where a question "
        "found it held.",
    )
    submitted_at: datetime | None = column("Time (UTC) of the last message with the record; null before the first.")
    held: StoredJson[HeldDocument] | None = column(
        "What the authority holds under the record's number where that is somebody else's; null otherwise.",
        JSON,
    )
    burnt: str | None = column("Why the invoice gave up the record's number and took another; null where it did not.")


class RecordStatusRow(StatusColumns, VersionedRow):
    """State of one fiscal record at the authority; the record itself never changes."""

    record_id: UUID = column("Id of the record (fiscal_record).")
    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    position: int = column("Place of the record in its chain, from 1 without gaps.")
    attempts: int = column("Number of messages that the record was in.", server_default=text("0"))
    submission_id: UUID | None = column(
        "Id of the last message that the record was in (fiscal_submission); null before the first.",
    )
    in_doubt: bool = column(
        "True from sending until it is known whether the authority holds the record; also where a restored database "
        "may have sent it.",
        server_default=text("false"),
    )
    doubts: int = column(
        "Number of messages with this record alone that were refused or not answered.",
        server_default=text("0"),
    )
    refusals: int = column(
        "Number of those messages that were refused, not just unanswered; the second may reject the record.",
        server_default=text("0"),
    )
    aside_until: datetime | None = column(
        "Time (UTC) until which the record is deferred and later ones go first; null where it is not.",
    )


fiscal_status = account_table(
    "fiscal_status",
    RecordStatusRow,
    PrimaryKeyConstraint("account_id", "record_id"),
    account_key("record_id", "fiscal_record"),
    Index(
        "ix_fiscal_status_open",
        "account_id",
        "installation_id",
        "position",
        postgresql_where=text("state in ('pending', 'unknown')"),
    ),
    Index(
        "ix_fiscal_status_faulty",
        "account_id",
        "record_id",
        postgresql_where=text("state in ('rejected', 'accepted_with_errors')"),
    ),
)


class StatementItem(StoredObject):
    """One item of a producer's statement: its place in the law's list, the law's text and the producer's answer."""

    key: str
    text: str
    value: str


class StoredStatement(StoredObject):
    """A producer's statement as it was shown; its SHA-256 digest is made of this form."""

    title: str
    version: str
    language: str
    notice: str | None
    items: tuple[StatementItem, ...]
    annex: tuple[StatementItem, ...]


STATEMENT = JsonCodec(StoredStatement)


class ProducerStatementRow(Row):
    """One statement of the producer (declaración responsable; Orden HAC/1177/2024, art. 15) that was shown once."""

    channel: str = column("Id of the channel that the statement is about, such as verifactu.")
    version: str = column("Version of the software that the statement is about.")
    digest: bytes = column("SHA-256 of the content.")
    content: StoredJson[StoredStatement] = column(
        "The statement as shown: title, version, language, notice, and items with the law's text and the answer.",
        JSON,
    )
    rendered_at: datetime = column("Time (UTC) at which it was first shown.", server_default=func.now())


fiscal_declaration = reference_table(
    "fiscal_declaration",
    ProducerStatementRow,
    PrimaryKeyConstraint("channel", "version", "digest"),
    append_only=True,
)
