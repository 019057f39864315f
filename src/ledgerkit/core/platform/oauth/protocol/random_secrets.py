"""Random secrets of the authorization server, their digests, and the proof key of a code (RFC 7636, S256 only)."""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode

REFRESH_PREFIX = "lkr_"
CODE_PREFIX = "lkc_"
SECRET_PREFIX = "lkp_"  # noqa: S105 - the beginning of a client's secret, which is none
SECRET_BYTES = 32
CHALLENGE_METHOD = "S256"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def new_secret(prefix: str = "") -> str:
    """Return a new secret of 256 random bits: `prefix` and 43 characters of base64url."""
    return prefix + secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> str:
    """Return the SHA-256 digest of a secret in hexadecimal: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_challenge(text: str) -> bool:
    """Return True for the form of a challenge: a SHA-256 digest in base64url without padding (§4.2)."""
    return _CHALLENGE.fullmatch(text) is not None


def proves(verifier: str, challenge: str) -> bool:
    """Return True when a verifier has its form (§4.1) and `challenge` is its digest (§4.6)."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    computed = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return hmac.compare_digest(computed, challenge)
