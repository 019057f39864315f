"""Client certificates: holder, validity and usability; PEM or PKCS#12, in memory only.

Names and identifiers are read where qualified certificates have them. Source: ETSI EN 319 412-1, 5.1.3 and 5.1.4;
EN 319 412-5, 4.2.3 (kind of certificate).
"""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import load_key_and_certificates
from cryptography.x509.oid import NameOID, ObjectIdentifier

from ledgerkit.providers.api import Access, Certificate, Party, UnusableCertificateError
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import key_protection
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg

MIN_RSA_BITS, MAX_RSA_BITS = 2048, 8192

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

_CURVES = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)
_PEM = b"-----BEGIN "
_DER = b"\x30"
_PREFIX = re.compile(r"^(?:[A-Z]{3}ES-?|ES)?")
_STATEMENTS = ObjectIdentifier("1.3.6.1.5.5.7.1.3")
_FOR_SIGNATURES, _FOR_SEALS = (bytes.fromhex(f"060704008E460106{last}") for last in ("01", "02"))
"""Object identifiers 0.4.0.1862.1.6.1 and .2, as DER has them."""


@dataclass(frozen=True)
class Opened:
    """Key, the certificate that belongs to it, and the certificates between it and an authority."""

    key: PrivateKey
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...]

    def pem(self, encryption: KeySerializationEncryption) -> bytes:
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
        return key + b"".join(each.public_bytes(Encoding.PEM) for each in (self.certificate, *self.chain))


def read(access: Access, at: datetime) -> Certificate:
    """Read a certificate that is in force. Raises UnusableCertificateError."""
    opened = opened_with(access.certificate, access.password)
    certificate = certificate_of(opened)
    if at < certificate.valid_from:
        since = f"{certificate.valid_from:%Y-%m-%d %H:%M} UTC"
        raise UnusableCertificateError("CERTIFICATE_NOT_YET_VALID", VerifactuMsg.CERTIFICATE_NOT_YET_VALID, since=since)
    if at > certificate.valid_until:
        until = f"{certificate.valid_until:%Y-%m-%d %H:%M} UTC"
        raise UnusableCertificateError("CERTIFICATE_EXPIRED", VerifactuMsg.OWN_CERTIFICATE_EXPIRED, until=until)
    return certificate


def certificate_of(opened: Opened) -> Certificate:
    """Describe an opened certificate, in force or not."""
    certificate = opened.certificate
    return Certificate(
        holder=_holder(certificate.subject),
        issuer=_first(certificate.issuer, NameOID.COMMON_NAME) or certificate.issuer.rfc4514_string(),
        serial=f"{certificate.serial_number:X}",
        valid_from=certificate.not_valid_before_utc,
        valid_until=certificate.not_valid_after_utc,
        seal=_is_seal(certificate),
        signs=isinstance(opened.key, rsa.RSAPrivateKey),
        content=opened.pem(NoEncryption()),
    )


def read_regardless_of_dates(access: Access) -> Certificate:
    """Read a certificate, in force or not. Raises UnusableCertificateError."""
    return certificate_of(_opened(Content(access)))


def stored_key(access: Access) -> Opened:
    """Open the account's stored certificate with its key. Raises UnusableCertificateError."""
    return _opened(Content(access))


def opened_with(content: bytes, password: str | None, *, checked: bool = False) -> Opened:
    """Open key, certificate and chain. Raises UnusableCertificateError, of which no message holds the password.

    `checked`: it was opened here before it was kept, so whether its key is one need not be proved again (a tenth of a
    second for 2048 bits, many for more).
    """
    if not content:
        raise UnusableCertificateError("CERTIFICATE_LOCKED", VerifactuMsg.CERTIFICATE_LOCKED)
    _check_cost(content)
    key, certificates = _pem(content, password, checked) if _PEM in content else _pkcs12(content, password)
    if key is None:
        raise UnusableCertificateError("CERTIFICATE_WITHOUT_KEY", VerifactuMsg.CERTIFICATE_WITHOUT_KEY)
    usable = _checked(key)
    matching_certificate = next((each for each in certificates if each.public_key() == usable.public_key()), None)
    if matching_certificate is None:
        raise UnusableCertificateError("CERTIFICATE_MISSING", VerifactuMsg.CERTIFICATE_MISSING)
    return Opened(usable, matching_certificate, tuple(each for each in certificates if each != matching_certificate))


def issued_by(access: Access, authority: bytes) -> bool:
    """Return True when an authority (PEM) has issued the certificate. Raises ValueError for one that cannot be read."""
    issuer = x509.load_pem_x509_certificate(authority)
    try:
        return _is_issued_by(_opened(Content(access)).certificate, issuer)
    except UnusableCertificateError:
        return False


def self_signed_by(access: Access) -> str | None:
    """Return the holder's name if the certificate is self-signed; None for any other, and for an unreadable one."""
    try:
        certificate = _opened(Content(access)).certificate
    except UnusableCertificateError:
        return None
    return _holder(certificate.subject).name if _is_issued_by(certificate, certificate) else None


def _is_issued_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


class Content:
    """Certificate as the key of a cache: identified by its digest, and opened once, so that the key keeps nothing.

    OpenSSL and its contexts hold the private key for as long as they are kept, and nothing else does.
    """

    def __init__(self, access: Access) -> None:
        self._access: Access | None = access
        self._digest = sha256(access.certificate + b"\0" + (access.password or "").encode()).digest()

    def opened(self) -> Opened:
        """Open the certificate and forget its password; called once. Raises UnusableCertificateError."""
        access, self._access = self._access, None
        assert access is not None  # noqa: S101 - ours: a cache asks once
        return opened_with(access.certificate, access.password)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and other._digest == self._digest

    def __hash__(self) -> int:
        return hash(self._digest)


