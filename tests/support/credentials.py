"""Certificates as qualified authorities issue them, made on the spot."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509.oid import NameOID, ObjectIdentifier

ANA = "12345678Z"
WEAK_BITS = 1024
QC_STATEMENTS = ObjectIdentifier("1.3.6.1.5.5.7.1.3")
SEALS = bytes.fromhex("300b06070400 8e460106 02".replace(" ", ""))


@dataclass(frozen=True)
class Issued:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: Any

    def pem(self, password: str | None = None) -> bytes:
        lock = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock) + self.public()

    def public(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    def pkcs12(self, password: str, chain: tuple[x509.Certificate, ...] = ()) -> bytes:
        lock = BestAvailableEncryption(password.encode())
        return pkcs12.serialize_key_and_certificates(b"x", self.key, self.certificate, list(chain) or None, lock)


@lru_cache
def key(kind: str) -> Any:
    """`rsa`, `weak`, `p256`, `p224`, `ed25519` or `dsa`; one of each kind is enough."""
    generators = {
        "rsa": lambda: rsa.generate_private_key(65537, 2048),
        "weak": lambda: rsa.generate_private_key(65537, WEAK_BITS),
        "p256": lambda: ec.generate_private_key(ec.SECP256R1()),
        "other": lambda: ec.generate_private_key(ec.SECP256R1()),
        "p224": lambda: ec.generate_private_key(ec.SECP224R1()),
        "ed25519": ed25519.Ed25519PrivateKey.generate,
        "dsa": lambda: dsa.generate_private_key(2048),
    }
    return generators[kind]()


def person(nif: str | None = ANA, *, family: str = "RUIZ GIL", given: str = "ANA", **more: Any) -> Issued:
    """Certificate of a natural person, as the mint issues them; without `nif` it names none."""
    names = [
        (NameOID.COMMON_NAME, f"{family} {given}" + (f" - {nif}" if nif else "")),
        (NameOID.SURNAME, family),
        (NameOID.GIVEN_NAME, given),
    ]
    return issue([*names, (NameOID.SERIAL_NUMBER, f"IDCES-{nif}")] if nif else names, **more)


def entity(nif: str, name: str = "Gestor\u00eda Sur, S.L.", **more: Any) -> Issued:
    """Certificate of an entity, held by its representative, whose own number it carries too."""
    names = [
        (NameOID.COMMON_NAME, f"{ANA} ANA RUIZ (R: {nif})"),
        (NameOID.SURNAME, "RUIZ GIL"),
        (NameOID.GIVEN_NAME, "ANA"),
        (NameOID.SERIAL_NUMBER, f"IDCES-{ANA}"),
        (NameOID.ORGANIZATION_NAME, name),
        (NameOID.ORGANIZATION_IDENTIFIER, f"VATES-{nif}"),
    ]
    return issue(names, **more)


def issue(
    names: list[tuple[ObjectIdentifier, str]],
    *,
    kind: str = "p256",
    since: timedelta = timedelta(hours=-1),
    until: timedelta = timedelta(days=365),
    seal: bool = False,
    by: Issued | None = None,
    self_signed: bool = False,
) -> Issued:
    """Valid from `since` to `until`, both from now; by an authority of its own, or `by` another, or by its holder."""
    private_key = key(kind)
    subject = named(names)
    now = datetime.now(UTC)
    authority = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "AC Prueba")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if self_signed else by.certificate.subject if by else authority)
        .public_key(private_key.public_key())
        .serial_number(0xABCDEF01)
        .not_valid_before(now + since)
        .not_valid_after(now + until)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(private_key.public_key()), critical=False)
    )
    if by is not None:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(by.certificate.public_key())
        builder = builder.add_extension(identifier, critical=False)
    if seal:
        builder = builder.add_extension(x509.UnrecognizedExtension(QC_STATEMENTS, SEALS), critical=False)
    signing = private_key if self_signed else by.key if by else key("other")
    return Issued(builder.sign(signing, hashes.SHA256()), private_key)


def named(names: list[tuple[ObjectIdentifier, str]]) -> x509.Name:
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in names])


def authority_of(sandbox_ca: Path) -> Issued:
    """The authority of a sandbox, from its ca.pem, which has its key beside it."""
    content = sandbox_ca.with_name("ca-key.pem").read_bytes()
    return Issued(x509.load_pem_x509_certificate(content), load_pem_private_key(content, None))


def encoded(file: bytes) -> str:
    """Encode a file as a request carries it."""
    return b64encode(file).decode()
