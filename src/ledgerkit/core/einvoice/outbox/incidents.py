"""Incidents: faults that delay records, logged when they begin and end, and mailed while they last.

An incident prevents no issue: documents are still issued, and their records wait. It is logged once in the activity log
when it begins and once when it ends, and mailed to the owner and the admins at most once a day while it lasts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

import structlog
from sqlalchemy import ARRAY, Text, Uuid, and_, any_, bindparam, func, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit import clock
from ledgerkit.core.einvoice.outbox import pace, retry_policy
from ledgerkit.core.einvoice.outbox.api import SendingTrouble, Unsent
from ledgerkit.core.einvoice.outbox.pace import WaitingCount
from ledgerkit.core.einvoice.outbox.retry_policy import RetryDecision, Trouble
from ledgerkit.core.einvoice.outbox.table import IncidentRow, fiscal_incident, fiscal_sender
from ledgerkit.core.einvoice.table import fiscal_installation
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.mail import FiscalNotice, MailKind, fiscal_mail
from ledgerkit.core.platform.mail import operations as mails
from ledgerkit.core.platform.mail.letters.notices import Trouble as NoticeKind
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Problem
from ledgerkit.providers.api import Receipt
from ledgerkit.texts import text

CLOCK_MARGIN = timedelta(seconds=60)
"""Largest deviation of the clock: a minute. Source: RRSIF art. 8.2.d and Orden HAC/1177/2024 art. 7."""

MAIL_INTERVAL = timedelta(days=1)
MAX_DETAIL_LENGTH = 500

MAILED_ONCE = frozenset({Trouble.RENEWED, Trouble.LOST_NUMBERS, Trouble.SERIES_RENAMED})
"""Incidents that end as soon as they are mailed: they keep nothing from the authority."""

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
    Trouble.DELAYED: EInvoiceMsg.SENDING_DELAYED,
    Trouble.REFUSED: EInvoiceMsg.SENDING_REFUSED,
    Trouble.STOPPED: EInvoiceMsg.SENDING_STOPPED,
    Trouble.CLOCK: EInvoiceMsg.CLOCK_WRONG,
    Trouble.CHAIN: EInvoiceMsg.CHAIN_BROKEN,
}

log = structlog.get_logger()


@dataclass(frozen=True)
class IssuerChain:
    """A chain and its issuer, as incidents and their log name them."""

    installation_id: UUID
    issuer_tax_id: str


@dataclass(frozen=True)
class _DueNotice:
    """Open incidents of a chain that are to be mailed now, and the records that wait in it."""

    chain: IssuerChain
    incidents: Sequence[IncidentRow]
    waiting: WaitingCount


async def update_after_answer(
    ctx: Context, chain: IssuerChain, decision: RetryDecision, receipt: Receipt, sent_at: datetime
) -> None:
    """Begin and end the incidents that an answer shows, in the transaction that stores the answer."""
    if decision.trouble is not None:
        await begin(ctx, chain, decision.trouble, receipt.fault or "")
    if decision.answered or decision.reject:
        await end(ctx, chain, [Trouble.REFUSED, Trouble.STOPPED])
    if receipt.at is None:
        return
    deviation = _clock_deviation(sent_at, receipt.at)
    if abs(deviation) > CLOCK_MARGIN:
        log.error("this server's clock is wrong", seconds=round(deviation.total_seconds()))
        await begin(ctx, chain, Trouble.CLOCK, f"{round(deviation.total_seconds()):+d} s")
    else:
        await end(ctx, chain, [Trouble.CLOCK])


def _clock_deviation(sent_at: datetime, authority_time: datetime) -> timedelta:
    """Return how far the authority's clock is ahead of this server's, at least; negative when it is behind.

    The authority's time lies between the sending of the message and the reading of its answer.
    """
    now = clock.now()
    if authority_time < sent_at:
        return authority_time - sent_at
    return max(timedelta(), authority_time - now)


async def begin(ctx: Context, chain: IssuerChain, trouble: Trouble, detail: str) -> None:
    """Open an incident of the chain, unless one of its kind is open, and have the chain reviewed."""
    if await _insert(ctx, chain, trouble, detail) is None:
        return
    changes = activity.changed({}, {"reason": detail[:MAX_DETAIL_LENGTH]}) if detail else {}
    await activity.record(ctx, _BEGUN[trouble], _subject(chain), chain.issuer_tax_id, changes)
    in_chain = pace.is_of_chain(ctx, chain.installation_id)
    await ctx.db.execute(update(fiscal_sender).where(in_chain).values(watch_at=clock.now()))


async def notify_once(ctx: Context, chain: IssuerChain, trouble: Trouble, detail: str) -> None:
    """Have an event of the chain mailed once; the caller logs it in the activity log."""
    await _insert(ctx, chain, trouble, detail)
    key = {"account_id": ctx.account.id, "installation_id": chain.installation_id}
    new_row = insert(fiscal_sender).values(**key, watch_at=clock.now())
    await ctx.db.execute(new_row.on_conflict_do_update(index_elements=list(key), set_={"watch_at": clock.now()}))


async def _insert(ctx: Context, chain: IssuerChain, trouble: Trouble, detail: str) -> UUID | None:
    """Insert an incident and return its id; None when one of its kind is open."""
    values = Values(
        IncidentRow,
        id=new_id(),
        installation_id=chain.installation_id,
        kind=trouble.value,
        detail=detail[:MAX_DETAIL_LENGTH],
    )
    statement = insert(fiscal_incident).values(values).on_conflict_do_nothing().returning(fiscal_incident.c.id)
    incident_id: UUID | None = (await ctx.db.execute(statement)).scalar_one_or_none()
    return incident_id


async def end(ctx: Context, chain: IssuerChain, troubles: Sequence[Trouble]) -> None:
    """Close the chain's open incidents of these kinds."""
    for incident in await _open_of_chain(ctx, chain.installation_id, troubles):
        await _close(ctx, [incident.id])
        await activity.record(ctx, _ENDED[Trouble(incident.kind)], _subject(chain), chain.issuer_tax_id)


