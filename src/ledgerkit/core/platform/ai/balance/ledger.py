"""Ledger of AI actions and of the packs that the operator grants, changed under the lock on the balance only."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ColumnElement, Date, DateTime, Integer, Text, Uuid, bindparam, case, func, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.ai.table import AiActionRow, AiBalanceRow, AiPackRow, ai_action, ai_balance, ai_pack
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context

RESERVED_FOR = timedelta(minutes=10)
"""Time after which a reservation expires, because its process must have died.

All work ends sooner: a model has 150 seconds at most (`LEDGERKIT_AI_TIMEOUT`), the reading of pages and OCR have less.
"""


MOST_ACTIONS = 1_000_000
"""Most actions of one pack. The balance has room for the sum of two thousand such packs."""


class ActionStatus(StrEnum):
    RESERVED = "reserved"
    CHARGED = "charged"
    RELEASED = "released"


class PaidBy(StrEnum):
    """Source of an action: the month's free ones, or a pack."""

    FREE = "free"
    PACK = "pack"


@dataclass
class Balance:
    """Balance of an account under its lock; `month` is the first day of the month that `used` counts."""

    month: date
    used: int
    purchased: int

    def take(self, monthly_limit: int) -> PaidBy | None:
        """Take one action, a free one first; None when there is none. `monthly_limit` -1: unlimited."""
        if monthly_limit < 0 or self.used < monthly_limit:
            self.used += 1
            return PaidBy.FREE
        if self.purchased > 0:
            self.purchased -= 1
            return PaidBy.PACK
        return None

    def give_back(self, paid_by: PaidBy, month: date) -> None:
        """Give one action back to its source; a free action of another month is not given back."""
        if paid_by is PaidBy.PACK:
            self.purchased += 1
        elif month == self.month and self.used > 0:
            self.used -= 1


@dataclass(frozen=True, kw_only=True)
class Granted:
    """Pack of an account. `is_new` is False if its reference was granted before. `left` counts all packs together."""

    actions: int
    is_new: bool
    left: int


_fresh = insert(ai_balance).values(month=bindparam("this_month", type_=Date), used=0, purchased=0)
_LOCK = Prepared(
    _fresh.on_conflict_do_update(
        index_elements=[ai_balance.c.account_id],
        set_={
            "used": case((ai_balance.c.month < _fresh.excluded.month, 0), else_=ai_balance.c.used),
            "month": func.greatest(ai_balance.c.month, _fresh.excluded.month),
        },
    ).returning(ai_balance),
    AiBalanceRow,
)
_STORE = Prepared(
    update(ai_balance).values(
        used=bindparam("new_used", type_=Integer),
        purchased=bindparam("new_purchased", type_=Integer),
        version=ai_balance.c.version + 1,
        updated_at=func.now(),
    )
)
_now = bindparam("now", type_=DateTime(timezone=True))
_engine = bindparam("new_engine", type_=Text)
_is_action = ai_action.c.id == bindparam("action_id", type_=Uuid)
_is_reserved = ai_action.c.status == constant(ActionStatus.RESERVED.value)
_is_released = ai_action.c.status == constant(ActionStatus.RELEASED.value)


def _ending(status: ActionStatus, *conditions: ColumnElement[bool], **values: object) -> Prepared[AiActionRow]:
    """Build the statement that ends the actions for which the conditions hold, and returns them."""
    ended = {"ended_at": _now, "version": ai_action.c.version + 1, "updated_at": func.now()}
    values = {"status": constant(status.value), **ended, **values}
    return Prepared(update(ai_action).where(*conditions).values(values).returning(ai_action), AiActionRow)


_EXPIRE = _ending(ActionStatus.RELEASED, _is_reserved, ai_action.c.expires_at <= _now)
_RELEASE = _ending(ActionStatus.RELEASED, _is_reserved, _is_action)
_CHARGE = _ending(ActionStatus.CHARGED, _is_reserved, _is_action, engine=_engine)
_CHARGE_LATE = _ending(
    ActionStatus.CHARGED,
    _is_released,
    _is_action,
    engine=_engine,
    paid_by=bindparam("new_source", type_=Text),
    month=bindparam("new_month", type_=Date),
)


