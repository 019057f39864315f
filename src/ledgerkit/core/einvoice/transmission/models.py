"""Tables of everything said to and by an authority: messages, questions, answers, and the outcome for each record."""

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, Text, Uuid

from ledgerkit.core.database.tables import JSON, account_key, account_table

fiscal_submission = account_table(
    "fiscal_submission",
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
"""A message, stored before it is sent.

`runs`: first and last position of each stretch of the chain that is in it. `repeats_id`: the message whose very bytes
it sends again, because the answer was lost.
"""

fiscal_answer = account_table(
    "fiscal_answer",
    Column("submission_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("error", Text),
    Column("fault", Text),
    Column("reference", Text),
    account_key("submission_id", "fiscal_submission"),
    append_only=True,
)
"""What came back, raw; the authority's receipt (`reference`) can never be fetched again."""

fiscal_outcome = account_table(
    "fiscal_outcome",
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

fiscal_query = account_table(
    "fiscal_query",
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
"""A question to the authority, stored before it is sent; `submission_id`: the message whose answer was lost."""

fiscal_query_answer = account_table(
    "fiscal_query_answer",
    Column("query_id", Uuid, nullable=False),
    Column("http_status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("failure", Text),
    account_key("query_id", "fiscal_query"),
    append_only=True,
)
"""What came back, raw; `failure`: why it is no answer."""
