"""Balance of AI actions (interface decisions A3)."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from sqlalchemy import select

from ledgerkit.core.ai.models import AiBalanceRow, ai_balance
from ledgerkit.core.ai.schemas import TokenBalance
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission

_BALANCE = Prepared(select(ai_balance), AiBalanceRow)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def balance(ctx: Context) -> TokenBalance:
    """Return the actions left this month and those bought; months begin at 00:00 in the account's time zone."""
    month = ctx.account.today().replace(day=1)
    row = await _BALANCE.row(ctx.db)
    used = row.used if row is not None and row.month == month else 0
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


def _next_month(month: date) -> date:
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)
