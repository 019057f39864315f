"""Tables of the signed mode: its event log, the chains in it, and the authority's requests for their records."""

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from pydantic import PlainSerializer
from sqlalchemy import (
    ForeignKey,
    Index,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)

from ledgerkit.core.einvoice.transmission.table import ReceiptRow
from ledgerkit.core.platform.database.row_types import AppendOnlyRow, Row, VersionedRow, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table, reference_table


class EventLogHeadRow(VersionedRow):
    """The head of a chain's log of events, locked while an event is added."""

    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    position: int = column(
        "Place of the last event, which is their number; 0 before the first.",
        server_default=text("0"),
    )
    last_event_id: UUID | None = column("Id of the last event; null before the first.")
    last_code: str | None = column("The authority's code of the last event; null before the first.")
    last_fingerprint: str | None = column("Fingerprint of the last event; null before the first.")
    last_generated_at: datetime | None = column("Time (UTC) at which the last event was made; null before the first.")
    summed_events: int = column(
        "Place of the last event that a summary has counted; 0 before the first summary.",
        server_default=text("0"),
    )
    summed_records: int = column(
        "Place of the last fiscal record that a summary has counted; 0 before the first summary.",
        server_default=text("0"),
    )


fiscal_event_log = account_table(
    "fiscal_event_log",
    EventLogHeadRow,
    PrimaryKeyConstraint("account_id", "installation_id"),
    account_key("installation_id", "fiscal_installation"),
)


class EventRow(AppendOnlyRow):
    """One signed event in the log that the signed mode demands (Orden HAC/1177/2024, art. 9); it never changes."""

    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    position: int = column("Place of the event in the log of its chain, from 1 without gaps.")
    previous_id: UUID | None = column(
        "Id of the event before it; null for the first, or where that one is no longer stored.",
    )
    kind: str = column(
        "What happened: started, stopped, records_checked, record_flawed, events_checked, event_flawed, restored, "
        "records_exported, events_exported, summary or other.",
    )
    code: str = column("The authority's code of the kind; Spain: 01 to 10, or 90 for other.")
    content: bytes = column("Bytes of the event as signed; for verifactu XML.")
    fingerprint: str = column("SHA-256 of the event's values and the fingerprint before it, 64 upper-case hex digits.")
    generated_at: datetime = column(
        "Time (UTC) at which the event was made, as it states it; never before that of the event before it.",
    )


fiscal_event = account_table(
    "fiscal_event",
    EventRow,
    account_key("installation_id", "fiscal_installation"),
    account_key("previous_id", "fiscal_event"),
    UniqueConstraint("account_id", "installation_id", "position"),
    UniqueConstraint("account_id", "installation_id", "previous_id"),
)


class SignedChainRow(Row):
    """A chain in the signed mode, or soon in it: ids and times only, so that one query sees those of all accounts."""

    account_id: UUID = column("Id of the account.", ForeignKey("account.id"))
    installation_id: UUID = column("Id of the chain, a row of fiscal_installation.")
    summed_at: datetime = column(
        "Time (UTC) of the last summary, or as if there was one; the next is due 5 h 45 min later (Orden "
        "HAC/1177/2024, art. 9).",
    )


fiscal_signed_chain = reference_table(
    "fiscal_signed_chain",
    SignedChainRow,
    PrimaryKeyConstraint("account_id", "installation_id"),
    Index("ix_fiscal_signed_chain_summed", "summed_at"),
)


class RecordsRequestRow(AppendOnlyRow):
    """A request of the authority for the records that were signed and kept in a period, as a user entered it."""

    channel: str = column("Id of the channel with which the request is answered, such as verifactu.")
    environment: str = column("Where the answer is sent: sandbox (our simulated authority), test or production.")
    issuer_tax_id: str = column("Tax identifier of the issuer.")
    reference: str = column("The authority's own reference of the request.")
    since: date = column("First day whose records are demanded, by the account's time zone.")
    until: date = column("Last day whose records are demanded, by the account's time zone.")


fiscal_demand = account_table(
    "fiscal_demand",
    RecordsRequestRow,
    UniqueConstraint("account_id", "environment", "issuer_tax_id", "reference"),
)

DocumentIdentity = tuple[str, Annotated[date, PlainSerializer(date.isoformat, return_type=str)]]
"""Number and issue date of a record's invoice."""

DOCUMENT_IDENTITIES = JsonCodec(tuple[DocumentIdentity, ...])


class RecordsRequestMessageRow(AppendOnlyRow):
    """One message that answers a request of the authority; all are stored before the first is sent."""

    demand_id: UUID = column("Id of the request (fiscal_demand).")
    ordinal: int = column("Place of the message among those of the request, from 1.")
    records: StoredJson[tuple[DocumentIdentity, ...]] = column(
        "Number and issue date of the invoice of each record in the message, in order.",
        JSON,
    )
    request: bytes = column("Bytes of the message, sent unchanged however often it is repeated.")


fiscal_demand_message = account_table(
    "fiscal_demand_message",
    RecordsRequestMessageRow,
    account_key("demand_id", "fiscal_demand"),
    UniqueConstraint("account_id", "demand_id", "ordinal"),
)


class RecordsRequestAnswerRow(ReceiptRow):
    """One answer, or the lack of one, to a message that answers a request of the authority."""

    message_id: UUID = column("Id of the message (fiscal_demand_message).")
    fault: str | None = column(
        "Why the authority refused the whole message, else the first problem named for a record; null without either.",
    )
    delivered: bool = column(
        "True where the authority has given a final answer for every record; then the message is not sent again.",
    )


fiscal_demand_answer = account_table(
    "fiscal_demand_answer",
    RecordsRequestAnswerRow,
    account_key("message_id", "fiscal_demand_message"),
    Index("ix_fiscal_demand_answer_message", "account_id", "message_id", "id"),
)
