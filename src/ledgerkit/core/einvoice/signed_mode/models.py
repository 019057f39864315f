"""Tables of the signed mode: its event log, the chains in it, and the authority's requests for their records."""

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from pydantic import PlainSerializer
from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from ledgerkit.core.platform.database.row_types import AppendOnlyRow, Row, VersionedRow
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table, reference_table


class EventLogHeadRow(VersionedRow):
    installation_id: UUID
    position: int
    last_event_id: UUID | None
    last_code: str | None
    last_fingerprint: str | None
    last_generated_at: datetime | None
    summed_events: int
    summed_records: int


fiscal_event_log = account_table(
    "fiscal_event_log",
    EventLogHeadRow,
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False, server_default=text("0")),
    Column("last_event_id", Uuid),
    Column("last_code", Text),
    Column("last_fingerprint", Text),
    Column("last_generated_at", DateTime(timezone=True)),
    Column("summed_events", Integer, nullable=False, server_default=text("0")),
    Column("summed_records", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("account_id", "installation_id"),
    account_key("installation_id", "fiscal_installation"),
    keyed=False,
)
"""Head of an installation's chain of events, locked while an event is added, after the chain of records.

`summed_*` are the last positions of events and records that a summary has counted.
"""


class EventRow(AppendOnlyRow):
    installation_id: UUID
    position: int
    previous_id: UUID | None
    kind: str
    code: str
    content: bytes
    fingerprint: str
    generated_at: datetime


fiscal_event = account_table(
    "fiscal_event",
    EventRow,
    Column("installation_id", Uuid, nullable=False),
    Column("position", Integer, nullable=False),
    Column("previous_id", Uuid),
    Column("kind", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("generated_at", DateTime(timezone=True), nullable=False),
    account_key("installation_id", "fiscal_installation"),
    account_key("previous_id", "fiscal_event"),
    UniqueConstraint("account_id", "installation_id", "position"),
    UniqueConstraint("account_id", "installation_id", "previous_id"),
    append_only=True,
)
"""An event of a system in the signed mode; signed when it is logged."""


class SignedChainRow(Row):
    account_id: UUID
    installation_id: UUID
    summed_at: datetime


fiscal_keeper = reference_table(
    "fiscal_keeper",
    SignedChainRow,
    Column("account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("installation_id", Uuid, nullable=False),
    Column("summed_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("account_id", "installation_id"),
    Index("ix_fiscal_keeper_summed", "summed_at"),
)
"""Chains in the signed mode, with the time of their last summary.

It holds ids and times only, so that one query sees the chains of all accounts.
"""


class RecordsRequestRow(AppendOnlyRow):
    channel: str
    environment: str
    issuer_tax_id: str
    reference: str
    since: date
    until: date


fiscal_demand = account_table(
    "fiscal_demand",
    RecordsRequestRow,
    Column("channel", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("issuer_tax_id", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("since", Date, nullable=False),
    Column("until", Date, nullable=False),
    UniqueConstraint("account_id", "environment", "issuer_tax_id", "reference"),
    append_only=True,
)
"""The authority's request for the signed records of a period, by the authority's own reference."""

DocumentIdentity = tuple[str, Annotated[date, PlainSerializer(date.isoformat, return_type=str)]]
"""Number and issue date of a record's invoice."""

DOCUMENT_IDENTITIES = JsonCodec(tuple[DocumentIdentity, ...])


class RecordsRequestMessageRow(AppendOnlyRow):
    demand_id: UUID
    ordinal: int
    records: StoredJson[tuple[DocumentIdentity, ...]]
    request: bytes


fiscal_demand_message = account_table(
    "fiscal_demand_message",
    RecordsRequestMessageRow,
    Column("demand_id", Uuid, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("records", JSON, nullable=False),
    Column("request", LargeBinary, nullable=False),
    account_key("demand_id", "fiscal_demand"),
    UniqueConstraint("account_id", "demand_id", "ordinal"),
    append_only=True,
)
"""A message that answers a request, stored before any is sent. `records`: number and issue date of each, in order."""


class RecordsRequestAnswerRow(AppendOnlyRow):
    message_id: UUID
    http_status: int | None
    body: bytes
    error: str | None
    fault: str | None
    reference: str | None
    delivered: bool


fiscal_demand_answer = account_table(
    "fiscal_demand_answer",
    RecordsRequestAnswerRow,
    Column("message_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("error", Text),
    Column("fault", Text),
    Column("reference", Text),
    Column("delivered", Boolean, nullable=False),
    account_key("message_id", "fiscal_demand_message"),
    Index("ix_fiscal_demand_answer_message", "account_id", "message_id", "id"),
    append_only=True,
)
"""An answer to such a message, raw. `delivered`: the authority has answered for every record."""
