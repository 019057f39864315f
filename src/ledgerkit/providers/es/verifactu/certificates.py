"""TLS contexts for the authority: client certificates from PEM or PKCS#12, kept until their files change."""

import secrets
import ssl
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import load_key_and_certificates

from ledgerkit.providers.es.verifactu.setup import Endpoint

_PEM = b"-----BEGIN "

_Stamp = tuple[int, int]


def context(endpoint: Endpoint) -> ssl.SSLContext:
    """A context that checks the server, requires TLS 1.2 and shows our certificate; cached while its files stand.

    Raises OSError (ssl.SSLError included) for files that cannot be read, ValueError for what is in them.
    """
    return _context(endpoint, _stamp(endpoint.ca_file), _stamp(endpoint.certificate_file))


def _stamp(path: Path | None) -> _Stamp | None:
    """Changes when a certificate is renewed, so that no restart is needed."""
    if path is None:
        return None
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)
def _context(endpoint: Endpoint, _ca: _Stamp | None, _certificate: _Stamp | None) -> ssl.SSLContext:
    made = ssl.create_default_context(cafile=endpoint.ca_file)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if endpoint.certificate_file is not None:
        _load(made, endpoint.certificate_file, endpoint.password)
    return made


def _load(made: ssl.SSLContext, path: Path, password: str | None) -> None:
    content = path.read_bytes()
    if _PEM in content:
        # an empty password, since without one OpenSSL would ask the terminal for it
        made.load_cert_chain(path, password=password or "")
    else:
        _load_pkcs12(made, content, password)


def _load_pkcs12(made: ssl.SSLContext, content: bytes, password: str | None) -> None:
    """OpenSSL reads chains from files only: a private directory, and the key encrypted with a throw-away password."""
    key, certificate, chain = load_key_and_certificates(content, password.encode() if password else None)
    if key is None or certificate is None:
        msg = "the PKCS#12 file holds no certificate with its key"
        raise ValueError(msg)
    once = secrets.token_bytes(32).hex().encode()
    parts = [
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(once)),
        *(each.public_bytes(Encoding.PEM) for each in (certificate, *chain)),
    ]
    with TemporaryDirectory(prefix="ledgerkit-") as directory:
        path = Path(directory, "certificate.pem")
        path.touch(mode=0o600)
        path.write_bytes(b"".join(parts))
        made.load_cert_chain(path, password=once)
