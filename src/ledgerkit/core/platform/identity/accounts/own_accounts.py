"""Accounts that a person belongs to."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Uuid, bindparam, func, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.table import account, app_user, membership
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.permissions import Role


@dataclass(frozen=True, kw_only=True)
class OwnAccount:
    """An open account with the person's role in it. `is_active` is true for the one that they work in at the moment."""

    account_id: UUID
    name: str
    is_team: bool
    role: Role
    is_active: bool


class _OwnAccountRow(Row):
    id: UUID
    name: str
    kind: str
    role: str
    is_active: bool


_OF_USER = Prepared(
    select(
        account.c.id,
        func.coalesce(account.c.company, account.c.name).label("name"),
        account.c.kind,
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
    _OwnAccountRow,
)


async def own_accounts(kernel: Kernel, user_id: UUID) -> list[OwnAccount]:
    """Return the accounts that a person belongs to, in the order of joining: teams, and their personal workspace."""
    return [
        OwnAccount(
            account_id=row.id,
            name=row.name,
            is_team=row.kind == "team",
            role=Role(row.role),
            is_active=row.is_active,
        )
        for row in await identity_queries.fetch_rows(kernel, _OF_USER, user=user_id)
    ]
