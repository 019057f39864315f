"""Policies: where a person is asked about acts that an assistant or a client wants done."""

from collections.abc import Mapping
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Text, bindparam, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.approvals.api import AccountPolicy, ApprovalPolicy, Asked, ConnectionPolicy, Policy
from ledgerkit.core.platform.approvals.table import ApprovalPolicyRow, approval_policy
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.acts import Summary
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import PreconditionFailed

EVERYBODY = ""
"""Connection of the rule for all that have none of their own. Its version is that of all rules together."""

_OF_CONNECTION = Prepared(
    select(approval_policy)
    .where(approval_policy.c.connection.in_([EVERYBODY, bindparam("connection", type_=Text)]))
    .order_by(approval_policy.c.connection.desc())
    .limit(1),
    ApprovalPolicyRow,
)
_ALL = Prepared(select(approval_policy).order_by(approval_policy.c.connection), ApprovalPolicyRow)
_IS_HEAD = approval_policy.c.connection == EVERYBODY
_LOCK_HEAD = select(approval_policy.c.version).where(_IS_HEAD).with_for_update()
_COUNT_UP = update(approval_policy).where(_IS_HEAD).values(version=approval_policy.c.version + 1, updated_at=func.now())
_LOCK = Prepared(
    text(
        "insert into approval_policy (account_id, connection, asked, known_clients)"
        " values (:own_account, '', 'host', false) on conflict (account_id, connection) do update"
        " set version = approval_policy.version + 1, updated_at = now() returning *"
    ).columns(*approval_policy.c),
    ApprovalPolicyRow,
)


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
    """Return the rules of the account, with the version of all of them."""
    rows = {row.connection: row for row in await _ALL.rows(ctx.db)}
    head = rows.pop(EVERYBODY, None)
    connections = [ConnectionPolicy.model_validate({**_rule(row), "connection": name}) for name, row in rows.items()]
    of_all = {"version": 0} if head is None else {**_rule(head), "version": head.version}
    return ApprovalPolicy.model_validate({**of_all, "connections": connections})


def _rule(of: object) -> dict[str, object]:
    """Return the values of a rule, which are columns of the same names."""
    return {name: getattr(of, name) for name in Policy.model_fields}


async def lock(ctx: Context) -> None:
    """Lock the account's rules and count their version up. Raises PreconditionFailed for another If-Match."""
    head = await _LOCK.one(ctx.db)
    if not ctx.request_metadata.expects(head.version - 1):
        raise PreconditionFailed(RecordsMsg.VERSION_CHANGED, what="approval policy", version=head.version - 1)


async def store(ctx: Context, rules: AccountPolicy) -> None:
    """Replace the rules of the account, which `lock` has locked."""
    await ctx.db.execute(update(approval_policy).where(_IS_HEAD).values(_rule(rules)))
    await ctx.db.execute(delete(approval_policy).where(~_IS_HEAD))
    named = {str(rule.connection): rule for rule in rules.connections}
    if named:
        values = [{"connection": name, **_rule(rule)} for name, rule in named.items()]
        await ctx.db.execute(insert(approval_policy).values(values))


async def carry_over(db: AsyncConnection, former: Mapping[str, bool], connection: str) -> None:
    """Give a connection the rule of a former one of the same application; nothing where that had none of its own.

    `former` has of each whether it still works. The rules of those that do not are removed.
    """
    await db.execute(_LOCK_HEAD)
    rule = select(approval_policy).where(approval_policy.c.connection.in_(list(former)))
    row = (await db.execute(rule.order_by(approval_policy.c.updated_at.desc()).limit(1))).first()
    if row is None:
        return
    await db.execute(insert(approval_policy).values(connection=connection, **_rule(row)))
    ended = [former_id for former_id, works in former.items() if not works]
    await db.execute(delete(approval_policy).where(approval_policy.c.connection.in_(ended)))
    await db.execute(_COUNT_UP)


async def forget(db: AsyncConnection, connection: UUID) -> None:
    """Remove the rule of a connection that ends, in the transaction of its account; nothing where it has none."""
    await db.execute(_LOCK_HEAD)
    removed = await db.execute(delete(approval_policy).where(approval_policy.c.connection == str(connection)))
    if removed.rowcount:
        await db.execute(_COUNT_UP)
