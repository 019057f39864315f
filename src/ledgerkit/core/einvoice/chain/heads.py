"""Heads of chains: locked while a record is added, and begun anew when records may have been lost.

An error in a chain never prevents a sale: it raises an alarm, and the record is made.
"""

from dataclasses import replace
from datetime import datetime
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from sqlalchemy import DateTime, Text, Uuid, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.einvoice.chain import billings, links
from ledgerkit.core.einvoice.chain.links import HeadWithEndRow
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.modes.signed_mode_hooks import required_signed_mode
from ledgerkit.core.einvoice.outbox.incidents import IssuerChain, begin, end, notify_once
from ledgerkit.core.einvoice.outbox.retry_policy import Trouble
from ledgerkit.core.einvoice.outbox.table import SenderRow, fiscal_sender
from ledgerkit.core.einvoice.table import (
    ChainHeadRow,
    DatabaseRow,
    fiscal_database,
    fiscal_installation,
    fiscal_record,
    fiscal_status,
)
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import Database
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Anomaly, Environment, FiscalChannel, Party, State

RESTORED = "restored"
"""The database is not the one in which the chain began: a copy, or an earlier state of it."""

LOST = "lost"
"""The database holds fewer records than this machine has sent."""

ON_REQUEST = "asked"
"""Somebody asked for a new installation; nothing was lost."""

MOVED = "The database was restored, copied or moved."

_CONTINUED_COLUMNS = ("channel", "environment", "issuer_tax_id", "mode", "mode_since", "reporting_until")
"""Columns of a closed chain that the chain after it takes over."""

log = structlog.get_logger()


async def lock_open_head(ctx: Context, channel: FiscalChannel, environment: Environment, tax_id: str) -> ChainHeadRow:
    """Lock the head of the issuer's open chain until commit, and return it.

    The chain begins with the issuer's first record, and begins anew under another number on a database that has been
    restored. The row also has the columns of `links.end_columns`. They may lack a record that another transaction added
    while this one waited for the lock: `links.check_end` then reads them again.
    """
    issuer = {"channel": channel.id, "environment": environment.value, "issuer_tax_id": tax_id}
    parameters = issuer | billings.query_parameters(ctx, channel.id, environment, tax_id)
    head = await _OPEN_HEAD.row(ctx.db, **parameters) or await _FIRST_HEAD.one(ctx.db, id=new_id(), **issuer)
    identity = await database_identity(ctx.kernel.database, ctx.db, head.server_started)
    if head.database_identity is None:
        restored = await _is_restored(ctx, identity)
        unknown = Values(ChainHeadRow, numbers="due") if restored else Values(ChainHeadRow)
        return await records.change(
            ctx, fiscal_installation, head.id, Values(ChainHeadRow, database_identity=identity) | unknown
        )
    if head.database_identity == identity:
        return head
    return await renew(ctx, head, RESTORED)


async def raise_alarm(ctx: Context, head: ChainHeadRow, anomaly: Anomaly | None) -> None:
    """Store and announce an error in the chain, unless there is none or an alarm lasts already.

    The alarm ends when the whole chain has been checked without an error (`end_alarm`).
    """
    if anomaly is None or head.alarm_at is not None:
        return
    alarm = Values(
        ChainHeadRow,
        alarm_at=clock.now(),
        alarm_position=anomaly.position,
        alarm_code=anomaly.code,
        alarm_message=anomaly.message,
    )
    await records.change(ctx, fiscal_installation, head.id, alarm)
    detail = f"position {anomaly.position} (code {anomaly.code}): {anomaly.message}"
    await begin(ctx, IssuerChain(head.id, head.issuer_tax_id), Trouble.CHAIN, detail)
    log.error("chain broken", installation=head.id.hex, position=anomaly.position, code=anomaly.code)


async def end_alarm(ctx: Context, head: ChainHeadRow) -> None:
    """Clear the chain's alarm and end its incident, because the whole chain has been checked without an error."""
    no_alarm = Values(ChainHeadRow, alarm_at=None, alarm_position=None, alarm_code=None, alarm_message=None)
    await records.change(ctx, fiscal_installation, head.id, no_alarm)
    await end(ctx, IssuerChain(head.id, head.issuer_tax_id), [Trouble.CHAIN])


