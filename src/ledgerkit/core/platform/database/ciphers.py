"""Secrets that have to be stored: encrypted under a key of their purpose, and readable in their own account only.

AES-256-GCM (NIST SP 800-38D) with a random nonce in front; keys are derived from the server's secret key by HKDF with
SHA-256 (RFC 5869). The account is bound as associated data, so a secret that is copied into another account cannot be
decrypted there.
"""

import os
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NONCE_BYTES = 12


def closed(secret: bytes, purpose: str, account_id: UUID, content: bytes) -> bytes:
    """Encrypt `content` for storage. `purpose` keeps secrets of one kind from being read as those of another."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + _cipher(secret, purpose).encrypt(nonce, content, account_id.bytes)


def opened(secret: bytes, purpose: str, account_id: UUID, stored: bytes) -> bytes | None:
    """Decrypt; None for content of another secret key or another account, and for content that has been altered."""
    nonce, sealed = stored[:_NONCE_BYTES], stored[_NONCE_BYTES:]
    try:
        return _cipher(secret, purpose).decrypt(nonce, sealed, account_id.bytes)
    except (InvalidTag, ValueError):
        return None


def derived(secret: bytes, purpose: str) -> bytes:
    """Derive 32 bytes that nobody can compute without `secret`, different ones for each purpose."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=f"ledgerkit {purpose}".encode()).derive(secret)


def _cipher(secret: bytes, purpose: str) -> AESGCM:
    return AESGCM(derived(secret, purpose))
