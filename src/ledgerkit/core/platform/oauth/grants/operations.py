"""Grants of a person, over all their accounts: which clients may work for them, and how a grant ends."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field
from sqlalchemy import DateTime, Uuid, bindparam, delete, func, select

from ledgerkit import clock
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.database.ids import as_id, missing
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import enter
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins import authentication, sessions
from ledgerkit.core.platform.oauth.table import (
    OAuthGrantRow,
    oauth_client,
    oauth_grant,
    oauth_login,
    oauth_request,
    oauth_token,
)
from ledgerkit.core.platform.request.context import Author, Context, Kernel
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission, Role
from ledgerkit.core.platform.request.scopes import Scope, scopes_named


class GrantedAccount(Wire):
    """Account that a grant is for; `kind` is `personal` for the person's own workspace."""

    id: str
    """Id of the account."""
    name: str
    """Name of the team or person."""
    kind: Literal["team", "personal"]
    """`team`, or `personal` for a person's own workspace."""


class Grant(Wire, row=OAuthGrantRow):
    """Permission of a person for one client to work in one account, until it is revoked or unused for 60 days."""

    id: str
    client_name: str
    client_id: str
    account: GrantedAccount
    """Account that the grant is for."""
    role: Annotated[Role, Field(description="The person's role in the account, which bounds what the scopes allow")]
    scopes: list[Scope]
    created_at: Timestamp
    last_used_at: Timestamp | None
    expires_at: Timestamp


class _GrantRow(Row):
    id: UUID
    client_id: str
    client_name: str
    scopes: Sequence[str]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime
    account_id: UUID
    account_name: str
    account_kind: str
    role: str


class _RevokedGrantRow(Row):
    id: UUID
    account_id: UUID
    client_name: str


_USER = oauth_grant.c.user_id == bindparam("user", type_=Uuid)
_member = authentication.members()
_VALID_OF_USER = Prepared(
    select(
        oauth_grant.c.id,
        oauth_grant.c.client_id,
        oauth_grant.c.client_name,
        oauth_grant.c.scopes,
        oauth_grant.c.created_at,
        oauth_grant.c.last_used_at,
        oauth_grant.c.expires_at,
        oauth_grant.c.account_id,
        func.coalesce(_member.c.company, _member.c.name).label("account_name"),
        _member.c.kind.label("account_kind"),
        _member.c.role,
    )
    .join(_member, (_member.c.user_id == oauth_grant.c.user_id) & (_member.c.id == oauth_grant.c.account_id))
    .where(
        _USER,
        oauth_grant.c.user_version == _member.c.token_version,
        oauth_grant.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
    )
    .order_by(oauth_grant.c.id.desc()),
    _GrantRow,
)
_REVOKE = Prepared(
    delete(oauth_grant)
    .where(_USER, oauth_grant.c.id == bindparam("id", type_=Uuid))
    .returning(oauth_grant.c.id, oauth_grant.c.account_id, oauth_grant.c.client_name),
    _RevokedGrantRow,
)


@operation(Permission.LOGIN, unit=Unit.READING)
async def list_grants(ctx: Context) -> list[Grant]:
    """Return the person's valid grants in all their accounts, the newest first. Raises Unauthenticated for a key."""
    user_id, _ = sessions.person(ctx)
    rows = await _VALID_OF_USER.rows(ctx.db, user=user_id, now=clock.now())
    return [_grant(row) for row in rows]


async def of_person(kernel: Kernel, user_id: UUID) -> list[Grant]:
    """Return the valid grants of a person in all their accounts, for the export of their data."""
    return [
        _grant(row) for row in await identity_queries.fetch_rows(kernel, _VALID_OF_USER, user=user_id, now=clock.now())
    ]


@operation(Permission.LOGIN, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def revoke_grant(ctx: Context, grant_id: str) -> None:
    """End a grant of the person with its tokens and its rule at once, and log it in the account that it was for.

    Raises NotFound for a grant that is nobody's or another person's, Unauthenticated for a key.
    """
    user_id, _ = sessions.person(ctx)
    grant = await _REVOKE.row(ctx.db, user=user_id, id=as_id(grant_id, "grant"))
    if grant is None:
        raise missing("grant", grant_id)
    await enter(ctx.db, grant.account_id)
    await rules.forget(ctx.db, grant.id)
    revoked = Author(user_id, None, grant.client_name)
    await approvals.reject_those_with(ctx, revoked, ApprovalsMsg.APPLICATION_REVOKED)
    await activity.record(ctx, "revoked", ("oauth_grant", grant.id), grant.client_name)
    await enter(ctx.db, ctx.account.id)


async def forget(kernel: Kernel) -> None:
    """Remove every row whose time is over; codes and tokens go with their grant."""
    for table in (oauth_request, oauth_login, oauth_token, oauth_grant, oauth_client):
        await identity_queries.execute(kernel, delete(table).where(table.c.expires_at <= clock.now()))


def _grant(row: _GrantRow) -> Grant:
    kind: Literal["team", "personal"] = "team" if row.account_kind == "team" else "personal"
    return Grant(
        id=str(row.id),
        client_name=row.client_name,
        client_id=row.client_id,
        account=GrantedAccount(id=str(row.account_id), name=row.account_name, kind=kind),
        role=Role(row.role),
        scopes=scopes_named(row.scopes),
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
    )
