"""Accounts as other domains may see them."""

from typing import Any
from uuid import UUID

from sqlalchemy import select

from ledgerkit.core.context import AccountProfile, Actor, Channel, Context, Kernel
from ledgerkit.core.db import persist
from ledgerkit.core.identity.authentication import profile
from ledgerkit.core.identity.models import account
from ledgerkit.core.permissions import Role


async def load(kernel: Kernel, account_id: UUID) -> AccountProfile:
    """The account as it is now. For the system's own work; requests bring theirs along."""

    async def ask() -> Any:
        async with kernel.database.asking() as connection:
            return (await connection.execute(select(account).where(account.c.id == account_id))).one()

    return profile(await persist(ask))


async def logo(ctx: Context) -> str | None:
    """The account's logo, a data URL or whatever else was stored."""
    query = select(account.c.logo).where(account.c.id == ctx.account.id)
    return (await ctx.db.execute(query)).scalar_one_or_none()


async def all_ids(kernel: Kernel) -> list[UUID]:
    """Every account of this server, for the system's own round of all of them."""

    async def ask() -> list[UUID]:
        async with kernel.database.asking() as connection:
            return list((await connection.execute(select(account.c.id))).scalars())

    return await persist(ask)


async def system_context(kernel: Kernel, account_id: UUID) -> Context:
    """The system itself at work in an account."""
    return Context(kernel=kernel, who=_acting(await load(kernel, account_id), Channel.SYSTEM, "ledgerkit", Role.OWNER))


async def visitor_context(ctx: Context, account_id: UUID) -> Context:
    """Somebody without a login who holds a public link: a viewer of that account, through the web."""
    viewer = _acting(await load(ctx.kernel, account_id), Channel.WEB, "public link", Role.VIEWER)
    return Context(kernel=ctx.kernel, who=viewer, exchange=ctx.exchange)


def _acting(account: AccountProfile, channel: Channel, name: str, role: Role) -> Actor:
    return Actor(user_id=None, user_name=name, email=None, role=role, account=account, channel=channel)
