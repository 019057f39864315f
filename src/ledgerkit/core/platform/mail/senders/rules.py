"""Rules for mails to others: who may send them, where answers go, and how many leave in a day."""

from datetime import UTC, datetime, time, timedelta

from sqlalchemy import Integer, bindparam, case, or_
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons.access import StoredUser
from ledgerkit.core.platform.mail.operations import Delivery, Mailer
from ledgerkit.core.platform.mail.table import MailCountRow, mail_count
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import AddressUnverified

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


async def require_verified(ctx: Context) -> None:
    """Refuse to mail others for a person with an unverified address, if addresses must be verified.

    A team's key has no address: its owner's counts. Call it before anything is numbered or stored. Raises
    AddressUnverified.
    """
    if not ctx.settings.demands_verified_email:
        return
    person = await _person(ctx)
    if person is None or not person.email_verified:
        raise AddressUnverified(MailMsg.ADDRESS_UNVERIFIED)


async def reply_address(ctx: Context) -> str | None:
    """Return the address for answers: the company's, else the user's own if it is verified or need not be."""
    if ctx.account.email:
        return ctx.account.email
    person = None if ctx.actor.user_id is None else await persons.by_id(ctx.kernel, ctx.actor.user_id)
    if person is None or (ctx.settings.demands_verified_email and not person.email_verified):
        return None
    return person.email


async def take_from_quota(ctx: Context) -> datetime | None:
    """Count one of today's mails by the operator's mail server; None if it may leave now, else the next midnight (UTC).

    The day is that of UTC, because an account could begin another day by a change of its time zone. Mails into files
    are not counted. The count belongs to the transaction of `ctx`, whatever becomes of the mail. Simultaneous mails of
    one account wait for each other.
    """
    limit = ctx.settings.mail_limit
    if limit < 0 or ctx.kernel.service(Mailer).transport is Delivery.FILE:
        return None
    today = clock.now().astimezone(UTC).date()
    count = await _TAKE.row(ctx.db, id=new_id(), day=today, limit=limit)
    return datetime.combine(today + timedelta(days=1), time.min, UTC) if count is None else None


async def _person(ctx: Context) -> StoredUser | None:
    """Return the person who asks; for a team's key the team's owner."""
    user_id = ctx.actor.user_id
    if user_id is None:
        user_id = await members.owning_user(ctx.kernel, ctx.account.id)
    return None if user_id is None else await persons.by_id(ctx.kernel, user_id)
