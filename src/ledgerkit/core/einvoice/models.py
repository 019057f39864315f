"""The chain of an issuer: its head, its records and how they stand. Every folder of einvoice reads these tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)

from ledgerkit.core.einvoice.chain_check import ChainCheck
from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, Row, StampedRow, VersionedRow
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, JSONB, account_key, account_table, reference_table

LAST_CHECK = JsonCodec(ChainCheck)


class ChainHeadRow(AccountRow):
    channel: str
    environment: str
    issuer_tax_id: str
    position: int
    last_record_id: UUID | None
    last_number: str | None
    last_issue_date: date | None
    last_fingerprint: str | None
    last_generated_at: datetime | None
    last_digest: bytes | None
    origin_number: str | None
    origin_issue_date: date | None
    origin_fingerprint: str | None
    origin_generated_at: datetime | None
    database_identity: str | None
    closed_at: datetime | None
    closed_reason: str | None
    alarm_at: datetime | None
    alarm_position: int | None
    alarm_code: str | None
    alarm_message: str | None
    last_check: StoredJson[ChainCheck] | None
    mode: str
    mode_since: datetime | None
    mode_position: int
    reporting_until: date | None
    numbers: str | None
    last_sent_number: str | None


fiscal_installation = account_table(
    "fiscal_installation",
    ChainHeadRow,
    Column("channel", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("issuer_tax_id", Text, nullable=False),
    Column("position", Integer, nullable=False, server_default=text("0")),
    Column("last_record_id", Uuid),
    Column("last_number", Text),
    Column("last_issue_date", Date),
    Column("last_fingerprint", Text),
    Column("last_generated_at", DateTime(timezone=True)),
    Column("last_digest", LargeBinary),
    Column("origin_number", Text),
    Column("origin_issue_date", Date),
    Column("origin_fingerprint", Text),
    Column("origin_generated_at", DateTime(timezone=True)),
    Column("database_identity", Text),
    Column("closed_at", DateTime(timezone=True)),
    Column("closed_reason", Text),
    Column("alarm_at", DateTime(timezone=True)),
    Column("alarm_position", Integer),
    Column("alarm_code", Text),
    Column("alarm_message", Text),
    Column("last_check", JSONB),
    Column("mode", Text, nullable=False, server_default=text("'reporting'")),
    Column("mode_since", DateTime(timezone=True)),
    Column("mode_position", Integer, nullable=False, server_default=text("0")),
    Column("reporting_until", Date),
    Column("numbers", Text),
    Column("last_sent_number", Text),
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
"""One chain: its row is the chain's head, locked while a record is added. Its id is the installation number.

A closed chain gets no more records, and its number is never used again. `last_*` is its last record. `origin_*` is the
last record of other software, which the chain continues. `database_identity` identifies the database in which it began.
`mode` is `reporting` or `keeping`, since `mode_since`, when the chain's last record was `mode_position`; from the day
after `reporting_until` the mode is `keeping`, whatever the column says. `numbers` says how it stands with numbers that
a restored database may have lost: `due` until the authority was asked, then `asked`, or `renamed` where it could not
be; None where nothing can be lost. `last_sent_number` is the number of the last record that this machine has sent of
the chain before, where that is lost.
"""


class DatabaseRow(Row):
    identity: str
    known_since: datetime


fiscal_database = reference_table(
    "fiscal_database",
    DatabaseRow,
    Column("identity", Text, nullable=False),
    Column("known_since", DateTime(timezone=True), nullable=False, server_default=func.now()),
    PrimaryKeyConstraint("identity"),
    append_only=True,
)
"""Databases in which these rows have lived, by `heads.database_identity`; with a second one they were restored.

An account that is older than the present one may have given numbers of which nothing is left here.
"""


class LostNumberRow(AppendOnlyRow):
    installation_id: UUID
    series: str
    year: int
    ordinal: int
    number: str
    held: bool
    issue_date: date | None
    total: Decimal | None
    state: str | None
    fingerprint: str | None


fiscal_lost_number = account_table(
    "fiscal_lost_number",
    LostNumberRow,
    Column("installation_id", Uuid, nullable=False),
    Column("series", Text, nullable=False),
    Column("year", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("number", Text, nullable=False),
    Column("held", Boolean, nullable=False),
    Column("issue_date", Date),
    Column("total", Numeric(15, 2)),
    Column("state", Text),
    Column("fingerprint", Text),
    account_key("installation_id", "fiscal_installation"),
    UniqueConstraint("account_id", "series", "year", "ordinal"),
    append_only=True,
)
"""A number that was given before the database was set back, and is not given again: its document is not stored here.

