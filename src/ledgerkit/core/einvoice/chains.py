"""A chain's head: locked while a record is added, looked at before, begun anew where records may have been lost.

Nothing here ever stops a sale: what does not hold raises an alarm, and the record is made.
"""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from types import SimpleNamespace
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from sqlalchemy import ColumnElement, DateTime, Text, Uuid, bindparam, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.db import Database, new_id
from ledgerkit.core.einvoice import events
from ledgerkit.core.einvoice.courses import Trouble
from ledgerkit.core.einvoice.incidents import Chain, begin, end, tell
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record, fiscal_sender, fiscal_status
from ledgerkit.core.statements import Prepared, Row
from ledgerkit.providers.api import Anomaly, ChainLink, Environment, FiscalChannel, KeptRecord, State

RESTORED = "restored"
"""The database is not the one in which the chain began: a copy, or an earlier state of it."""

LOST = "lost"
"""The database holds fewer records than have been sent from here."""

ASKED = "asked"

MOVED = "The database was restored, copied or moved."

_CARRIED = ("channel", "environment", "issuer_tax_id", "mode", "mode_since", "reporting_until")
"""What a chain takes over from the one before it."""

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What is known where a record is about to be made: whether the account bills for several, and what is wrong."""

    several_issuers: bool
    anomaly: Anomaly | None


async def locked_head(ctx: Context, channel: FiscalChannel, environment: Environment, tax_id: str) -> Row:
    """The head of the issuer's open chain, locked until commit.

    Made on the issuer's first record, and anew, under another number, on a database that has been restored. It brings
    its last record along, for `look_around`, unless that was made while the lock was waited for.
    """
    which = {"channel": channel.id, "environment": environment.value, "issuer_tax_id": tax_id}
    head = await _HEAD.row(ctx.db, **which) or await _FIRST_HEAD.one(ctx.db, id=new_id(), **which)
    here = await identity(ctx.kernel.database, ctx.db, head.server_started)
    if head.database_identity is None:
        return await records.change(ctx, fiscal_installation, head.id, {"database_identity": here})
    if head.database_identity == here:
        return head
    return await renew(ctx, head, RESTORED)


def previous(head: Any) -> ChainLink | None:
    """What the next record is linked to: the last one, or the last one of other software; None begins a chain."""
    if head.last_fingerprint is None:
        return None
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=head.last_number,
        issue_date=head.last_issue_date,
        fingerprint=head.last_fingerprint,
        position=head.position,
        generated_at=head.last_generated_at,
    )


def origin(head: Any) -> ChainLink | None:
    """The last record of other software, from which the chain goes on; None where it begins here."""
    if head.origin_fingerprint is None:
        return None
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=head.origin_number,
        issue_date=head.origin_issue_date,
        fingerprint=head.origin_fingerprint,
        position=0,
        generated_at=head.origin_generated_at,
    )


def digest(before: bytes | None, content: bytes) -> bytes:
    """SHA-256 over the digest before and a record's bytes: no byte of any record can change without a trace."""
    return sha256((before or b"") + content).digest()


def kept(row: Any, before: bytes | None, *, signed: bool = False) -> KeptRecord:
    """A row of fiscal_record for an audit; `before` is the digest of the one before it."""
    return KeptRecord(
        installation=row.installation_id.hex,
        position=row.position,
        kind=row.kind,
        issuer_tax_id=row.issuer_tax_id,
        number=row.number,
        issue_date=row.issue_date,
        content=row.content,
        fingerprint=row.fingerprint,
        generated_at=row.generated_at,
        altered=row.digest != digest(before, row.content),
        signed=signed,
    )


# ---------------------------------------------------------------- before each record


async def look_around(ctx: Context, head: Any, channel: FiscalChannel, environment: Environment) -> Surroundings:
    """One look before a record is made: the last record against the one before it, and against the clock.

    Source: Orden HAC/1177/2024 arts. 6.d and 7.h, by which invoicing goes on whatever is found.
    """
    known = head if "end_id" in head.keys() and head.end_id == head.last_record_id else None  # noqa: SIM118 - a record
    found = known or await _AROUND.one(ctx.db, environment=environment.value, last_id=head.last_record_id)
    return Surroundings(several_issuers=found.issuers > 1, anomaly=_last_link(found, head, channel))


def _last_link(found: Any, head: Any, channel: FiscalChannel) -> Anomaly | None:
    if channel.audits is None or not head.position:
        return None
    end = SimpleNamespace(**{name: found[f"end_{name}"] for name in _LOOKED_AT})
    stored = [] if end.id is None else [kept(end, found.before_digest)]
    before = origin(head)
    if found.before_position is not None:
        before = ChainLink(
            issuer_tax_id=found.before_issuer_tax_id,
            number=found.before_number,
            issue_date=found.before_issue_date,
            fingerprint=found.before_fingerprint,
            position=found.before_position,
            generated_at=found.before_generated_at,
        )
    return next(channel.audits.audit(stored, before, clock.now(), previous(head)), None)


