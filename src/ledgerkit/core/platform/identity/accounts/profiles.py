"""Accounts as other domains may see them."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Subquery, Text, Uuid, and_, bindparam, cast, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins.authentication import profile
from ledgerkit.core.platform.identity.table import (
    MembershipRow,
    ProfileRow,
    StoredAccountRow,
    account,
    app_user,
    membership,
)
from ledgerkit.core.platform.request.context import AccountProfile, Actor, Channel, Context, Kernel
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role

_IS_ACCOUNT = account.c.id == bindparam("id", type_=Uuid)
_PROFILE = select(*[account.c[name] for name in ProfileRow.__annotations__]).where(_IS_ACCOUNT)
_NAME = func.coalesce(account.c.company, account.c.name).label("name")
_BY_ID = Prepared(_PROFILE, ProfileRow)
_LOCKED_SHARED = Prepared(_PROFILE.with_for_update(read=True), ProfileRow)
_LOCKED_EXCLUSIVELY = Prepared(_PROFILE.with_for_update(key_share=True), ProfileRow)


class Person(Protocol):
    """Data of a person with which a new workspace begins."""

    name: str
    email: str
    country: str
    currency: str
    time_zone: str


async def load(kernel: Kernel, account_id: UUID) -> AccountProfile:
    """Return an account's profile as it is now, for the system's own work; a request has its actor's profile."""
    return profile(await identity_queries.look_up(kernel, lambda db: _BY_ID.one(db, id=account_id)))


async def create_personal(db: AsyncConnection, person: Person) -> UUID:
    """Create an empty workspace with a person's data and return its id; the user may be created after it."""
    workspace = Values(
        StoredAccountRow,
        id=new_id(),
        kind="personal",
        name=person.name,
        email=person.email,
        country=person.country,
        currency=person.currency,
        time_zone=person.time_zone,
    )
    await db.execute(insert(account).values(workspace))
    return workspace.of(StoredAccountRow.id)


async def add_owner(db: AsyncConnection, account_id: UUID, user_id: UUID) -> None:
    """Make a user the owner of a new account."""
    values = Values(MembershipRow, id=new_id(), account_id=account_id, user_id=user_id, role=Role.OWNER.value)
    await db.execute(insert(membership).values({**values, "last_active_at": func.now()}))


async def with_locked_profile(ctx: Context, *, exclusive: bool = False) -> Context:
    """Return the context with the account's current profile, locked against changes until the transaction ends.

    With `exclusive` no other transaction holds this lock at the same time; without it, several may. A transaction
    that may note the account's first fiscal record needs it.
    """
    statement = _LOCKED_EXCLUSIVELY if exclusive else _LOCKED_SHARED
    current_profile = profile(await statement.one(ctx.db, id=ctx.account.id))
    return replace(ctx, who=replace(ctx.actor, account=current_profile))


async def current_profile(ctx: Context) -> AccountProfile:
    """Return the account's profile as it is now, also where it was changed after the request was authenticated."""
    return profile(await _BY_ID.one(ctx.db, id=ctx.account.id))


async def with_current_profile(ctx: Context) -> Context:
    """Return the context with the account's profile as `current_profile` returns it."""
    return replace(ctx, who=replace(ctx.actor, account=await current_profile(ctx)))


async def change_series(ctx: Context, series: Mapping[str, str]) -> None:
    """Store the prefixes of the account's documents, by kind."""
    values = {"series": dict(series), "version": account.c.version + 1, "updated_at": func.now()}
    await ctx.db.execute(update(account).where(account.c.id == ctx.account.id).values(values))


async def note_records(ctx: Context, environment: str) -> None:
    """Note that the account has fiscal records in `environment`; that is never taken back."""
    recorded = account.c.recorded_in
    first = update(account).where(account.c.id == ctx.account.id, ~recorded.contains([environment]))
    await ctx.db.execute(first.values(recorded_in=func.array_append(recorded, environment)))


