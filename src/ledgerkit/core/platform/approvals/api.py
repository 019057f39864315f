"""Shapes of proposals and decisions (interface decisions Q)."""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import StoredResult, Timestamp, Wire
from ledgerkit.core.platform.approvals.table import ApprovalPolicyRow, ApprovalRow
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.request.acts import Risk
from ledgerkit.money import PositiveAmount
from ledgerkit.texts.refusals import refusal

Words = Annotated[ShortText, Field(max_length=1000)]


class ApprovalStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    DONE = "done"
    FAILED = "failed"


class ApprovalInput(Wire):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"operation": "clients.create", "arguments": {"name": "Talleres Norte, S.L."}, "note": None}]
        }
    )

    operation: Annotated[ShortText, Field(description="Name of the operation, as invoices.create")]
    arguments: Annotated[
        dict[str, Any],
        Field(default_factory=dict, description="Fields of the request's body, and `id` of the record in its path"),
    ]
    note: Annotated[Words | None, Field(description="What the person who decides should know")] = None


class Asked(StrEnum):
    """Place where a person is asked: by the assistant's host, in the web app only, or by limits."""

    HOST = "host"
    APP = "app"
    LIMITS = "limits"


class Policy(Wire, row=ApprovalPolicyRow):
    """Rule for asking about acts: with `limits` the assistant asks up to a total, and the web app above it."""

    asked: Asked = Asked.HOST
    up_to: PositiveAmount | None = None
    known_clients: bool = False

    @model_validator(mode="before")
    @classmethod
    def _total_is_checked_in_any_case(cls, data: object) -> object:
        is_left_out = isinstance(data, Mapping) and data.keys().isdisjoint({"upTo", "up_to"})
        return {**data, "upTo": None} if isinstance(data, Mapping) and is_left_out else data

    @field_validator("up_to")
    @classmethod
    def _is_of_limits(cls, up_to: Decimal | None, info: ValidationInfo) -> Decimal | None:
        place = info.data.get("asked")
        if place is not None and (place is Asked.LIMITS) != (up_to is not None):
            raise refusal("limits_without_total", ApprovalsMsg.LIMITS_NEED_TOTAL)
        return up_to


class ConnectionPolicy(Policy, row=ApprovalPolicyRow):
    connection: Annotated[UUID, Field(description="Id of the key or of the application's grant")]


class AccountPolicy(Policy, row=ApprovalPolicyRow):
    """Rule of the account, and of single connections."""

    connections: Annotated[list[ConnectionPolicy], Field(default_factory=list)]
    """Rules of single keys and applications, in place of the account's."""


class ApprovalPolicy(AccountPolicy, row=ApprovalPolicyRow):
    """All rules together have one version, from 0 where none was stored."""

    version: Annotated[int, Field(exclude=True)]


class ApprovalPolicyInput(AccountPolicy):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"asked": "limits", "upTo": 300, "knownClients": True, "connections": []}]}
    )

    connections: Annotated[list[ConnectionPolicy], Field(default_factory=list, max_length=200)]
    """Rules of single keys and applications, in place of the account's."""


class Rejection(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "Ya está facturado"}]})

    reason: Annotated[Words | None, Field(description="Why not; the proposer reads it")] = None


class Touched(Wire):
    """A record that a proposal touches."""

    type: str
    """Kind of the record, as invoice."""
    id: str
    """Id of the record."""
    label: str | None
    """Number or name of the record when it was proposed; null where it has none."""


class ApprovalResult(Wire):
    """The record that an approved operation made or changed."""

    type: str
    """Kind of the record, as invoice."""
    id: str
    """Id of the record."""


class ApprovalInList(Wire, row=ApprovalRow):
    """A proposal as lists show it."""

    id: str
    operation: str
    title: str
    summary: list[str]
    language: str
    evidence: list[Touched]
    """Records that it touches, as they were called then."""
    risk: Risk | None
    note: str | None
    status: ApprovalStatus
    """State: pending, approved (being done), rejected, expired, superseded (a record changed), done or failed."""
    channel: str
    proposed_by: str | None
    proposed_by_name: str
    proposed_by_client: str | None
    created_at: Timestamp
    expires_at: Timestamp
    decided_by: str | None
    decided_by_name: str | None
    decided_via: str | None
    decided_at: Timestamp | None
    reason: str | None
    result: ApprovalResult | None
    """Record that it made or changed; null before it is done, and for none."""
    problem: StoredResult | None


class Approval(ApprovalInList, row=ApprovalRow):
    """A proposal, with the arguments of its operation and what a dry run has shown."""

    arguments: StoredResult
    preview: StoredResult
    version: Annotated[int, Field(exclude=True)]
