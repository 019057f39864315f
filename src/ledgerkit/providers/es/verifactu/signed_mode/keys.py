"""Keys that sign records: an RSA key with its certificate, from PEM or PKCS#12."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from cryptography.hazmat.primitives.serialization.pkcs12 import load_key_and_certificates

from ledgerkit.providers.api import Access, UnusableCertificateError
from ledgerkit.providers.es.verifactu import credentials
from ledgerkit.providers.es.verifactu.signed_mode.messages import SigningMsg

MIN_BITS = 2048
_PEM = b"-----BEGIN "


class KeySigner:
    """`Signer` of the provider interface, over a key held in memory."""

    def __init__(self, key: RSAPrivateKey, certificate: x509.Certificate) -> None:
        self._key = key
        self.certificate = certificate.public_bytes(Encoding.DER)

    def sign(self, data: bytes) -> bytes:
        return self._key.sign(data, PKCS1v15(), SHA256())


def signer(content: bytes, password: str | None) -> KeySigner:
    """Return the key and certificate in `content`, PEM or PKCS#12. Raises ValueError with why they cannot sign."""
    secret = password.encode() if password else None
    try:
        key, certificates = _from_pem(content, secret) if _PEM in content else _from_pkcs12(content, secret)
    except TypeError as failure:  # an encrypted key without a password, or the other way round
        raise ValueError(str(failure)) from None
    if not isinstance(key, RSAPrivateKey):
        msg = "records are signed with an RSA key, and this certificate has none"
        raise ValueError(msg)  # noqa: TRY004 - the file's content is wrong, not an argument's type
    if key.key_size < MIN_BITS:
        msg = f"the key has {key.key_size} bits, and at least {MIN_BITS} are wanted"
        raise ValueError(msg)
    certificate = next((each for each in certificates if each.public_key() == key.public_key()), None)
    if certificate is None:
        msg = "the file holds no certificate of its key"
        raise ValueError(msg)
    return KeySigner(key, certificate)


def account_signer(access: Access) -> KeySigner:
    """Return key and certificate of an account's own certificate. Raises UnusableCertificateError for another key."""
    opened = credentials.stored_key(access)
    if isinstance(opened.key, RSAPrivateKey):
        return KeySigner(opened.key, opened.certificate)
    raise UnusableCertificateError("CERTIFICATE_SIGNS_NOT", SigningMsg.KEY_NOT_RSA)


def file_signer(path: Path, password: str | None) -> KeySigner:
    """Return the key and certificate in a file, which is read again when it changes. Raises OSError, ValueError."""
    status = path.stat()
    return _cached_signer(path, password, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _cached_signer(path: Path, password: str | None, _modified_at: int, _size: int) -> KeySigner:
    return signer(path.read_bytes(), password)


def _from_pem(content: bytes, secret: bytes | None) -> tuple[object, Sequence[x509.Certificate]]:
    return load_pem_private_key(content, secret), x509.load_pem_x509_certificates(content)


def _from_pkcs12(content: bytes, secret: bytes | None) -> tuple[object, Sequence[x509.Certificate]]:
    key, certificate, chain = load_key_and_certificates(content, secret)
    return key, [each for each in (certificate, *chain) if each is not None]
