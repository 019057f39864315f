"""Tax declarations with their evidence, and the tax profiles of an account."""

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from pydantic import JsonValue, PlainSerializer
from sqlalchemy import (
    CheckConstraint,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, StampedRow, VersionedRow, column
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
    """One tax declaration of a form and period: computed from the books, recorded as filed, or typed in."""

    country: str = column("Country of the form, two capital letters (ISO 3166).")
    form: str = column("Official code of the form, such as 303, 130 or 347.")
    year: int = column("Year of the period, 2000 to 2100.")
    period: str = column("Period within the year: Q1 to Q4, M01 to M12, or Y for the whole year.")
    amendment: int = column(
        "Place among the declarations of one form and period: 0 is the first, each later one amends the one before.",
        server_default=text("0"),
    )
    complementary_of: UUID | None = column(
        "Id of the declaration of the same period that this one amends; null for the first.",
    )
    period_start: date = column("First day of the period.")
    period_end: date = column("Last day of the period.")
    status: str = column(
        "State: draft while it can be changed, submitted once it is recorded as filed; nothing is sent to the "
        "authority from here.",
        server_default=text("'draft'"),
    )
    origin: str = column(
        "Origin: generated where it was computed here, external where somebody typed in what was filed elsewhere.",
        server_default=text("'generated'"),
    )
    boxes: StoredJson[Boxes] = column(
        "Computed values by official box number, without overrides: euros, or counts and percents as the "
        "form has them.",
        JSON,
    )
    manual_overrides: StoredJson[Boxes] = column(
        "Values by box number that the user puts in place of computed ones; empty without any.",
        JSON,
    )
    effective_boxes: StoredJson[Boxes] = column(
        "Values by box number with the overrides and what follows from them; the ones that are filed.",
        JSON,
    )
    output_vat: Decimal = column(
        "Total output VAT in euros, with overrides; 0 for a form without VAT and for one typed in.",
        _SUM,
    )
    input_vat: Decimal = column(
        "Total deductible VAT in euros, with overrides; 0 for a form without VAT and for one typed in.",
        _SUM,
    )
    result: Decimal = column(
        "Result of the form in euros, with overrides: above 0 to pay, below 0 in the taxpayer's favour; 0 where "
        "typed in.",
        _SUM,
    )
    result_kind: str = column("What becomes of the result: pay, compensate (against later periods), refund, or none.")
    declaration_types: StoredJson[dict[str, dict[str, str]]] = column(
        "Official letters that the result allows, the usual one first, each with its name by language; may be empty.",
        JSON,
    )
    declaration_type: str | None = column(
        "Official letter that the user chose, or under which one typed in was filed; null for the usual one.",
    )
    iban: str | None = column(
        "Bank account (IBAN) for the payment or refund, given by the user; null where none was given.",
    )
    amends: StoredJson[StoredAmendment] | None = column(
        "What is amended at the authority: its receipt number and the code of the reason; null where nothing is.",
        JSON,
    )
    invoice_count: int = column("Number of invoices that reached a box or a line; 0 where typed in.")
    expense_count: int = column(
        "Number of expenses and supplier invoices that reached a box or a line; 0 where typed in.",
    )
    notes: str | None = column("Notes of the user, at most 5,000 characters; null without any.")
    warnings: StoredJson[tuple[StoredWarning, ...]] = column(
        "What to look at, found by the last computation or the submission: code, message, ids of the documents.",
        JSON,
    )
    changes: StoredJson[tuple[StoredBoxChange, ...]] = column(
        "Effective boxes that the last computation changed, before and after; empty after the first.",
        JSON,
    )
    layout_version: str = column(
        "Code of the official file design of the period, or of the nearest one known while that is not.",
    )
    due_date: date | None = column("Last day to file, moved to a working day; null for a year whose term is not known.")
    generated_at: datetime = column(
        "Time (UTC) by the database's clock at which the books were read; the time of typing for one typed in.",
    )
    submitted_at: datetime | None = column(
        "Time (UTC) at which it was recorded as filed; noon of the day given for one typed in; null for a draft.",
    )
    submitted_by: UUID | None = column(
        "Id of the user who recorded it as filed; null for a draft and for a team's key.",
    )
    file_name: str | None = column(
        "Name of the file that was frozen at submission; null for a draft, one typed in, or where data were missing.",
    )
    file_media_type: str | None = column("Media type of the frozen file; null without one.")
    file_sha256: str | None = column("SHA-256 of the frozen file, in hexadecimal; null without one.")


tax_declaration = account_table(
    "tax_declaration",
    DeclarationRow,
    account_key("complementary_of", "tax_declaration"),
    UniqueConstraint("account_id", "country", "form", "year", "period", "amendment"),
    CheckConstraint("status in ('draft', 'submitted')", name="status"),
    CheckConstraint("origin in ('generated', 'external')", name="origin"),
    CheckConstraint("(status = 'submitted') = (submitted_at is not null)", name="submitted_whole"),
    CheckConstraint("file_sha256 is null or (status = 'submitted' and origin = 'generated')", name="file_of_submitted"),
    CheckConstraint("(amendment = 0) = (complementary_of is null)", name="amendment"),
)


class DeclarationContentRow(VersionedRow):
    """Contents of one declaration that grow with its documents, apart from it so that lists need not read them."""

    declaration_id: UUID = column("Id of the declaration (tax_declaration).")
    documents: StoredJson[tuple[StoredDocumentRef, ...]] = column(
        "Documents that reached a box or a line, as they were then: id, origin, number, date, party, tax identifier.",
        JSON,
    )
    evidence: StoredJson[Evidence] = column(
        "Amount of each document in each box: document ids with their amounts, by box number.",
        JSON,
    )
    records: StoredJson[tuple[StoredRecord, ...]] = column(
        "Lines of a declaration that is a list: their fields by official name and the documents behind each.",
        JSON,
    )
    file: bytes | None = column(
        "Bytes of the official file, frozen at submission; null for a draft, one typed in, or where data were missing.",
    )


tax_declaration_content = account_table(
    "tax_declaration_content",
    DeclarationContentRow,
    PrimaryKeyConstraint("account_id", "declaration_id"),
    account_key("declaration_id", "tax_declaration"),
)


class FiledAmountRow(StampedRow):
    """Amount of one document in one box of a submitted declaration, as its evidence had it then; it never changes."""

    declaration_id: UUID = column("Id of the declaration (tax_declaration).")
    document_id: UUID = column("Id of the invoice, expense or supplier invoice.")
    box: str = column("Official number of the box.")
    amount: Decimal = column(
        "Amount that the document brought to the box, in euros unless the box counts something else.",
        Numeric,
    )


filed_amount = account_table(
    "filed_amount",
    FiledAmountRow,
    PrimaryKeyConstraint("account_id", "declaration_id", "document_id", "box"),
    account_key("declaration_id", "tax_declaration"),
    Index("ix_filed_amount_document", "account_id", "document_id"),
    erasable=True,
)


class TaxProfileRow(VersionedRow):
    """An account's answers, for one country, to what its tax forms ask beside the documents."""

    country: str = column("Country of the forms, two capital letters (ISO 3166).")
    profile: StoredJson[dict[str, object]] = column(
        "Answers given, by their names in the API, in the country's own fields; what is absent has its default.",
        JSON,
    )


tax_profile = account_table(
    "tax_profile",
    TaxProfileRow,
    PrimaryKeyConstraint("account_id", "country"),
)