async def log_activity(ctx: Context, action: str, head: ChainHeadRow, changes: activity.Changes) -> None:
    """Add a line about a chain to the account's activity log."""
    await activity.record(ctx, action, ("fiscal_installation", head.id), head.issuer_tax_id, changes)


def issuer_party(ctx: Context, head: ChainHeadRow) -> Party:
    """Return name and tax identifier of the issuer of a chain of the account's present tax identifier."""
    return Party(name=ctx.account.issuer_name, tax_id=head.issuer_tax_id, country=ctx.account.country)


async def recorded_issuer(ctx: Context, head: ChainHeadRow) -> Party:
    """Return name and tax identifier of a chain's issuer, as events state them.

    If the account no longer has the issuer's tax identifier, the name is that of the chain's last record.
    """
    party = issuer_party(ctx, head)
    if head.issuer_tax_id == ctx.account.tax_id or head.last_record_id is None:
        return party
    of_last = select(fiscal_record.c.issuer_name).where(fiscal_record.c.id == head.last_record_id)
    return replace(party, name=(await ctx.db.execute(of_last)).scalar_one())


# ---------------------------------------------------------------- a new installation


async def renew(
    ctx: Context,
    head: ChainHeadRow,
    reason: str,
    explanation: str | None = None,
    *,
    last_sent_number: str | None = None,
) -> ChainHeadRow:
    """Close the chain of the locked `head` and begin another one under a new number; return its locked head.

    Unsent records of the closed chain are still sent. After a loss they may have been sent before. If the authority
    answers that it already has such a record, this counts as the answer to that record. The new chain gives no number
    before it is known which numbers may be lost. `last_sent_number`: the number of the last record that was sent from
    this machine, if the database lacks it.
    """
    identity = await close(ctx, head, reason, explanation)
    values = Values(
        ChainHeadRow, id=new_id(), database_identity=identity, numbers="due", last_sent_number=last_sent_number
    )
    continued = Values.copied(ChainHeadRow, head, _CONTINUED_COLUMNS)
    new_head = await records.add(ctx, fiscal_installation, values | continued)
    changes = {"reason": (None, explanation or reason), "installation_number": (head.id.hex, new_head.id.hex)}
    await log_activity(ctx, "installation_started", new_head, changes)
    if modes.signs_or_will_sign(ctx, head):
        await required_signed_mode(ctx).installation_renewed(ctx, head, new_head, restored=reason != ON_REQUEST)
    if reason != ON_REQUEST:
        notice = f"{explanation or MOVED} Installation {head.id.hex} is closed, {new_head.id.hex} begins."
        await notify_once(ctx, IssuerChain(new_head.id, new_head.issuer_tax_id), Trouble.RENEWED, notice)
    log.warning("new installation", number=new_head.id.hex, closed=head.id.hex, position=head.position, reason=reason)
    return new_head


async def close(ctx: Context, head: ChainHeadRow, reason: str, explanation: str | None) -> str:
    """Close a chain, unless it is closed, and return the database's identity.

    Except for `ON_REQUEST`, the outcome of its pending records becomes unknown, because they may have been sent before.
    """
    identity = await database_identity(ctx.kernel.database, ctx.db)
    if head.closed_at is None:
        closing = Values(ChainHeadRow, closed_at=clock.now(), closed_reason=explanation or reason)
        await records.change(ctx, fiscal_installation, head.id, closing)
    if reason != ON_REQUEST:
        is_pending = fiscal_status.c.installation_id == head.id, fiscal_status.c.state == State.PENDING.value
        unknown = {"state": State.UNKNOWN.value, "in_doubt": True, "updated_at": func.now()}
        await ctx.db.execute(update(fiscal_status).where(*is_pending).values(unknown))
    of_chain = fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == head.id
    last_position = Values(SenderRow, database_identity=identity, position=head.position)
    await ctx.db.execute(update(fiscal_sender).where(*of_chain).values(last_position))
    return identity


async def first_record_stored_at(ctx: Context) -> datetime | None:
    """Return when the account's first record in this server's environment was stored; None without any."""
    is_first = fiscal_record.c.installation_id == fiscal_installation.c.id, fiscal_record.c.position == 1
    in_environment = fiscal_installation.c.environment == ctx.settings.einvoice_env.value
    query = select(func.min(fiscal_record.c.created_at)).where(*is_first, in_environment)
    stored_at: datetime | None = (await ctx.db.execute(query)).scalar_one()
    return stored_at