@lru_cache(maxsize=256)
def _opened(content: Content) -> Opened:
    return content.opened()


# ---------------------------------------------------------------- reading the file


def _check_cost(content: bytes) -> None:
    try:
        key_protection.check_cost(content)
    except key_protection.CostlyError as error:
        raise UnusableCertificateError(
            "CERTIFICATE_TOO_COSTLY", VerifactuMsg.CERTIFICATE_TOO_COSTLY, cost=error.text
        ) from error


def _pem(content: bytes, password: str | None, checked: bool) -> tuple[object | None, list[x509.Certificate]]:
    certificates: list[x509.Certificate] = []
    try:
        if b"-----BEGIN CERTIFICATE-----" in content:
            certificates = x509.load_pem_x509_certificates(content)
        return (_pem_key(content, password, checked) if b"PRIVATE KEY-----" in content else None), certificates
    except UnusableCertificateError:
        raise
    except (ValueError, TypeError) as error:
        raise _unreadable() from error


def _pem_key(content: bytes, password: str | None, checked: bool) -> object:
    locked = b"ENCRYPTED" in content
    word = (password or "").encode() if locked else None
    try:
        return load_pem_private_key(content, word, unsafe_skip_rsa_key_validation=checked)
    except (ValueError, TypeError) as error:
        raise (_wrong_password(password) if locked else _unreadable()) from error


def _pkcs12(content: bytes, password: str | None) -> tuple[object | None, list[x509.Certificate]]:
    try:
        key, certificate, more = load_key_and_certificates(content, password.encode() if password else None)
    except (ValueError, TypeError) as error:
        if not content.startswith(_DER):
            raise _unreadable() from error
        if _is_certificate(content):
            return None, []
        raise _wrong_password(password) from error
    return key, [each for each in (certificate, *more) if each is not None]


def _is_certificate(content: bytes) -> bool:
    try:
        x509.load_der_x509_certificate(content)
    except ValueError:
        return False
    return True


def _checked(key: object) -> PrivateKey:
    if isinstance(key, rsa.RSAPrivateKey):
        if MIN_RSA_BITS <= key.key_size <= MAX_RSA_BITS:
            return key
        if key.key_size > MAX_RSA_BITS:
            raise UnusableCertificateError(
                "CERTIFICATE_KEY_LARGE", VerifactuMsg.KEY_TOO_LARGE, bits=key.key_size, most=MAX_RSA_BITS
            )
        raise UnusableCertificateError(
            "CERTIFICATE_KEY_WEAK", VerifactuMsg.KEY_TOO_WEAK, bits=key.key_size, least=MIN_RSA_BITS
        )
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, _CURVES):
        return key
    raise UnusableCertificateError("CERTIFICATE_KEY_UNKNOWN", VerifactuMsg.KEY_UNKNOWN)


def _unreadable() -> UnusableCertificateError:
    return UnusableCertificateError("CERTIFICATE_UNREADABLE", VerifactuMsg.CERTIFICATE_UNREADABLE)


def _wrong_password(password: str | None) -> UnusableCertificateError:
    message = VerifactuMsg.PASSWORD_WRONG if password else VerifactuMsg.PASSWORD_MISSING
    return UnusableCertificateError("CERTIFICATE_PASSWORD", message)


# ---------------------------------------------------------------- whom it names


def _holder(subject: x509.Name) -> Party:
    """Holder of a certificate: the entity that it names, else the person."""
    entity = _nif(_first(subject, NameOID.ORGANIZATION_IDENTIFIER))
    if entity is not None:
        name = _first(subject, NameOID.ORGANIZATION_NAME) or _first(subject, NameOID.COMMON_NAME) or entity
        return Party(name=name, tax_id=entity, country="ES")
    common = _first(subject, NameOID.COMMON_NAME) or ""
    nif = _nif(_first(subject, NameOID.SERIAL_NUMBER)) or _nif_within(common)
    family_name, given_name = _first(subject, NameOID.SURNAME), _first(subject, NameOID.GIVEN_NAME)
    name = f"{family_name} {given_name}" if family_name and given_name else _without(common, nif)
    return Party(name=name or subject.rfc4514_string(), tax_id=nif, country="ES")


def _first(name: x509.Name, oid: ObjectIdentifier) -> str | None:
    values = [str(each.value).strip() for each in name.get_attributes_for_oid(oid)]
    return next(filter(None, values), None)


def _nif(value: str | None) -> str | None:
    """Return the NIF in `VATES-B12345674`, `IDCES-12345678Z` or the bare number."""
    return None if value is None else tax_ids.spanish(_PREFIX.sub("", value.upper()))


def _nif_within(common: str) -> str | None:
    return next((nif for word in re.split(r"[^0-9A-Za-z]+", common) if (nif := tax_ids.spanish(word))), None)


def _without(common: str, number: str | None) -> str:
    return common.replace(number, "").strip(" -:") if number else common


def _is_seal(certificate: x509.Certificate) -> bool | None:
    try:
        statements = certificate.extensions.get_extension_for_oid(_STATEMENTS).value
    except (x509.ExtensionNotFound, ValueError):
        return None
    statement_bytes = statements.value if isinstance(statements, x509.UnrecognizedExtension) else b""
    if _FOR_SEALS in statement_bytes:
        return True
    return False if _FOR_SIGNATURES in statement_bytes else None
