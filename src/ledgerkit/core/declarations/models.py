"""Tax declarations with their evidence, and the tax profiles of an account."""

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from pydantic import JsonValue, PlainSerializer
from sqlalchemy import (
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
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, StampedRow, VersionedRow
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table
from ledgerkit.money import dumps_exact, to_number

_SUM = Numeric(15, 2)

Boxes = dict[str, Decimal]
"""Values by the official key of their box."""


class StoredWarning(StoredObject):
    """Something to look at: `message` by language."""

    code: str
    message: dict[str, str]
    document_ids: tuple[str, ...] = ()


class StoredBoxChange(StoredObject):
    """Effective value of a box before and after it was computed again; None where the box was not there."""

    box: str
    before: Decimal | None
    after: Decimal | None


class StoredAmendment(StoredObject):
    receipt_number: str
    reason: str | None = None


class StoredDocumentRef(StoredObject):
    """Document behind a declaration, as it was when that was computed. `origin` is the kind of its record."""

    id: str
    origin: str
    number: str | None
    date: date
    party: str | None
    tax_id: str | None


class StoredRecord(StoredObject):
    """Line of a declaration that is a list, and the ids of the documents behind it."""

    fields: dict[str, object]
    document_ids: tuple[str, ...]


def as_given(record: StoredRecord) -> dict[str, JsonValue]:
    """Return the fields of a record as the form gave them: a number with a point is read as Decimal."""
    fields: dict[str, JsonValue] = json.loads(dumps_exact(record.fields))
    return fields


BOXES = JsonCodec(Boxes)
WARNINGS = JsonCodec(tuple[StoredWarning, ...])
CHANGES = JsonCodec(tuple[StoredBoxChange, ...])
AMENDS = JsonCodec(StoredAmendment)
TYPES = JsonCodec(dict[str, dict[str, str]])
"""Name by language of each official letter that the result allows, the usual one first."""
Evidence = dict[str, dict[str, Annotated[Decimal, PlainSerializer(to_number, when_used="json")]]]
"""Amount of each document by its id, by box."""

EVIDENCE = JsonCodec(Evidence)
EVIDENCE_IDS = JsonCodec(dict[str, dict[str, object]])
"""Evidence of which only the ids are read."""
DOCUMENTS = JsonCodec(tuple[StoredDocumentRef, ...])
RECORDS = JsonCodec(tuple[StoredRecord, ...])
PROFILE = JsonCodec(dict[str, object])


class DeclarationRow(AccountRow):
    country: str
    form: str
    year: int
    period: str
    amendment: int
    complementary_of: UUID | None
    period_start: date
    period_end: date
    status: str
    origin: str
    boxes: StoredJson[Boxes]
    manual_overrides: StoredJson[Boxes]
    effective_boxes: StoredJson[Boxes]
    output_vat: Decimal
    input_vat: Decimal
    result: Decimal
    result_kind: str
    declaration_types: StoredJson[dict[str, dict[str, str]]]
    declaration_type: str | None
    iban: str | None
    amends: StoredJson[StoredAmendment] | None
    invoice_count: int
    expense_count: int
    notes: str | None
    warnings: StoredJson[tuple[StoredWarning, ...]]
    changes: StoredJson[tuple[StoredBoxChange, ...]]
    layout_version: str
    due_date: date | None
    generated_at: datetime
    submitted_at: datetime | None
    submitted_by: UUID | None
    file_name: str | None
    file_media_type: str | None
    file_sha256: str | None


tax_declaration = account_table(
    "tax_declaration",
    DeclarationRow,
    Column("country", Text, nullable=False),
    Column("form", Text, nullable=False),
    Column("year", Integer, nullable=False),
    Column("period", Text, nullable=False),
    Column("amendment", Integer, nullable=False, server_default=text("0")),
    Column("complementary_of", Uuid),
    Column("period_start", Date, nullable=False),
    Column("period_end", Date, nullable=False),
    Column("status", Text, nullable=False, server_default=text("'draft'")),
    Column("origin", Text, nullable=False, server_default=text("'generated'")),
    Column("boxes", JSON, nullable=False),
    Column("manual_overrides", JSON, nullable=False),
    Column("effective_boxes", JSON, nullable=False),
    Column("output_vat", _SUM, nullable=False),
    Column("input_vat", _SUM, nullable=False),
    Column("result", _SUM, nullable=False),
    Column("result_kind", Text, nullable=False),
    Column("declaration_types", JSON, nullable=False),
    Column("declaration_type", Text),
    Column("iban", Text),
    Column("amends", JSON),
    Column("invoice_count", Integer, nullable=False),
    Column("expense_count", Integer, nullable=False),
    Column("notes", Text),
    Column("warnings", JSON, nullable=False),
    Column("changes", JSON, nullable=False),
    Column("layout_version", Text, nullable=False),
    Column("due_date", Date),
    Column("generated_at", DateTime(timezone=True), nullable=False),
    Column("submitted_at", DateTime(timezone=True)),
    Column("submitted_by", Uuid),
    Column("file_name", Text),
    Column("file_media_type", Text),
    Column("file_sha256", Text),
    account_key("complementary_of", "tax_declaration"),
    UniqueConstraint("account_id", "country", "form", "year", "period", "amendment"),
    CheckConstraint("status in ('draft', 'submitted')", name="status"),
    CheckConstraint("origin in ('generated', 'external')", name="origin"),
    CheckConstraint("(status = 'submitted') = (submitted_at is not null)", name="submitted_whole"),
    CheckConstraint("file_sha256 is null or (status = 'submitted' and origin = 'generated')", name="file_of_submitted"),
    CheckConstraint("(amendment = 0) = (complementary_of is null)", name="amendment"),
)
"""`amendment` counts the declarations of one form and period: 0 is the first, each later one amends the one before.

`generated_at` is the moment of the snapshot that the boxes were computed from, by the database's clock.
"""


class DeclarationContentRow(VersionedRow):
    declaration_id: UUID
    documents: StoredJson[tuple[StoredDocumentRef, ...]]
    evidence: StoredJson[Evidence]
    records: StoredJson[tuple[StoredRecord, ...]]
    file: bytes | None


tax_declaration_content = account_table(
    "tax_declaration_content",
    DeclarationContentRow,
    Column("declaration_id", Uuid, nullable=False),
    Column("documents", JSON, nullable=False),
    Column("evidence", JSON, nullable=False),
    Column("records", JSON, nullable=False),
    Column("file", LargeBinary),
    PrimaryKeyConstraint("account_id", "declaration_id"),
    account_key("declaration_id", "tax_declaration"),
    keyed=False,
)
"""Parts that grow with the documents of the period, apart from the declaration: lists do not read it."""


class FiledAmountRow(StampedRow):
    declaration_id: UUID
    document_id: UUID
    box: str
    amount: Decimal


filed_amount = account_table(
    "filed_amount",
    FiledAmountRow,
    Column("declaration_id", Uuid, nullable=False),
    Column("document_id", Uuid, nullable=False),
    Column("box", Text, nullable=False),
    Column("amount", Numeric, nullable=False),
    PrimaryKeyConstraint("account_id", "declaration_id", "document_id", "box"),
    account_key("declaration_id", "tax_declaration"),
    Index("ix_filed_amount_document", "account_id", "document_id"),
    append_only=True,
    erasable=True,
    keyed=False,
)
"""Amounts of documents in the boxes of submitted declarations, as their evidence had them then."""


class TaxProfileRow(VersionedRow):
    country: str
    profile: StoredJson[dict[str, object]]


tax_profile = account_table(
    "tax_profile",
    TaxProfileRow,
    Column("country", Text, nullable=False),
    Column("profile", JSON, nullable=False),
    PrimaryKeyConstraint("account_id", "country"),
    keyed=False,
)
"""Answers to what the forms of a country ask of the account beside its documents, in that country's own fields."""
