"""Daily quota of an account's mails through the operator's mail server (P11)."""

from datetime import UTC, datetime, time, timedelta

from sqlalchemy import Integer, bindparam, case, or_
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.mail.operations import Delivery, Mailer
from ledgerkit.core.platform.mail.table import MailCountRow, mail_count
from ledgerkit.core.platform.request.context import Context

_FIRST = insert(mail_count)
_SAME_DAY = mail_count.c.day == _FIRST.excluded.day
_TAKE = Prepared(
    _FIRST.values(mails=1)
    .on_conflict_do_update(
        index_elements=["account_id"],
        set_={"day": _FIRST.excluded.day, "mails": case((_SAME_DAY, mail_count.c.mails + 1), else_=1)},
        where=or_(~_SAME_DAY, mail_count.c.mails < bindparam("limit", type_=Integer)),
    )
    .returning(mail_count),
    MailCountRow,
    columns=["id", "day"],
)


async def take(ctx: Context) -> datetime | None:
    """Count one mail of today; return None where it may leave now, else the moment from which it may: midnight.

    The day is that of UTC: an account could go on to another one by its time zone. Files are not counted. It counts
    with the transaction of `ctx`, whatever becomes of the mail; simultaneous mails of one account wait for each other.
    """
    limit = ctx.settings.mail_limit
    if limit < 0 or ctx.kernel.service(Mailer).transport is Delivery.FILE:
        return None
    today = clock.now().astimezone(UTC).date()
    count = await _TAKE.row(ctx.db, id=new_id(), day=today, limit=limit)
    return datetime.combine(today + timedelta(days=1), time.min, UTC) if count is None else None
