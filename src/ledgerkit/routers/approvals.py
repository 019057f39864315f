"""/api/approvals."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.api import (
    Approval,
    ApprovalInList,
    ApprovalInput,
    ApprovalPolicy,
    ApprovalPolicyInput,
    ApprovalStatus,
    Rejection,
)
from ledgerkit.core.platform.oauth.connections import operations as connections
from ledgerkit.core.platform.oauth.connections.operations import PolicyConnection
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, listed, paged, tagged, whole
from ledgerkit.routers.routing import Router

router = Router(
    prefix="/api/approvals",
    tags=["Approvals"],
    about=(
        "What somebody has proposed and a person approves or rejects. A client with the scope `propose` gets such a "
        "proposal (202) from every operation that its other scopes do not cover."
    ),
)

OperationName = Annotated[ShortText | None, Query(alias="operation", description="Name, as invoices.create")]


@router.get("", operation=approvals.listing, operation_id="listApprovals", response_model=list[ApprovalInList])
async def list_approvals(
    request: Request,
    ctx: Ctx,
    page: PageNumber = None,
    limit: Limit = None,
    status: ApprovalStatus | None = None,
    operation: OperationName = None,
) -> Response:
    """List the proposals that you may see, the newest first: your own, and those whose operation you may do."""
    return listed(request, await approvals.listing(ctx, paged(page, limit), status, operation))


@router.post("", operation=approvals.propose, operation_id="propose", status_code=201)
async def propose(ctx: Ctx, data: ApprovalInput) -> Approval:
    """Propose any operation by its name and arguments; it is rehearsed and shown, and nothing is done."""
    return tagged(ctx, await approvals.propose(ctx, data))


@router.get("/policy", operation=approvals.policy, operation_id="getApprovalPolicy")
async def get_approval_policy(ctx: Ctx) -> ApprovalPolicy:
    """Return where a person is asked about what assistants want done, with the version of all rules as ETag."""
    return tagged(ctx, await approvals.policy(ctx))


@router.put("/policy", operation=approvals.change_policy, operation_id="changeApprovalPolicy")
async def change_approval_policy(ctx: Ctx, data: ApprovalPolicyInput) -> ApprovalPolicy:
    """Replace these rules, for the account and for single connections. API keys are refused here."""
    return tagged(ctx, await approvals.change_policy(ctx, data))


@router.get("/policy/connections", operation=connections.of_policy, operation_id="listPolicyConnections")
async def list_policy_connections(ctx: Ctx) -> list[PolicyConnection]:
    """List the keys and applications with a rule of their own, and whose they are; for an owner or admin, by login."""
    return whole(ctx, await connections.of_policy(ctx))


@router.get("/{id}", operation=approvals.get, operation_id="getApproval")
async def get_approval(ctx: Ctx, id: str) -> Approval:
    """Return one proposal, with its arguments and its preview."""
    return tagged(ctx, await approvals.get(ctx, id))


@router.post("/{id}/approve", operation=approvals.approve, operation_id="approve")
async def approve(ctx: Ctx, id: str) -> Approval:
    """Do what was proposed, once and with your rights; 409 where it was decided, is over, or has changed."""
    return tagged(ctx, await approvals.approve(ctx, id))


@router.post("/{id}/reject", operation=approvals.reject, operation_id="reject")
async def reject(ctx: Ctx, id: str, data: Rejection) -> Approval:
    """Turn a proposal down, with a reason for whoever proposed it."""
    return tagged(ctx, await approvals.reject(ctx, id, data))
