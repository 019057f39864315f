"""Tables of everything said to and by an authority: messages, questions, answers, and the outcome for each record."""

from uuid import UUID

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, Text, Uuid

from ledgerkit.core.platform.database.row_types import AppendOnlyRow
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table

PositionRun = tuple[int, int]
"""First and last position of a stretch of the chain without a gap."""

RUNS = JsonCodec(tuple[PositionRun, ...])


class SubmissionRow(AppendOnlyRow):
    installation_id: UUID
    first_position: int
    last_position: int
    late: bool
    request: bytes
    runs: StoredJson[tuple[PositionRun, ...]]
    repeats_id: UUID | None


fiscal_submission = account_table(
    "fiscal_submission",
    SubmissionRow,
    Column("installation_id", Uuid, nullable=False),
    Column("first_position", Integer, nullable=False),
    Column("last_position", Integer, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("runs", JSON, nullable=False),
    Column("repeats_id", Uuid),
    account_key("installation_id", "fiscal_installation"),
    Index("ix_fiscal_submission_positions", "account_id", "installation_id", "first_position"),
    append_only=True,
)
"""A message to the authority, stored before it is sent.

`runs`: first and last position of each stretch of the chain that is in it. `late`: its heading says that the records
are late. `repeats_id`: the earlier message whose answer was lost, and whose bytes it repeats.
"""


class AnswerRow(AppendOnlyRow):
    submission_id: UUID
    http_status: int | None
    body: bytes
    error: str | None
    fault: str | None
    reference: str | None


fiscal_answer = account_table(
    "fiscal_answer",
    AnswerRow,
    Column("submission_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("error", Text),
    Column("fault", Text),
    Column("reference", Text),
    account_key("submission_id", "fiscal_submission"),
    append_only=True,
)
"""An answer to a message, raw. The authority's receipt (`reference`) can never be fetched again."""


class OutcomeRow(AppendOnlyRow):
    record_id: UUID
    submission_id: UUID | None
    query_id: UUID | None
    state: str
    code: str | None
    message: str | None


fiscal_outcome = account_table(
    "fiscal_outcome",
    OutcomeRow,
    Column("record_id", Uuid, nullable=False),
    Column("submission_id", Uuid),
    Column("query_id", Uuid),
    Column("state", Text, nullable=False),
    Column("code", Text),
    Column("message", Text),
    account_key("record_id", "fiscal_record"),
    account_key("submission_id", "fiscal_submission"),
    account_key("query_id", "fiscal_query"),
    Index("ix_fiscal_outcome_record", "account_id", "record_id", "id"),
    append_only=True,
)


class QueryRow(AppendOnlyRow):
    installation_id: UUID
    submission_id: UUID | None
    year: int
    month: int
    number: str | None
    request: bytes


fiscal_query = account_table(
    "fiscal_query",
    QueryRow,
    Column("installation_id", Uuid, nullable=False),
    Column("submission_id", Uuid),
    Column("year", Integer, nullable=False),
    Column("month", Integer, nullable=False),
    Column("number", Text),
    Column("request", LargeBinary, nullable=False),
    account_key("installation_id", "fiscal_installation"),
    account_key("submission_id", "fiscal_submission"),
    Index("ix_fiscal_query_submission", "account_id", "submission_id"),
    append_only=True,
)
"""A question to the authority, stored before it is sent. `submission_id`: the message whose answer was lost, if any."""


class QueryAnswerRow(AppendOnlyRow):
    query_id: UUID
    http_status: int | None
    body: bytes
    failure: str | None


fiscal_query_answer = account_table(
    "fiscal_query_answer",
    QueryAnswerRow,
    Column("query_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("failure", Text),
    account_key("query_id", "fiscal_query"),
    append_only=True,
)
"""An answer to a question, raw. `failure`: why it answers nothing."""