async def lock_head(ctx: Context, installation_id: UUID) -> ChainHeadRow | None:
    """Lock a chain's head by its id until commit, open or closed; None when this account has no such chain."""
    return await _HEAD_BY_ID.row(ctx.db, installation_id=installation_id)


# ---------------------------------------------------------------- the database's identity


_identities: WeakKeyDictionary[Database, tuple[datetime, str]] = WeakKeyDictionary()


async def database_identity(database: Database, db: AsyncConnection, server_started: datetime | None = None) -> str:
    """Identify the database and its timeline: a copy, a restored and a promoted database have other identities.

    The identity is read again only if PostgreSQL has started since (`server_started`), or if that time is not given.
    """
    remembered = _identities.get(database)
    if remembered is not None and remembered[0] == server_started:
        return remembered[1]
    row = await _IDENTITY.one(db)
    _identities[database] = (row.server_started, row.identity)
    return row.identity


async def note_database(db: AsyncConnection, identity: str) -> None:
    """Store the identity of the database that holds these rows from now on."""
    await _NOTE_DATABASE.run(db, identity=identity)


async def _is_restored(ctx: Context, identity: str) -> bool:
    """Return True when the account was made in another database than the present one, and has come here with it."""
    await note_database(ctx.db, identity)
    return await _RESTORED.row(ctx.db, identity=identity, account_id=ctx.account.id) is not None


_HERE, _EARLIER = fiscal_database.alias("here"), fiscal_database.alias("earlier")
_NOTE_DATABASE = Prepared(
    upsert(fiscal_database).on_conflict_do_nothing(index_elements=["identity"]), columns=["identity"]
)
_RESTORED = Prepared(
    select(_HERE)
    .where(
        _HERE.c.identity == bindparam("identity", type_=Text),
        select(_EARLIER.c.identity).where(_EARLIER.c.known_since < _HERE.c.known_since).exists(),
        accounts.is_older(bindparam("account_id", type_=Uuid), _HERE.c.known_since),
    )
    .limit(1),
    DatabaseRow,
)


class _DatabaseIdentityRow(Row):
    server_started: datetime
    identity: str


_IDENTITY = Prepared(
    text(
        "select pg_postmaster_start_time() as server_started,"
        " (select system_identifier from pg_control_system())"
        " || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)"
        " || '/' || (select oid from pg_database where datname = current_database()) as identity"
    ).columns(server_started=DateTime(timezone=True), identity=Text),
    _DatabaseIdentityRow,
)
_HEAD_BY_ID = Prepared(
    select(fiscal_installation)
    .where(fiscal_installation.c.id == bindparam("installation_id", type_=Uuid))
    .with_for_update(),
    ChainHeadRow,
)


_SERVER_STARTED = func.pg_postmaster_start_time(type_=DateTime(timezone=True)).label("server_started")
_ISSUER_COLUMNS = ("channel", "environment", "issuer_tax_id")


class _StartedHeadRow(ChainHeadRow):
    server_started: datetime


class _OpenHeadRow(HeadWithEndRow, _StartedHeadRow):
    pass


def _open_head_statement() -> Prepared[_OpenHeadRow]:
    """Lock the head in a query of its own: locking it inside the join costs PostgreSQL as much again."""
    columns = fiscal_installation.c
    of_issuer = [columns[name] == bindparam(name, type_=Text) for name in _ISSUER_COLUMNS]
    query = select(fiscal_installation, _SERVER_STARTED).where(*of_issuer, columns.closed_at.is_(None))
    head = query.with_for_update().cte("head")
    joined = links.join_end(head, head.c.last_record_id)
    return Prepared(select(head, *links.end_columns()).select_from(joined), _OpenHeadRow)


def _first_head_statement() -> Prepared[_StartedHeadRow]:
    """Begin the chain of an issuer without an open one; return the head of another transaction that was faster."""
    first_head = upsert(fiscal_installation).values({name: bindparam(name) for name in ("id", *_ISSUER_COLUMNS)})
    statement = first_head.on_conflict_do_update(
        index_elements=["account_id", *_ISSUER_COLUMNS],
        index_where=fiscal_installation.c.closed_at.is_(None),
        set_={"updated_at": func.now()},
    )
    return Prepared(statement.returning(*fiscal_installation.c, _SERVER_STARTED), _StartedHeadRow)


_OPEN_HEAD, _FIRST_HEAD = _open_head_statement(), _first_head_statement()
