"""Short logins of browsers on the pages, and the proof that a form was sent by a page of ours.

A browser gets a random cookie with the first page. Logging in replaces it, so that nobody can prepare the cookie of
another person's login; only the digest of the new one is stored.
"""

import hmac
import re
from datetime import timedelta
from uuid import UUID

from sqlalchemy import DateTime, Text, bindparam, delete, insert, select

from ledgerkit import clock
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons.access import StoredUser
from ledgerkit.core.platform.oauth.protocol.random_secrets import digest, new_secret
from ledgerkit.core.platform.oauth.table import OAuthLoginRow, oauth_login
from ledgerkit.core.platform.request.context import Kernel

LIFE = timedelta(minutes=10)

_COOKIE = re.compile(r"[A-Za-z0-9_-]{43}")
_VALID = Prepared(
    select(oauth_login).where(
        oauth_login.c.session_hash == bindparam("session_hash", type_=Text),
        oauth_login.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
    ),
    OAuthLoginRow,
)


def usable_cookie(cookie: str | None) -> str:
    """Return the browser's cookie; a new one where there is none, or one that was not made here."""
    return cookie if cookie is not None and _COOKIE.fullmatch(cookie) else new_secret()


def form_token(kernel: Kernel, cookie: str, request_id: str) -> str:
    """Return the token with which a browser proves that it has read the page of a request."""
    return hmac.digest(kernel.secret, f"consent form:{cookie}:{digest(request_id)}".encode(), "sha256").hex()


def is_form_token(kernel: Kernel, token: str, cookie: str, request_id: str) -> bool:
    """Return True for the token of this browser and request; compared in constant time."""
    return hmac.compare_digest(token.encode(), form_token(kernel, cookie, request_id).encode())


async def log_in(kernel: Kernel, user_id: UUID, version: int) -> str:
    """Log a browser in for ten minutes and return its new cookie. `version` is the user's token version."""
    cookie = new_secret()
    row = Values(
        OAuthLoginRow,
        session_hash=digest(cookie),
        user_id=user_id,
        user_version=version,
        expires_at=clock.now() + LIFE,
    )
    await identity_queries.execute(kernel, insert(oauth_login).values(row))
    return cookie


async def person(kernel: Kernel, cookie: str) -> StoredUser | None:
    """Return the person who is logged in with a cookie; None for nobody, and once their logins were ended."""
    row = await identity_queries.fetch_row(kernel, _VALID, session_hash=digest(cookie), now=clock.now())
    user = None if row is None else await persons.by_id(kernel, row.user_id)
    return user if row is not None and user is not None and user.token_version == row.user_version else None


async def log_out(kernel: Kernel, cookie: str) -> None:
    """Log a browser out."""
    is_login = oauth_login.c.session_hash == digest(cookie)
    await identity_queries.execute(kernel, delete(oauth_login).where(is_login))
