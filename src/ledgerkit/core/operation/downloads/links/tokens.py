"""Tokens of links: what they open and until when, and an HMAC under a key of the account, in unpadded base64url."""

import hmac
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from ledgerkit.core.operation.downloads.api import LinkedDocument

_HEAD = struct.Struct("!16sIB")
_PROOF_BYTES = 16
_KINDS = tuple(LinkedDocument)
LONGEST = 400
"""Characters of a token at most."""


@dataclass(frozen=True, kw_only=True)
class LinkTarget:
    """Document of an account, and the second after which its link is void."""

    account_id: UUID
    kind: LinkedDocument
    record_id: str
    expires_at: datetime


def token(secret: bytes, target: LinkTarget) -> str:
    """Return the token of a link to `target`."""
    head = _HEAD.pack(target.account_id.bytes, int(target.expires_at.timestamp()), _KINDS.index(target.kind))
    payload = head + target.record_id.encode()
    return urlsafe_b64encode(_proof(secret, target.account_id, payload) + payload).rstrip(b"=").decode()


def target_of(secret: bytes, token: str) -> LinkTarget | None:
    """Return what a token opens, whether or not it has expired; None for one that this server did not make."""
    try:
        content = urlsafe_b64decode(token + "=" * (-len(token) % 4)) if len(token) <= LONGEST else b""
        account, expiry, kind = _HEAD.unpack_from(content, _PROOF_BYTES)
    except (Error, ValueError, struct.error):
        return None
    proof, payload = content[:_PROOF_BYTES], content[_PROOF_BYTES:]
    account_id = UUID(bytes=account)
    if not hmac.compare_digest(proof, _proof(secret, account_id, payload)):
        return None
    return LinkTarget(
        account_id=account_id,
        kind=_KINDS[kind],
        record_id=payload[_HEAD.size :].decode(),
        expires_at=datetime.fromtimestamp(expiry, UTC),
    )


def _proof(secret: bytes, account_id: UUID, payload: bytes) -> bytes:
    key = hmac.digest(secret, b"download link " + account_id.bytes, "sha256")
    return hmac.digest(key, payload, "sha256")[:_PROOF_BYTES]
