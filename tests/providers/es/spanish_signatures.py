"""Signed records for the tests of Spain, and Debian's xmlsec1 as the second opinion on them."""

import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from spanish_documents import CHANNEL, invoice

from ledgerkit.providers.api import Environment, Installation, Place
from ledgerkit.providers.es.verifactu.signed_mode.keys import KeySigner

AT = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)


@cache
def key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, bits)


@cache
def certificate(since=AT - timedelta(days=1), until=AT + timedelta(days=365), name='Ana "García" & <Hijos>'):
    """Self-signed certificate; the name has all that XML and distinguished names escape."""
    named = x509.Name([x509.NameAttribute(NameOID.COUNTRY_NAME, "ES"), x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = x509.CertificateBuilder().subject_name(named).issuer_name(named).public_key(key().public_key())
    made = made.serial_number(80044384284793334134753462931839354305).not_valid_before(since).not_valid_after(until)
    return made.sign(key(), SHA256())


@cache
def signer(**validity) -> KeySigner:
    return KeySigner(key(), certificate(**validity))


def place(at=AT, previous=None, signer=None) -> Place:
    installation = Installation(number="0" * 32, several_issuers=False, signer=signer)
    return Place(previous=previous, installation=installation, at=at, environment=Environment.SANDBOX)


def kept(document=None, **more):
    """The signed record of a document."""
    return CHANNEL.seal(document or invoice(), place(**({"signer": signer()} | more)))


def unsigned(document=None):
    return CHANNEL.seal(document or invoice(), place())


def described(text: str):
    return invoice(description=text)


def numbered(ordinal: int):
    return replace(invoice(), number=f"F2026-{ordinal:04d}")


def xmlsec1_accepts(content: bytes, directory, trusted: x509.Certificate | None = None) -> bool:
    """Return True when xmlsec1 verifies the document's signature; with `trusted` only by a chain that ends there."""
    program = shutil.which("xmlsec1")
    if program is None:
        pytest.skip("xmlsec1 is not installed (Debian: apt-get install xmlsec1)")
    file = directory / "signed.xml"
    file.write_bytes(content)
    trust = ["--insecure"]
    if trusted is not None:
        anchor = directory / "trusted.pem"
        anchor.write_bytes(trusted.public_bytes(Encoding.PEM))
        trust = ["--enabled-key-data", "x509", "--trusted-pem", str(anchor)]
    ids = ["--id-attr:Id", "http://uri.etsi.org/01903/v1.3.2#:SignedProperties"]
    done = subprocess.run(
        [program, "verify", *ids, *trust, str(file)], capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode == 0 and "SignedInfo References (ok/all): 2/2" in done.stdout + done.stderr
