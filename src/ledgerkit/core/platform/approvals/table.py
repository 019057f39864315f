"""Table of proposals."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Numeric, PrimaryKeyConstraint, Text, text
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, account_table


class StoredVersion(StoredObject):
    """A record that the proposal touches, at the version that its preview has seen."""

    type: str
    id: str
    label: str | None
    version: int


VERSIONS = JsonCodec(tuple[StoredVersion, ...])
OBJECT = JsonCodec(dict[str, object])
"""Stored form of arguments, previews and problems."""

_PENDING = text("status = 'pending'")


class ApprovalRow(AccountRow):
    """One proposal: an operation with its arguments that a person of the account approves or rejects."""

    operation: str = column("Name of the operation, as invoices.create.")
    permissions: Sequence[str] = column(
        "Permissions that the operation and its preview need, as invoices:draft: who holds all sees and decides it.",
        ARRAY(Text),
    )
    proposer_permissions: Sequence[str] = column(
        "Permissions that the proposer needs: without those that only others need for the proposer's own records.",
        ARRAY(Text),
    )
    arguments: StoredJson[dict[str, object]] = column(
        "JSON of the arguments: the record's id, and the fields of the body.", JSON
    )
    title: str = column("Effect in a sentence, in the language of the account.")
    summary: Sequence[str] = column("Lines that a person decides by: effect, facts, whether it can be undone.", JSON)
    language: str = column("Language of title and summary, as es.")
    preview: StoredJson[dict[str, object]] = column(
        "JSON of what a dry run has shown: answer, entries of the activity log, steps left out.", JSON
    )
    versions: StoredJson[tuple[StoredVersion, ...]] = column(
        "JSON list of the records that it touches, each at the version that the preview has seen.", JSON
    )
    digest: str = column("SHA-256 of what the preview has shown, 64 hexadecimal digits, without ids and moments.")
    risk: str | None = column(
        "Gravest effect: outward, irreversible, money or access; null for an act that is easily undone."
    )
    note: str | None = column("Words of the proposer, up to 1000 characters; null for none.")
    status: str = column("State: pending, approved (being done), rejected, superseded, done or failed.")
    channel: str = column("Way by which it was proposed: api, web, mcp, messaging, or system for the server itself.")
    tool: str | None = column("Name of the MCP tool that was called; null on other channels.")
    proposed_by: UUID | None = column("Id of the user who proposed it; null for a team's API key.")
    proposed_by_name: str = column("Name of whoever proposed it, as it was then.")
    proposed_by_client: str | None = column("Name of the key or connected application that proposed it; null for none.")
    proposed_with: str | None = column("Beginning of the API key that it was proposed with; null without a key.")
    token_hash: str | None = column(
        "SHA-256 of the token that confirms it over the same channel, with the rule of then, in hexadecimal; or null."
    )
    expires_at: datetime = column("Moment in UTC after which it cannot be approved any more.")
    decided_by: UUID | None = column("Id of the user who decided; null before, and for a team's API key.")
    decided_by_name: str | None = column("Name of whoever decided, as it was then; null before.")
    decided_with: str | None = column("Beginning of the API key that it was decided with; null without a key.")
    decided_via: str | None = column("Way by which it was decided: api, web, mcp or messaging; null before.")
    key: str | None = column(
        "Idempotency key under which an operation with transactions of its own is done; null before, and for others."
    )
    decided_at: datetime | None = column("Moment in UTC of the decision; null before.")
    reason: str | None = column("Reason of a rejection, up to 1000 characters; null for none.")
    result_type: str | None = column("Kind of the record that it made or changed; null before, and for none.")
    result_id: str | None = column("Id of that record; null before, and for none.")
    problem: StoredJson[dict[str, object]] | None = column(
        "JSON problem with which it failed, or that it was done with; null for none.", JSON
    )


class ApprovalPolicyRow(VersionedRow):
    """Place where assistants and clients of an account ask a person: a row for all, and one for a connection."""

    connection: str = column("Id of the key or of the application's grant that it is for; empty for all others.")
    asked: str = column("Place: host (the assistant asks), app (in the web app only), or limits (host up to upTo).")
    up_to: Decimal | None = column(
        "Total in the account's currency up to which the assistant asks; null without limits.", Numeric(15, 2)
    )
    known_clients: bool = column("True where the assistant asks about clients only who have been invoiced before.")


approval_policy = account_table(
    "approval_policy",
    ApprovalPolicyRow,
    PrimaryKeyConstraint("account_id", "connection"),
    CheckConstraint("asked in ('host', 'app', 'limits')", name="asked"),
    CheckConstraint("(asked = 'limits') = (up_to is not null)", name="limits"),
)

approval = account_table(
    "approval",
    ApprovalRow,
    CheckConstraint("status in ('pending', 'approved', 'rejected', 'superseded', 'done', 'failed')", name="status"),
    CheckConstraint("risk in ('outward', 'irreversible', 'money', 'access')", name="risk"),
    CheckConstraint("(decided_at is null) = (status in ('pending', 'superseded'))", name="decided"),
    Index(
        *("ix_approval_pending", "account_id", "id"),
        postgresql_where=_PENDING,
        postgresql_include=["expires_at", "permissions", "proposed_by"],
    ),
    Index("ix_approval_token", "account_id", "token_hash", postgresql_where=text("token_hash is not null")),
)
