"""What keeps records from the authority: noted when it begins and ends, shown, and mailed to who can act.

An incident stops nothing: documents go on being made, and their records wait. It is told once in the activity log
when it begins and once when it ends, and by mail to the owner and the admins at most once a day while it lasts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.models import fiscal_installation
from ledgerkit.core.einvoice.outbox import pacing, retry_policy
from ledgerkit.core.einvoice.outbox.models import fiscal_incident, fiscal_sender
from ledgerkit.core.einvoice.outbox.retry_policy import RetryDecision, Trouble
from ledgerkit.core.einvoice.outbox.schemas import SendingTrouble, Unsent
from ledgerkit.core.identity import members
from ledgerkit.core.mail import MailKind, Notice, notice_mail
from ledgerkit.core.mail import service as mails
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Problem
from ledgerkit.providers.api import Receipt

CLOCK_MARGIN = timedelta(seconds=60)
"""Source: RRSIF art. 8.2.d and Orden HAC/1177/2024 art. 7: the clock is right within a minute."""

MAIL_INTERVAL = timedelta(days=1)
MAX_DETAIL_LENGTH = 500

MAILED_ONCE = frozenset({Trouble.RENEWED})
"""What has happened and keeps nothing from the authority: it is mailed once, and over."""

_BEGUN = {
    Trouble.DELAYED: "sending_delayed",
    Trouble.REFUSED: "sending_refused",
    Trouble.STOPPED: "sending_stopped",
    Trouble.CLOCK: "clock_wrong",
    Trouble.CHAIN: "chain_broken",
}
_ENDED = {
    Trouble.DELAYED: "sending_caught_up",
    Trouble.REFUSED: "sending_accepted_again",
    Trouble.STOPPED: "sending_resumed",
    Trouble.CLOCK: "clock_right_again",
    Trouble.CHAIN: "chain_repaired",
}

_REMEDIES = {
    Trouble.DELAYED: "Nothing has to be emitted again: records are sent by themselves as soon as the authority takes "
    "them. If it lasts, check the connection and the certificate.",
    Trouble.REFUSED: "Put right what the authority names (issuer, certificate, powers); records are tried again by "
    "themselves at least hourly.",
    Trouble.STOPPED: "The authority has suspended this access: speak with it, then have the operator resume sending.",
    Trouble.CLOCK: "Synchronise the server's clock (NTP). Invoicing can go on.",
    Trouble.CHAIN: "GET /api/einvoice/chain?verify=true names the first break. Invoicing can go on; find out who "
    "changed the database, and restore what was there.",
}

log = structlog.get_logger()


@dataclass(frozen=True)
class _Due:
    """What is to be mailed now: open incidents of one chain, and what waits in it."""

    installation: Any
    incidents: Sequence[Any]
    waiting: pacing.WaitingCount


async def update_after_answer(
    ctx: Context, record: Any, course: RetryDecision, receipt: Receipt, sent_at: datetime
) -> None:
    """What an answer begins and ends, in the transaction that keeps it."""
    if course.trouble is not None:
        await begin(ctx, record, course.trouble, receipt.fault or "")
    if course.answered or course.reject:
        await end(ctx, record, [Trouble.REFUSED, Trouble.STOPPED])
    if receipt.at is None:
        return
    gap = _gap(sent_at, receipt.at)
    if abs(gap) > CLOCK_MARGIN:
        log.error("this server's clock is wrong", seconds=round(gap.total_seconds()))
        await begin(ctx, record, Trouble.CLOCK, f"{round(gap.total_seconds()):+d} s")
    else:
        await end(ctx, record, [Trouble.CLOCK])


def _gap(sent_at: datetime, their: datetime) -> timedelta:
    """How far the authority's clock is ahead of ours, at least: its moment lies between our sending and our reading."""
    now = clock.now()
    if their < sent_at:
        return their - sent_at
    return max(timedelta(), their - now)


async def begin(ctx: Context, record: Any, trouble: Trouble, detail: str) -> None:
    """Open an incident of the record's chain, unless one of its kind is open, and have it looked at."""
    row = {
        "id": new_id(),
        "installation_id": record.installation_id,
        "kind": trouble.value,
        "detail": detail[:MAX_DETAIL_LENGTH],
    }
    statement = insert(fiscal_incident).values(row).on_conflict_do_nothing().returning(fiscal_incident.c.id)
    if (await ctx.db.execute(statement)).one_or_none() is None:
        return
    said = activity.changed({}, {"reason": detail[:MAX_DETAIL_LENGTH]}) if detail else {}
    await activity.record(ctx, _BEGUN[trouble], _subject(record), record.issuer_tax_id, said)
    await _look_soon(ctx, record.installation_id)


async def notify_once(ctx: Context, chain: "IssuerChain", trouble: Trouble, detail: str) -> None:
    """Have what has happened to a chain mailed once; whoever calls says it in the activity log."""
    row = {
        "id": new_id(),
        "installation_id": chain.installation_id,
        "kind": trouble.value,
        "detail": detail[:MAX_DETAIL_LENGTH],
    }
    await ctx.db.execute(insert(fiscal_incident).values(row).on_conflict_do_nothing())
    mine = {"account_id": ctx.account.id, "installation_id": chain.installation_id}
    soon = insert(fiscal_sender).values(**mine, watch_at=clock.now())
    await ctx.db.execute(soon.on_conflict_do_update(index_elements=list(mine), set_={"watch_at": clock.now()}))


async def end(ctx: Context, record: Any, troubles: Sequence[Trouble]) -> None:
    """Close the chain's open incidents of these kinds."""
    for row in await _open(ctx, record.installation_id, troubles):
        await _over(ctx, [row.id])
        await activity.record(ctx, _ENDED[Trouble(row.kind)], _subject(record), record.issuer_tax_id)