async def personal_of(db: AsyncConnection, user_id: UUID) -> UUID | None:
    """Return the id of the user's personal workspace; None when a team has taken it over."""
    of_user = and_(membership.c.account_id == account.c.id, membership.c.user_id == user_id)
    account_id: UUID | None = await db.scalar(
        select(account.c.id).join(membership, of_user).where(account.c.kind == "personal")
    )
    return account_id


def also_owned(account_id: ColumnElement[UUID]) -> Subquery:
    """Return a subquery of the other accounts of an account's owner: `id`, `country`, `tax_id`."""
    own_membership, other = membership.alias("here"), membership.alias("there")
    owner = constant(Role.OWNER.value)
    of_owner = own_membership.c.account_id == account_id, own_membership.c.role == owner
    of_others = other.c.user_id == own_membership.c.user_id, other.c.role == owner, other.c.account_id != account_id
    query = select(account.c.id, account.c.country, account.c.tax_id).where(*of_owner, *of_others)
    return query.where(account.c.id == other.c.account_id).subquery("also_owned")


def is_older(account_id: ColumnElement[UUID], moment: ColumnElement[datetime]) -> ColumnElement[bool]:
    """Build the condition that an account was made before a moment."""
    return select(account.c.id).where(account.c.id == account_id, account.c.created_at < moment).exists()


async def logo(ctx: Context) -> str | None:
    """Return the account's logo as it was stored: a data URL, or another string."""
    stored_logo: str | None = await ctx.db.scalar(select(account.c.logo).where(account.c.id == ctx.account.id))
    return stored_logo


async def made_on(ctx: Context) -> date:
    """Return the day on which the account was made, in its time zone."""
    query = select(account.c.created_at).where(account.c.id == ctx.account.id)
    moment: datetime = (await ctx.db.execute(query)).scalar_one()
    return moment.astimezone(ZoneInfo(ctx.account.time_zone)).date()


async def all_ids(kernel: Kernel) -> list[UUID]:
    """Return the ids of all accounts of this server, for work that the system does in each of them."""

    async def read(db: AsyncConnection) -> list[UUID]:
        return list((await db.scalars(select(account.c.id))).all())

    return await identity_queries.look_up(kernel, read)


class IssuerRow(Row):
    """An account with a tax identifier, and the name by which an operator recognises it."""

    account_id: UUID
    tax_id: str
    name: str


_ISSUERS = Prepared(
    select(account.c.id.label("account_id"), account.c.tax_id, _NAME)
    .where(account.c.tax_id.is_not(None))
    .order_by(account.c.id),
    IssuerRow,
)


async def issuers(kernel: Kernel) -> list[IssuerRow]:
    """Return all accounts that have a tax identifier, for the operator's commands."""
    return await identity_queries.fetch_rows(kernel, _ISSUERS)


class OwnedAccountRow(Row):
    """An account with the name that its owner sees."""

    account_id: UUID
    name: str


_BY_ID_OR_OWNER = Prepared(
    select(account.c.id.label("account_id"), _NAME)
    .select_from(account)
    .outerjoin(membership, and_(membership.c.account_id == account.c.id, membership.c.role == constant("owner")))
    .outerjoin(app_user, app_user.c.id == membership.c.user_id)
    .where(account.c.closed_at.is_(None), account.c.archive_of.is_(None))
    .where(or_(cast(account.c.id, Text) == bindparam("typed", type_=Text), app_user.c.email == bindparam("typed")))
    .order_by(account.c.id),
    OwnedAccountRow,
)


async def owned(kernel: Kernel, typed: str) -> list[OwnedAccountRow]:
    """Return the open accounts with this id, or of the owner with this e-mail address, for the operator's commands."""
    return await identity_queries.fetch_rows(kernel, _BY_ID_OR_OWNER, typed=typed.strip().lower())


async def system_context(kernel: Kernel, account_id: UUID) -> Context:
    """Return a context in which the system itself works in an account, with the owner's rights."""
    return Context(kernel=kernel, who=_acting(await load(kernel, account_id), Channel.SYSTEM, "ledgerkit", Role.OWNER))


async def visitor_context(ctx: Context, account_id: UUID) -> Context:
    """Return the context of a visitor with a public link and no login: a viewer of the account, through the web."""
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
