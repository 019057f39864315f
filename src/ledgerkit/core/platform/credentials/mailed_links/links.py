"""Single-use links that are mailed to a person. A visitor who has one can read the person's mail."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.credentials.table import MailedLinkRow, mailed_link
from ledgerkit.core.platform.credentials.texts import CredentialsMsg
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons.access import StoredUser
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.problems import Code, Invalid

TOKEN_BYTES = 32
MOST_IN_AN_HOUR = 3
"""Most mails of one purpose to one person in an hour, because anybody can ask for them."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_HOUR = timedelta(hours=1)
_KEPT = timedelta(days=8)


class Purpose(StrEnum):
    VERIFICATION = "verification"
    RESET = "reset"


LIFE = {Purpose.VERIFICATION: timedelta(days=7), Purpose.RESET: _HOUR}


@dataclass(frozen=True)
class NewLink:
    """A link that has been stored and not yet mailed; its `token` is stored nowhere else."""

    id: UUID
    token: str


async def create(kernel: Kernel, user_id: UUID, purpose: Purpose) -> NewLink | None:
    """Create another link for a person; None when they reached the hourly limit or no longer exist."""

    async def attempt(db: AsyncConnection) -> NewLink | None:
        if await persons.lock(db, user_id) is None or await _recent_links(db, user_id, purpose) >= MOST_IN_AN_HOUR:
            return None
        link = NewLink(new_id(), secrets.token_urlsafe(TOKEN_BYTES))
        moment = clock.now()
        row = Values(
            MailedLinkRow,
            id=link.id,
            user_id=user_id,
            purpose=purpose.value,
            token_hash=_hashed(link.token),
            created_at=moment,
            expires_at=moment + LIFE[purpose],
        )
        await db.execute(insert(mailed_link).values(row))
        return link

    return await identity_queries.change(kernel, attempt)


async def remove(kernel: Kernel, link: NewLink) -> None:
    """Remove a link whose mail was not accepted."""
    await identity_queries.execute(kernel, delete(mailed_link).where(mailed_link.c.id == link.id))


async def holder(ctx: Context, token: str, purpose: Purpose) -> StoredUser:
    """Return the user whom a valid link was mailed to, without using it up. Raises Invalid LINK_INVALID."""
    if not _TOKEN.fullmatch(token):
        raise invalid_link()
    query = select(mailed_link.c.user_id).where(_is_valid(token, purpose))

    async def read(db: AsyncConnection) -> UUID | None:
        user_id: UUID | None = await db.scalar(query)
        return user_id

    user_id = await identity_queries.look_up(ctx.kernel, read)
    user = None if user_id is None else await persons.by_id(ctx.kernel, user_id)
    if user is None:
        raise invalid_link()
    return user


async def use(ctx: Context, token: str, purpose: Purpose) -> None:
    """Use a link up, in the caller's transaction and under the lock on its user. Raises Invalid LINK_INVALID."""
    statement = update(mailed_link).where(_is_valid(token, purpose)).values(used_at=clock.now())
    if await ctx.db.scalar(statement.returning(mailed_link.c.id)) is None:
        raise invalid_link()


async def void(db: AsyncConnection, user_id: UUID, *purposes: Purpose) -> None:
    """Void the links of a user that were mailed for these purposes."""
    of_user = mailed_link.c.user_id == user_id, mailed_link.c.used_at.is_(None), mailed_link.c.purpose.in_(purposes)
    await db.execute(update(mailed_link).where(*of_user).values(used_at=clock.now()))


async def forget(kernel: Kernel) -> None:
    """Remove the links that expired at least a day ago."""
    is_old = mailed_link.c.created_at < clock.now() - _KEPT
    await identity_queries.execute(kernel, delete(mailed_link).where(is_old))


def invalid_link() -> Invalid:
    """Return the one refusal of a link that never existed, was used or has expired."""
    return Invalid.field("token", CredentialsMsg.LINK_INVALID, code=Code.LINK_INVALID)


async def _recent_links(db: AsyncConnection, user_id: UUID, purpose: Purpose) -> int:
    of_user = mailed_link.c.user_id == user_id, mailed_link.c.purpose == purpose.value
    recent = mailed_link.c.created_at > clock.now() - _HOUR
    query = select(func.count()).select_from(mailed_link).where(*of_user, recent)
    return int(await db.scalar(query) or 0)


def _is_valid(token: str, purpose: Purpose) -> ColumnElement[bool]:
    return and_(
        mailed_link.c.token_hash == _hashed(token),
        mailed_link.c.purpose == purpose.value,
        mailed_link.c.used_at.is_(None),
        mailed_link.c.expires_at > clock.now(),
    )


def _hashed(token: str) -> str:
    """Return the digest under which a token is stored: 32 random bytes need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()
