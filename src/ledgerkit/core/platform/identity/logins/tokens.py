"""Login tokens (JWT) and API keys: issued and checked in this module only; access tokens of OAuth are only recognised.

python-jose accepts what it should not unless told otherwise (no algorithm, no expiry, no audience, unknown critical
headers): every demand is spelled out below, and tests/core/platform/identity checks each with a second implementation.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from jose import jwt
from jose.exceptions import JOSEError

from ledgerkit import clock
from ledgerkit.core.platform.request.context import Login
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.settings import MIN_SECRET_BYTES

ALGORITHM = "HS256"
ISSUER = AUDIENCE = "ledgerkit"
KEY_PREFIX = "lk_live_"
SCOPED_KEY_PREFIX = "lks_"
ACCESS_TOKEN_PREFIX = "lka_"  # noqa: S105 - no secret
"""Beginning of the access tokens of OAuth, which open /mcp only."""

NOT_ISSUED = "not issued: dry run"
"""Token and API key in the answer of a dry run."""
MAX_TOKEN = 4096
"""Longest login token in characters that is parsed; those issued here have about 400."""
LONGEST_LOGIN = timedelta(days=30)
"""Time from the password to the end of the last refreshed token."""

_SCOPED_KEY_BYTES = 32
_REFUSED_HEADERS = {"crit", "jku", "jwk", "x5u", "x5c", "zip", "enc"}
_DEMANDS = {f"require_{claim}": True for claim in ("exp", "iat", "aud", "iss", "sub", "jti")}


@dataclass(frozen=True)
class TokenContent:
    """Content of a valid login token: the user and the login. `halfway` is the middle of the token's time."""

    user_id: UUID
    login: Login
    halfway: datetime


@dataclass(frozen=True)
class IssuedToken:
    """A token and its lifetime in seconds."""

    token: str
    seconds: int