class NextExpiryRow(Row):
    expires_at: datetime | None


_NEXT_EXPIRY = Prepared(
    select(func.min(ai_action.c.expires_at).label("expires_at")).where(_is_reserved),
    NextExpiryRow,
)
_PACK = Prepared(select(ai_pack).where(ai_pack.c.reference == bindparam("reference", type_=Text)), AiPackRow)


def this_month(ctx: Context) -> date:
    """Return the first day of the present month in the account's time zone."""
    return ctx.account.today().replace(day=1)


async def locked(ctx: Context) -> Balance:
    """Lock the account's balance until the transaction ends, and begin its month if that is new."""
    row = await _LOCK.one(ctx.db, this_month=this_month(ctx))
    return Balance(month=row.month, used=row.used, purchased=row.purchased)


async def reserve(ctx: Context, kind: str) -> AiActionRow | None:
    """Release expired reservations, then reserve one action; None when none is left."""
    balance = await locked(ctx)
    await _expire(ctx, balance)
    source = balance.take(ctx.settings.ai_monthly_actions)
    if source is None:
        return None
    await _store(ctx, balance)
    values = Values(
        AiActionRow,
        id=new_id(),
        kind=kind,
        status=ActionStatus.RESERVED.value,
        paid_by=source.value,
        month=balance.month,
        user_id=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
        expires_at=clock.now() + RESERVED_FOR,
    )
    return await records.add(ctx, ai_action, values)


async def charge(ctx: Context, action_id: UUID, engine: str | None) -> bool:
    """Charge a reserved action. If it has expired, take another action from the balance; False when none is left."""
    balance = await locked(ctx)
    if await _CHARGE.row(ctx.db, action_id=action_id, new_engine=engine, now=clock.now()) is not None:
        return True
    source = balance.take(ctx.settings.ai_monthly_actions)
    if source is None:
        return False
    late = {"new_source": source.value, "new_month": balance.month, "new_engine": engine}
    if await _CHARGE_LATE.row(ctx.db, action_id=action_id, now=clock.now(), **late) is not None:
        await _store(ctx, balance)
    return True


async def release(ctx: Context, action_id: UUID) -> None:
    """Give a reserved action back. An action that was charged or released before stays as it is."""
    balance = await locked(ctx)
    row = await _RELEASE.row(ctx.db, action_id=action_id, now=clock.now())
    if row is not None:
        balance.give_back(PaidBy(row.paid_by), row.month)
        await _store(ctx, balance)


async def release_expired(ctx: Context) -> datetime | None:
    """Give expired reservations back; return when the next one expires, None when there is none."""
    balance = await locked(ctx)
    if await _expire(ctx, balance):
        await _store(ctx, balance)
    return (await _NEXT_EXPIRY.one(ctx.db)).expires_at


async def grant(ctx: Context, actions: int, reference: str | None) -> Granted:
    """Add a pack of `actions` (1 to MOST_ACTIONS) to the account, once for each `reference`.

    One transaction of its own. Raises Unavailable.
    """

    async def attempt() -> Granted:
        async with ctx.transaction() as inner:
            balance = await locked(inner)
            earlier = None if reference is None else await _PACK.row(inner.db, reference=reference)
            if earlier is not None:
                return Granted(actions=earlier.actions, is_new=False, left=balance.purchased)
            pack = Values(AiPackRow, id=new_id(), actions=actions, reference=reference)
            await records.add(inner, ai_pack, pack)
            balance.purchased += actions
            await _store(inner, balance)
            return Granted(actions=actions, is_new=True, left=balance.purchased)

    return await retry_on_conflict(attempt)


async def _expire(ctx: Context, balance: Balance) -> bool:
    rows = await _EXPIRE.rows(ctx.db, now=clock.now())
    for row in rows:
        balance.give_back(PaidBy(row.paid_by), row.month)
    return bool(rows)


async def _store(ctx: Context, balance: Balance) -> None:
    await _STORE.run(ctx.db, new_used=balance.used, new_purchased=balance.purchased)
