"""A chain's head: locked while a record is added, begun anew where records may have been lost.

Nothing here ever stops a sale: what does not hold raises an alarm, and the record is made.
"""

from datetime import datetime
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from sqlalchemy import DateTime, Text, Uuid, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.database.transactions import Database
from ledgerkit.core.einvoice import billings
from ledgerkit.core.einvoice.chain import links
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record, fiscal_sender, fiscal_status
from ledgerkit.core.einvoice.outbox.incidents import IssuerChain, begin, end, tell
from ledgerkit.core.einvoice.outbox.retry_policy import Trouble
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import Anomaly, Environment, FiscalChannel, State

RESTORED = "restored"
"""The database is not the one in which the chain began: a copy, or an earlier state of it."""

LOST = "lost"
"""The database holds fewer records than have been sent from here."""

ASKED = "asked"

MOVED = "The database was restored, copied or moved."

_CARRIED = ("channel", "environment", "issuer_tax_id", "mode", "mode_since", "reporting_until")
"""What a chain takes over from the one before it."""

log = structlog.get_logger()


async def locked_head(ctx: Context, channel: FiscalChannel, environment: Environment, tax_id: str) -> Any:
    """The head of the issuer's open chain, locked until commit.

    Made on the issuer's first record, and anew, under another number, on a database that has been restored. It brings
    its last record along, for `ends.look`, unless that was made while the lock was waited for.
    """
    which = {"channel": channel.id, "environment": environment.value, "issuer_tax_id": tax_id}
    around = billings.about(ctx, channel.id, environment, tax_id)
    head = await _HEAD.row(ctx.db, **which | around) or await _FIRST_HEAD.one(ctx.db, id=new_id(), **which)
    here = await identity(ctx.kernel.database, ctx.db, head.server_started)
    if head.database_identity is None:
        return await records.change(ctx, fiscal_installation, head.id, {"database_identity": here})
    if head.database_identity == here:
        return head
    return await renew(ctx, head, RESTORED)


async def alarm(ctx: Context, head: Any, anomaly: Anomaly | None) -> None:
    """Say once that the chain does not hold; until it has been checked whole and found right."""
    if anomaly is None or head.alarm_at is not None:
        return
    said = {"alarm_position": anomaly.position, "alarm_code": anomaly.code, "alarm_message": anomaly.message}
    await records.change(ctx, fiscal_installation, head.id, {"alarm_at": clock.now(), **said})
    detail = f"position {anomaly.position} (code {anomaly.code}): {anomaly.message}"
    await begin(ctx, IssuerChain(head.id, head.issuer_tax_id), Trouble.CHAIN, detail)
    log.error("chain broken", installation=head.id.hex, position=anomaly.position, code=anomaly.code)


async def all_clear(ctx: Context, head: Any) -> None:
    """The alarm ends: the whole chain has been checked, and holds."""
    nothing = dict.fromkeys(("alarm_at", "alarm_position", "alarm_code", "alarm_message"))
    await records.change(ctx, fiscal_installation, head.id, nothing)
    await end(ctx, IssuerChain(head.id, head.issuer_tax_id), [Trouble.CHAIN])


async def note(ctx: Context, action: str, head: Any, changes: activity.Changes) -> None:
    """A line of the account's log about one of its chains."""
    await activity.record(ctx, action, ("fiscal_installation", head.id), head.issuer_tax_id, changes)


# ---------------------------------------------------------------- a new installation


async def renew(ctx: Context, head: Any, reason: str, words: str | None = None) -> Any:
    """Close the chain of the locked `head` and begin another one under a number of its own; its head, locked.

    What was not sent yet of the closed one is still sent. After a loss it may have been sent before, so the
    authority's word that it knows a record counts for ours.
    """
    here = await close(ctx, head, reason, words)
    new = {"id": new_id(), "database_identity": here}
    same = {name: getattr(head, name) for name in _CARRIED}
    begun = await records.add(ctx, fiscal_installation, {**new, **same})
    changes = {"reason": (None, words or reason), "installation_number": (head.id.hex, begun.id.hex)}
    await note(ctx, "installation_started", begun, changes)
    await events.moved(ctx, head, begun, restored=reason != ASKED)
    if reason != ASKED:
        said = f"{words or MOVED} Installation {head.id.hex} is closed, {begun.id.hex} begins."
        await tell(ctx, IssuerChain(begun.id, begun.issuer_tax_id), Trouble.RENEWED, said)
    log.warning("new installation", number=begun.id.hex, closed=head.id.hex, position=head.position, reason=reason)
    return begun


