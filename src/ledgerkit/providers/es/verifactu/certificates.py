"""TLS contexts for the authority, cached: the operator's certificate from its file, an issuer's from memory."""

import secrets
import ssl
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption

from ledgerkit.providers.api import Access, Certificate
from ledgerkit.providers.es.verifactu import credentials
from ledgerkit.providers.es.verifactu.credentials import Content, Opened
from ledgerkit.providers.es.verifactu.setup import Endpoint

_PEM = b"-----BEGIN "

_Stamp = tuple[int, int]


def context(endpoint: Endpoint) -> ssl.SSLContext:
    """Return a context that checks the server, requires TLS 1.2 and shows our certificate.

    Cached: while the files stand, and by digest for an issuer's own certificate.
    Raises OSError (ssl.SSLError included) for files that cannot be read, ValueError for what is in them.
    """
    ca = _stamp(endpoint.ca_file)
    if endpoint.issuer_access is not None:
        return _own_context(endpoint.ca_file, ca, Content(endpoint.issuer_access))
    return _context(endpoint, ca, _stamp(endpoint.certificate_file))


def operators(endpoint: Endpoint) -> Certificate | None:
    """Read the operator's certificate, in force or not; None without one that can be read."""
    path = endpoint.certificate_file
    if path is None:
        return None
    try:
        return _read_file(path, _stamp(path), endpoint.password)
    except (OSError, ValueError):
        return None


def shown(endpoint: Endpoint) -> Certificate | None:
    """Read the certificate for that endpoint, in force or not; None without one that can be read."""
    return (
        operators(endpoint)
        if endpoint.issuer_access is None
        else credentials.read_regardless_of_dates(endpoint.issuer_access)
    )


def is_of(access: Access, ca_file: Path) -> bool:
    """Return True when the certificate was issued by the authority of `ca_file`."""
    return credentials.issued_by(access, ca_file.read_bytes())


def _stamp(path: Path | None) -> _Stamp | None:
    """Return a value that changes when a certificate's file does, so that a renewed one needs no restart."""
    if path is None:
        return None
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)
def _read_file(path: Path, _certificate: _Stamp | None, password: str | None) -> Certificate:
    return credentials.certificate_of(credentials.opened_with(path.read_bytes(), password))


@lru_cache(maxsize=16)
def _context(endpoint: Endpoint, _ca: _Stamp | None, _certificate: _Stamp | None) -> ssl.SSLContext:
    ssl_context = _verifying(endpoint.ca_file)
    if endpoint.certificate_file is not None:
        _load(ssl_context, endpoint.certificate_file, endpoint.password)
    return ssl_context


@lru_cache(maxsize=256)
def _own_context(ca_file: Path | None, _ca: _Stamp | None, content: Content) -> ssl.SSLContext:
    ssl_context = _verifying(ca_file)
    _show(ssl_context, content.opened())
    return ssl_context


def _verifying(ca_file: Path | None) -> ssl.SSLContext:
    ssl_context = ssl.create_default_context(cafile=ca_file)
    ssl_context.minimum_version = ssl.TLSVersion.TLSv1_2
    return ssl_context


def _load(ssl_context: ssl.SSLContext, path: Path, password: str | None) -> None:
    content = path.read_bytes()
    if _PEM in content:
        # an empty password, since without one OpenSSL would ask the terminal for it
        ssl_context.load_cert_chain(path, password=password or "")
    else:
        _show(ssl_context, credentials.opened_with(content, password))


def _show(ssl_context: ssl.SSLContext, certificate: Opened) -> None:
    """Load a certificate from a private file, encrypted with a password used once: OpenSSL reads files only."""
    once = secrets.token_bytes(32).hex().encode()
    with TemporaryDirectory(prefix="ledgerkit-") as directory:
        path = Path(directory, "certificate.pem")
        path.touch(mode=0o600)
        path.write_bytes(certificate.pem(BestAvailableEncryption(once)))
        ssl_context.load_cert_chain(path, password=once)
