"""API keys with scopes: added, listed and removed, and the time of their last use."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import UUID

import structlog
from sqlalchemy import DateTime, Uuid, bindparam, delete, func, insert, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.outages import DATABASE_ERRORS
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import Database, retry_on_conflict
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.table import ScopedKeyRow, app_user, membership, scoped_key
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import Problem

StoredKey: TypeAlias = ScopedKeyRow
"""A scoped key as other domains get it: the row of a table is read by its own domain only."""


class KeyOfPersonRow(Row):
    """A scoped key and the account that it opens, without what would open it."""

    account_id: UUID
    name: str
    prefix: str
    scopes: Sequence[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class KeyOfAccountRow(Row):
    """A scoped key and the person whose it is, by name."""

    id: UUID
    name: str
    person: str
    user_id: UUID


_OF_MEMBER = scoped_key.c.membership_id == bindparam("member", type_=Uuid)
_ALL = Prepared(select(scoped_key).where(_OF_MEMBER).order_by(scoped_key.c.id), ScopedKeyRow)
_INSERT = Prepared(
    insert(scoped_key).returning(scoped_key),
    ScopedKeyRow,
    columns=["id", "membership_id", "name", "scopes", "key_hash", "prefix", "created_at", "expires_at"],
)
_REMOVE = Prepared(
    delete(scoped_key).where(_OF_MEMBER, scoped_key.c.id == bindparam("key", type_=Uuid)).returning(scoped_key),
    ScopedKeyRow,
)
_OF_PERSON = Prepared(
    select(membership.c.account_id, *(scoped_key.c[name] for name in list(KeyOfPersonRow.__annotations__)[1:]))
    .join(membership, membership.c.id == scoped_key.c.membership_id)
    .where(membership.c.user_id == bindparam("user", type_=Uuid))
    .order_by(scoped_key.c.id),
    KeyOfPersonRow,
)
_VALID_OF_ACCOUNT = Prepared(
    select(scoped_key.c.id, scoped_key.c.name, app_user.c.name.label("person"), membership.c.user_id)
    .join(membership, membership.c.id == scoped_key.c.membership_id)
    .join(app_user, app_user.c.id == membership.c.user_id)
    .where(
        membership.c.account_id == bindparam("account", type_=Uuid),
        or_(
            scoped_key.c.expires_at.is_(None),
            scoped_key.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
        ),
    )
    .order_by(scoped_key.c.id),
    KeyOfAccountRow,
)
PRECISION = timedelta(minutes=1)
"""Precision of `last_used_at`."""

_NOTE = Prepared(
    text(
        "update scoped_key set last_used_at = :moment where id ="
        " (select id from scoped_key where id = :id and coalesce(last_used_at < :stale, true) for update skip locked)"
    ).bindparams(
        bindparam("id", type_=Uuid),
        bindparam("moment", type_=DateTime(timezone=True)),
        bindparam("stale", type_=DateTime(timezone=True)),
    )
)
log = structlog.get_logger()


class KeyUse:
    """Writes of `last_used_at`, each in a task of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tasks: dict[UUID, asyncio.Task[None]] = {}

    def note(self, key_id: UUID, last_used_at: datetime | None) -> None:
        """Begin to store that a key is used now, unless that was stored within the last minute or is being stored."""
        moment = clock.now()
        is_recent = last_used_at is not None and last_used_at >= moment - PRECISION
        if is_recent or key_id in self._tasks:
            return
        self._tasks[key_id] = asyncio.create_task(self._write(key_id, moment))
        self._tasks[key_id].add_done_callback(lambda _: self._tasks.pop(key_id))

    async def finish(self) -> None:
        """Wait for the writes under way."""
        await asyncio.gather(*self._tasks.values())

    async def _write(self, key_id: UUID, moment: datetime) -> None:
        async def attempt() -> None:
            async with self._database.transaction(None) as db:
                await _NOTE.run(db, id=key_id, moment=moment, stale=moment - PRECISION)

        try:
            await retry_on_conflict(attempt)
        except (Problem, *DATABASE_ERRORS) as error:
            log.warning("the use of a key could not be noted", key=str(key_id), reason=str(error))


async def add(db: AsyncConnection, member_id: UUID, **values: object) -> StoredKey:
    """Store a key of a member, `values` being its other columns, and return it."""
    return await _INSERT.one(db, membership_id=member_id, **values)


async def of_member(db: AsyncConnection, member_id: UUID) -> list[StoredKey]:
    """Return the keys of a member, the oldest first."""
    return await _ALL.rows(db, member=member_id)


async def valid_of_account(db: AsyncConnection, account_id: UUID) -> list[KeyOfAccountRow]:
    """Return the keys of all members of an account that have not expired, the oldest first, with the person's name."""
    return await _VALID_OF_ACCOUNT.rows(db, account=account_id, now=clock.now())


async def count(db: AsyncConnection, member_id: UUID) -> int:
    """Return the number of a member's keys."""
    query = select(func.count()).select_from(scoped_key).where(scoped_key.c.membership_id == member_id)
    return int(await db.scalar(query) or 0)


async def remove(db: AsyncConnection, member_id: UUID, key_id: UUID) -> StoredKey | None:
    """Remove a key of a member and return it; None when they have no such key."""
    return await _REMOVE.row(db, member=member_id, key=key_id)


async def of_person(kernel: Kernel, user_id: UUID) -> list[KeyOfPersonRow]:
    """Return the keys of a person in all accounts, the oldest first."""
    return await identity_queries.fetch_rows(kernel, _OF_PERSON, user=user_id)


async def remove_all(db: AsyncConnection, user_id: UUID) -> None:
    """Remove the keys of a person in all accounts."""
    memberships = select(membership.c.id).where(membership.c.user_id == user_id)
    await db.execute(delete(scoped_key).where(scoped_key.c.membership_id.in_(memberships)))
