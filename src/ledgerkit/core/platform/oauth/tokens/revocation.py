"""Revocation of tokens by the client that holds them (RFC 7009)."""

from uuid import UUID

from sqlalchemy import Text, bindparam, delete, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.oauth.clients.identification import CallingClient
from ledgerkit.core.platform.oauth.protocol.random_secrets import digest
from ledgerkit.core.platform.oauth.table import oauth_grant, oauth_token
from ledgerkit.core.platform.oauth.tokens import issuance as tokens
from ledgerkit.core.platform.request.context import Kernel


class HeldTokenRow(Row):
    kind: str
    grant_id: UUID


_HELD = Prepared(
    select(oauth_token.c.kind, oauth_token.c.grant_id)
    .join(oauth_grant, oauth_grant.c.id == oauth_token.c.grant_id)
    .where(
        oauth_token.c.token_hash == bindparam("token_hash", type_=Text),
        oauth_grant.c.client_id == bindparam("client_id", type_=Text),
    ),
    HeldTokenRow,
)


async def revoke(kernel: Kernel, client: CallingClient, token: str) -> None:
    """Revoke a token: a refresh token with its whole grant, an access token alone (§2.1).

    A token that is unknown, or another client's, changes nothing and is no error (§2.2).
    """
    token_hash = digest(token)

    async def attempt() -> None:
        async with kernel.database.transaction(None) as db:
            row = await _HELD.row(db, token_hash=token_hash, client_id=client.id)
            if row is None:
                return
            if row.kind == tokens.REFRESH:
                await tokens.end_grant(db, row.grant_id)
            else:
                await db.execute(delete(oauth_token).where(oauth_token.c.token_hash == token_hash))

    await retry_on_conflict(attempt)
