"""Members of an account, for domains whose records name a person, and the accounts of one person."""

from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, Text, Uuid, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.table import account, app_user, membership
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.permissions import Role
from ledgerkit.texts import ENGLISH


class IdRow(Row):
    id: UUID


class UserIdRow(Row):
    user_id: UUID


class TokenVersionRow(Row):
    token_version: int


class MemberRow(Row):
    """A member: `id` is that of the membership."""

    id: UUID
    user_id: UUID
    name: str
    email: str


class RoleRow(Row):
    role: str


class LocaleRow(Row):
    """Language of a user."""

    locale: str


class ManagerRow(Row):
    """The owner or an admin of an account: `id` is that of the user."""

    id: UUID
    name: str
    email: str
    locale: str


_OF_ACCOUNT = membership.c.account_id == bindparam("account", type_=Uuid)
_OF_PERSON = membership.c.user_id == bindparam("person", type_=Uuid)
_MEMBERSHIP = select(membership.c.id).where(_OF_ACCOUNT, _OF_PERSON)
_FIND = Prepared(_MEMBERSHIP, IdRow)
_FIND_LOCKED = Prepared(_MEMBERSHIP.with_for_update(read=True, key_share=True), IdRow)
_ROLE = Prepared(select(membership.c.role).where(_OF_ACCOUNT, _OF_PERSON), RoleRow)
_OWNER = Prepared(select(membership.c.id).where(_OF_ACCOUNT, membership.c.role == bindparam("role", type_=Text)), IdRow)
_USER = Prepared(
    select(membership.c.user_id).where(membership.c.id == bindparam("member", type_=Uuid)),
    UserIdRow,
)
_TOKEN_VERSION = Prepared(
    select(app_user.c.token_version)
    .join(membership, app_user.c.id == membership.c.user_id)
    .where(_OF_ACCOUNT, _OF_PERSON)
    .with_for_update(read=True, key_share=True, of=membership),
    TokenVersionRow,
)
_OWNING_USER = Prepared(
    select(membership.c.user_id).where(_OF_ACCOUNT, membership.c.role == constant(Role.OWNER.value)), UserIdRow
)
_LOCALE = Prepared(
    select(app_user.c.locale)
    .join(membership, app_user.c.id == membership.c.user_id)
    .where(_OF_ACCOUNT, membership.c.role == constant(Role.OWNER.value)),
    LocaleRow,
)
_EVERYBODY = Prepared(
    select(membership.c.id, membership.c.user_id, app_user.c.name, app_user.c.email)
    .join(app_user, app_user.c.id == membership.c.user_id)
    .where(_OF_ACCOUNT)
    .order_by(membership.c.id),
    MemberRow,
)
_OWNER_AND_ADMINS = Prepared(
    select(app_user.c.id, app_user.c.name, app_user.c.email, app_user.c.locale)
    .join(membership, app_user.c.id == membership.c.user_id)
    .where(_OF_ACCOUNT, membership.c.role.in_([constant(Role.OWNER.value), constant(Role.ADMIN.value)]))
    .order_by(membership.c.id),
    ManagerRow,
)


class OwnAccountRow(Row):
    """An open account with the person's role in it. `is_active` is true for the account that they work in now."""

    account_id: UUID
    name: str
    is_team: bool
    role: str
    is_active: bool


_OF_USER = Prepared(
    select(
        account.c.id.label("account_id"),
        func.coalesce(account.c.company, account.c.name).label("name"),
        (account.c.kind == constant("team")).label("is_team"),
        membership.c.role,
        (account.c.id == app_user.c.active_account_id).label("is_active"),
    )
    .select_from(membership)
    .join(account, account.c.id == membership.c.account_id)
    .join(app_user, app_user.c.id == membership.c.user_id)
    .where(
        membership.c.user_id == bindparam("user", type_=Uuid),
        account.c.closed_at.is_(None),
        account.c.archive_of.is_(None),
    )
    .order_by(membership.c.id),
    OwnAccountRow,
)


async def find(ctx: Context, user_id: str, *, lock: bool = False) -> UUID | None:
    """Return the id of a user's membership in this account; None for a stranger and for text that is no id.

    With `lock` nobody can remove it until the transaction ends, so that a record may point to it.
    """
    try:
        person = UUID(user_id)
    except ValueError:
        return None
    return _id_of(await (_FIND_LOCKED if lock else _FIND).row(ctx.db, account=ctx.account.id, person=person))


async def of_actor(ctx: Context) -> UUID | None:
    """Return the id of the actor's membership; the owner's for a team's key, as with GET /auth/me."""
    if ctx.actor.user_id is not None:
        return await find(ctx, str(ctx.actor.user_id))
    return _id_of(await _OWNER.row(ctx.db, account=ctx.account.id, role=Role.OWNER.value))


async def role_of(ctx: Context, user: UUID) -> Role | None:
    """Return the role of a user in this account; None for whoever is not a member."""
    row = await _ROLE.row(ctx.db, account=ctx.account.id, person=user)
    return None if row is None else Role(row.role)


async def owning_user(kernel: Kernel, account_id: UUID) -> UUID | None:
    """Return the user who owns an account; None for one that its owner has left behind."""
    row = await identity_queries.fetch_row(kernel, _OWNING_USER, account=account_id)
    return None if row is None else row.user_id


async def locale_of_account(ctx: Context) -> str:
    """Return the language of the account, as `es`: that of its owner, whoever asks."""
    row = await _LOCALE.row(ctx.db, account=ctx.account.id)
    return ENGLISH if row is None else row.locale


async def user_id(ctx: Context, member: UUID | None) -> str | None:
    """Return the id of the user who holds a membership; None for no membership, or for one that has ended."""
    row = None if member is None else await _USER.row(ctx.db, member=member)
    return None if row is None else str(row.user_id)


async def token_version(db: AsyncConnection, user_id: UUID, account_id: UUID) -> int | None:
    """Return the token version of a member, whom nobody can remove until the transaction ends; None for a stranger."""
    row = await _TOKEN_VERSION.row(db, account=account_id, person=user_id)
    return None if row is None else row.token_version


async def everybody(ctx: Context) -> list[MemberRow]:
    """Return all members in the order of joining."""
    return await _EVERYBODY.rows(ctx.db, account=ctx.account.id)


async def owner_and_admins(ctx: Context) -> list[ManagerRow]:
    """Return the owner and the admins in the order of joining."""
    return await _OWNER_AND_ADMINS.rows(ctx.db, account=ctx.account.id)


def user_of(member: ColumnElement[UUID | None]) -> ScalarSelect[UUID]:
    """Return the user who holds the membership in a column, as a value to select."""
    return select(membership.c.user_id).where(membership.c.id == member).scalar_subquery()


async def own_accounts(kernel: Kernel, user_id: UUID) -> list[OwnAccountRow]:
    """Return the open accounts of a person in the order of joining: their teams and their personal workspace."""
    return await identity_queries.fetch_rows(kernel, _OF_USER, user=user_id)


def _id_of(row: IdRow | None) -> UUID | None:
    return None if row is None else row.id
