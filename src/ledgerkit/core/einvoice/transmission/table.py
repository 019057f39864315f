"""Tables of all correspondence with an authority: messages, questions, answers, and the outcome for each record."""

from uuid import UUID

from sqlalchemy import Index

from ledgerkit.core.platform.database.row_types import AppendOnlyRow, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table

PositionRun = tuple[int, int]
"""First and last position of a stretch of the chain without a gap."""

RUNS = JsonCodec(tuple[PositionRun, ...])


class SubmissionRow(AppendOnlyRow):
    """A message with fiscal records, stored before it is sent; it never changes."""

    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    first_position: int = column("Position of the first record in the message.")
    last_position: int = column("Position of the last record in the message.")
    late: bool = column(
        "True where the heading says that records are late (Incidencia): over 240 seconds old or sent before (Orden "
        "HAC/1177/2024, art. 16.4).",
    )
    request: bytes = column("Bytes of the message as sent.")
    runs: StoredJson[tuple[PositionRun, ...]] = column(
        "First and last position of each stretch of the chain in the message.",
        JSON,
    )
    repeats_id: UUID | None = column(
        "Id of the earlier message whose answer was lost and whose bytes this one repeats; null for any other.",
    )


fiscal_submission = account_table(
    "fiscal_submission",
    SubmissionRow,
    account_key("installation_id", "fiscal_installation"),
    Index("ix_fiscal_submission_positions", "account_id", "installation_id", "first_position"),
)


class DeliveryRow(AppendOnlyRow):
    """Row of an answer of the authority as it came, or of the lack of one."""

    http_status: int | None = column("HTTP status of the answer; null where none came.")
    body: bytes = column("Bytes of the answer as they came; empty where none came or it was too large.")


class ReceiptRow(DeliveryRow):
    """Row of an answer to a message with records."""

    error: str | None = column("Why there is no whole answer, such as a failed connection; null where there is one.")
    reference: str | None = column(
        "The authority's receipt (Spain: CSV), which can never be fetched again; null where it gave none.",
    )


class AnswerRow(ReceiptRow):
    """One answer, or the lack of one, to a message with fiscal records."""

    submission_id: UUID = column("Id of the message (fiscal_submission).")
    fault: str | None = column(
        "Why the authority refused the message as a whole, for a cause that does not pass by itself; null otherwise.",
    )


fiscal_answer = account_table(
    "fiscal_answer",
    AnswerRow,
    account_key("submission_id", "fiscal_submission"),
)


class OutcomeRow(AppendOnlyRow):
    """Meaning of one answer of the authority, or of its lack, for one record; a record may have several."""

    record_id: UUID = column("Id of the record (fiscal_record).")
    submission_id: UUID | None = column("Id of the message that the outcome is about; null where no message is known.")
    query_id: UUID | None = column(
        "Id of the question whose answer gave the outcome; null where the answer to the message did.",
    )
    state: str = column(
        "State: pending, accepted, accepted_with_errors, rejected, annulled or unknown (the answer was lost).",
    )
    code: str | None = column(
        "The authority's error code, or NUMBER_TAKEN where it says that another document has the number; null "
        "without an error.",
    )
    message: str | None = column("Words of the authority, or of this software, about the outcome; null without any.")


fiscal_outcome = account_table(
    "fiscal_outcome",
    OutcomeRow,
    account_key("record_id", "fiscal_record"),
    account_key("submission_id", "fiscal_submission"),
    account_key("query_id", "fiscal_query"),
    Index("ix_fiscal_outcome_record", "account_id", "record_id", "id"),
)


class QueryRow(AppendOnlyRow):
    """A question to the authority about what it holds, stored before it is asked."""

    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    submission_id: UUID | None = column(
        "Id of the message whose answer was lost; null for a question about no message.",
    )
    year: int = column("Year of the month asked about.")
    month: int = column("Month asked about, 1 to 12: that of the operation, else of issue.")
    number: str | None = column("Number of the one document asked about; null for all of the month.")
    request: bytes = column("Bytes of the question as sent.")


fiscal_query = account_table(
    "fiscal_query",
    QueryRow,
    account_key("installation_id", "fiscal_installation"),
    account_key("submission_id", "fiscal_submission"),
    Index("ix_fiscal_query_submission", "account_id", "submission_id"),
)


class QueryAnswerRow(DeliveryRow):
    """One answer, or the lack of one, to a question to the authority."""

    query_id: UUID = column("Id of the question (fiscal_query).")
    failure: str | None = column("Why the question is not answered; null where it is.")


fiscal_query_answer = account_table(
    "fiscal_query_answer",
    QueryAnswerRow,
    account_key("query_id", "fiscal_query"),
)