async def open_incidents(ctx: Context) -> Sequence[Any]:
    """The open incidents of all chains of the account, the oldest first."""
    lasting = fiscal_incident.c.ended_at.is_(None), fiscal_incident.c.kind.not_in([one.value for one in MAILED_ONCE])
    return (await ctx.db.execute(select(fiscal_incident).where(*lasting).order_by(fiscal_incident.c.id))).all()


async def review(ctx: Context, installation_id: UUID) -> None:
    """Look at a chain whose time has come: note that its records are late, or no longer, and mail what is due."""

    async def attempt() -> _Due | None:
        async with ctx.transaction() as inner:
            return await _looked(inner, installation_id)

    due = await retry_on_conflict(attempt)
    if due is not None and due.incidents:
        await _mail(ctx, due)


async def _looked(ctx: Context, installation_id: UUID) -> _Due | None:
    """The chain's row is written last, as everywhere: two that look at once only do the same twice."""
    sender = await pacing.sender_row(ctx, installation_id)
    now = clock.now()
    if sender.watch_at is None or sender.watch_at > now:
        return None
    chain = (await ctx.db.execute(select(fiscal_installation).where(fiscal_installation.c.id == installation_id))).one()
    left = await pacing.count_waiting(ctx, installation_id)
    late_from = None if left.since is None else left.since + retry_policy.LATE_AFTER
    as_record = IssuerChain(installation_id, chain.issuer_tax_id)
    if late_from is not None and late_from <= now:
        await begin(ctx, as_record, Trouble.DELAYED, "")
    else:
        await end(ctx, as_record, [Trouble.DELAYED])
    still = await _open(ctx, installation_id, list(Trouble))
    due = [row for row in still if await _claimed(ctx, row, now)]
    await _over(ctx, [row.id for row in due if row.kind in MAILED_ONCE])
    moments = [now + MAIL_INTERVAL] if any(row.kind not in MAILED_ONCE for row in still) else []
    if late_from is not None and late_from > now:
        moments.append(late_from)
    mine = fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == installation_id
    await ctx.db.execute(update(fiscal_sender).where(*mine).values(watch_at=min(moments, default=None)))
    return _Due(chain, due, left)


@dataclass(frozen=True)
class IssuerChain:
    """What `begin` and `end` want to know of a record."""

    installation_id: UUID
    issuer_tax_id: str


async def _open(ctx: Context, installation_id: UUID, troubles: Sequence[Trouble]) -> Sequence[Any]:
    mine = fiscal_incident.c.installation_id == installation_id, fiscal_incident.c.ended_at.is_(None)
    kinds = fiscal_incident.c.kind.in_([trouble.value for trouble in troubles])
    return (await ctx.db.execute(select(fiscal_incident).where(*mine, kinds))).all()


async def _over(ctx: Context, incidents: Sequence[UUID]) -> None:
    kept = fiscal_incident.c
    over = {"ended_at": func.now(), "updated_at": func.now(), "version": kept.version + 1}
    await ctx.db.execute(update(fiscal_incident).where(kept.id.in_(incidents)).values(over))


async def _claimed(ctx: Context, row: Any, now: datetime) -> bool:
    """Whether an incident is to be mailed now, and by us: once a day at most, also when those of a kind come and go."""
    kept = fiscal_incident.c
    same = kept.installation_id == row.installation_id, kept.kind == row.kind
    last = (await ctx.db.execute(select(func.max(kept.mailed_at)).where(*same))).scalar_one()
    if last is not None and last > now - MAIL_INTERVAL:
        return False
    unclaimed = kept.mailed_at.is_(None) if row.mailed_at is None else kept.mailed_at == row.mailed_at
    claim = update(fiscal_incident).where(kept.id == row.id, unclaimed).values(mailed_at=now).returning(kept.id)
    return (await ctx.db.execute(claim)).one_or_none() is not None


async def _look_soon(ctx: Context, installation_id: UUID) -> None:
    mine = fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == installation_id
    await ctx.db.execute(update(fiscal_sender).where(*mine).values(watch_at=clock.now()))


def _subject(record: Any) -> tuple[str, UUID]:
    return "fiscal_installation", record.installation_id


async def _mail(ctx: Context, due: _Due) -> None:
    """To everybody who can act; one that does not go out is in the log of mails, and tomorrow there is another."""
    async with ctx.reading() as inner:
        people = await members.in_charge(inner)
    for person in people:
        mail = notice_mail(
            Notice(
                language="en" if person.locale == "en" else "es",
                to=person.email,
                team_name=ctx.account.issuer_name,
                troubles=tuple(row.kind for row in due.incidents),
                details=tuple(row.detail for row in due.incidents),
                count=due.waiting.count,
                oldest_at=due.waiting.since,
                time_zone=ctx.account.time_zone,
                issuer=due.installation.issuer_tax_id,
                link=ctx.settings.public_url,
            )
        )
        try:
            await mails.send(ctx, mail, MailKind.SENDING, ("fiscal_installation", due.installation.id))
        except Problem as problem:
            log.warning("a notice could not be mailed", reason=problem.detail)


async def unsent(ctx: Context) -> Unsent:
    """What waits in all chains of the account, and what keeps it."""
    left = await pacing.count_waiting(ctx)
    troubles = [
        SendingTrouble(kind=row.kind, since=row.created_at, message=row.detail or None, remedy=_REMEDIES[row.kind])
        for row in await open_incidents(ctx)
    ]
    return Unsent(count=left.count, oldest_at=left.since, troubles=troubles)
