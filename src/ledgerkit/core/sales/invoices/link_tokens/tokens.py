"""Tokens of public links, computed from the server's secret key whenever they are shown, and never stored.

A token is 16 random bytes, its seed, and 16 bytes of their HMAC-SHA256 (RFC 2104) under a key of the account, in
unpadded base64url (RFC 4648 §5). The database has the seed, which finds the link but opens none without the secret key.
Of links made before tokens had seeds the database has the SHA-256 of the token.
"""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
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
    """Return the 43 characters behind `/s/` of the link that has this seed."""
    proof = hmac.digest(_key(secret, account_id), seed, "sha256")[:PROOF_BYTES]
    return urlsafe_b64encode(seed + proof).rstrip(b"=").decode()


def seed_of(token: str) -> bytes | None:
    """Return the seed in a token, whose proof is not checked yet; None for text without the form of a token."""
    return urlsafe_b64decode(f"{token}=")[:SEED_BYTES] if _FORM.fullmatch(token) else None


def earlier_hash(token: str) -> bytes:
    """Return the stored hash of a token made before tokens had seeds, which was random as a whole."""
    return hashlib.sha256(token.encode()).digest()


def token_column(seed: ColumnElement[bytes]) -> ColumnElement[str | None]:
    """Return `token` as an SQL expression, for lists that the database renders; it takes the values of `parameters`."""
    proof = func.sha256(_OUTER.concat(func.sha256(_INNER.concat(seed))), type_=LargeBinary)
    whole = seed.concat(func.substring(proof, 1, PROOF_BYTES, type_=LargeBinary))
    return case((seed.is_(None), null()), else_=func.translate(func.encode(whole, "base64"), "+/=", "-_"))


def parameters(secret: bytes, account_id: UUID) -> dict[str, object]:
    """Return the account's key as HMAC uses it: combined with each of its two paddings (RFC 2104, section 2)."""
    key = _key(secret, account_id).ljust(_BLOCK, b"\0")
    return {_INNER.key: bytes(byte ^ 0x36 for byte in key), _OUTER.key: bytes(byte ^ 0x5C for byte in key)}


def _key(secret: bytes, account_id: UUID) -> bytes:
    return hmac.digest(secret, b"share link " + account_id.bytes, "sha256")
