"""Token and revocation endpoints: a code or refresh token is exchanged for tokens, a token is revoked (RFC 7009)."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import DateTime, Text, bindparam, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins import authentication
from ledgerkit.core.platform.oauth.api import IssuedTokens
from ledgerkit.core.platform.oauth.authorization import steps as authorization
from ledgerkit.core.platform.oauth.clients import identification as clients
from ledgerkit.core.platform.oauth.clients.identification import CallingClient
from ledgerkit.core.platform.oauth.protocol import errors, random_secrets
from ledgerkit.core.platform.oauth.protocol.errors import OAuthErrorCode
from ledgerkit.core.platform.oauth.protocol.parameters import Parameters
from ledgerkit.core.platform.oauth.protocol.random_secrets import digest
from ledgerkit.core.platform.oauth.table import OAuthCodeRow, OAuthGrantRow, oauth_code, oauth_grant, oauth_token
from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.core.platform.oauth.tokens import issuance as tokens
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.scopes import scopes_named
from ledgerkit.problems import Invalid

REUSE_LEEWAY = timedelta(seconds=60)
"""Time after its exchange in which a refresh token may be exchanged again.

Programs on one machine share a stored token and refresh it at the same moment. A later use is that of a thief, or of
the program that was robbed (OAuth 2.1 §4.3.1).
"""


class UsedTokenRow(Row):
    used_at: datetime


_member = authentication.members()
_NOW = bindparam("now", type_=DateTime(timezone=True))
_LOCKED_GRANT = (
    select(oauth_grant)
    .join(_member, (_member.c.user_id == oauth_grant.c.user_id) & (_member.c.id == oauth_grant.c.account_id))
    .where(oauth_grant.c.user_version == _member.c.token_version)
    .with_for_update(of=oauth_grant)
)
_IS_CODE = oauth_code.c.code_hash == bindparam("code_hash", type_=Text)
_GRANT_OF_CODE = Prepared(
    _LOCKED_GRANT.join(oauth_code, oauth_code.c.grant_id == oauth_grant.c.id).where(_IS_CODE), OAuthGrantRow
)
_USE_CODE = Prepared(
    update(oauth_code).where(_IS_CODE, oauth_code.c.used_at.is_(None)).values(used_at=_NOW).returning(*oauth_code.c),
    OAuthCodeRow,
)
_IS_REFRESH_TOKEN = (
    oauth_token.c.token_hash == bindparam("token_hash", type_=Text),
    oauth_token.c.kind == constant(tokens.REFRESH),
    oauth_token.c.expires_at > _NOW,
)
_GRANT_OF_REFRESH_TOKEN = Prepared(
    _LOCKED_GRANT.join(oauth_token, oauth_token.c.grant_id == oauth_grant.c.id).where(*_IS_REFRESH_TOKEN),
    OAuthGrantRow,
)
_USE_REFRESH_TOKEN = Prepared(
    update(oauth_token)
    .where(*_IS_REFRESH_TOKEN)
    .values(used_at=func.coalesce(oauth_token.c.used_at, _NOW))
    .returning(oauth_token.c.used_at),
    UsedTokenRow,
)


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


async def redeem_code(kernel: Kernel, client: CallingClient, parameters: Parameters) -> IssuedTokens:
    """Exchange a code for tokens, once. A second use, a wrong verifier or another client ends the code's grant.

    Raises Invalid, after that has been committed.
    """
    code_hash = digest(parameters.required("code"))
    redirect_uri, verifier = parameters.optional("redirect_uri"), parameters.optional("code_verifier")
    authorization.requested_resource(kernel.settings, parameters)

    async def attempt(db: AsyncConnection) -> IssuedTokens | Invalid:
        grant = await _GRANT_OF_CODE.row(db, code_hash=code_hash)
        if grant is None:
            return _not_granted(OAuthMsg.CODE_INVALID)
        code = await _USE_CODE.row(db, code_hash=code_hash, now=clock.now())
        refusal = _refusal_of_code(grant, client, code, redirect_uri, verifier)
        if refusal is not None:
            await tokens.end_grant(db, grant.id)
            return refusal
        await clients.note_use(db, client.id)
        scopes = scopes_named(grant.scopes)
        return await tokens.issue(db, grant, scopes, refreshable=client.is_refreshable)

    return _issued(await identity_queries.change(kernel, attempt))


async def refresh(kernel: Kernel, client: CallingClient, parameters: Parameters) -> IssuedTokens:
    """Exchange a refresh token for the next pair; live access tokens stay valid.

    Within REUSE_LEEWAY of its first exchange another pair of the same grant is issued, later the grant ends. `scope`
    may narrow the access token, never widen it (RFC 6749 §6). Raises Invalid, after the commit.
    """
    token_hash = digest(parameters.required("refresh_token"))
    narrower = authorization.requested_scopes(parameters)
    authorization.requested_resource(kernel.settings, parameters)
    if not client.is_refreshable:
        raise errors.refused(OAuthMsg.REFRESH_NOT_REGISTERED, OAuthErrorCode.UNAUTHORIZED_CLIENT)

    async def attempt(db: AsyncConnection) -> IssuedTokens | Invalid:
        moment = clock.now()
        grant = await _GRANT_OF_REFRESH_TOKEN.row(db, token_hash=token_hash, now=moment)
        if grant is None or grant.client_id != client.id:
            return _not_granted(OAuthMsg.REFRESH_TOKEN_INVALID)
        if not {scope.value for scope in narrower} <= set(grant.scopes):
            granted = " ".join(grant.scopes)
            return errors.refused(OAuthMsg.SCOPE_WIDER, OAuthErrorCode.INVALID_SCOPE, granted=granted)
        token = await _USE_REFRESH_TOKEN.one(db, token_hash=token_hash, now=moment)
        if token.used_at < moment - REUSE_LEEWAY:
            await tokens.end_grant(db, grant.id)
            return _not_granted(OAuthMsg.REFRESH_TOKEN_REUSED)
        await clients.note_use(db, client.id)
        return await tokens.issue(db, grant, narrower or scopes_named(grant.scopes), refreshable=True)

    return _issued(await identity_queries.change(kernel, attempt))


async def revoke(kernel: Kernel, client: CallingClient, token: str) -> None:
    """Revoke a token: a refresh token with its whole grant, an access token alone (§2.1).

    A token that is unknown, or another client's, changes nothing and is no error (§2.2).
    """
    token_hash = digest(token)

    async def attempt(db: AsyncConnection) -> None:
        row = await _HELD.row(db, token_hash=token_hash, client_id=client.id)
        if row is None:
            return
        if row.kind == tokens.REFRESH:
            await tokens.end_grant(db, row.grant_id)
        else:
            await db.execute(delete(oauth_token).where(oauth_token.c.token_hash == token_hash))

    await identity_queries.change(kernel, attempt)


def _issued(outcome: IssuedTokens | Invalid) -> IssuedTokens:
    """Return the tokens, or raise the refusal: a problem within the transaction would undo the end of the grant."""
    if isinstance(outcome, Invalid):
        raise outcome
    return outcome


def _refusal_of_code(
    grant: OAuthGrantRow,
    client: CallingClient,
    code: OAuthCodeRow | None,
    redirect_uri: str | None,
    verifier: str | None,
) -> Invalid | None:
    """Return the reason why a code is refused; None for a valid one. `code` is None when it was used before.

    A redirect URI is compared where the client sends one, as OAuth 2.0 does; the verifier has made it superfluous
    (OAuth 2.1 §10.2).
    """
    if code is None or code.expires_at <= clock.now() or grant.client_id != client.id:
        return _not_granted(OAuthMsg.CODE_INVALID)
    if redirect_uri not in {None, code.redirect_uri}:
        return _not_granted(OAuthMsg.REDIRECT_URI_DIFFERS)
    if verifier is None:
        return errors.refused(OAuthMsg.PARAMETER_MISSING, name="code_verifier")
    return None if random_secrets.proves(verifier, code.code_challenge) else _not_granted(OAuthMsg.VERIFIER_WRONG)


def _not_granted(message: OAuthMsg) -> Invalid:
    return errors.refused(message, OAuthErrorCode.INVALID_GRANT)
