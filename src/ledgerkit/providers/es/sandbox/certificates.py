"""Certification authority of the sandbox, and certificates of its server, client and signer, made on first use.

They are renewed when unreadable, inconsistent or close to expiry. Private keys are mode 0600. The authority signs
nothing but these three certificates. No system trusts it, except programs that are given `ca.pem`. Form: RFC 5280,
strict enough for OpenSSL's X509_STRICT.
"""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from tempfile import mkstemp

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ledgerkit.settings import private_files

CA_DAYS, LEAF_DAYS, RENEW_DAYS = 3650, 397, 30
SIGNER_BITS = 2048

_Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True, kw_only=True)
class Certificates:
    """Files: the authority's certificate, the server's, the client's and the signer's certificate with its key."""

    ca: Path
    server: Path
    client: Path
    signer: Path


@dataclass(frozen=True)
class _Pair:
    certificate: x509.Certificate
    key: _Key


def files(directory: Path) -> Certificates:
    """Return the paths of the certificates, which need not exist yet."""
    return Certificates(**{name: directory / f"{name}.pem" for name in ("ca", "server", "client", "signer")})


def ensure(directory: Path, host: str, at: datetime) -> Certificates:
    """The certificates in `directory`, made or renewed where needed. `at` is the present instant (aware)."""
    private_files.make_directory(directory)
    paths = files(directory)
    ca = _load(directory / "ca-key.pem")
    if ca is None or not _lasts(ca, at) or not paths.ca.exists():
        ca = _make_ca(at)
        _write(directory / "ca-key.pem", _pem(ca))
        _write(paths.ca, ca.certificate.public_bytes(serialization.Encoding.PEM), mode=0o644)
    hosts = _names(host)
    server = _load(paths.server)
    if server is None or not _lasts(server, at) or not _issued(ca, server) or _names_of(server) != hosts:
        _write(paths.server, _pem(_make_leaf(ca, at, "ledgerkit sandbox", ExtendedKeyUsageOID.SERVER_AUTH, hosts)))
    client = _load(paths.client)
    if client is None or not _lasts(client, at) or not _issued(ca, client):
        _write(paths.client, _pem(_make_leaf(ca, at, "ledgerkit client", ExtendedKeyUsageOID.CLIENT_AUTH, None)))
    signer = _load(paths.signer)
    if signer is None or not _lasts(signer, at) or not _issued(ca, signer):
        _write(paths.signer, _pem(_make_signer(ca, at)))
    return paths


def _load(path: Path) -> _Pair | None:
    try:
        content = path.read_bytes()
        key = serialization.load_pem_private_key(content, None)
        certificate = x509.load_pem_x509_certificate(content)
    except (OSError, ValueError, TypeError):
        return None
    if not isinstance(key, _Key) or certificate.public_key() != key.public_key():
        return None
    return _Pair(certificate, key)


def _lasts(pair: _Pair, at: datetime) -> bool:
    certificate = pair.certificate
    return certificate.not_valid_before_utc <= at < certificate.not_valid_after_utc - timedelta(days=RENEW_DAYS)


def _issued(ca: _Pair, pair: _Pair) -> bool:
    try:
        pair.certificate.verify_directly_issued_by(ca.certificate)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _names(host: str) -> x509.SubjectAlternativeName:
    addresses = {ip_address("127.0.0.1"), ip_address("::1")}
    hosts = {"localhost"}
    try:
        addresses.add(ip_address(host))
    except ValueError:
        hosts.add(host)
    names: list[x509.GeneralName] = [x509.DNSName(name) for name in sorted(hosts)]
    return x509.SubjectAlternativeName(names + [x509.IPAddress(each) for each in sorted(addresses, key=str)])


def _names_of(pair: _Pair) -> x509.SubjectAlternativeName | None:
    try:
        return pair.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return None


def _make_ca(at: datetime) -> _Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("ledgerkit sandbox CA (no fiscal effect)")
    builder = _builder(name, name, key, at, CA_DAYS)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(_usage(signs_certificates=True), critical=True)
    return _Pair(builder.add_extension(_authority_id(key), critical=False).sign(key, hashes.SHA256()), key)


def _make_leaf(
    ca: _Pair, at: datetime, name: str, purpose: x509.ObjectIdentifier, names: x509.SubjectAlternativeName | None
) -> _Pair:
    extensions = [x509.ExtendedKeyUsage([purpose]), *([] if names is None else [names])]
    return _signed(ca, at, name, ec.generate_private_key(ec.SECP256R1()), _usage(), *extensions)


def _make_signer(ca: _Pair, at: datetime) -> _Pair:
    """Make the certificate that signs kept records: RSA, as their signatures must be, and for nothing else."""
    key = rsa.generate_private_key(65537, SIGNER_BITS)
    return _signed(ca, at, "ledgerkit signer (no fiscal effect)", key, _usage(signs_documents=True))


def _signed(
    ca: _Pair, at: datetime, name: str, key: _Key, usage: x509.KeyUsage, *extensions: x509.ExtensionType
) -> _Pair:
    """Make a certificate that the authority signs, and that signs no others."""
    builder = _builder(_name(name), ca.certificate.subject, key, at, LEAF_DAYS)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(usage, critical=True)
    for extension in (*extensions, _authority_id(ca.key)):
        builder = builder.add_extension(extension, critical=False)
    return _Pair(builder.sign(ca.key, hashes.SHA256()), key)


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: _Key, at: datetime, days: int) -> x509.CertificateBuilder:
    # An hour back, for clients whose clock is a little behind.
    since = at - timedelta(hours=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(at + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _authority_id(key: _Key) -> x509.AuthorityKeyIdentifier:
    return x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key())


def _usage(*, signs_certificates: bool = False, signs_documents: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=signs_documents,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(pair: _Pair) -> bytes:
    key = pair.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pair.certificate.public_bytes(serialization.Encoding.PEM) + key


def _write(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file atomically, never readable by others before it has its mode."""
    descriptor, temporary = mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(temporary).replace(path)
