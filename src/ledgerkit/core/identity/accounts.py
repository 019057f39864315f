"""Accounts as other domains may see them."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Subquery, Uuid, and_, bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity.authentication import profile
from ledgerkit.core.identity.models import account, membership
from ledgerkit.core.request.context import AccountProfile, Actor, Channel, Context, Kernel
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Role


async def load(kernel: Kernel, account_id: UUID) -> AccountProfile:
    """The account as it is now. For the system's own work; requests bring theirs along."""

    async def ask() -> Any:
        async with kernel.database.asking() as connection:
            return (await connection.execute(select(account).where(account.c.id == account_id))).one()

    return profile(await retry_on_conflict(ask))


async def found_personal(db: AsyncConnection, person: Any) -> UUID:
    """An empty workspace after `person` (columns of `app_user`), who may come into being after it."""
    account_id = new_id()
    taken = {name: person[name] for name in ("name", "email", "country", "currency", "time_zone")}
    await db.execute(insert(account).values(id=account_id, kind="personal", **taken))
    return account_id


async def own(db: AsyncConnection, account_id: UUID, user_id: UUID) -> None:
    """Make a user the owner of a new account."""
    values = {"id": new_id(), "account_id": account_id, "user_id": user_id, "role": Role.OWNER.value}
    await db.execute(insert(membership).values(values | {"last_active_at": func.now()}))


async def held(ctx: Context, *, alone: bool = False) -> Context:
    """The same with the account's profile as it is now, which nobody changes before the transaction ends.

    `alone`: nobody else holds it either, for whoever is about to note its first record.
    """
    known = profile(await (_HELD_ALONE if alone else _HELD).one(ctx.db, id=ctx.account.id))
    return replace(ctx, who=replace(ctx.actor, account=known))


_PROFILE = select(*[column for column in account.c if column.name != "logo"]).where(
    account.c.id == bindparam("id", type_=Uuid)
)
_HELD = Prepared(_PROFILE.with_for_update(read=True))
_HELD_ALONE = Prepared(_PROFILE.with_for_update(key_share=True))


async def note_records(ctx: Context, environment: str) -> None:
    """The account has fiscal records in `environment`, now and for good."""
    recorded = account.c.recorded_in
    first = update(account).where(account.c.id == ctx.account.id, ~recorded.contains([environment]))
    await ctx.db.execute(first.values(recorded_in=func.array_append(recorded, environment)))


async def personal_of(db: AsyncConnection, user_id: UUID) -> UUID | None:
    """The user's personal workspace; None when a team has taken it over."""
    mine = membership.c.account_id == account.c.id, membership.c.user_id == user_id
    query = select(account.c.id).join(membership, and_(*mine)).where(account.c.kind == "personal")
    found: UUID | None = (await db.execute(query)).scalar_one_or_none()
    return found


def also_owned(own: ColumnElement[Any]) -> Subquery:
    """Other accounts of the owner of the account `own`, to select from: `id`, `country`, `tax_id`."""
    here, there = membership.alias("here"), membership.alias("there")
    owner = constant(Role.OWNER.value)
    mine = here.c.account_id == own, here.c.role == owner
    others = there.c.user_id == here.c.user_id, there.c.role == owner, there.c.account_id != own
    query = select(account.c.id, account.c.country, account.c.tax_id).where(*mine, *others)
    return query.where(account.c.id == there.c.account_id).subquery("also_owned")


async def logo(ctx: Context) -> str | None:
    """The account's logo, a data URL or whatever else was stored."""
    query = select(account.c.logo).where(account.c.id == ctx.account.id)
    return (await ctx.db.execute(query)).scalar_one_or_none()


async def all_ids(kernel: Kernel) -> list[UUID]:
    """Every account of this server, for the system's own round of all of them."""

    async def ask() -> list[UUID]:
        async with kernel.database.asking() as connection:
            return list((await connection.execute(select(account.c.id))).scalars())

    return await retry_on_conflict(ask)


@dataclass(frozen=True)
class Issuer:
    """An account with a tax identifier, as an operator tells it from others."""

    account_id: UUID
    tax_id: str
    name: str


async def issuers(kernel: Kernel) -> list[Issuer]:
    """Every account that has a tax identifier, for the operator at the machine."""
    query = select(account.c.id, account.c.tax_id, func.coalesce(account.c.company, account.c.name))

    async def ask() -> list[Issuer]:
        async with kernel.database.asking() as connection:
            found = await connection.execute(query.where(account.c.tax_id.is_not(None)).order_by(account.c.id))
            return [Issuer(*row) for row in found]

    return await retry_on_conflict(ask)


async def system_context(kernel: Kernel, account_id: UUID) -> Context:
    """The system itself at work in an account."""
    return Context(kernel=kernel, who=_acting(await load(kernel, account_id), Channel.SYSTEM, "ledgerkit", Role.OWNER))


async def visitor_context(ctx: Context, account_id: UUID) -> Context:
    """Somebody without a login who holds a public link: a viewer of that account, through the web."""
    viewer = _acting(await load(ctx.kernel, account_id), Channel.WEB, "public link", Role.VIEWER)
    return Context(kernel=ctx.kernel, who=viewer, request_metadata=ctx.request_metadata)


def _acting(account: AccountProfile, channel: Channel, name: str, role: Role) -> Actor:
    return Actor(
        user_id=None,
        user_name=name,
        email=None,
        role=role,
        permissions=ROLE_PERMISSIONS[role],
        account=account,
        channel=channel,
    )
