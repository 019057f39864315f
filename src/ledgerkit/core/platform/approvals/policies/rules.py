"""Policies: where a person is asked about acts that an assistant or a client wants done."""

from collections.abc import Sequence
from decimal import Decimal

from sqlalchemy import Text, bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.approvals.api import ApprovalPolicy, Asked, ConnectionPolicy, Policy
from ledgerkit.core.platform.approvals.table import ApprovalPolicyRow, approval_policy
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.acts import Summary
from ledgerkit.core.platform.request.context import Context

EVERYBODY = ""
"""Connection of the rule for all that have none of their own."""

_OF_CONNECTION = Prepared(
    select(approval_policy)
    .where(approval_policy.c.connection.in_([EVERYBODY, bindparam("connection", type_=Text)]))
    .order_by(approval_policy.c.connection.desc())
    .limit(1),
    ApprovalPolicyRow,
)
_ALL = Prepared(select(approval_policy).order_by(approval_policy.c.connection), ApprovalPolicyRow)


async def of_caller(ctx: Context) -> Policy:
    """Return the rule of the caller's connection, else the account's; the assistant asks where there is none."""
    row = await _OF_CONNECTION.row(ctx.db, connection=str(ctx.actor.connection_id or EVERYBODY))
    return Policy() if row is None else Policy.model_validate(_rule(row))


def place(policy: Policy, summary: Summary, currency: str) -> Asked:
    """Return where a person is asked about this act: HOST or APP."""
    if policy.asked is not Asked.LIMITS or policy.up_to is None:
        return policy.asked
    total = summary.total
    if total is None or total.currency != currency or abs(Decimal(str(total.amount))) > policy.up_to:
        return Asked.APP
    return Asked.APP if policy.known_clients and not summary.is_of_known_client else Asked.HOST


async def all_rules(ctx: Context) -> ApprovalPolicy:
    """Return the rules of the account."""
    rows = {row.connection: row for row in await _ALL.rows(ctx.db)}
    of_all = rows.pop(EVERYBODY, None)
    connections = [ConnectionPolicy.model_validate({**_rule(row), "connection": name}) for name, row in rows.items()]
    return ApprovalPolicy.model_validate({**(_rule(of_all) if of_all else {}), "connections": connections})


def _rule(row: ApprovalPolicyRow) -> dict[str, object]:
    return {"asked": row.asked, "up_to": row.up_to, "known_clients": row.known_clients}


async def store(ctx: Context, rules: ApprovalPolicy) -> None:
    """Replace the rules of the account."""
    await ctx.db.execute(delete(approval_policy))
    named = {str(rule.connection): rule for rule in rules.connections}
    values = [
        {"connection": name, "asked": rule.asked.value, "up_to": rule.up_to, "known_clients": rule.known_clients}
        for name, rule in {EVERYBODY: rules, **named}.items()
    ]
    await ctx.db.execute(insert(approval_policy).values(values))


async def carry_over(db: AsyncConnection, former: Sequence[str], connection: str) -> None:
    """Give a connection the rule of a former one of the same application; nothing where that had none of its own."""
    rule = select(approval_policy).where(approval_policy.c.connection.in_(former))
    row = (await db.execute(rule.order_by(approval_policy.c.updated_at.desc()).limit(1))).first()
    if row is not None:
        values = {"asked": row.asked, "up_to": row.up_to, "known_clients": row.known_clients}
        await db.execute(insert(approval_policy).values(connection=connection, **values))
