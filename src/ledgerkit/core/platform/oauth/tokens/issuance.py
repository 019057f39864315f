"""Access and refresh tokens: issued for a grant, and turned into the person who gave it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.transactions import enter
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins import authentication
from ledgerkit.core.platform.identity.logins.authentication import ActorRow, Authenticator
from ledgerkit.core.platform.identity.logins.tokens import ACCESS_TOKEN_PREFIX
from ledgerkit.core.platform.oauth.api import IssuedTokens
from ledgerkit.core.platform.oauth.protocol import server
from ledgerkit.core.platform.oauth.protocol.random_secrets import REFRESH_PREFIX, digest, new_secret
from ledgerkit.core.platform.oauth.table import OAuthGrantRow, OAuthTokenRow, oauth_grant, oauth_token
from ledgerkit.core.platform.request.context import Actor, Channel, Kernel
from ledgerkit.core.platform.request.scopes import Scope, permissions_of, scopes_named

ACCESS_LIFE = timedelta(hours=1)
REFRESH_LIFE = timedelta(days=60)
"""Time after the last exchange of a refresh token at which a grant ends."""

ACCESS, REFRESH = "access", "refresh"
USE_PRECISION = timedelta(minutes=5)
"""Precision of a grant's `last_used_at`: writing it at every request would turn every read into a write."""


class GrantActorRow(ActorRow):
    """A person at work through a grant: what `ActorRow` has, and the grant."""

    grant_id: UUID
    client_name: str
    token_scopes: Sequence[str]
    grant_used_at: datetime | None


_member = authentication.members()
_BY_ACCESS_TOKEN = Prepared(
    select(
        *_member.c,
        oauth_grant.c.id.label("grant_id"),
        oauth_grant.c.client_name,
        oauth_token.c.scopes.label("token_scopes"),
        oauth_grant.c.last_used_at.label("grant_used_at"),
    )
    .select_from(oauth_token)
    .join(oauth_grant, oauth_grant.c.id == oauth_token.c.grant_id)
    .join(_member, (_member.c.user_id == oauth_grant.c.user_id) & (_member.c.id == oauth_grant.c.account_id))
    .where(
        oauth_token.c.token_hash == bindparam("token_hash", type_=Text),
        oauth_token.c.kind == constant(ACCESS),
        oauth_token.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
        oauth_grant.c.resource == bindparam("resource", type_=Text),
        oauth_grant.c.user_version == _member.c.token_version,
    ),
    GrantActorRow,
)
_NOTE_USE = Prepared(
    update(oauth_grant)
    .where(oauth_grant.c.id == bindparam("grant_id", type_=Uuid))
    .values(last_used_at=bindparam("moment", type_=DateTime(timezone=True)))
)


async def actor_of(kernel: Kernel, token: str, resource: str) -> Actor | None:
    """Return the person whom an access token works for; None unless it is valid for `resource` now.

    They work in the one account of the grant, with their role of this moment, narrowed to the token's scopes. A token
    ends with its grant: when it is revoked, when the membership ends, and when the person's password changes.
    """
    if not token.startswith(ACCESS_TOKEN_PREFIX):
        return None
    row = await identity_queries.fetch_row(
        kernel, _BY_ACCESS_TOKEN, token_hash=digest(token), now=clock.now(), resource=resource
    )
    if row is None:
        return None
    await _note_use(kernel, row)
    actor = await kernel.service(Authenticator).acting(row)
    scopes = permissions_of(scopes_named(row.token_scopes))
    return replace(actor.narrowed(scopes), channel=Channel.MCP, client=row.client_name, connection_id=row.grant_id)


async def _note_use(kernel: Kernel, row: GrantActorRow) -> None:
    moment = clock.now()
    if row.grant_used_at is not None and row.grant_used_at >= moment - USE_PRECISION:
        return
    await identity_queries.change(kernel, lambda db: _NOTE_USE.run(db, grant_id=row.grant_id, moment=moment))


async def issue(
    db: AsyncConnection, grant: OAuthGrantRow, scopes: Collection[Scope], *, refreshable: bool
) -> IssuedTokens:
    """Add an access token for `scopes`, and a refresh token if `refreshable`, to a grant.

    The grant lives as long as the last of its tokens. A refresh token always covers the whole grant (RFC 6749 §6). The
    caller holds the grant's lock, so that it cannot be revoked meanwhile.
    """
    access_token, refresh_token = new_secret(ACCESS_TOKEN_PREFIX), new_secret(REFRESH_PREFIX)
    moment = clock.now()
    rows = [_row(access_token, ACCESS, grant.id, moment + ACCESS_LIFE, [scope.value for scope in scopes])]
    if refreshable:
        rows.append(_row(refresh_token, REFRESH, grant.id, moment + REFRESH_LIFE, grant.scopes))
    await db.execute(insert(oauth_token), [dict(row) for row in rows])
    last_end = max(grant.expires_at, moment + (REFRESH_LIFE if refreshable else ACCESS_LIFE))
    used = dict(Values(OAuthGrantRow, expires_at=last_end, last_used_at=moment))
    await db.execute(update(oauth_grant).where(oauth_grant.c.id == grant.id).values(used))
    return IssuedTokens(
        access_token=access_token,
        expires_in=int(ACCESS_LIFE.total_seconds()),
        refresh_token=refresh_token if refreshable else None,
        scope=server.scope_text(scopes),
    )


async def end_grant(db: AsyncConnection, grant_id: UUID) -> None:
    """Revoke a grant: remove it, with its codes and tokens and its rule; the transaction is of its account then."""
    ended = delete(oauth_grant).where(oauth_grant.c.id == grant_id).returning(oauth_grant.c.account_id)
    account_id = (await db.execute(ended)).scalar_one_or_none()
    if account_id is not None:
        await enter(db, account_id)
        await rules.forget(db, grant_id)


def _row(token: str, kind: str, grant_id: UUID, end: datetime, scopes: Sequence[str]) -> Values[OAuthTokenRow]:
    return Values(
        OAuthTokenRow, token_hash=digest(token), kind=kind, grant_id=grant_id, scopes=list(scopes), expires_at=end
    )
