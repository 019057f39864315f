"""Proof Key for Code Exchange (RFC 7636), by the method S256 only."""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode

METHOD = "S256"

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def is_challenge(text: str) -> bool:
    """Return True for the form of a challenge: a SHA-256 digest in base64url without padding (§4.2)."""
    return _CHALLENGE.fullmatch(text) is not None


def proves(verifier: str, challenge: str) -> bool:
    """Return True when a verifier has its form (§4.1) and `challenge` is its digest (§4.6)."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    computed = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return hmac.compare_digest(computed, challenge)