async def close(ctx: Context, head: Any, reason: str, words: str | None) -> str:
    """End a chain, if it is open; after a loss its open records count as perhaps sent.

    Gives the identity of the database.
    """
    here = await identity(ctx.kernel.database, ctx.db)
    if head.closed_at is None:
        closed = {"closed_at": clock.now(), "closed_reason": words or reason}
        await records.change(ctx, fiscal_installation, head.id, closed)
    if reason != ASKED:
        waiting = fiscal_status.c.installation_id == head.id, fiscal_status.c.state == State.PENDING.value
        perhaps = {"state": State.UNKNOWN.value, "in_doubt": True, "updated_at": func.now()}
        await ctx.db.execute(update(fiscal_status).where(*waiting).values(perhaps))
    mine = fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == head.id
    known = {"database_identity": here, "position": head.position}
    await ctx.db.execute(update(fiscal_sender).where(*mine).values(known))
    return here


async def first_record(ctx: Context) -> datetime | None:
    """When the account's first record in this server's environment was stored, exactly; None without any."""
    begins = fiscal_record.c.installation_id == fiscal_installation.c.id, fiscal_record.c.position == 1
    here = fiscal_installation.c.environment == ctx.settings.einvoice_env.value
    found = await ctx.db.execute(select(func.min(fiscal_record.c.created_at)).where(*begins, here))
    moment: datetime | None = found.scalar_one()
    return moment


async def locked(ctx: Context, installation_id: UUID) -> Any | None:
    """A chain's head by its id, open or closed, locked until commit."""
    return await _LOCKED.row(ctx.db, installation_id=installation_id)


# ---------------------------------------------------------------- which database this is


_identities: WeakKeyDictionary[Database, tuple[datetime, str]] = WeakKeyDictionary()


async def identity(database: Database, db: AsyncConnection, server_started: datetime | None = None) -> str:
    """Which database this is, and which of its histories: a copy, a restored and a promoted one are others.

    Asked anew only when the server has started since (`server_started`), or is not known to have run on.
    """
    known = _identities.get(database)
    if known is not None and known[0] == server_started:
        return known[1]
    found = await _IDENTITY.one(db)
    _identities[database] = (found.server_started, found.identity)
    return str(found.identity)


_IDENTITY = Prepared(
    text(
        "select pg_postmaster_start_time() as server_started,"
        " (select system_identifier from pg_control_system())"
        " || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)"
        " || '/' || (select oid from pg_database where datname = current_database()) as identity"
    )
)
_LOCKED = Prepared(
    select(fiscal_installation)
    .where(fiscal_installation.c.id == bindparam("installation_id", type_=Uuid))
    .with_for_update()
)


_STARTED = func.pg_postmaster_start_time(type_=DateTime(timezone=True)).label("server_started")
_ISSUER = ("channel", "environment", "issuer_tax_id")


def _head_statement() -> Prepared[Any]:
    """The head is locked by itself: to lock it out of a join costs PostgreSQL as much again."""
    kept = fiscal_installation.c
    mine = [kept[name] == bindparam(name, type_=Text) for name in _ISSUER]
    locked = select(fiscal_installation, _STARTED).where(*mine, kept.closed_at.is_(None)).with_for_update()
    head = locked.cte("head")
    return Prepared(select(head, *links.columns()).select_from(links.joined(head, head.c.last_record_id)))


def _first_head_statement() -> Prepared[Any]:
    """For an issuer without an open chain, unless somebody is just beginning it."""
    new = upsert(fiscal_installation).values({name: bindparam(name) for name in ("id", *_ISSUER)})
    statement = new.on_conflict_do_update(
        index_elements=["account_id", *_ISSUER],
        index_where=fiscal_installation.c.closed_at.is_(None),
        set_={"updated_at": func.now()},
    )
    return Prepared(statement.returning(*fiscal_installation.c, _STARTED))


_HEAD, _FIRST_HEAD = _head_statement(), _first_head_statement()