async def alarm(ctx: Context, head: Any, anomaly: Anomaly | None) -> None:
    """Say once that the chain does not hold; until it has been checked whole and found right."""
    if anomaly is None or head.alarm_at is not None:
        return
    said = {"alarm_position": anomaly.position, "alarm_code": anomaly.code, "alarm_message": anomaly.message}
    await records.change(ctx, fiscal_installation, head.id, {"alarm_at": clock.now(), **said})
    detail = f"position {anomaly.position} (code {anomaly.code}): {anomaly.message}"
    await begin(ctx, Chain(head.id, head.issuer_tax_id), Trouble.CHAIN, detail)
    log.error("chain broken", installation=head.id.hex, position=anomaly.position, code=anomaly.code)


async def all_clear(ctx: Context, head: Any) -> None:
    """The alarm ends: the whole chain has been checked, and holds."""
    nothing = dict.fromkeys(("alarm_at", "alarm_position", "alarm_code", "alarm_message"))
    await records.change(ctx, fiscal_installation, head.id, nothing)
    await end(ctx, Chain(head.id, head.issuer_tax_id), [Trouble.CHAIN])


async def note(ctx: Context, action: str, head: Any, changes: activity.Changes) -> None:
    """A line of the account's log about one of its chains."""
    await activity.record(ctx, action, ("fiscal_installation", head.id), head.issuer_tax_id, changes)


# ---------------------------------------------------------------- a new installation


async def renew(ctx: Context, head: Any, reason: str, words: str | None = None) -> Row:
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
        await tell(ctx, Chain(begun.id, begun.issuer_tax_id), Trouble.RENEWED, said)
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


async def locked(ctx: Context, installation_id: UUID) -> Row | None:
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


_LOOKED_AT = (
    "id",
    "installation_id",
    "position",
    "kind",
    "issuer_tax_id",
    "number",
    "issue_date",
    "content",
    "fingerprint",
    "generated_at",
    "digest",
)
_LINKED_TO = ("position", "issuer_tax_id", "number", "issue_date", "fingerprint", "generated_at", "digest")
_END, _BEFORE = fiscal_record.alias("end"), fiscal_record.alias("before")


def _around() -> list[ColumnElement[Any]]:
    """How many issuers the account has, a chain's last record, and the identity of the one before that."""
    here = fiscal_installation.alias("here")
    mine = here.c.environment == bindparam("environment", type_=Text)
    issuers = select(func.count(here.c.issuer_tax_id.distinct())).where(mine).scalar_subquery().label("issuers")
    end = [_END.c[name].label(f"end_{name}") for name in _LOOKED_AT]
    return [issuers, *end, *(_BEFORE.c[name].label(f"before_{name}") for name in _LINKED_TO)]


def _head_statement() -> Prepared:
    kept = fiscal_installation.c
    mine = [kept[name] == bindparam(name, type_=Text) for name in _ISSUER]
    joined = fiscal_installation.outerjoin(_END, _END.c.id == kept.last_record_id).outerjoin(
        _BEFORE, _BEFORE.c.id == _END.c.previous_id
    )
    query = select(fiscal_installation, _STARTED, *_around()).select_from(joined)
    return Prepared(query.where(*mine, kept.closed_at.is_(None)).with_for_update(of=fiscal_installation))


def _first_head_statement() -> Prepared:
    """For an issuer without an open chain, unless somebody is just beginning it."""
    new = upsert(fiscal_installation).values({name: bindparam(name) for name in ("id", *_ISSUER)})
    statement = new.on_conflict_do_update(
        index_elements=["account_id", *_ISSUER],
        index_where=fiscal_installation.c.closed_at.is_(None),
        set_={"updated_at": func.now()},
    )
    return Prepared(statement.returning(*fiscal_installation.c, _STARTED))


_HEAD, _FIRST_HEAD = _head_statement(), _first_head_statement()


def _around_statement() -> Prepared:
    """The same for a head that is locked already."""
    nothing = select(literal(1).label("one")).subquery("nothing")
    joined = nothing.outerjoin(_END, _END.c.id == bindparam("last_id", type_=Uuid)).outerjoin(
        _BEFORE, _BEFORE.c.id == _END.c.previous_id
    )
    return Prepared(select(*_around()).select_from(joined))


_AROUND = _around_statement()