async def open_incidents(ctx: Context) -> Sequence[IncidentRow]:
    """Return the open incidents of all chains of the account, the oldest first."""
    return await _OPEN.rows(ctx.db)


_LASTING = and_(*(fiscal_incident.c.kind != constant(trouble.value) for trouble in MAILED_ONCE))
_OPEN = Prepared(
    select(fiscal_incident).where(fiscal_incident.c.ended_at.is_(None), _LASTING).order_by(fiscal_incident.c.id),
    IncidentRow,
)


async def review(ctx: Context, installation_id: UUID) -> None:
    """Review a chain that is due: begin or end its delay, and send due mails."""
    notice = await ctx.transact(lambda inner: _review(inner, installation_id))
    if notice is not None and notice.incidents:
        await _mail(ctx, notice)


async def _review(ctx: Context, installation_id: UUID) -> _DueNotice | None:
    """Review the chain, writing its row of fiscal_sender last; a concurrent review only repeats what this one does."""
    sender = await pace.sender_row(ctx, installation_id)
    now = clock.now()
    if sender.watch_at is None or sender.watch_at > now:
        return None
    issuer = await _ISSUER.one(ctx.db, installation_id=installation_id)
    chain = IssuerChain(installation_id, issuer.issuer_tax_id)
    waiting = await pace.count_waiting(ctx, installation_id)
    late_at = None if waiting.oldest_at is None else waiting.oldest_at + retry_policy.LATE_AFTER
    if late_at is not None and late_at <= now:
        await begin(ctx, chain, Trouble.DELAYED, "")
    else:
        await end(ctx, chain, [Trouble.DELAYED])
    incidents = await _open_of_chain(ctx, installation_id, list(Trouble))
    due = [incident for incident in incidents if await _claim_mailing(ctx, incident, now)]
    await _close(ctx, [incident.id for incident in due if incident.kind in MAILED_ONCE])
    next_reviews = [now + MAIL_INTERVAL] if any(incident.kind not in MAILED_ONCE for incident in incidents) else []
    if late_at is not None and late_at > now:
        next_reviews.append(late_at)
    in_chain = pace.is_of_chain(ctx, installation_id)
    await ctx.db.execute(update(fiscal_sender).where(in_chain).values(watch_at=min(next_reviews, default=None)))
    return _DueNotice(chain, due, waiting)


