"""Authorization requests: stored while a person decides, and answered by a redirect to the client."""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import DateTime, Text, bindparam, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.logins.authentication import not_a_member
from ledgerkit.core.platform.oauth.protocol import redirects, server
from ledgerkit.core.platform.oauth.protocol.random_secrets import CODE_PREFIX, digest, new_secret
from ledgerkit.core.platform.oauth.table import (
    OAuthCodeRow,
    OAuthGrantRow,
    OAuthRequestRow,
    oauth_code,
    oauth_grant,
    oauth_request,
)
from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.scopes import Scope, scopes_named
from ledgerkit.problems import NotFound
from ledgerkit.texts import text

Step = Callable[[AsyncConnection, UUID], Awaitable[None]]
"""Work in the transaction of a grant, whose id it gets."""

REQUEST_LIFE = timedelta(minutes=10)
CODE_LIFE = timedelta(seconds=60)


class _ApprovalRow(Row):
    redirect_uri: str
    user_id: UUID
    account_id: UUID
    scopes: Sequence[str]


_IS_REQUEST = (
    oauth_request.c.id_hash == bindparam("id_hash", type_=Text),
    oauth_request.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
)
_PENDING = Prepared(select(oauth_request).where(*_IS_REQUEST), OAuthRequestRow)
_APPROVAL = Prepared(
    select(oauth_code.c.redirect_uri, oauth_grant.c.user_id, oauth_grant.c.account_id, oauth_grant.c.scopes)
    .join(oauth_grant, oauth_grant.c.id == oauth_code.c.grant_id)
    .where(
        oauth_code.c.code_hash == bindparam("code_hash", type_=Text),
        oauth_code.c.used_at.is_(None),
        oauth_code.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
    ),
    _ApprovalRow,
)
_TAKEN = Prepared(delete(oauth_request).where(*_IS_REQUEST).returning(*oauth_request.c), OAuthRequestRow)


@dataclass(frozen=True, kw_only=True)
class AuthorizationRequest:
    """Request of a client that was found valid, for the consent page. `redirect_uri` is the client's or a loopback.

    `state` is the client's, given back with the answer.
    """

    client_id: str
    client_name: str
    redirect_uri: str
    scopes: tuple[Scope, ...]
    resource: str
    state: str | None = None

    @property
    def offered(self) -> tuple[Scope, ...]:
        """Scopes that a person may grant: those asked for, and with reading PROPOSE also where it was not asked for.

        A person may so let a client prepare in place of doing. A scope that differs from the requested one is the
        person's to give, and is named in the token's answer (RFC 6749 §3.3).
        """
        return _offered(self.scopes)


def _offered(requested: Collection[Scope]) -> tuple[Scope, ...]:
    further = {Scope.PROPOSE} if Scope.READ in requested else set()
    return tuple(scope for scope in Scope if scope in {*requested, *further})


async def store(kernel: Kernel, request: AuthorizationRequest, code_challenge: str) -> str:
    """Store a valid request for ten minutes and return its id, which is a secret.

    `code_challenge` is that of PKCE by S256.
    """
    request_id = new_secret()
    row = Values(
        OAuthRequestRow,
        id_hash=digest(request_id),
        client_id=request.client_id,
        client_name=request.client_name,
        redirect_uri=request.redirect_uri,
        state=request.state,
        code_challenge=code_challenge,
        scopes=list(request.scopes),
        resource=request.resource,
        expires_at=clock.now() + REQUEST_LIFE,
    )
    await identity_queries.execute(kernel, insert(oauth_request).values(row))
    return request_id


async def pending(kernel: Kernel, request_id: str) -> AuthorizationRequest | None:
    """Return a request that nobody has answered yet; None when it was answered or its ten minutes are over."""
    row = await identity_queries.fetch_row(kernel, _PENDING, id_hash=digest(request_id), now=clock.now())
    if row is None:
        return None
    return AuthorizationRequest(
        client_id=row.client_id,
        client_name=row.client_name,
        redirect_uri=row.redirect_uri,
        scopes=tuple(scopes_named(row.scopes)),
        resource=row.resource,
        state=row.state,
    )


