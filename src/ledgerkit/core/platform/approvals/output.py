"""Proposals as callers see them: single ones built from a row, lists rendered by the database."""

from typing import Any

from sqlalchemy import ColumnElement, Text, Uuid, bindparam, case, func, literal_column, or_
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit import clock
from ledgerkit.core.platform.approvals.api import Approval, ApprovalInList, ApprovalStatus
from ledgerkit.core.platform.approvals.table import VERSIONS, ApprovalRow, approval
from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.records.listing import Listing

_HAS_EXPIRED: ColumnElement[bool] = (approval.c.status == constant("pending")) & (approval.c.expires_at <= func.now())
_STATUS = case((_HAS_EXPIRED, constant("expired")), else_=approval.c.status)
_EVIDENCE: ColumnElement[Any] = literal_column(
    "(select coalesce(json_agg(json_build_object('type', v->'type', 'id', v->'id', 'label', v->'label')), '[]')"
    " from json_array_elements(approval.versions) as v)"
)
_RESULT: ColumnElement[Any] = case(
    (
        approval.c.result_id.is_not(None),
        func.json_build_object(constant("type"), approval.c.result_type, constant("id"), approval.c.result_id),
    ),
    else_=None,
)
_IS_OWN = approval.c.proposed_by == bindparam("person", type_=Uuid)
_SEEN = or_(_IS_OWN, approval.c.permissions.contained_by(bindparam("permissions", type_=ARRAY(Text))))

APPROVALS = Listing(
    approval,
    ApprovalInList,
    order=[approval.c.id.desc()],
    computed={"status": _STATUS, "evidence": _EVIDENCE, "result": _RESULT},
    filters={
        "status": bindparam("status", type_=Text) == _STATUS,
        "pending": (approval.c.status == constant("pending")) & (approval.c.expires_at > func.now()),
        "operation": approval.c.operation == bindparam("operation", type_=Text),
        "permissions": _SEEN,
    },
)
"""The newest first. The filter `permissions` is for whoever may see what: one's own too, by the parameter `person`."""


def status_of(row: ApprovalRow) -> ApprovalStatus:
    """Return the state of a proposal at this moment."""
    has_expired = row.status == ApprovalStatus.PENDING and row.expires_at <= clock.now()
    return ApprovalStatus.EXPIRED if has_expired else ApprovalStatus(row.status)


def shape(row: ApprovalRow) -> Approval:
    evidence = [version.model_dump(include={"type", "id", "label"}) for version in VERSIONS.decode(row.versions)]
    result = None if row.result_id is None else {"type": row.result_type, "id": row.result_id}
    computed = {"status": status_of(row), "evidence": evidence, "result": result}
    values = {name: getattr(row, name) for name in Approval.model_fields if name not in computed}
    texts = {name: str(values[name]) for name in ("id", "proposed_by", "decided_by") if values[name] is not None}
    return Approval.model_validate(values | texts | computed)