class _IssuerRow(Row):
    issuer_tax_id: str


_IS_INSTALLATION = fiscal_installation.c.id == bindparam("installation_id", type_=Uuid)
_ISSUER = Prepared(select(fiscal_installation.c.issuer_tax_id).where(_IS_INSTALLATION), _IssuerRow)


async def _open_of_chain(ctx: Context, installation_id: UUID, troubles: Sequence[Trouble]) -> Sequence[IncidentRow]:
    kinds = [trouble.value for trouble in troubles]
    return await _OPEN_OF_CHAIN.rows(ctx.db, installation_id=installation_id, kinds=kinds)


_OPEN_OF_CHAIN = Prepared(
    select(fiscal_incident).where(
        fiscal_incident.c.installation_id == bindparam("installation_id", type_=Uuid),
        fiscal_incident.c.ended_at.is_(None),
        fiscal_incident.c.kind == any_(bindparam("kinds", type_=ARRAY(Text))),
    ),
    IncidentRow,
)


async def _close(ctx: Context, incident_ids: Sequence[UUID]) -> None:
    columns = fiscal_incident.c
    closing = {"ended_at": func.now(), "updated_at": func.now(), "version": columns.version + 1}
    await ctx.db.execute(update(fiscal_incident).where(columns.id.in_(incident_ids)).values(closing))


async def _claim_mailing(ctx: Context, incident: IncidentRow, now: datetime) -> bool:
    """Return True when this process is to mail the incident now.

    A kind of incident is mailed once a day at most for each chain, also when several of that kind begin and end.
    """
    columns = fiscal_incident.c
    same_kind = columns.installation_id == incident.installation_id, columns.kind == incident.kind
    last_mailed_at = (await ctx.db.execute(select(func.max(columns.mailed_at)).where(*same_kind))).scalar_one()
    if last_mailed_at is not None and last_mailed_at > now - MAIL_INTERVAL:
        return False
    unclaimed = columns.mailed_at.is_not_distinct_from(incident.mailed_at)
    claim = update(fiscal_incident).where(columns.id == incident.id, unclaimed).values(mailed_at=now)
    return (await ctx.db.execute(claim.returning(columns.id))).one_or_none() is not None


def _subject(chain: IssuerChain) -> tuple[str, UUID]:
    return "fiscal_installation", chain.installation_id


async def _mail(ctx: Context, due: _DueNotice) -> None:
    """Mail everybody who can act. A mail that fails is in the log of mails, and the next day's follows."""
    async with ctx.reading() as inner:
        people = await members.owner_and_admins(inner)
    for person in people:
        mail = fiscal_mail(
            FiscalNotice(
                language=person.locale,
                to=person.email,
                team_name=ctx.account.issuer_name,
                troubles=tuple(cast("NoticeKind", incident.kind) for incident in due.incidents),
                details=tuple(incident.detail for incident in due.incidents),
                count=due.waiting.count,
                oldest_at=due.waiting.oldest_at,
                time_zone=ctx.account.time_zone,
                issuer=due.chain.issuer_tax_id,
                link=mails.page_address(ctx.kernel),
            )
        )
        try:
            await mails.send(ctx, mail, MailKind.SENDING, _subject(due.chain))
        except Problem as problem:
            log.warning("a notice could not be mailed", reason=problem.detail)


async def unsent(ctx: Context) -> Unsent:
    """Return the number of records that wait in all chains of the account, and the incidents that delay them."""
    waiting = await pace.count_waiting(ctx)
    troubles = [
        SendingTrouble(
            kind=incident.kind,
            since=incident.created_at,
            message=incident.detail or None,
            remedy=text(_REMEDIES[Trouble(incident.kind)]).in_language(ctx.request_metadata.language),
        )
        for incident in await open_incidents(ctx)
    ]
    return Unsent(count=waiting.count, oldest_at=waiting.oldest_at, troubles=troubles)