class Tokens:
    def __init__(self, secret: bytes) -> None:
        if len(secret) < MIN_SECRET_BYTES:
            msg = f"the secret key must have at least {MIN_SECRET_BYTES} bytes"
            raise ValueError(msg)
        self._signing = _derived(secret, b"login token")
        self._keys = _derived(secret, b"api key")
        self._pages = _derived(secret, b"csrf token")
        self._kid = hashlib.sha256(self._signing).hexdigest()[:16]

    def login_token(self, user_id: UUID, version: int, life: timedelta) -> IssuedToken:
        """Issue the token of a new login, valid for `life`, and void once the user's token version changes."""
        return self._signed(user_id, Login(uuid4().hex, version, clock.now()), life)

    def refreshed_token(self, user_id: UUID, login: Login, life: timedelta) -> IssuedToken:
        """Issue another token of the same login, valid for `life`, at most until 30 days after the login began."""
        return self._signed(user_id, login, min(life, login.began_at + LONGEST_LOGIN - clock.now()))

    def proved_token(self, user_id: UUID, login: Login, life: timedelta) -> IssuedToken:
        """Issue another token of the same login, whose password has just been typed again."""
        return self.refreshed_token(user_id, replace(login, proved_at=clock.now()), life)

    def _signed(self, user_id: UUID, login: Login, life: timedelta) -> IssuedToken:
        moment = clock.now()
        claims: dict[str, object] = {
            "sub": str(user_id),
            "ver": login.version,
            "iat": moment,
            "exp": moment + life,
            "jti": uuid4().hex,
            "sid": login.id,
            "auth_time": int(login.began_at.timestamp()),
            "iss": ISSUER,
            "aud": AUDIENCE,
        }
        if login.proved_at is not None:
            claims["proof_time"] = int(login.proved_at.timestamp())
        token = str(jwt.encode(claims, self._signing, algorithm=ALGORITHM, headers={"kid": self._kid}))
        return IssuedToken(token, int(life.total_seconds()))

    def in_dry_run(self, dry_run: DryRun) -> "Tokens":
        """Return tokens that issue nothing; a key could be computed before it is in force."""
        return _SilentTokens(self, dry_run)

    def session(self, token: str) -> TokenContent | None:
        """Return the content of a token, None for anything but a valid token issued here."""
        if len(token) > MAX_TOKEN:
            return None
        try:
            header: dict[str, Any] = jwt.get_unverified_header(token)
            if header.get("alg") != ALGORITHM or header.get("kid") != self._kid or _REFUSED_HEADERS & header.keys():
                return None
            claims = jwt.decode(
                token,
                self._signing,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                issuer=ISSUER,
                options=_DEMANDS,
            )
            # A token that was issued before logins had ids is a login by itself.
            login, began = claims.get("sid", claims["jti"]), claims.get("auth_time", claims["iat"])
            proved = claims.get("proof_time")
            halfway = (int(claims["iat"]) + int(claims["exp"])) / 2
            return TokenContent(
                UUID(claims["sub"]),
                Login(
                    str(login),
                    int(claims["ver"]),
                    datetime.fromtimestamp(int(began), UTC),
                    None if proved is None else datetime.fromtimestamp(int(proved), UTC),
                ),
                datetime.fromtimestamp(halfway, UTC),
            )
        except (JOSEError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return None

    def csrf_token(self, login: Login) -> str:
        """Compute the token with which a page proves that it may read the session of a login; it is never stored."""
        return hmac.digest(self._pages, login.id.encode(), "sha256").hex()

    def is_csrf_token(self, token: str, login: Login) -> bool:
        """Return True for the token of this login; compared in constant time."""
        return hmac.compare_digest(token.encode(), self.csrf_token(login).encode())

    def api_key(self, key_id: UUID, kind: str, owner_id: UUID, version: int) -> str:
        """Compute the key of an owner at a version; it is never stored."""
        return f"{KEY_PREFIX}{key_id.hex}_{self._proof(kind, owner_id, version)}"

    def proves(self, key: str, kind: str, owner_id: UUID, version: int) -> bool:
        """Return True when `key` is the owner's at this version; compared in constant time."""
        proof = key.removeprefix(KEY_PREFIX)[33:]
        return hmac.compare_digest(proof.encode(), self._proof(kind, owner_id, version).encode())

    def _proof(self, kind: str, owner_id: UUID, version: int) -> str:
        mac = hmac.digest(self._keys, f"{kind}:{owner_id.hex}:{version}".encode(), "sha256")
        return urlsafe_b64encode(mac).rstrip(b"=").decode()


class _SilentTokens(Tokens):
    """Tokens for dry runs: what they issue opens nothing."""

    def __init__(self, tokens: Tokens, dry_run: DryRun) -> None:
        self.__dict__.update(tokens.__dict__)
        self._dry_run = dry_run

    def _signed(self, user_id: UUID, login: Login, life: timedelta) -> IssuedToken:  # noqa: ARG002 - as of the parent
        self._dry_run.leave_out(DryRunMsg.CREDENTIALS)
        return IssuedToken(NOT_ISSUED, int(life.total_seconds()))

    def api_key(self, key_id: UUID, kind: str, owner_id: UUID, version: int) -> str:  # noqa: ARG002 - as of the parent
        self._dry_run.leave_out(DryRunMsg.CREDENTIALS)
        return NOT_ISSUED


def beginning(key_id: UUID) -> str:
    """Return the part of an API key that logs show: the same for all versions of the key of this id."""
    return f"{KEY_PREFIX}{key_id.hex[:8]}"


def key_id(key: str) -> UUID | None:
    """Return the id within an API key, None for text that has not the form of a key."""
    body = key.removeprefix(KEY_PREFIX)
    if body == key or body[32:33] != "_" or not body.isascii():
        return None
    try:
        return UUID(hex=body[:32])
    except ValueError:
        return None


def new_scoped_key() -> str:
    """Return a new scoped key with 256 random bits."""
    return SCOPED_KEY_PREFIX + secrets.token_urlsafe(_SCOPED_KEY_BYTES)


def key_digest(scoped_key: str) -> str:
    """Return the SHA-256 under which a scoped key is stored: random bits need neither a salt nor a slow hash."""
    return hashlib.sha256(scoped_key.encode()).hexdigest()


def _derived(secret: bytes, purpose: bytes) -> bytes:
    """Derive a separate key for each purpose, so that a proof of one kind is never valid as another."""
    return hmac.digest(secret, purpose, "sha256")
