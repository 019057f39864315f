"""Balance and use of AI actions (interface decisions A3)."""

from collections.abc import Sequence
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from sqlalchemy import BigInteger, Date, bindparam, func, select

from ledgerkit.core.platform.ai.api import AiAction, AiPack, AiUsage, TokenBalance
from ledgerkit.core.platform.ai.table import AiActionRow, AiBalanceRow, AiPackRow, ai_action, ai_balance, ai_pack
from ledgerkit.core.platform.api_types.list_pages import LIMIT, OFFSET, PageRequest
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission

PACKS_SHOWN = 100


class KindCountRow(Row):
    kind: str
    count: int


class ActionCountRow(Row):
    count: int


_BALANCE = Prepared(select(ai_balance), AiBalanceRow)
_PACKS = Prepared(select(ai_pack).order_by(ai_pack.c.id.desc()).limit(PACKS_SHOWN), AiPackRow)
_ACTIONS = Prepared(select(ai_action).order_by(ai_action.c.id.desc()).offset(OFFSET).limit(LIMIT), AiActionRow)
_COUNT = Prepared(select(func.count().label("count")).select_from(ai_action), ActionCountRow)
_BY_KIND = Prepared(
    select(ai_action.c.kind, func.count().cast(BigInteger).label("count"))
    .where(ai_action.c.month == bindparam("month", type_=Date), ai_action.c.status != constant("released"))
    .group_by(ai_action.c.kind)
    .order_by(ai_action.c.kind),
    KindCountRow,
)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def balance(ctx: Context) -> TokenBalance:
    """Return the actions left this month and those bought; months begin at 00:00 in the account's time zone.

    Reserved actions count as used.
    """
    month = ctx.account.today().replace(day=1)
    row = await _BALANCE.row(ctx.db)
    used = row.used if row is not None and row.month >= month else 0
    purchased = row.purchased if row is not None else 0
    limit = ctx.settings.ai_monthly_actions
    remaining = -1 if limit < 0 else max(0, limit - used)
    return TokenBalance(
        monthly_limit=limit,
        monthly_used=used,
        monthly_remaining=remaining,
        purchased=purchased,
        total=-1 if limit < 0 else remaining + purchased,
        resets_at=datetime.combine(_next_month(month), time(), ZoneInfo(ctx.account.time_zone)),
    )


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def usage(ctx: Context, page: PageRequest) -> AiUsage:
    """Return the balance, this month's actions by kind, the packs, and one page of all actions, newest first."""
    month = ctx.account.today().replace(day=1)
    by_kind: Sequence[KindCountRow] = await _BY_KIND.rows(ctx.db, month=month)
    return AiUsage(
        balance=await balance(ctx),
        month=_month_text(month),
        month_by_kind={row.kind: row.count for row in by_kind},
        packs=[_pack(row) for row in await _PACKS.rows(ctx.db)],
        actions=[_action(row) for row in await _ACTIONS.rows(ctx.db, offset=page.offset, limit=page.size)],
        action_count=(await _COUNT.one(ctx.db)).count,
    )


def _pack(row: AiPackRow) -> AiPack:
    return AiPack(id=str(row.id), actions=row.actions, reference=row.reference, created_at=row.created_at)


def _action(row: AiActionRow) -> AiAction:
    return AiAction(
        id=str(row.id),
        kind=row.kind,
        status=row.status,
        paid_by=row.paid_by,
        month=_month_text(row.month),
        user_id=None if row.user_id is None else str(row.user_id),
        channel=row.channel,
        engine=row.engine,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )


def _month_text(month: date) -> str:
    return f"{month:%Y-%m}"


def _next_month(month: date) -> date:
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)
