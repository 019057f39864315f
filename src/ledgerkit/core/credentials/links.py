"""Single-use links that are mailed to a person: whoever holds one has read the person's mail."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.credentials.messages import CredentialsMsg
from ledgerkit.core.credentials.models import mailed_link
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity import persons
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.problems import Code, Invalid

TOKEN_BYTES = 32
MOST_IN_AN_HOUR = 3
"""Mails of one purpose to one person: anybody can ask for them."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_HOUR = timedelta(hours=1)
_KEPT = timedelta(days=8)


class Purpose(StrEnum):
    VERIFICATION = "verification"
    RESET = "reset"


LIFE = {Purpose.VERIFICATION: timedelta(days=7), Purpose.RESET: _HOUR}


@dataclass(frozen=True)
class NewLink:
    """A link that is kept and not yet mailed; `token` is nowhere else."""

    id: UUID
    token: str


async def make(kernel: Kernel, user_id: UUID, purpose: Purpose) -> NewLink | None:
    """Another link for a person; None when they have had enough of them within the hour, or are gone."""

    async def attempt() -> NewLink | None:
        async with kernel.database.transaction(None) as db:
            if await persons.lock(db, user_id) is None or await _lately(db, user_id, purpose) >= MOST_IN_AN_HOUR:
                return None
            link = NewLink(new_id(), secrets.token_urlsafe(TOKEN_BYTES))
            moment = clock.now()
            row = {"id": link.id, "user_id": user_id, "purpose": purpose.value, "token_hash": _hashed(link.token)}
            times = {"created_at": moment, "expires_at": moment + LIFE[purpose]}
            await db.execute(insert(mailed_link).values(row | times))
            return link

    return await retry_on_conflict(attempt)


async def take_back(kernel: Kernel, link: NewLink) -> None:
    """Forget a link whose mail was not accepted."""

    async def attempt() -> None:
        async with kernel.database.transaction(None) as db:
            await db.execute(delete(mailed_link).where(mailed_link.c.id == link.id))

    await retry_on_conflict(attempt)


async def holder(ctx: Context, token: str, purpose: Purpose) -> Any:
    """The user whom an open link was mailed to. Raises Invalid LINK_INVALID; uses nothing up."""
    found = None
    if _TOKEN.fullmatch(token):
        query = select(mailed_link.c.user_id).where(*_open(token, purpose))

        async def ask() -> UUID | None:
            async with ctx.kernel.database.asking() as db:
                return (await db.execute(query)).scalar_one_or_none()

        user_id = await retry_on_conflict(ask)
        found = None if user_id is None else await persons.by_id(ctx.kernel, user_id)
    if found is None:
        raise invalid_link()
    return found


async def use(ctx: Context, token: str, purpose: Purpose) -> None:
    """Use a link up, in the caller's transaction and under the lock of its user. Raises Invalid LINK_INVALID."""
    statement = update(mailed_link).where(*_open(token, purpose)).values(used_at=clock.now())
    if (await ctx.db.execute(statement.returning(mailed_link.c.id))).scalar_one_or_none() is None:
        raise invalid_link()


async def void(db: AsyncConnection, user_id: UUID, *purposes: Purpose) -> None:
    """Make the links of a user void that were mailed for these purposes."""
    mine = mailed_link.c.user_id == user_id, mailed_link.c.used_at.is_(None), mailed_link.c.purpose.in_(purposes)
    await db.execute(update(mailed_link).where(*mine).values(used_at=clock.now()))


async def forget(kernel: Kernel) -> None:
    """Remove the links that have been over for a day and more."""

    async def attempt() -> None:
        async with kernel.database.transaction(None) as db:
            await db.execute(delete(mailed_link).where(mailed_link.c.created_at < clock.now() - _KEPT))

    await retry_on_conflict(attempt)


def invalid_link() -> Invalid:
    """Refusal of a link that never was, is used, or is over: one for all."""
    return Invalid.field("token", CredentialsMsg.LINK_INVALID, code=Code.LINK_INVALID)


async def _lately(db: AsyncConnection, user_id: UUID, purpose: Purpose) -> int:
    mine = mailed_link.c.user_id == user_id, mailed_link.c.purpose == purpose.value
    recent = mailed_link.c.created_at > clock.now() - _HOUR
    return int((await db.execute(select(func.count()).select_from(mailed_link).where(*mine, recent))).scalar_one())


def _open(token: str, purpose: Purpose) -> tuple[Any, ...]:
    return (
        mailed_link.c.token_hash == _hashed(token),
        mailed_link.c.purpose == purpose.value,
        mailed_link.c.used_at.is_(None),
        mailed_link.c.expires_at > clock.now(),
    )


def _hashed(token: str) -> str:
    """Digest under which a token is stored: 32 random bytes need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()
