"""Notices of events, at once: a rejection by the authority with the way to mend it, a proposal that waits."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import DateTime, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.messaging import queries
from ledgerkit.core.messaging.conversation import digest
from ledgerkit.core.messaging.conversation.cards import APPROVE, REJECT
from ledgerkit.core.messaging.conversation.turn import button, link_button
from ledgerkit.core.messaging.delivery import outbox
from ledgerkit.core.messaging.notices.readers import NoticeReader, of_account, of_link
from ledgerkit.core.messaging.table import StoredMessage
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform import jobs
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.activity.table import ActivityRow
from ledgerkit.core.platform.approvals.chats import operations as chats
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.request.context import Channel, Context, Kernel
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import operations as sales
from ledgerkit.problems import Problem, Unavailable
from ledgerkit.texts import text as message

TELL = "tell-in-chats"
"""Job that tells the linked members of an account of an entry of its log."""

_REJECTED = frozenset({"rejected", "correction_rejected", "annulment_rejected"})
_LATEST_DIGEST = 4
"""Hours after its hour in which a digest is still sent."""

_LATEST_NOTICE = timedelta(days=1)

log = structlog.get_logger()


async def _follow(ctx: Context, entry: Values[ActivityRow]) -> None:
    """Let the linked members be told of an entry, once the transaction that writes it has ended."""
    if ctx.kernel.dry_run is not None or ctx.actor.channel is Channel.MESSAGING:
        return
    payload = {
        "accountId": str(ctx.account.id),
        "kind": entry.of(ActivityRow.entity_type),
        "id": str(entry.of(ActivityRow.entity_id)),
        "by": None if ctx.actor.user_id is None else str(ctx.actor.user_id),
        "at": clock.now().isoformat(),
    }
    await jobs.enqueue(ctx, TELL, payload)


for _action in _REJECTED:
    activity.followed_by(("invoice", _action), _follow)
activity.followed_by(("approval", "proposed"), _follow)


async def tell(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Tell those who may read it, and do not want quiet; nothing of what is older than a day."""
    if datetime.fromisoformat(str(payload["at"])) < clock.now() - _LATEST_NOTICE:
        return
    about = _rejection if payload["kind"] == "invoice" else _proposal
    for reader in await of_account(kernel, UUID(str(payload["accountId"]))):
        if reader.is_quiet:
            continue
        try:
            notice = await about(reader, str(payload["id"]))
        except Unavailable:
            raise
        except Problem:  # it is not for this reader, or was decided meanwhile
            continue
        if notice is not None:
            await reader.tell(notice)


async def _rejection(reader: NoticeReader, invoice_id: str) -> StoredMessage | None:
    if not reader.ctx.actor.may(Permission.EINVOICE_READ):
        return None
    invoice = await sales.get(reader.ctx, invoice_id)
    words = (invoice.einvoice or {}).get("message") or ""
    title = message(ChatMsg.REJECTED_TITLE, number=invoice.number or "").in_language(reader.language)
    lines = [str(words), message(ChatMsg.REJECTED_REMEDY).in_language(reader.language)]
    mend = message(ChatMsg.OPEN_INVOICE).in_language(reader.language)
    url = f"{reader.ctx.settings.public_url}/invoices/{invoice.id}"
    return StoredMessage(title=title, lines=tuple(filter(None, lines)), buttons=((link_button(mend, url),),))


async def _proposal(reader: NoticeReader, approval_id: str) -> StoredMessage | None:
    """Show a proposal of somebody else's, or of an assistant, to a member who may decide it."""
    if not reader.member.may(Permission.APPROVALS_DECIDE):
        return None
    deciding = replace(reader.ctx, who=reader.member)
    question = await chats.show(deciding, approval_id)
    approval = question.approval
    if approval.status != "pending" or approval.channel == Channel.MESSAGING.value:
        return None
    who = approval.proposed_by_client or approval.proposed_by_name
    title = message(ChatMsg.PROPOSAL_OF, who=who).in_language(reader.language)
    leave = button(message(ChatMsg.REJECT).in_language(reader.language), REJECT, approval.id)
    if question.in_app_only:
        url = f"{reader.ctx.settings.public_url}/approve/{approval.id}"
        agree = link_button(message(ChatMsg.OPEN_APP).in_language(reader.language), url)
    else:
        agree = button(message(ChatMsg.AGREE).in_language(reader.language), APPROVE, approval.id)
    return StoredMessage(title=title, lines=tuple(approval.summary), buttons=((agree, leave),))


# ------------------------------------------------------------ the digest


class _LinkIdRow(Row):
    id: UUID


_ALL_LINKS = Prepared(text("select id from messaging_link order by id").columns(id=Uuid), _LinkIdRow)
_TAKE_DIGEST = Prepared(
    text(
        "insert into messaging_preferences (membership_id, digested_on)"
        " select membership_id, :now from messaging_link where id = :link on conflict (membership_id) do update"
        " set digested_on = excluded.digested_on where messaging_preferences.digested_on is null"
        " or messaging_preferences.digested_on < :since returning membership_id as id"
    )
    .bindparams(
        bindparam("link", type_=Uuid),
        bindparam("now", type_=DateTime(timezone=True)),
        bindparam("since", type_=DateTime(timezone=True)),
    )
    .columns(id=Uuid),
    _LinkIdRow,
)


async def send_digests(kernel: Kernel) -> None:
    """Send the digest to each linked member whose hour it is, once a day."""
    for link in await identity_queries.fetch_rows(kernel, _ALL_LINKS):
        row = await identity_queries.fetch_row(kernel, queries.BY_LINK, link=link.id)
        if row is None:
            continue
        try:
            await _send_digest(await of_link(kernel, row))
        except Unavailable:
            raise
        except Problem as problem:
            log.warning("digest is not sent", reason=problem.code.value)


async def _send_digest(reader: NoticeReader) -> None:
    chosen = reader.preferences
    hour = 8 if chosen is None else chosen.digest_hour
    now = clock.now().astimezone(ZoneInfo(reader.ctx.account.time_zone))
    is_wanted = chosen is None or chosen.digest
    if not is_wanted or reader.is_quiet or not hour <= now.hour < hour + _LATEST_DIGEST:
        return
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if chosen is not None and chosen.digested_on is not None and chosen.digested_on >= midnight:
        return
    title, lines = await digest.of_day(reader.ctx, reader.language)

    async def send(db: AsyncConnection) -> None:
        if await _TAKE_DIGEST.row(db, link=reader.link_id, now=clock.now(), since=midnight) is not None:
            await outbox.write(db, reader.chat, reader.link_id, [StoredMessage(title=title, lines=tuple(lines))])

    await identity_queries.change(reader.ctx.kernel, send)