async def approve(
    kernel: Kernel,
    request_id: str,
    user_id: UUID,
    account_id: UUID,
    scopes: Collection[Scope],
    *,
    then: Step | None = None,
) -> str:
    """Grant a request and return the redirect to the client, with code, state and `iss` (RFC 9207).

    The grant is for one account that the user belongs to, and for those of `scopes` that were offered; none of them
    is a denial. A request is answered once; `then` runs last in the grant's transaction. Raises NotFound for one that
    was answered or is over, Forbidden NOT_TEAM_MEMBER.
    """
    code = _code(kernel, request_id)

    async def attempt(db: AsyncConnection) -> OAuthRequestRow:
        request = await _take(db, request_id)
        version = await members.token_version(db, user_id, account_id)
        if version is None:
            raise not_a_member()
        member = Values(OAuthGrantRow, user_id=user_id, account_id=account_id, user_version=version)
        if granted_scopes := _granted(request, scopes):
            grant_id = await _add_grant(db, request, granted_scopes, member)
            await _add_code(db, request, grant_id, code)
            if then is not None:
                await then(db, grant_id)
        return request

    request = await identity_queries.change(kernel, attempt)
    if not _granted(request, scopes):
        return _denial(kernel, request)
    issuer = server.issuer(kernel.settings)
    return redirects.with_parameters(request.redirect_uri, code=code, state=request.state, iss=issuer)


async def repeated(
    kernel: Kernel,
    request_id: str,
    *,
    member: tuple[UUID, UUID],
    ticked: Collection[Scope],
    state: str | None,
) -> str | None:
    """Return the redirect of an approval again, for a second click; None once its code was redeemed or is over.

    None too for another person, account or choice of scopes than those of the approval. `member` is
    user and account, `state` the client's.
    """
    code = _code(kernel, request_id)
    approval = await identity_queries.fetch_row(kernel, _APPROVAL, code_hash=digest(code), now=clock.now())
    if approval is None or (approval.user_id, approval.account_id) != member:
        return None
    if {*approval.scopes, Scope.READ} != {*ticked, Scope.READ}:
        return None
    return redirects.with_parameters(approval.redirect_uri, code=code, state=state, iss=server.issuer(kernel.settings))


async def deny(kernel: Kernel, request_id: str) -> str:
    """Refuse a request and return the redirect to the client, with the error, state and `iss`. Raises NotFound."""
    return _denial(kernel, await identity_queries.change(kernel, lambda db: _take(db, request_id)))


def _code(kernel: Kernel, request_id: str) -> str:
    """Return the code of a request: a digest of its secret id and our secret, so that a second click gets the same."""
    mac = hmac.digest(kernel.secret, f"authorization code:{digest(request_id)}".encode(), "sha256")
    return CODE_PREFIX + urlsafe_b64encode(mac).rstrip(b"=").decode()


async def _take(db: AsyncConnection, request_id: str) -> OAuthRequestRow:
    request = await _TAKEN.row(db, id_hash=digest(request_id), now=clock.now())
    if request is None:
        raise NotFound(OAuthMsg.REQUEST_OVER)
    return request


def _granted(request: OAuthRequestRow, scopes: Collection[Scope]) -> tuple[Scope, ...]:
    return tuple(scope for scope in _offered(scopes_named(request.scopes)) if scope in scopes)


def _denial(kernel: Kernel, request: OAuthRequestRow) -> str:
    return redirects.with_parameters(
        request.redirect_uri,
        error="access_denied",
        error_description=str(text(OAuthMsg.ACCESS_DENIED)),
        state=request.state,
        iss=server.issuer(kernel.settings),
    )


async def _add_grant(
    db: AsyncConnection, request: OAuthRequestRow, scopes: Collection[Scope], member: Values[OAuthGrantRow]
) -> UUID:
    grant_id = new_id()
    row = Values(
        OAuthGrantRow,
        id=grant_id,
        client_id=request.client_id,
        client_name=request.client_name,
        scopes=[scope.value for scope in scopes],
        resource=request.resource,
        expires_at=clock.now() + CODE_LIFE,
    )
    await db.execute(insert(oauth_grant).values(row | member))
    return grant_id


async def _add_code(db: AsyncConnection, request: OAuthRequestRow, grant_id: UUID, code: str) -> None:
    row = Values(
        OAuthCodeRow,
        code_hash=digest(code),
        grant_id=grant_id,
        redirect_uri=request.redirect_uri,
        code_challenge=request.code_challenge,
        expires_at=clock.now() + CODE_LIFE,
    )
    await db.execute(insert(oauth_code).values(row))
