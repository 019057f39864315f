"""The token of a public link: made anew from the server's secret key whenever it is shown, and never stored.

A token is 16 random bytes, its seed, and 16 bytes of their HMAC-SHA256 (RFC 2104) under a key of the account, in
unpadded base64url (RFC 4648 §5). The database holds the seed: it finds the link, and without the secret key it opens
none. Of links that are older than this, it holds the SHA-256 of their token.
"""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, LargeBinary, bindparam, case, func, null

SEED_BYTES = PROOF_BYTES = 16

_FORM = re.compile(r"[A-Za-z0-9_-]{43}")
_BLOCK = 64
_INNER = bindparam("share_inner", type_=LargeBinary)
_OUTER = bindparam("share_outer", type_=LargeBinary)


def new_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def token(secret: bytes, account_id: UUID, seed: bytes) -> str:
    """The 43 characters behind `/s/` of the link that has this seed."""
    proof = hmac.digest(_key(secret, account_id), seed, "sha256")[:PROOF_BYTES]
    return urlsafe_b64encode(seed + proof).rstrip(b"=").decode()


def seed_of(token: str) -> bytes | None:
    """The seed in a token, which proves nothing yet; None for what has not the form of a token."""
    return urlsafe_b64decode(f"{token}=")[:SEED_BYTES] if _FORM.fullmatch(token) else None


def earlier_hash(token: str) -> bytes:
    """What is stored of a token that was random as a whole, as all were before migration 0025."""
    return hashlib.sha256(token.encode()).digest()


def token_column(seed: ColumnElement[bytes]) -> ColumnElement[str | None]:
    """`token` in SQL, for lists that the database renders; brings the parameters along that `parameters` gives."""
    proof = func.sha256(_OUTER.concat(func.sha256(_INNER.concat(seed))), type_=LargeBinary)
    whole = seed.concat(func.substring(proof, 1, PROOF_BYTES, type_=LargeBinary))
    return case((seed.is_(None), null()), else_=func.translate(func.encode(whole, "base64"), "+/=", "-_"))


def parameters(secret: bytes, account_id: UUID) -> dict[str, Any]:
    """The account's key as HMAC uses it: with each of its two paddings."""
    key = _key(secret, account_id).ljust(_BLOCK, b"\0")
    return {_INNER.key: bytes(one ^ 0x36 for one in key), _OUTER.key: bytes(one ^ 0x5C for one in key)}


def _key(secret: bytes, account_id: UUID) -> bytes:
    return hmac.digest(secret, b"share link " + account_id.bytes, "sha256")