`held`: the authority holds the document, with this date, total, state and fingerprint. One that it does not hold was
given between others, or was sent from this machine.
"""


@dataclass(frozen=True, kw_only=True)
class RecordColumns(Row):
    """Columns of a record that are known before it is written; the database adds its account and the time."""

    id: UUID
    installation_id: UUID
    position: int
    previous_id: UUID | None
    kind: str
    invoice_id: UUID
    country: str
    channel: str
    channel_version: str
    environment: str
    fiscal_id: str
    issuer_tax_id: str
    number: str
    issue_date: date
    content: bytes
    media_type: str
    fingerprint: str
    qr_url: str | None
    generated_at: datetime
    digest: bytes
    issuer_name: str
    operated_on: date
    corrects_id: UUID | None
    reason: str | None
    told: str | None
    flags: Mapping[str, str] | None
    replaces: str | None


RecordKind = Literal["issue", "annul"]


def record_kind(kind: str) -> RecordKind:
    """Return the stored kind of a record as one of the words of providers and callers."""
    return "annul" if kind == "annul" else "issue"


class FiscalRecordRow(RecordColumns, StampedRow):
    pass


fiscal_record = account_table(
    "fiscal_record",
    FiscalRecordRow,
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    Column("previous_id", Uuid),
    Column("kind", Text, nullable=False),
    Column("invoice_id", Uuid, nullable=False),
    Column("country", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("channel_version", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("fiscal_id", Text, nullable=False),
    Column("issuer_tax_id", Text, nullable=False),
    Column("number", Text, nullable=False),
    Column("issue_date", Date, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("qr_url", Text),
    Column("generated_at", DateTime(timezone=True), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("issuer_name", Text, nullable=False),
    Column("operated_on", Date, nullable=False),
    Column("corrects_id", Uuid),
    Column("reason", Text),
    Column("told", Text),
    Column("flags", JSON),
    Column("replaces", Text),
    account_key("installation_id", "fiscal_installation"),
    account_key("previous_id", "fiscal_record"),
    account_key("corrects_id", "fiscal_record"),
    account_key("invoice_id", "invoice"),
    UniqueConstraint("account_id", "installation_id", "position"),
    UniqueConstraint("account_id", "installation_id", "previous_id"),
    Index("ix_fiscal_record_invoice", "account_id", "invoice_id", "id"),
    Index("ix_fiscal_record_fiscal_id", "account_id", "fiscal_id", "id"),
    append_only=True,
)
"""A sealed record, exactly as it was made; it never changes.

`corrects_id`: the same invoice's record that it corrects. `reason`: why the invoice was annulled; not sent to the
authority. `told`: a digest of the document that it reports, which shows whether a correction would report anything new.
`flags`: its statements about the records before it, in the country's words. `replaces`: fingerprint of somebody else's
record that it replaces at the authority, because the account's owner has demanded it.
"""


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


HELD = JsonCodec(HeldDocument)


@dataclass(frozen=True, kw_only=True)
class StatusColumns(Row):
    """Columns of a status that callers see."""

    state: str
    code: str | None
    message: str | None
    reference: str | None
    submitted_at: datetime | None
    held: StoredJson[HeldDocument] | None
    burnt: str | None


class RecordStatusRow(StatusColumns, VersionedRow):
    record_id: UUID
    installation_id: UUID
    position: int
    attempts: int
    submission_id: UUID | None
    in_doubt: bool
    doubts: int
    refusals: int
    aside_until: datetime | None


fiscal_status = account_table(
    "fiscal_status",
    RecordStatusRow,
    Column("record_id", Uuid, nullable=False),
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("code", Text),
    Column("message", Text),
    Column("reference", Text),
    Column("submitted_at", DateTime(timezone=True)),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("submission_id", Uuid),
    Column("in_doubt", Boolean, nullable=False, server_default=text("false")),
    Column("doubts", Integer, nullable=False, server_default=text("0")),
    Column("refusals", Integer, nullable=False, server_default=text("0")),
    Column("aside_until", DateTime(timezone=True)),
    Column("held", JSON),
    Column("burnt", Text),
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
    keyed=False,
)
"""Status of a record; the record itself never changes.

`submission_id`: the last message that it was in. `in_doubt`: an answer was lost, so the authority may hold the record.
`doubts`: number of times that a message with this record alone was refused or not answered, `refusals` those of them
that were refused. `aside_until`: its sending is deferred until then, and later records go first. `held`: what the
authority holds under the record's number, where that is somebody else's (NUMBER_TAKEN). `burnt`: reason why the invoice
gave the record's number up and took another one.
"""


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
    channel: str
    version: str
    digest: bytes
    content: StoredJson[StoredStatement]
    rendered_at: datetime


fiscal_declaration = reference_table(
    "fiscal_declaration",
    ProducerStatementRow,
    Column("channel", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("content", JSON, nullable=False),
    Column("rendered_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    PrimaryKeyConstraint("channel", "version", "digest"),
    append_only=True,
)
"""Every statement of the producer that was ever shown, by the version of the software: never deleted."""
