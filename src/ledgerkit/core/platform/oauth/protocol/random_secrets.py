"""Random secrets of the authorization server, and the digests under which they are stored."""

import hashlib
import secrets

REFRESH_PREFIX = "lkr_"
CODE_PREFIX = "lkc_"
SECRET_PREFIX = "lkp_"  # noqa: S105 - the beginning of a client's secret, which is none
SECRET_BYTES = 32


def new_secret(prefix: str = "") -> str:
    """Return a new secret of 256 random bits: `prefix` and 43 characters of base64url."""
    return prefix + secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> str:
    """Return the SHA-256 digest of a secret in hexadecimal: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
